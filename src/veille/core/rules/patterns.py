"""Patterns of users: RE2, which takes time in proportion to the text whatever the pattern, and bounded memory."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from veille.core.rules.phrase import Phrase
from veille.core.rules.tokens import RuleError, RuleToken, TokenKind
from veille.core.rules.words import passage

#: What one pattern may take: usual ones are far below 100 kB. Where that is too little, RE2 goes through all steps of a
#: pattern for each letter, so that large ones (`.{0,200}` is 1,800 steps) get more room: 7 s become 10 ms for 1 MB.
_USUAL_BYTES: Final = 512 * 1024
_LARGE_BYTES: Final = 8 * 1024 * 1024
#: From how many steps on a pattern is large, and how many it may have. A class of all letters, `\p{L}`, has 1,200.
_LARGE: Final = 200
_MOST: Final = 3_000
_AROUND: Final = 800
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def read_pattern(phrase: Phrase) -> str:
    """The next pattern, as RE2 takes it; empty if there is none. RuleError `bad_pattern` if RE2 refuses it."""
    token = phrase.token(TokenKind.PATTERN, "a pattern between slashes, like /EUR [0-9]+/")
    if token is None:
        return ""
    body, _, flags = token.text[1:].rpartition("/")
    pattern = f"(?i){body}" if flags else body
    # Half a character is in no text.
    pattern = _SURROGATE.sub("\ufffd", pattern.replace("\\/", "/"))
    _check(phrase, token, pattern)
    return pattern


def _check(phrase: Phrase, token: RuleToken, pattern: str) -> None:
    import re2  # noqa: PLC0415 - only rules with patterns need it

    try:
        reason = "pattern too large" if _regexp(pattern).ProgramSize() > _MOST else ""
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else str(error)
    if not reason:
        return
    advice = "Patterns are written as RE2 takes them: no look-around and no back-references."
    if "too large" in reason or "repetition size" in reason:
        advice = "Make it shorter, or its repetitions smaller."
    place, length = _blamed(token, reason)
    message = f"This pattern cannot be used: {reason}. {advice}"
    raise RuleError(message, line=phrase.line, place=place, length=length, code="bad_pattern")


def _blamed(token: RuleToken, reason: str) -> tuple[int, int]:
    """The part of a pattern that its reason quotes, or all of it."""
    part = reason.partition(": ")[2]
    at = token.text.find(part) if part else -1
    return (token.start + at, len(part)) if at > 0 else (token.start, token.end - token.start)


def _regexp(pattern: str) -> Any:
    found = _usual(pattern)
    return _large(pattern) if found is None else found


@lru_cache(maxsize=512)
def _usual(pattern: str) -> Any:
    """The compiled pattern; None if it is large."""
    found = _compiled(pattern, _USUAL_BYTES)
    return found if found.ProgramSize() <= _LARGE else None


@lru_cache(maxsize=16)
def _large(pattern: str) -> Any:
    return _compiled(pattern, _LARGE_BYTES)


def _compiled(pattern: str, most_bytes: int) -> Any:
    import re2  # noqa: PLC0415 - only rules with patterns need it

    options = re2.Options()
    options.max_mem = most_bytes
    options.log_errors = False
    options.never_capture = True
    # Not through `re2.compile`, which would keep each of them in a second cache.
    return re2._Regexp(pattern.encode(), options)._regexp  # noqa: SLF001


def is_match(pattern: str, text: bytes) -> bool:
    """Whether a pattern that was read matches anywhere in a text."""
    return bool(_span(pattern, text)[0] >= 0)


def _span(pattern: str, text: bytes) -> tuple[int, int]:
    import re2  # noqa: PLC0415 - only rules with patterns need it

    found: tuple[int, int] = _regexp(pattern).Match(re2._Anchor.UNANCHORED, text, 0, len(text))[0]  # noqa: SLF001
    return found


def matched(pattern: str, text: bytes) -> str:
    """The passage of a text around the first match; empty if there is none."""
    start, end = _span(pattern, text)
    if start < 0:
        return ""
    end = min(end, start + _AROUND)
    before = text[max(0, start - _AROUND) : start].decode("utf-8", "ignore")
    found = text[start:end].decode("utf-8", "ignore")
    after = text[end : end + _AROUND].decode("utf-8", "ignore")
    return passage(before + found + after, len(before), len(before) + len(found))
