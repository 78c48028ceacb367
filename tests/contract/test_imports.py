from __future__ import annotations

from dataclasses import replace

from desk import Desk
from samples import NOW
from veille.core.report.imports import KEPT_IMPORTS, NAMED, ImportReport, Taken


def _report(name: str, **given: object) -> ImportReport:
    return replace(ImportReport(id=name, user_id="ada", begun_at=NOW, total=9), **given)  # type: ignore[arg-type]


def test_a_report_is_kept_and_replaced_when_it_goes_on(desk: Desk) -> None:
    taken = [
        Taken(url="https://example.org/a", name="A", dossier_id="d"),
        Taken(url="https://example.org/b", name="B", dossier_id="d", code="duplicate_source", message="Watched."),
        Taken(url="javascript:x", name='"<b>', dossier_id="d", code="bad_url", message="No address."),
    ]
    begun = _report("one")
    ended = replace(begun.with_entries(taken), ended_at=NOW + 5, problem="It ended.")
    assert (ended.count, ended.added, ended.bad, ended.left_out) == (3, 1, 1, 0)
    assert [one.name for one in ended.entries] == ['"<b>', "A", "B"], "what cannot be watched comes first"
    with desk.open() as opened:
        opened.imports.put(begun)
        assert opened.imports.find("one") == begun
        opened.imports.put(ended)
        assert opened.imports.find("one") == ended
        assert opened.imports.find("two") is None


def test_the_last_reports_are_kept_and_none_is_endless(desk: Desk) -> None:
    many = [Taken(url=f"https://example.org/{n}", name="", dossier_id="d") for n in range(NAMED + 7)]
    with desk.open() as opened:
        for number in range(KEPT_IMPORTS + 5):
            opened.imports.put(_report(str(number), user_id="bob" if number % 2 else "ada").with_entries(many))
        opened.imports.put(_report(str(KEPT_IMPORTS + 4)).with_entries(many))
        kept = [number for number in range(KEPT_IMPORTS + 5) if opened.imports.find(str(number))]
        recent = opened.imports.recent("bob", 2)
        last = opened.imports.find("20")
    assert kept == list(range(5, KEPT_IMPORTS + 5))
    assert [one.id for one in recent] == [str(KEPT_IMPORTS + 3), str(KEPT_IMPORTS + 1)]
    assert last is not None
    assert (last.count, len(last.entries), last.left_out) == (NAMED + 7, NAMED, 7)
