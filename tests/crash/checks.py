"""What must hold after any crash, once everything was drained: every breach is one line."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import veille
from crash import sqlite_rows
from crash.reader import Reader
from crash.scene import Scene
from veille.adapters.sinks.buffer import render
from veille.bootstrap.clock import system_clock
from veille.core.models import Change
from veille.core.records import Parcel
from veille.core.text import flat
from veille.ports import DossierStore

_EVERYTHING = 1_000_000


def breaches(scene: Scene, reader: Reader, logs: Iterable[dict[str, Any]]) -> list[str]:
    """Everything that is wrong; the reader must be at rest."""
    committed: dict[str, set[tuple[str, int, str]]] = defaultdict(set)
    for line in logs:
        if "document" in line:
            committed[line["dossier"]].add((line["document"], line["n"], line["hash"]))
    found = list(sqlite_rows.catalog_breaches(scene.app))
    parcels: list[Parcel] = []
    for dossier in scene.dossiers:
        with scene.app.dossiers.open(dossier) as store:
            told = store.outbox.waiting("nobody", _EVERYTHING)
            parcels += [parcel for parcel in told if parcel.event.change is not Change.REMOVED]
            problems = [*_sound(store), *_complete(scene, store), *_kept(store, committed[dossier])]
            problems += sqlite_rows.dossier_breaches(store)
            if waiting := store.outbox.pending("buffer"):
                problems.append(f"{waiting} changes were not delivered")
            found += [f"dossier {dossier}: {problem}" for problem in problems]
    return [*found, *_delivered(parcels, reader)]


def fresh_breaches(data: Path, made: Iterable[str]) -> list[str]:
    """What is wrong in a data folder whose making was killed, when it is opened again."""
    found = []
    with veille.open_app(data=data) as app:
        whole = sqlite_rows.tables(app, app.create_dossier("after the crash").id)
        lost = set(made) - {dossier.id for dossier in app.dossiers.all()}
        found += [f"{data}: dossier {dossier} is lost" for dossier in sorted(lost)]
        # Those that were never finished, too: a dossier that is brought up to date may be killed in the same way.
        for path in sorted(data.glob("dossiers/*/*.db")):
            if sqlite_rows.tables(app, path.stem) != whole:
                found.append(f"{path}: its tables are not whole")
    return found


def _sound(store: DossierStore) -> Iterator[str]:
    health = store.records.health(system_clock())
    if health["integrity"] != "ok" or health["foreign_keys"]:
        yield f"integrity_check: {health['integrity']}, foreign_key_check: {health['foreign_keys']} rows"
    if health["indexed"] != health["documents"]:
        yield f"{health['indexed']} documents in the full-text index, {health['documents']} stored"


def _complete(scene: Scene, store: DossierStore) -> Iterator[str]:
    """Every version that was ever published is a revision, in order, and nothing else is."""
    expected = {thing.url: list(map(flat, thing.versions)) for thing in scene.things if thing.dossier == store.id}
    documents = store.records.documents(limit=_EVERYTHING)
    for url, count in Counter(document.url for document in documents).items():
        if count > 1 or url not in expected:
            yield f"{url}: {count} documents, {int(url in expected)} expected"
    by_url = {document.url: document for document in documents}
    for url, texts in expected.items():
        if url not in by_url:
            yield f"{url}: lost, there is no document"
            continue
        revisions = store.records.revisions(by_url[url].document_id)[::-1]
        if [flat(revision.text) for revision in revisions] != texts:
            yield f"{url}: {len(revisions)} revisions, {len(texts)} versions were published, or another order"
        if revisions and revisions[-1].id != by_url[url].id:
            yield f"{url}: the newest revision is not the current one"


def _kept(store: DossierStore, committed: set[tuple[str, int, str]]) -> Iterator[str]:
    """What a worker saw committed is there."""
    for document, n, _ in sorted(committed - sqlite_rows.revisions(store)):
        yield f"revision {n} of {document} was committed and is gone"


def _delivered(parcels: list[Parcel], reader: Reader) -> Iterator[str]:
    """Every told revision is one whole file, and arrived once."""
    files: dict[str, list[Path]] = defaultdict(list)
    for folder in ("pending", "done", "failed"):
        for path in (reader.folder / folder).iterdir():
            files[path.name].append(path)
    told = {f"{parcel.revision.id}.md": parcel for parcel in parcels}
    if len(told) < len(parcels):
        yield f"{len(parcels) - len(told)} revisions were told twice"
    for name, parcel in told.items():
        if len(files[name]) != 1 or reader.seen[name] != 1:
            yield f"{name}: {len(files[name])} files, arrived {reader.seen[name]} times"
        elif not _whole(files[name][0], parcel, reader):
            yield f"{name}: torn"
    for name in files.keys() - told.keys():
        yield f"{name}: left over in the buffer"


def _whole(path: Path, parcel: Parcel, reader: Reader) -> bool:
    """Whether the file is the revision, now and at the instant it arrived."""
    expected = render(parcel).encode()
    return path.read_bytes() == expected and reader.hashes[path.name] == hashlib.sha256(expected).hexdigest()
