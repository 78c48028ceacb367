from __future__ import annotations

import pytest

from samples import NOW, source
from veille.core.models import Change, RunItem, Source
from veille.core.repair import proposals

SOURCE = source()


def _history(*statuses: int, url: str = SOURCE.url, of: Source = SOURCE) -> list[RunItem]:
    """Newest first."""
    return [
        RunItem(
            run_id="run", at=NOW - number, source_id=of.id, source_name=of.name, change=Change.ERROR, url=url, title="",
            code=f"http.{status}", message="", status=status, document_id="", duration_ms=0, wire_bytes=0,
        )
        for number, status in enumerate(statuses)
    ]  # fmt: skip


@pytest.mark.parametrize("statuses", [(404, 404, 404), (410, 404, 404, 200)])
def test_an_address_missing_three_times_in_a_row_is_proposed_to_be_paused_with_proof(statuses: tuple[int, ...]) -> None:
    (repair,) = proposals(SOURCE, _history(*statuses))
    assert (repair.rule, repair.source_id, repair.change) == ("vanished", SOURCE.id, {"enabled": False})
    assert SOURCE.url in repair.proof
    assert "last 3 checks" in repair.proof


@pytest.mark.parametrize("statuses", [(), (404, 404), (200, 404, 404, 404), (500, 500, 500), (404, 200, 404, 404)])
def test_less_is_no_proof(statuses: tuple[int, ...]) -> None:
    assert proposals(SOURCE, _history(*statuses)) == []


def test_missing_pages_that_the_source_only_followed_prove_nothing_about_it() -> None:
    assert proposals(SOURCE, _history(404, 404, 404, url="https://example.org/other")) == []
