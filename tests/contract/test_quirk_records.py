from __future__ import annotations

from desk import Desk
from samples import NOW, document
from veille.core.models import Quirk

VIEWS = Quirk(line=("Views:", None), proofs=2, at=NOW)
OFFER = Quirk(line=("Öffer",), proofs=1, at=NOW + 1)


def _ids(desk: Desk) -> list[str]:
    with desk.open() as opened:
        return [one.document_id for one in opened.records.documents()]


def _learn(desk: Desk, *quirks: tuple[str, tuple[Quirk, ...]], now: int) -> None:
    desk.program.queue.arm(desk.dossier_id, now)
    (lease,) = desk.claim(now=now)
    assert desk.commit(lease, document(), now=now, quirks=quirks)
    desk.program.queue.release("worker", now)


def test_what_was_learned_of_a_document_is_kept_until_more_is_learned_or_it_is_forgotten(desk: Desk) -> None:
    desk.bring(document(), document("https://example.org/b", text="Something else."))
    one, other = _ids(desk)
    with desk.open() as opened:
        assert opened.quirks.of(one) == opened.quirks.of("nothing") == ()
    _learn(desk, (one, (VIEWS,)), (other, (OFFER,)), now=NOW + 1)
    _learn(desk, (one, (VIEWS, OFFER)), now=NOW + 2)
    with desk.open() as opened:
        assert (opened.quirks.of(one), opened.quirks.of(other)) == ((VIEWS, OFFER), (OFFER,))
        for document_id in (one, one, "nothing"):
            opened.quirks.forget(document_id)
        assert (opened.quirks.of(one), opened.quirks.of(other)) == ((), (OFFER,))


def test_what_was_learned_goes_with_its_document(desk: Desk) -> None:
    source = desk.bring(document())
    (document_id,) = _ids(desk)
    _learn(desk, (document_id, (VIEWS,)), now=NOW + 1)
    with desk.open() as opened:
        opened.sources.delete(source.id)
        assert opened.quirks.of(document_id) == ()
