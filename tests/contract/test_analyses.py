from __future__ import annotations

from typing import Any

import pytest

from desk import Desk
from samples import NOW, STORY, document
from veille.core.analyse.analysis import Analysis
from veille.core.analyse.records import AnalysisCounts, StoredAnalysis
from veille.core.records import Revision
from veille.core.schedule import HOUR
from veille.core.search.answers import Labels
from veille.core.search.query import parse

SITES = ("https://a.example/story", "https://b.example/copy", "https://c.example/other")


def _made(of: Revision, version: str = "rules-1", **given: Any) -> StoredAnalysis:
    facts: dict[str, Any] = {
        "document_id": of.document_id, "revision_id": of.id, "content_hash": of.content_hash, "version": version,
        "made_by": "rules", "made_at": NOW, "analysis": Analysis(summary=of.title, topics=("Harbour",)), "rev_n": of.n,
    }  # fmt: skip
    return StoredAnalysis(**(facts | given))


def _waiting(desk: Desk, version: str = "rules-1", **given: Any) -> list[Revision]:
    with desk.open() as opened:
        return [revision for _, revision in opened.analyses.waiting(version, 0, 100, **given)]


@pytest.mark.covers("R-240")
def test_a_document_waits_until_it_is_analysed_by_this_version_and_again_when_it_changes(desk: Desk) -> None:
    url = "https://example.org/a"
    desk.bring(document(url))
    (revision,) = _waiting(desk)
    with desk.open() as opened:
        assert not opened.analyses.are_there()
        assert opened.analyses.put([_made(revision)], {}) == 1
        assert opened.analyses.of([revision.document_id]) == {revision.document_id: _made(revision)}
        assert opened.analyses.counts("rules-1") == AnalysisCounts(analysed=1, waiting=0)
        assert opened.analyses.counts("other") == AnalysisCounts(analysed=0, waiting=1)
    assert (_waiting(desk), len(_waiting(desk, "other"))) == ([], 1)
    desk.program.queue.arm(desk.dossier_id, NOW + HOUR)
    (lease,) = desk.claim(now=NOW + HOUR)
    desk.commit(lease, document(url, STORY + " It was reopened."), now=NOW + HOUR)
    (changed,) = _waiting(desk)
    assert changed.n == 2
    with desk.open() as opened:
        assert opened.analyses.of([changed.document_id]) == {}, "of the current revision"
        assert opened.analyses.all_of([changed.document_id]) == [_made(revision)], "the latest there is"
        assert opened.analyses.put([_made(revision)], {}) == 0, "what was read is no longer the text"
        opened.analyses.put([_made(changed), _made(changed, "other", made_at=NOW + 1)], {})
        assert [one.version for one in opened.analyses.all_of([changed.document_id])] == ["rules-1", "other"]
        assert opened.analyses.of([changed.document_id])[changed.document_id].version == "other"


def test_an_open_analysis_waits_still_and_may_be_asked_for_by_source_and_document(desk: Desk) -> None:
    desk.bring(document("https://example.org/a"), url="https://example.org/a")
    desk.bring(document("https://example.org/b", "Another text about canals. " * 9), url="https://example.org/b")
    first, second = _waiting(desk)
    with desk.open() as opened:
        opened.analyses.put([_made(first, code="model.budget", is_open=True, attempts=1)], {})
    assert _waiting(desk) == [first, second]
    assert _waiting(desk, only=[second.document_id]) == [second]
    assert _waiting(desk, source_id=second.source_id) == [second]
    with desk.open() as opened:
        opened.sources.delete(first.source_id)
        assert opened.analyses.of([first.document_id]) == {}, "deleted with its document"


def test_the_index_says_how_many_documents_have_a_word(desk: Desk) -> None:
    desk.bring(document("https://example.org/a", "Whales sing. Whales dive. " * 9, title="Whales"))
    desk.bring(document("https://example.org/b", "Whales and boats meet here. " * 9), url="https://example.org/b")
    with desk.open() as opened:
        assert opened.analyses.words(["whales", "boats", "nothing"]) == (2, {"whales": 2, "boats": 1})


@pytest.mark.covers("R-241")
def test_tellers_outlets_repeats_links_and_order_are_the_signals_of_a_document(desk: Desk) -> None:
    first, copy, other = SITES
    near = STORY + " Ferries run until then, every ten minutes, the city says."
    desk.bring(document(first), url=first)
    desk.bring(document(copy, near), url=copy, now=NOW + HOUR)
    desk.bring(document("https://d.example/repeat", STORY), url="https://d.example/repeat", now=NOW + HOUR)
    desk.bring(document(other, "All about canals and locks, in one long list. " * 9), url=other, now=NOW + HOUR)
    ids = {revision.url: revision.document_id for revision in _waiting(desk)}
    revisions = {revision.url: revision for revision in _waiting(desk)}
    with desk.open() as opened:
        links = {ids[other]: ["http://www.a.example/story?utm_source=x", "mailto:x"], ids[first]: [first]}
        opened.analyses.put([_made(one) for one in revisions.values()], links)
        found = opened.signals.of(list(ids.values()))
        assert sorted(opened.signals.recent(NOW + HOUR, 10)) == sorted([ids[copy], ids[other]])
        assert opened.signals.recent(NOW, 10, source_id=f"source of {other}") == [ids[other]]
    told = found[ids[first]]
    assert (told.tellers, told.outlets, told.is_first) == (2, ("b.example", "d.example"), True)
    assert (told.links, told.linking_sites, told.at) == (1, ("c.example",), NOW)
    assert (found[ids[copy]].tellers, found[ids[copy]].is_first) == (1, False)
    assert (found[ids[other]].tellers, found[ids[other]].links) == (0, 0)


def test_the_brands_of_a_dossier_are_kept_in_their_order(desk: Desk) -> None:
    with desk.open() as opened:
        assert opened.analyses.brands() == ()
        opened.analyses.set_brands(["Zeta", "Acme"])
        assert opened.analyses.brands() == ("Zeta", "Acme")


@pytest.mark.covers("R-240")
def test_topics_and_tags_filter_searches_and_go_with_their_document(desk: Desk) -> None:
    desk.bring(document("https://example.org/a"), url="https://example.org/a")
    desk.bring(document("https://example.org/b", "Another text about canals. " * 9), url="https://example.org/b")
    first, second = _waiting(desk)
    with desk.open() as opened:
        opened.analyses.put([_made(first, analysis=Analysis(topics=("Harbour",), tags=("City Council",)))], {})
        opened.analyses.put([_made(second, analysis=Analysis(tags=("Canals",)))], {})
        index = opened.index
        assert index.labels([first.document_id, second.document_id]) == {
            first.document_id: Labels(topics=("harbour",), tags=("city council",)),
            second.document_id: Labels(tags=("canals",)),
        }

        def found(text: str) -> list[str]:
            hits = index.ranked(parse(text, NOW), 10).hits
            assert index.matching(parse(text, NOW), [first.document_id, second.document_id]) == {
                hit.document_id for hit in hits
            }
            assert index.finding(parse(text, NOW), [first, second]) == {hit.revision_id for hit in hits}
            return [hit.document_id for hit in hits]

        assert found("topic:harbour") == [first.document_id]
        assert found('tag:"CITY council"') == [first.document_id]
        assert found("canals tag:canals") == [second.document_id]
        assert found("tag:harbour") == found("topic:canals") == []
        assert len(index.answering(parse("what about the canals or the harbour? tag:canals", NOW), 10).hits) == 1
        opened.sources.delete(first.source_id)
        assert index.labels([first.document_id]) == {}
        assert found("topic:harbour") == []
