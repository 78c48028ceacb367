"""Fill a dossier with documents that are at hand, without fetching anything: each is kept, whatever others are like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from veille.core.fingerprint import content_hash
from veille.core.kinds import Kind
from veille.core.models import Change, Document, Item, Lease, Plan, Source

if TYPE_CHECKING:
    from veille.ports import DossierStore

_SOURCE = Source(id="given", name="given", kind="page", url="https://given.invalid/", enabled=False)
#: Documents in one transaction.
_AT_ONCE = 500


def fill(store: DossierStore, dossier_id: str, documents: Iterable[tuple[str, str, str]], now: int) -> list[str]:
    """Keep these documents (title, text, language); returns their ids, in order."""
    request = Kind.request(_SOURCE, _SOURCE.url)
    store.sources.add(_SOURCE, [request])
    lease = Lease(dossier_id=dossier_id, source=_SOURCE, request=request, worker="", epoch=0, until=0, wakes=0)
    store.runs.start(_SOURCE.id, now)
    items = _items(documents)
    ids: list[str] = []
    while some := tuple(islice(items, _AT_ONCE)):
        with store.writing() as writer:
            writer.apply([Plan(lease=lease, items=some)], _SOURCE.id, now)
        ids += [item.document_id for item in some]
    return ids


def _items(documents: Iterable[tuple[str, str, str]]) -> Iterator[Item]:
    for number, (title, text, lang) in enumerate(documents):
        url = f"{_SOURCE.url}{number}"
        document = Document(
            keys=(f"given:{number}",), url=url, title=title, text=text, lang=lang, content_hash=content_hash(text)
        )
        yield Item(change=Change.NEW, url=url, title=title, document=document, document_id=f"{number:012}", rev_n=1)
