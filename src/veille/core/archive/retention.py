"""Retention: which revisions of a document are kept, for how long and where.

A rule is a short text of clauses, separated by commas:

    all                        everything is kept; the same as an empty rule
    last 20                    only the last 20 revisions of each document
    daily after 7d             of what is older than 7 days, the last revision of each day; also weekly, monthly, yearly
    archive after 90d          what is older than 90 days moves to compressed files beside the dossier
    delete after 5y            revisions older than 5 years are removed
    delete gone after 1y       documents that were removed from the web a year ago are deleted with all they had

A revision is removed as soon as one clause says so. The current revision of a document always stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

from veille.core.archive.content_state import ContentState
from veille.core.schedule import DAY
from veille.errors import ConfigError

_AGE = re.compile(r"(\d{1,5})\s*(d|days?|w|weeks?|months?|y|years?)")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
_LAST = re.compile(r"last (\d{1,6})")
_AFTER = re.compile(r"(daily|weekly|monthly|yearly|archive|delete gone|delete) after (.+)")
_LONGEST = 300

#: The period of a moment, by the name of the clause; a coarser one follows a finer one.
_PERIODS: dict[str, Callable[[datetime], tuple[int, ...]]] = {
    "daily": lambda at: (at.year, at.month, at.day),
    "weekly": lambda at: at.isocalendar()[:2],
    "monthly": lambda at: (at.year, at.month),
    "yearly": lambda at: (at.year,),
}


class Fate(StrEnum):
    """What a rule does with a revision."""

    ARCHIVE = "archive"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """A rule. Ages are in milliseconds; None: the rule has no such clause."""

    #: How many revisions of a document are kept.
    last: int | None = None
    #: A period, and the age from which one revision of each such period is kept.
    thinned: tuple[tuple[str, int], ...] = ()
    archive_after: int | None = None
    delete_after: int | None = None
    #: For documents that are gone.
    delete_gone_after: int | None = None


KEEP_ALL = Retention()


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A revision, as far as a rule looks at it."""

    n: int
    at: int
    kept: ContentState
    #: Whether a sink has still to be told of it.
    is_awaited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AgedDocument:
    """A document, the rule that holds for it, and its revisions, newest first."""

    row: int
    id: str
    title: str
    url: str
    rule: str
    #: Since when it is gone; None if it is not.
    gone_at: int | None
    #: Whether somebody keeps it, or shares it by a link.
    is_wanted: bool
    versions: tuple[Version, ...]


def retention(text: str) -> Retention:
    """Parse a rule; ConfigError `bad_retention` if it is none.

    >>> retention("last 20, archive after 90d").last
    20
    """
    found = KEEP_ALL
    for clause in text[: _LONGEST + 1].lower().split(","):
        words = " ".join(clause.split())
        if words in {"", "all"}:
            continue
        found = _with(found, words)
    if len(text) > _LONGEST:
        raise _bad(text)
    return found


def refuse_to_archive(text: str) -> None:
    """ConfigError `no_archive` if a rule archives; for stores whose archive files have no place."""
    if retention(text).archive_after is not None:
        raise no_archive()


def no_archive() -> ConfigError:
    """The error where archive files have no place."""
    return ConfigError(
        "Archive files would be in the data folder of whichever machine writes them, where the others miss them: "
        "set `bodies.place` to a folder that all machines have, or to S3.",
        code="no_archive",
    )


def _with(rule: Retention, words: str) -> Retention:
    if (last := _LAST.fullmatch(words)) and int(last[1]):
        return replace(rule, last=int(last[1]))
    after = _AFTER.fullmatch(words)
    age = after and _AGE.fullmatch(after[2])
    if not after or not age:
        raise _bad(words)
    name, span = after[1], int(age[1]) * _DAYS[age[2][0]] * DAY
    if name in _PERIODS:
        return replace(rule, thinned=(*rule.thinned, (name, span)))
    if name == "archive":
        return replace(rule, archive_after=span)
    return replace(rule, delete_after=span) if name == "delete" else replace(rule, delete_gone_after=span)


def _bad(text: str) -> ConfigError:
    return ConfigError(
        f"{text[:60]!r} is no rule of retention; write clauses such as: all, last 20, daily after 7d, monthly after "
        "1y, archive after 90d, delete after 5y, delete gone after 1y.",
        code="bad_retention",
    )


def is_forgotten(document: AgedDocument, rule: Retention, now: int) -> bool:
    """Whether a document is deleted as a whole: it is gone for long enough, and nobody keeps or shares it."""
    if document.gone_at is None or document.is_wanted or rule.delete_gone_after is None:
        return False
    return now - document.gone_at > rule.delete_gone_after and not any(one.is_awaited for one in document.versions)


def fates(versions: Sequence[Version], rule: Retention, now: int) -> dict[int, Fate]:
    """What becomes of the revisions of a document (newest first), by number; those without a fate stay as they are."""
    found: dict[int, Fate] = {}
    spent = _spent(versions, rule, now)
    for one in versions[1:]:
        if one.is_awaited or one.kept is ContentState.REMOVED:
            continue
        if one.n in spent:
            found[one.n] = Fate.REMOVE
        elif one.kept is ContentState.HERE and rule.archive_after is not None and now - one.at > rule.archive_after:
            found[one.n] = Fate.ARCHIVE
    return found


def _spent(versions: Sequence[Version], rule: Retention, now: int) -> set[int]:
    """The numbers of the revisions that are not kept."""
    spent = {one.n for one in versions[rule.last :]} if rule.last else set()
    if rule.delete_after is not None:
        spent |= {one.n for one in versions if now - one.at > rule.delete_after}
    for name, age in rule.thinned:
        spent |= _repeated((one for one in versions if now - one.at > age), _PERIODS[name])
    return spent


def _repeated(versions: Iterable[Version], period: Callable[[datetime], tuple[int, ...]]) -> set[int]:
    """All but the last revision of each period; revisions that were removed before do not stand for their period."""
    seen: set[tuple[int, ...]] = set()
    repeated: set[int] = set()
    for one in versions:
        if one.kept is ContentState.REMOVED:
            continue
        which = period(datetime.fromtimestamp(one.at / 1000, UTC))
        if which in seen:
            repeated.add(one.n)
        seen.add(which)
    return repeated
