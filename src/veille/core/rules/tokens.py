"""The words of a rule: a line is split into words, quoted texts, names, patterns and signs, each with its place."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NoReturn

from veille.errors import ConfigError

#: Letters of an expression.
MAX_LETTERS: Final = 2_000
#: Letters of a line that a message shows around the place.
_SHOWN: Final = 100

_TOKEN: Final = re.compile(
    r"""(?P<space>\s+)
      | (?P<text>"(?:[^"\\]|\\.)*" | “[^”“]*[”“] | „[^“”]*[“”] | «[^»]*»)
      | (?P<name>`[^`]*`)
      | (?P<pattern>/(?:[^/\\]|\\.)+/i?(?=[\s)]|$))
      | (?P<sign><=|>=|!=|<>|==|[<>=≤≥≠])
      | (?P<open>\()
      | (?P<close>\))
      | (?P<word>[^\s()"“”„«»`<>=≤≥≠!]+)""",
    re.VERBOSE,
)
_ESCAPED: Final = re.compile(r"\\(.)")


class RuleError(ConfigError):
    """An expression that is no rule: the message shows the line with a mark below the place."""

    code = "bad_rule"

    def __init__(self, message: str, *, line: str, place: int, length: int = 1, code: str | None = None) -> None:
        super().__init__(f"{message}\n{_marked(line, place, length)}", code=code)
        #: What is wrong, without the line.
        self.message = message
        self.place = place
        self.length = length


class TokenKind(StrEnum):
    """What a part of an expression is."""

    WORD = "word"
    TEXT = "text"
    NAME = "name"
    PATTERN = "pattern"
    SIGN = "sign"
    OPEN = "open"
    CLOSE = "close"


@dataclass(frozen=True, slots=True)
class RuleToken:
    """A part of an expression, and where it is."""

    kind: TokenKind
    #: Without quotes, and of a pattern without its slashes; words and signs in small letters.
    text: str
    start: int
    end: int


def tokens(line: str) -> list[RuleToken]:
    """The parts of an expression in order; RuleError where there is none.

    >>> [one.text for one in tokens('price <= 12 or "Sold out" appears')]
    ['price', '<=', '12', 'or', 'Sold out', 'appears']
    """
    if len(line) > MAX_LETTERS:
        message = f"A rule has at most {MAX_LETTERS} letters, this one has {len(line)}. Make two rules of it."
        raise RuleError(message, line=line, place=MAX_LETTERS)
    found: list[RuleToken] = []
    at = 0
    while at < len(line):
        match = _TOKEN.match(line, at)
        if match is None:
            _refuse(line, at)
        kind = str(match.lastgroup)
        if kind != "space":
            found.append(RuleToken(TokenKind(kind), _content(kind, match[0]), at, match.end()))
        at = match.end()
    return found


def _content(kind: str, written: str) -> str:
    if kind == TokenKind.TEXT:
        return _ESCAPED.sub(r"\1", written[1:-1])
    if kind == TokenKind.NAME:
        return written[1:-1]
    return written if kind == TokenKind.PATTERN else written.casefold()


def _refuse(line: str, at: int) -> NoReturn:
    sign = line[at]
    if sign in '"“„«`':
        raise RuleError("The closing quotation mark is missing.", line=line, place=at, length=len(line) - at)
    advice = " Write != or not." if sign == "!" else ""
    raise RuleError(f"{sign!r} was not expected here.{advice}", line=line, place=at)


def _marked(line: str, place: int, length: int) -> str:
    """The part of the line around a place, and below it a mark."""
    start = max(0, place - _SHOWN // 2)
    end = min(len(line), start + _SHOWN)
    before = ("…" if start else "") + _even(line[start:place])
    shown = before + _even(line[place:end]) + ("…" if end < len(line) else "")
    mark = "^" * max(1, _columns(_even(line[place : min(place + length, end)])))
    return f"  {shown}\n  {' ' * _columns(before)}{mark}"


def _even(text: str) -> str:
    """The text in one line, letter by letter."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _columns(text: str) -> int:
    """How wide a text is in a terminal."""
    return sum(
        2 if unicodedata.east_asian_width(letter) in "WF" else not unicodedata.combining(letter) for letter in text
    )
