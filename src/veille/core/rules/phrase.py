"""One condition as it was written, for the conditions to read: word by word, and with a note of what was expected."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NoReturn

from veille.core.rules.tokens import RuleError, RuleToken, TokenKind
from veille.core.rules.words import folded
from veille.errors import did_you_mean

#: Words that begin other conditions, and so are no names of values.
RESERVED: Final = frozenset("document is it language only page run search source text the title told".split())
#: Expectations that a message lists.
_MOST_LISTED: Final = 8


#: What is taken by its text.
_BARE: Final = frozenset({TokenKind.WORD, TokenKind.SIGN})


@lru_cache(maxsize=256)
def _split(options: tuple[str, ...]) -> tuple[tuple[list[str], str], ...]:
    """The words of each option, the longest first."""
    return tuple(sorted(((one.split(), one) for one in options), key=lambda one: -len(one[0])))


@dataclass(slots=True)
class Misses:
    """How far any condition could read a phrase, and what each of them expected there."""

    at: int = 0
    #: As a message lists them.
    expected: list[str] = field(default_factory=list)
    #: The words among them.
    words: list[str] = field(default_factory=list)

    def note(self, at: int, *words: str, what: str = "") -> None:
        if at < self.at:
            return
        if at > self.at:
            self.at, self.expected, self.words = at, [], []
        self.words += words
        shown = what or f'"{words[0]}"'
        if shown not in self.expected:
            self.expected.append(shown)


class Phrase:
    """A cursor over the parts of one condition. Its methods take what they ask for, or leave it and note it."""

    def __init__(self, line: str, parts: list[RuleToken], misses: Misses | None = None) -> None:
        self.line = line
        self.parts = parts
        self.at = 0
        self.misses = misses or Misses()

    def again(self) -> Phrase:
        """The same from its beginning, with the same notes."""
        return Phrase(self.line, self.parts, self.misses)

    @property
    def next(self) -> RuleToken | None:
        return self.parts[self.at] if self.at < len(self.parts) else None

    @property
    def written(self) -> str:
        """All of it, as it was written."""
        return self.line[self.parts[0].start : self.parts[-1].end]

    def take(self, *options: str, what: str = "") -> str:
        """The longest of these that is next, each one or several words; empty if none is."""
        split = _split(options)
        parts = self.parts[self.at : self.at + len(split[0][0])]
        ahead = [one.text if one.kind in _BARE else "" for one in parts]
        for words, option in split if ahead else ():
            if ahead[: len(words)] == words:
                self.at += len(words)
                return option
        self.misses.note(self.at, *options, what=what)
        return ""

    def token(self, kind: TokenKind, what: str) -> RuleToken | None:
        """The next part, if it is of that kind."""
        found = self.next
        if found is not None and found.kind is kind:
            self.at += 1
            return found
        self.misses.note(self.at, what=what)
        return None

    def text(self) -> str | None:
        """A text in quotes."""
        found = self.token(TokenKind.TEXT, 'a text in quotes, like "sold out"')
        if found is not None and not folded(found.text):
            self.fail("The text is empty.", found)
        return found.text if found else None

    def word(self, what: str) -> str:
        """Any word; empty if there is none."""
        found = self.token(TokenKind.WORD, what)
        return found.text if found else ""

    def name(self) -> str:
        """The name of a value: one word, or several in backticks; empty if there is none."""
        found = self.next
        if found is not None and found.kind is TokenKind.WORD and found.text not in RESERVED and _is_name(found.text):
            self.at += 1
            return found.text
        quoted = self.token(TokenKind.NAME, "the name of a value, like price or `stock level`")
        if quoted is not None and not quoted.text.strip():
            self.fail("The name is empty.", quoted)
        return " ".join(quoted.text.split()).casefold() if quoted else ""

    def rest(self) -> str:
        """What is left, as it was written; quotes are left out around a text that stands alone."""
        left, self.at = self.parts[self.at :], len(self.parts)
        if len(left) == 1:
            return self.line[left[0].start : left[0].end] if left[0].kind is TokenKind.WORD else left[0].text
        return self.line[left[0].start : left[-1].end] if left else ""

    @property
    def is_over(self) -> bool:
        """Whether nothing is left."""
        if self.at == len(self.parts):
            return True
        self.misses.note(self.at, what="the end of the condition")
        return False

    def fail(self, message: str, token: RuleToken | None = None, code: str | None = None) -> NoReturn:
        """Refuse the rule because of the part that was read last, or of this one."""
        place = token or self.parts[min(max(self.at - 1, 0), len(self.parts) - 1)]
        raise RuleError(message, line=self.line, place=place.start, length=place.end - place.start, code=code)

    def refuse(self, examples: Iterable[str]) -> NoReturn:
        """Refuse the rule because no condition could read the phrase: at the place that one of them came to."""
        at, known = self.misses.at, self.misses
        listed = known.expected[:_MOST_LISTED]
        choice = f"{', '.join(listed[:-1])} or {listed[-1]}" if len(listed) > 1 else "".join(listed)
        more = " …" if len(known.expected) > len(listed) else ""
        found = self.parts[at].text if at < len(self.parts) else ""
        hint = did_you_mean(found, known.words) if found else ""
        near = did_you_mean(self.written.casefold(), examples, 0.5)
        if at < len(self.parts):
            place, end = self.parts[at].start, self.parts[at].end
        else:
            place, end = self.parts[-1].end, self.parts[-1].end + 1
        message = f"Expected {choice}{more}.{hint or near}"
        raise RuleError(message, line=self.line, place=place, length=end - place)


def _is_name(word: str) -> bool:
    return not word[0].isdigit() and word.replace("_", "").replace("-", "").replace(".", "").isalnum()
