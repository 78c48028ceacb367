"""A batch decides each reading as few times as it can: what a new document asks next is foreseen."""

from __future__ import annotations

from collections.abc import Iterable

from samples import NOW, STORY, document, lease, payload, request, source
from veille.core.change.batch import decide_all
from veille.core.change.memory import Answer, Lookup
from veille.core.models import Change, Document, Known, Reading

SITE = "https://example.org"


def _reading(found: Document) -> Reading:
    site = source(SITE)
    asked = lease(site, request(site, found.url, "entry"))
    return Reading(lease=asked, payload=payload(found.text, found.url), documents=(found,))


class _Store:
    """Knows nothing but one text, and counts what it is asked."""

    def __init__(self, twin: str = "") -> None:
        self.twin = twin
        self.rounds: list[set[str]] = []

    def recall(self, questions: Iterable[Lookup]) -> dict[Lookup, Answer]:
        asked = list(questions)
        self.rounds.append({one.about for one in asked})
        held = Known(document_id="first", source_id="other", content_hash=self.twin, rev_n=1, state="current")
        return {one: held if one == ("twin", (self.twin, "")) else None for one in asked}


def test_new_pages_are_decided_once_in_one_round_of_lookups() -> None:
    readings = [_reading(document(f"{SITE}/{number}", f"{STORY} {number}")) for number in range(5)]
    store, attended = _Store(), list[Reading]()
    decisions = decide_all(readings, store.recall, NOW, attended.append)
    assert [one.plan.items[0].change for one in decisions] == [Change.NEW] * 5
    assert store.rounds == [{"known", "twin", "named"}]
    # Each reading with documents is attended before it is decided.
    assert attended == readings


def test_a_new_page_with_a_known_text_is_a_duplicate_all_the_same() -> None:
    found = document(f"{SITE}/copy", STORY)
    store, attended = _Store(found.content_hash), list[Reading]()
    (decision,) = decide_all([_reading(found)], store.recall, NOW, attended.append)
    assert (decision.plan.items[0].change, decision.plan.items[0].duplicate_of) == (Change.DUPLICATE, "first")
    assert len(attended) == 1


def test_a_text_too_short_to_be_a_duplicate_is_decided_as_before() -> None:
    store = _Store()
    (decision,) = decide_all([_reading(document(f"{SITE}/short", "Loading"))], store.recall, NOW)
    assert decision.plan.items[0].change is Change.NEW
    assert store.rounds == [{"known"}, {"named"}]
