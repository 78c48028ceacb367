from __future__ import annotations

import threading

from desk import Desk, Store
from samples import NOW, document
from veille.core.prompting.replies import StoredReply
from veille.core.schedule import DAY

ANSWER = StoredReply(key="k", model="openai:m", prompt="ask/1", answer='{"a": "ä"}', at=NOW)


def test_an_answer_is_kept_until_its_time_is_over(desk: Desk) -> None:
    with desk.open() as opened:
        records = opened.model_records
        assert records.kept("k", NOW) is None
        records.keep(ANSWER, [], NOW + 10)
        assert records.kept("k", NOW) == records.kept("k", NOW + 9) == ANSWER
        assert records.kept("other", NOW) is None
        assert records.kept("k", NOW + 10) is None


def test_an_answer_takes_the_place_of_the_one_before(desk: Desk) -> None:
    newer = StoredReply(key="k", model="openai:m", prompt="ask/1", answer="{}", at=NOW + 5)
    with desk.open() as opened:
        opened.model_records.keep(ANSWER, [], NOW + 10)
        opened.model_records.keep(newer, [], NOW + 20)
        assert opened.model_records.kept("k", NOW + 15) == newer


def test_an_answer_is_forgotten_with_any_of_the_documents_it_is_from(desk: Desk) -> None:
    source = desk.bring(*(document(f"https://example.org/{number}", f"Text {number}.") for number in range(2)))
    with desk.open() as opened:
        document_ids = [revision.document_id for revision in opened.records.documents()]
        opened.model_records.keep(ANSWER, document_ids, NOW + 10)
        assert opened.model_records.kept("k", NOW) == ANSWER
        opened.sources.delete(source.id)
        assert opened.model_records.kept("k", NOW) is None
        # A document that was deleted while the model was asked counts, too.
        opened.model_records.keep(ANSWER, document_ids, NOW + 10)
        assert opened.model_records.kept("k", NOW) is None


def test_tokens_are_counted_by_day_up_to_the_limit(desk: Desk) -> None:
    with desk.open() as opened:
        records = opened.model_records
        assert records.reserve(60, 100, NOW)
        assert not records.reserve(50, 100, NOW)
        assert records.used(NOW) == 60
        records.settle(60, 10, NOW)
        assert records.used(NOW) == 10
        assert records.reserve(90, 100, NOW)
        assert not records.reserve(1, 100, NOW)
        assert records.reserve(1, 0, NOW), "0 is no limit"
        assert records.reserve(100, 100, NOW + DAY)
        # Settled a day later: it counts where it was reserved.
        records.settle(90, 0, NOW)
        assert (records.used(NOW), records.used(NOW + DAY)) == (11, 100)


def test_tokens_are_counted_after_a_restart(store: Store) -> None:
    first = store.program()
    dossier_id = first.dossiers.create("news", NOW).id
    with Desk(first, dossier_id).open() as opened:
        opened.model_records.reserve(70, 100, NOW)
    store.close()
    with Desk(store.program(), dossier_id).open() as opened:
        assert opened.model_records.used(NOW) == 70
        assert not opened.model_records.reserve(31, 100, NOW)


def test_many_at_once_do_not_exceed_the_limit(desk: Desk) -> None:
    taken: list[bool] = []

    def take() -> None:
        with desk.open() as opened:
            taken.append(opened.model_records.reserve(10, 50, NOW))

    threads = [threading.Thread(target=take) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == [False] * 7 + [True] * 5
