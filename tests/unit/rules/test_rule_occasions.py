"""Conditions about documents, sources, runs, sizes, languages, stories and searches."""

from __future__ import annotations

import pytest

from occurrences import changed, fires, first, found, health, new, ran, removed, silence, text_of
from veille.rules import Facts

DAY = 86_400_000
LINES = "one two three four\n\nfive six seven eight"

HAPPENED = [
    ("is new", new(), ["it is new"]),
    ("new", new(), ["it is new"]),
    ("the document is new", new(), ["it is new"]),
    ("is new", first(), None),
    ("is new", changed(), None),
    ("is changed", changed(), ["it is changed"]),
    ("it changes", changed(), ["it is changed"]),
    ("is changed", new(), None),
    ("is removed", removed(), ["it is removed"]),
    ("page is gone", removed(), ["it is removed"]),
    ("is removed", changed(), None),
    ("is not changed", new(), ["it is new"]),
    ("is new", health("ok", "broken"), None),
]
HEALTH = [
    ("source is broken", health("ok", "broken", message="Not found."), ["tea is broken: Not found."]),
    ("source breaks", health("error", "broken"), ["tea is broken"]),
    ("source is broken", health("ok", "error"), None),
    ("source is broken", health("broken", "broken"), None),
    ("source is failing", health("ok", "error"), ["tea is failing"]),
    ("source is failing", health("error", "broken"), None),
    ("source is repaired", health("broken", "ok"), ["tea works again"]),
    ("source is repaired", health("broken", "unchanged"), ["tea works again"]),
    ("source is repaired", health("error", "ok"), None),
    ("source is repaired", health("pending", "ok"), None),
    ("source works again", health("error", "ok"), ["tea works again"]),
    ("source works again", health("pending", "ok"), None),
    ("source is not broken", health("broken", "ok"), ["this is not so"]),
    ("source is not broken", health("error", "ok"), None),
    ("source is broken", changed(), None),
    ("source is broken or is new", new(), ["it is new"]),
]
OTHERS = [
    ("source is silent for 3 days", silence(3 * DAY), ["tea has brought nothing new for 3 days"]),
    ("source is silent for 3 days", silence(3 * DAY - 1), None),
    ("source brings nothing new for 72h", silence(4 * DAY), ["tea has brought nothing new for 4 days"]),
    ("nothing new for a week", silence(7 * DAY), ["tea has brought nothing new for 7 days"]),
    ("source is silent for 90 minutes", silence(5_400_000), ["tea has brought nothing new for 1 hour"]),
    ("source is silent for 3 days", changed(), None),
    ("run failed", ran("crawl", has_failed=True, message="Disk full."), ["the crawl failed: Disk full."]),
    ("crawl failed", ran("crawl", has_failed=True), ["the crawl failed"]),
    ("news run failed", ran("crawl", has_failed=True), None),
    ("run has failed", ran("news", has_failed=False), None),
    ("language is de", new(text_of("Tee", lang="de")), ["its language is de"]),
    ("language is German", new(text_of("Tee", lang="de-AT")), ["its language is de-AT"]),
    ("language is de", first(text_of("Tee", lang="de")), ["its language is de"]),
    ("language is de", changed(text_of("Tea", lang="en"), text_of("Tee", lang="de")), ["its language is de"]),
    ("language is de", changed(text_of("Tee", lang="de"), text_of("Tee.", lang="de")), None),
    ("language = pt-br", new(text_of("Chá", lang="pt_BR")), ["its language is pt_BR"]),
    ("language = pt-br", new(text_of("Chá", lang="pt")), None),
    ("language is de", new(text_of("Tee")), None),
    ("language is not de", new(text_of("Tee")), ["its language is not known"]),
    ("language is de", removed(text_of("Tee", lang="de")), None),
    ("told by at least 3 sources", new(tellers=3), ["told by 3 sources"]),
    ("told by 3 sources", new(tellers=2), None),
    ("told by more than 3 sources", new(tellers=3), None),
    ("story is told by >= 1 source", changed(tellers=1), ["told by 1 source"]),
    ("told by 3 sources", removed(tellers=3), None),
    ("told by 3 sources", first(tellers=3), ["told by 3 sources"]),
]
SIZES = [
    ("more than 1 words changed", changed(LINES, LINES.replace("six", "6").replace("seven", "7")), 1),
    ("more than 2 words changed", changed(LINES, LINES.replace("six", "6").replace("seven", "7")), None),
    ("at least 2 words changed", changed(LINES, LINES.replace("six", "6").replace("seven", "7")), 1),
    ("at most 2 words changed", changed(LINES, LINES.replace("six", "6").replace("seven", "7")), 1),
    ("less than 2 words changed", changed(LINES, LINES.replace("six", "6").replace("seven", "7")), None),
    ("more than 24% changed", changed(LINES, LINES.replace("six", "6").replace("seven", "7")), 1),
    ("more than 25 % changed", changed(LINES, LINES.replace("six", "6").replace("seven", "7")), None),
    ("less than 5 words changed", changed(LINES, LINES), None),
    ("at least 3 words added", new("one two three"), ["3 words were added and 0 removed"]),
    ("at least 3 words added", first("one two three"), None),
    ("at least 3 words changed", new("one two three"), None),
    ("at least 3 words removed", removed("one two three"), ["0 words were added and 3 removed"]),
    ("at least 3 words removed", changed("one two three", "one"), None),
    ("more than 50% added", changed("one", "one two three"), ["2 words were added and 0 removed, 67% of the text"]),
    ("more than 40% changed", changed(text_of("x", title="A B C D"), text_of("x", title="A B E F")), None),
    ("more than 39% changed", changed(text_of("x", title="A B C D"), text_of("x", title="A B E F")), 1),
    ("only added", changed("one", "one two"), ["1 words were added, none removed"]),
    ("only added", changed("one", "two"), None),
    ("only added", changed("one", "one"), None),
    ("only added", new("one"), None),
    ("only removed", changed("one two", "one"), ["1 words were removed, none added"]),
    ("only removed", changed("one", "one two"), None),
    ("only removed", removed("one"), None),
]


@pytest.mark.parametrize(("expression", "facts", "expected"), [*HAPPENED, *HEALTH, *OTHERS, *SIZES])
def test_occasions(expression: str, facts: Facts, expected: list[str] | int | None) -> None:
    given = found(expression, facts)
    assert (len(given or ()) if isinstance(expected, int) else given) == expected


BUDGET = frozenset({"Budget"})


@pytest.mark.parametrize(
    ("expression", "facts", "is_fired"),
    [
        ('search "Budget" finds it', new(found_by=BUDGET), True),
        ('search "budget" finds it', new(found_by=BUDGET), True),
        ('found by search "BUDGET"', changed(found_by=BUDGET), True),
        ('search "Budget" finds it', changed(), False),
        ('search "Budget" finds it', changed(found_by=frozenset({"Budgets"})), False),
        ('search "Budget" finds it', first(found_by=BUDGET), False),
        ('search "Budget" finds it', removed(found_by=BUDGET), False),
        ('search "Budget" finds it and is new', changed(found_by=BUDGET), False),
        ('search "Budget" finds it and is new', new(found_by=BUDGET), True),
        ('search "Budget" does not find it', changed(), False),
        ('search "Budget" does not find it and is changed', changed(), True),
    ],
)
def test_a_saved_search_is_an_event_at_each_change(expression: str, facts: Facts, *, is_fired: bool) -> None:
    assert fires(expression, facts) is is_fired
