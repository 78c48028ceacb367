from __future__ import annotations

from dataclasses import replace

import pytest

from samples import NOW, source
from veille.core.models import Change, Source
from veille.core.records import RunItem
from veille.core.repair import proposals
from veille.core.repair.forbidden import AGENTS

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


@pytest.mark.covers("R-064", "R-173")
def test_a_source_turned_away_is_offered_the_next_agent_until_none_is_left() -> None:
    turned_away = _history(403, 403)
    current, offered = SOURCE, []
    for _ in AGENTS:
        (repair,) = proposals(current, turned_away)
        assert repair.rule == "forbidden"
        offered.append(repair.change["config"]["user_agent"])
        current = replace(current, config=repair.change["config"])
    assert tuple(offered) == AGENTS
    assert proposals(current, turned_away) == []


@pytest.mark.covers("R-173")
def test_no_other_agent_is_offered_where_robots_txt_forbids_us_or_a_key_was_revoked() -> None:
    forbidden = replace(_history(0)[0], code="robots")
    assert proposals(SOURCE, [*_history(403, 403), forbidden]) == []
    assert proposals(replace(SOURCE, kind="api"), _history(403, 403)) == []
