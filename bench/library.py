"""A dossier filled with documents through the store's own writer, as a worker fills it: some of them changed later."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from retellings import Retellings, Telling

if TYPE_CHECKING:
    from collections.abc import Iterator

    from veille.bootstrap import App
    from veille.core.models import Item, Plan, Source

BATCH = 500
SOURCES = 50
HOUR = 3_600_000
#: One document in so many has a second revision.
CHANGED = 10


def fill(app: App, dossier_id: str, count: int, seed: int) -> None:
    """Put in so many documents of 50 sources, over the last 30 days."""
    from veille.services.watching.sources import Wish

    wishes = (Wish(url=f"https://site{n}.example/", name=f"Site {n}", kind="site") for n in range(SOURCES))
    sources = [app.sources.add(dossier_id, wish) for wish in wishes]
    tellings, made = iter(Retellings(seed, count)), 0
    step = max(1, 30 * 24 * HOUR // count)
    began = app.clock() - 30 * 24 * HOUR
    with app.dossiers.open(dossier_id) as store:
        store.runs.start("library", began)
        while batch := list(islice(tellings, BATCH)):
            with store.writing() as writer:
                for telling in batch:
                    for plan, at in _plans(dossier_id, sources[made % SOURCES], telling, made, began + made * step):
                        writer.apply([plan], "library", at)
                    made += 1
        store.runs.finish("library", app.clock())


def _plans(dossier_id: str, source: Source, telling: Telling, number: int, at: int) -> Iterator[tuple[Plan, int]]:
    yield _plan(dossier_id, source, _item(source, telling.text, number, at, 1)), at
    if number % CHANGED == 0:
        middle = len(telling.text) // 2
        text = f"{telling.text[:middle]} a correction was made here {telling.text[middle:]}"
        yield _plan(dossier_id, source, _item(source, text, number, at, 2)), at + 1


def _item(source: Source, text: str, number: int, at: int, revision: int) -> Item:
    from veille.core.fingerprint import content_hash, url_identity, uuid7
    from veille.core.models import Change, Document, Item

    url, words = f"{source.url}{number}", text.split()
    paragraphs = [" ".join(words[start : start + 80]) for start in range(0, len(words), 80)]
    title = " ".join(words[:8])
    document = Document(
        keys=(url_identity(url),),
        url=url,
        title=title,
        text="\n\n".join(paragraphs),
        html="".join(f"<p>{paragraph}</p>" for paragraph in paragraphs),
        lang="en",
        strategy="density",
        published_at=at - HOUR,
        content_hash=content_hash(title + text),
    )
    change = Change.NEW if revision == 1 else Change.CHANGED
    document_id = uuid7(at, source.id, url)
    return Item(change=change, url=url, title=title, document=document, document_id=document_id, rev_n=revision)


def _plan(dossier_id: str, source: Source, item: Item) -> Plan:
    from veille.core.models import Lease, Plan, Request

    request = Request(id=f"library:{item.url}", source_id=source.id, url=item.url, purpose="page")
    lease = Lease(dossier_id=dossier_id, source=source, request=request, worker="library", epoch=0, until=0, wakes=0)
    return Plan(lease=lease, items=(item,), wire_bytes=20_000, duration_ms=40)
