"""Template filters that format times, durations, sizes and counts."""

from __future__ import annotations

import re
import time
from datetime import UTC, date, datetime
from functools import lru_cache
from zlib import crc32

from markupsafe import Markup, escape

from veille.bootstrap.clock import system_clock
from veille.core.report.read_share import share_text

_STEPS = ((60, "s", 1), (3600, "min", 60), (86_400, "h", 3600), (30 * 86_400, "d", 86_400))
_KILO = 1024
_FOUR_DIGITS = 1000
#: Colours that dossiers and sources are told apart by; the style sheet has them as `.c0` and so on.
_TINTS = 8
_TICKED = re.compile("`([^`]+)`")


def ago(at: int | None, now: int | None = None) -> str:
    """A time relative to now, such as `5 min ago` or `in 2 h`."""
    if at is None:
        return "never"
    seconds = ((system_clock() if now is None else now) - at) / 1000
    size = _span(abs(seconds))
    if size == "0 s":
        return "now"
    return f"{size} ago" if seconds > 0 else f"in {size}"


def until(at: int | None) -> str:
    """A coming time relative to now; `now` when it is overdue."""
    if at is None:
        return "–"  # noqa: RUF001 - an en dash is meant
    now = system_clock()
    return "now" if at <= now else ago(at, now)


def _span(seconds: float) -> str:
    for limit, unit, size in _STEPS:
        if seconds < limit:
            return f"{int(seconds // size)} {unit}"
    days = int(seconds // 86_400)
    return f"{days} d" if days < 365 else f"{days // 365} y"  # noqa: PLR2004 - days in a year


@lru_cache(maxsize=4096)
def moment(at: int | None) -> str:
    """An exact UTC time in ISO 8601."""
    return "" if at is None else datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def timed(at: int) -> Markup:
    """A time for people, with the exact one beside it."""
    exact = moment(at)
    return Markup(f'<time datetime="{exact}" title="{exact}">{ago(at)}</time>')  # noqa: S704 - nothing foreign in it


def day_of(at: int) -> str:
    """The day of a time in words, in this machine's time zone."""
    # Not by `astimezone`, which takes ten times as long; rows ask for it one by one.
    then, today = (date(*time.localtime(one / 1000)[:3]) for one in (at, system_clock()))
    if then == today:
        return "Today"
    if (today - then).days == 1:
        return "Yesterday"
    return f"{then:%A}, {then.day} {then:%B %Y}"


def dated(at: int) -> str:
    """Date and time, in this machine's time zone."""
    then = datetime.fromtimestamp(at / 1000).astimezone()
    return f"{then.day} {then:%B %Y, %H:%M}"


def span(milliseconds: int | None) -> str:
    """A duration."""
    return "" if milliseconds is None else _span(milliseconds / 1000)


def size(number: float) -> str:
    """A number of bytes with its unit."""
    for unit in ("B", "KB", "MB", "GB"):
        if round(number) < _FOUR_DIGITS:
            return f"{number:.0f} {unit}" if unit == "B" or number >= 10 else f"{number:.1f} {unit}"  # noqa: PLR2004
        number /= _KILO
    return f"{number:.1f} TB"


def number(value: float) -> str:
    """A number with its thousands separated."""
    return f"{value:,}".replace(",", "\u202f")


def codes(text: str) -> Markup:
    """Text as HTML, with what is between backticks as `<code>`."""
    return Markup(_TICKED.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped before


def tint(text: str) -> str:
    """The CSS class of the colour of a name: always the same one."""
    return f"c{crc32(text.encode()) % _TINTS}"


FILTERS = (ago, until, moment, timed, day_of, dated, span, size, number, codes, tint, share_text)
