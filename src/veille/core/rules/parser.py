"""Reads an expression: `or` joins what `and` joins, `not` and parentheses as usual, and phrases between them.

Every phrase is offered to the conditions in their order; the first that knows it takes it.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from veille.core.rules.condition import PACKAGE, Condition
from veille.core.rules.phrase import Phrase
from veille.core.rules.tokens import RuleError, RuleToken, TokenKind, tokens
from veille.core.rules.tree import AllOf, AnyOf, Leaf, Tree
from veille.registry import load_all

MAX_CONDITIONS: Final = 50
MAX_DEPTH: Final = 20
#: How `and`, `or` and `not` can be written.
_AND, _OR, _NOT = frozenset({"and", "&", "&&"}), frozenset({"or", "|", "||"}), frozenset({"not"})
_BETWEEN: Final = frozenset({"between"})
#: After these `not` denies the whole phrase: `"sold out" is not there`.
_VERBS: Final = frozenset({"is", "are", "was", "has"})
#: These are there for `not` only: `title does not contain "sale"`.
_AUXILIARIES: Final = frozenset({"does", "do", "did"})


@cache
def conditions() -> tuple[type[Condition], ...]:
    """All conditions, in the order in which phrases are offered to them."""
    return tuple(sorted(load_all(PACKAGE, Condition).values(), key=lambda one: one.order))


def parsed(line: str) -> Tree:
    """The conditions of an expression as a tree; RuleError with the place if it is none."""
    return _Parser(line).tree()


class _Parser:
    """Recursive descent over the parts of one line."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.tokens = tokens(line)
        self.at = 0
        self.depth = 0
        self.count = 0

    def tree(self) -> Tree:
        found = self.choice(negated=False)
        if self.at < len(self.tokens):
            self.fail("This parenthesis was not opened.")
        return found

    def fail(self, message: str) -> RuleError:
        place = self.tokens[self.at] if self.at < len(self.tokens) else None
        start = place.start if place else len(self.line)
        raise RuleError(message, line=self.line, place=start, length=place.end - place.start if place else 1)

    def sees(self, options: frozenset[str]) -> bool:
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        return token is not None and token.kind is TokenKind.WORD and token.text in options

    def takes(self, options: frozenset[str]) -> bool:
        seen = self.sees(options)
        self.at += seen
        return seen

    def choice(self, *, negated: bool) -> Tree:
        parts = [self.group(negated=negated)]
        while self.takes(_OR):
            parts.append(self.group(negated=negated))
        # Not one of them is all of their opposites.
        return parts[0] if len(parts) == 1 else (AllOf if negated else AnyOf)(tuple(parts))

    def group(self, *, negated: bool) -> Tree:
        parts = [self.item(negated=negated)]
        while self.takes(_AND):
            parts.append(self.item(negated=negated))
        return parts[0] if len(parts) == 1 else (AnyOf if negated else AllOf)(tuple(parts))

    def item(self, *, negated: bool) -> Tree:
        while self.takes(_NOT):
            negated = not negated
        if self.at < len(self.tokens) and self.tokens[self.at].kind is TokenKind.OPEN:
            return self.enclosed(negated=negated)
        return self.phrase(negated=negated)

    def enclosed(self, *, negated: bool) -> Tree:
        if self.depth == MAX_DEPTH:
            self.fail(f"Parentheses go {MAX_DEPTH} deep at most.")
        opened = self.at
        self.at, self.depth = self.at + 1, self.depth + 1
        inner = self.choice(negated=negated)
        if self.at == len(self.tokens) or self.tokens[self.at].kind is not TokenKind.CLOSE:
            if self.at == len(self.tokens):
                self.at = opened
                self.fail("This parenthesis is not closed.")
            self.fail('Expected "and", "or" or a closing parenthesis.')
        self.at, self.depth = self.at + 1, self.depth - 1
        if self.at < len(self.tokens) and not (self.sees(_AND | _OR) or self.tokens[self.at].kind is TokenKind.CLOSE):
            self.fail('Expected "and" or "or".')
        return inner

    def phrase(self, *, negated: bool) -> Tree:
        start, parts = self.at, list[RuleToken]()
        between = is_denied = False
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.kind in {TokenKind.OPEN, TokenKind.CLOSE} or self.sees(_OR) or (self.sees(_AND) and not between):
                break
            verb = parts[-1].text if parts and parts[-1].kind is TokenKind.WORD else ""
            if self.sees(_NOT) and verb in _VERBS | _AUXILIARIES:
                is_denied = not is_denied
                if verb in _AUXILIARIES:
                    parts.pop()
            else:
                parts.append(token)
            # The first `and` after `between` is a part of the phrase.
            between = self.sees(_BETWEEN) or (between and not self.sees(_AND))
            self.at += 1
        if not parts:
            self.fail('Expected a condition, like price < 12, "sold out" appears or is new.')
        if self.at < len(self.tokens) and self.tokens[self.at].kind is TokenKind.OPEN:
            self.fail('Expected "and" or "or". Put a text with parentheses into quotes.')
        self.count += 1
        if self.count > MAX_CONDITIONS:
            self.at = start
            self.fail(f"A rule has at most {MAX_CONDITIONS} conditions. Make two rules of it.")
        found = Phrase(self.line, parts)
        written = self.line[self.tokens[start].start : self.tokens[self.at - 1].end]
        text = f"not {written}" if negated else written
        return Leaf(_condition(found), text, negated=negated is not is_denied)


def _condition(phrase: Phrase) -> Condition:
    for kind in conditions():
        found = kind.parse(phrase.again())
        if found is not None:
            return found
    return phrase.refuse(example for kind in conditions() for example in kind.examples)
