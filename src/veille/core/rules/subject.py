"""Facts, with all that conditions derive from them: each is derived once, and only if a condition asks for it."""

from __future__ import annotations

from datetime import datetime, tzinfo
from functools import cached_property

from veille.core.compare.diff import change_size, word_count
from veille.core.rules.facts import DocumentText, Facts
from veille.core.rules.words import folded, words_in
from veille.core.values.value import Value


class Side:
    """A document before or after a change; empty texts if there is none."""

    def __init__(self, document: DocumentText | None) -> None:
        self.is_there = document is not None
        self.title = document.title if document else ""
        self.body = document.text if document else ""
        self.lang = document.lang if document else ""

    @cached_property
    def text(self) -> str:
        """The title and the text."""
        return f"{self.title}\n\n{self.body}" if self.title else self.body

    @cached_property
    def folded(self) -> str:
        return folded(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        return words_in(self.folded)

    @cached_property
    def encoded(self) -> bytes:
        """The text for patterns, which are matched on bytes."""
        return self.text.encode("utf-8", "replace")

    @cached_property
    def count(self) -> int:
        """About how many words the text has."""
        return word_count(self.text)

    @cached_property
    def heading(self) -> Side:
        """The title alone."""
        return Side(DocumentText(title="", text=self.title, lang=self.lang))


class Subject:
    """What happened, for the conditions of all rules that are judged by it."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        #: What the index knows it by.
        self.key = (facts.occasion, facts.change)
        self.is_new = facts.change == "new"
        self.is_first = facts.is_first
        self._times: dict[tzinfo, datetime] = {}

    @cached_property
    def after(self) -> Side:
        return Side(self.facts.after)

    @cached_property
    def before(self) -> Side:
        facts = self.facts
        return self.after if facts.is_same_text and facts.before == facts.after else Side(facts.before)

    @cached_property
    def is_same_text(self) -> bool:
        """Whether the text is the same on both sides, so that nothing about it can be news."""
        return self.before is self.after or (self.before.title, self.before.body) == (self.after.title, self.after.body)

    @cached_property
    def size(self) -> tuple[int, int]:
        """About how many words were added, and removed."""
        return (0, 0) if self.is_same_text else change_size(self.before.text, self.after.text)

    @cached_property
    def values(self) -> dict[str, tuple[Value | None, Value | None]]:
        """The values that are or were there, by their names in small letters."""
        return {
            one.name.casefold(): (one.before, None if self.facts.change == "removed" else one.after)
            for one in self.facts.values
            if one.before is not None or one.after is not None
        }

    @cached_property
    def found_by(self) -> frozenset[str]:
        """The names of the saved searches that find it, folded: people write them as they like."""
        return frozenset(map(folded, self.facts.found_by))

    def local_time(self, zone: tzinfo) -> datetime:
        """The time at which it happened, in a time zone."""
        found = self._times.get(zone)
        if found is None:
            found = self._times[zone] = datetime.fromtimestamp(self.facts.at / 1000, zone)
        return found
