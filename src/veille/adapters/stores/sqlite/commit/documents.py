"""Write the documents of plans: contents, keys, stories, index and outbox, with one statement per table."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from veille.adapters.stores.sqlite._rows import as_json, packed_marks
from veille.adapters.stores.sqlite.commit.story_writer import StoryDesk
from veille.adapters.stores.sqlite.commit.values import write_points
from veille.adapters.stores.sqlite.meaning.pieces import SWITCHED_ON, CutText, Switched, switched_on, write_pieces
from veille.adapters.stores.sqlite.read.revisions import ask_previous, pack_previous
from veille.adapters.stores.sqlite.read.views import Views
from veille.adapters.stores.sqlite.search.bodies import write_bodies
from veille.core.archive.kept_contents import packed, stored_meta
from veille.core.change.metadata_changes import facts_of
from veille.core.fingerprint import claim_of, url_identity, uuid7
from veille.core.language.stories import StoryStep
from veille.core.models import TOLD, Change, Document, Item, Move, Plan
from veille.core.told import packed_told
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from veille.adapters.stores.database import Database, Row
    from veille.adapters.stores.sqlite.commit.asked_stories import AskedStories
    from veille.core.archive.kept_contents import Contents


#: The changes for which the keys of the brought document are stored.
_NAMED = frozenset({Change.NEW, Change.CHANGED, Change.DUPLICATE})


#: Fields of a document that both `documents` and `revisions` store.
_SHOWN = ("url", "title", "lang", "content_hash")


class _Brought(NamedTuple):
    """An item, and the source that brought it."""

    source_id: str
    item: Item
    #: Whether it is part of the first check of its source.
    in_first_check: bool = False

    @property
    def document(self) -> Document:
        assert self.item.document is not None, "new, changed and repeated items carry their document"  # noqa: S101
        return self.item.document

    def shown(self) -> tuple[object, ...]:
        """The columns of `_SHOWN`."""
        return tuple(getattr(self.document, name) for name in _SHOWN)

    @property
    def is_first(self) -> bool:
        return self.item.rev_n == 1

    @property
    def text(self) -> str:
        """What it tells from now on."""
        return "" if self.item.change is Change.REMOVED else self.document.text


class _Asked(NamedTuple):
    """Documents that were written, and what was asked for to arrange them."""

    told: Sequence[_Brought]
    rows: Callable[[], list[Row]]
    previous: Callable[[], list[Row]]
    stories: AskedStories


class DocumentRows:
    """Writes the documents of independent plans, inside one transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._views = Views(db)
        self._bodies: dict[int, tuple[str, str, str]] = {}
        self._replaced: set[int] = set()
        #: What is cut into pieces, where search by meaning is switched on.
        self._cut: dict[int, CutText] = {}
        self._embedders: list[Switched] | None = None
        #: What was asked for, and is not arranged yet.
        self._asked: list[_Asked] = []

    @cached_property
    def _stories(self) -> StoryDesk:
        return StoryDesk(self._db)

    def write(self, plans: Iterable[Plan], now: int) -> list[str]:
        """Write everything but moves; returns the ids of documents whose text changed or was removed.

        What follows from what is stored is only asked for: `arrange` writes it.
        """
        brought = [_Brought(plan.lease.source.id, item, plan.lease.is_first) for plan in plans for item in plan.items]
        by_change: dict[Change, list[_Brought]] = defaultdict(list)
        for one in brought:
            by_change[one.item.change].append(one)
        self._write_same(by_change[Change.SAME], now)
        told = [one for one in brought if one.item.change in TOLD]
        brings_text = [one for one in told if one.item.brings_text]
        written = [one for one in brings_text if one.item.change is not Change.REMOVED]
        self._write_removed([one.item.document_id for one in by_change[Change.REMOVED]], now)
        self._write_contents(written, now)
        self._write_restated([one for one in told if one.item.restated], now)
        self._write_duplicates(by_change[Change.DUPLICATE], now)
        self._write_names([one for one in brought if one.item.change in _NAMED])
        self._ask(brings_text)
        for _ in told:
            failpoint("during_commit")
        self._db.many(
            "INSERT INTO outbox (at, change, source_id, document_id, revision_id, rev_n, url, title, changed_metadata, "
            "is_first, told) SELECT ?1, ?2, ?3, id, revision_id, rev_n, url, title, ?5, ?6, ?7 FROM documents "
            "WHERE id = ?4",
            [
                (now, it.change, source_id, it.document_id, " ".join(it.restated), int(is_first), packed_told(it.told))
                for source_id, it, is_first in told
            ],
        )
        if told:
            write_points(
                self._db,
                [(it.document_id, None if it.change is Change.REMOVED else it.document) for _, it, _ in told],
                now,
            )
        return [one.item.document_id for one in brings_text if not one.is_first or one.item.change is Change.REMOVED]

    def finish(self) -> None:
        """Index what was written: the last step of the transaction.

        A statement that SQLite may have to undo alone (one with a trigger or a foreign key) opens a savepoint, and a
        savepoint makes FTS5 flush. Indexed one by one between such statements, each document would become an index
        segment of its own, to be merged again and again; so all are deleted and inserted together.
        """
        rows = [(row, *one) for row, one in self._bodies.items()]
        if self._replaced:
            self._some("DELETE FROM bodies WHERE row IN", self._replaced)
        write_bodies(self._db, rows)
        write_pieces(self._db, self._cut, self._embedders or ())
        self._bodies.clear()
        self._replaced.clear()
        self._cut.clear()

    def _some(self, query: str, values: Iterable[object]) -> list[Row]:
        return self._db.execute(f"{query} (SELECT value FROM json_each(?))", (as_json(values),))

    def _write_same(self, same: Sequence[_Brought], now: int) -> None:
        # A duplicate points to the document that has its text now.
        self._db.many(
            "UPDATE documents SET seen_at = ?2, duplicate_of = coalesce(nullif(?3, ''), duplicate_of) WHERE id = ?1",
            [(one.item.document_id, now, one.item.duplicate_of) for one in same if one.item.document_id],
        )
        self._views.agree(
            (one.item.document_id, one.source_id, one.item.document)
            for one in same
            if one.item.document_id and one.item.document is not None
        )

    def _write_removed(self, removed: Sequence[str], now: int) -> None:
        self._db.many(
            "UPDATE documents SET state = 'removed', changed_at = ?2, seen_at = ?2 WHERE id = ?1",
            [(document_id, now) for document_id in removed],
        )
        if removed:
            # Clear the validators: if the same bytes come back, they must be fetched and read again.
            self._some(
                "UPDATE requests SET stamp = '', etag = '', last_modified = '', raw_hash = '' WHERE document_id IN",
                removed,
            )

    def _write_contents(self, written: Sequence[_Brought], now: int) -> None:
        self._views.take_over([(one.item.document_id, one.source_id) for one in written if not one.is_first])
        ids = [uuid7(now, one.item.document_id, str(one.item.rev_n), one.document.content_hash) for one in written]
        rows = list(zip(written, ids, strict=True))
        self._db.many(
            f"INSERT INTO documents (id, source_id, state, {', '.join(_SHOWN)}, revision_id, rev_n, "
            "published_at, first_seen_at, seen_at, changed_at, beside, facts) "
            "VALUES (?1, ?2, 'current', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, ?10, ?11, ?12) "
            "ON CONFLICT (id) DO UPDATE SET source_id = ?2, state = 'current', duplicate_of = NULL, url = ?3, "
            "title = ?4, lang = ?5, content_hash = ?6, revision_id = ?7, rev_n = ?8, "
            "published_at = coalesce(?9, documents.published_at), seen_at = ?10, changed_at = ?10, beside = ?11, "
            "facts = ?12",
            [
                (
                    *(one.item.document_id, one.source_id, *one.shown(), revision_id, one.item.rev_n),
                    *(one.document.published_at, now, packed_marks(one.document.beside), facts_of(one.document)),
                )
                for one, revision_id in rows
            ],
        )
        self._db.many(
            f"INSERT INTO revisions (id, document_id, n, {', '.join(_SHOWN)}, extracted_at, text, html, meta, "
            "strategy, quality, published_at, text_length) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (revision_id, one.item.document_id, one.item.rev_n, *one.shown(), now, *_contents(one.document))
                for one, revision_id in rows
            ],
        )

    def _write_restated(self, restated: Sequence[_Brought], now: int) -> None:
        """Update the metadata of current revisions, which keep their text."""
        rows = [(one.item.document_id, one.document) for one in restated]
        self._db.many(
            "UPDATE documents SET lang = ?2, published_at = coalesce(?3, published_at), facts = ?4, seen_at = ?5 "
            "WHERE id = ?1",
            [(document_id, it.lang, it.published_at, facts_of(it), now) for document_id, it in rows],
        )
        self._db.many(
            "UPDATE revisions SET lang = ?2, published_at = coalesce(?3, published_at), meta = ?4 "
            "WHERE id = (SELECT revision_id FROM documents WHERE id = ?1)",
            [(document_id, it.lang, it.published_at, json.dumps(stored_meta(it))) for document_id, it in rows],
        )

    def _write_duplicates(self, duplicates: Sequence[_Brought], now: int) -> None:
        self._db.many(
            f"INSERT OR IGNORE INTO documents (id, source_id, state, duplicate_of, {', '.join(_SHOWN)}, first_seen_at, "
            "seen_at, changed_at) VALUES (?1, ?2, 'duplicate', ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?8)",
            [
                (one.item.document_id, one.source_id, one.item.duplicate_of, *one.shown(), now)
                for one in duplicates
                if not _is_shared(one.item)
            ],
        )
        self._views.note(
            ((one.item.document_id, one.source_id, one.document) for one in duplicates if _is_shared(one.item)), now
        )

    def _write_names(self, named: Sequence[_Brought]) -> None:
        """Store the keys of documents. A new document takes over keys that another document had."""
        names: dict[str, tuple[str, bool]] = {}
        for one in named:
            is_duplicate = one.item.change is Change.DUPLICATE
            takes = not _is_shared(one.item) if is_duplicate else one.is_first
            for key in one.document.keys:
                if takes or key not in names:
                    names[key] = one.item.document_id, takes
            for claim in () if is_duplicate else one.document.claims:
                names.setdefault(claim_of(claim), (one.item.document_id, False))
        self._db.many(
            "INSERT INTO identities (key, document_id) VALUES (?1, ?2) "
            "ON CONFLICT (key) DO UPDATE SET document_id = ?2 WHERE ?3 = 1",
            [(key, document_id, takes) for key, (document_id, takes) in names.items()],
        )
        self._db.many(
            "INSERT OR IGNORE INTO sightings VALUES (?, ?)", [(one.item.document_id, one.source_id) for one in named]
        )

    def _ask(self, told: Sequence[_Brought]) -> None:
        """Ask for what the texts of these documents replace: older revisions, and their places in stories."""
        if not told:
            return
        texts = {one.item.document_id: one.text for one in told}
        changed = {one.item.document_id for one in told if not one.is_first or one.item.change is Change.REMOVED}
        rows = f"SELECT id, row, {SWITCHED_ON} FROM documents WHERE id IN (SELECT value FROM json_each(?))"
        self._asked.append(
            _Asked(
                told,
                self._db.later(rows, (as_json(texts),)),
                ask_previous(self._db, _written(told)),
                self._stories.ask(texts, changed),
            )
        )

    def arrange(self, now: int) -> None:
        """Replace the texts of the documents that were written, in older revisions, the index and in stories."""
        asked, self._asked = self._asked, []
        for one in asked:
            pack_previous(self._db, _written(one.told), one.previous())
            self._arrange(one.told, one.rows(), one.stories, now)

    def _arrange(self, told: Sequence[_Brought], found: Sequence[Row], stories: AskedStories, now: int) -> None:
        rows: dict[str, int] = {document_id: row for document_id, row, _ in found}
        self._embedders = switched_on(found[0][2] if found else None)
        steps = []
        for one in told:
            row = rows[one.item.document_id]
            if one.item.change is not Change.REMOVED:
                self._index(row, one.document, one.item.rev_n - 1)
                if not one.is_first:
                    self._replaced.add(row)
            steps.append(StoryStep(row, one.item.document_id, one.text))
        self._stories.rearrange(steps, now, stories)

    def reindex(self, rows: Mapping[int, Document]) -> None:
        """Replace the titles and texts of these documents, by their rows."""
        if rows and self._embedders is None:
            self._embedders = switched_on(self._db.value(f"SELECT {SWITCHED_ON}"))
        for row, document in rows.items():
            self._index(row, document)
            self._replaced.add(row)

    def _index(self, row: int, document: Document, former: int = 0) -> None:
        self._bodies[row] = shown = (document.title, document.text, document.lang)
        if self._embedders:
            # Of several revisions in one transaction, only the first replaces pieces that are stored.
            self._cut[row] = CutText(*shown, self._cut[row].former if row in self._cut else former)

    def retell(self, steps: Sequence[StoryStep]) -> None:
        """Arrange these documents in stories again; in these they stay as old as they are."""
        if steps:
            ages: dict[int, int] = dict(
                self._some(
                    "SELECT row, coalesce(joined_at, changed_at) FROM documents "
                    "LEFT JOIN story_documents ON document = row WHERE row IN",
                    (step.document for step in steps),
                )
            )
            for step in steps:
                self._stories.rearrange([step], ages[step.document])

    def move(self, moves: Sequence[tuple[str, Move]]) -> None:
        """Add the addresses that sources gave to documents; a duplicate stored there is merged into the document."""
        if not moves:
            return
        named = [(url_identity(move.url), move.document_id, source_id) for source_id, move in moves]
        copies = self._db.execute(
            "SELECT asked.value ->> 1, documents.id FROM json_each(?) AS asked "
            "JOIN identities ON identities.key = asked.value ->> 0 JOIN documents ON documents.id = document_id "
            "WHERE state = 'duplicate' AND documents.id <> asked.value ->> 1 ORDER BY asked.key",
            (as_json(named),),
        )
        for table in ("identities", "requests"):
            self._db.many(f"UPDATE {table} SET document_id = ? WHERE document_id = ?", copies)
        self._db.many("DELETE FROM documents WHERE id = ?", [(copy,) for _, copy in copies])
        self._db.many("INSERT OR IGNORE INTO identities (key, document_id) VALUES (?, ?)", [one[:2] for one in named])
        self._db.many("INSERT OR IGNORE INTO sightings VALUES (?, ?)", [one[1:] for one in named])
        homes = {move.document_id: (source_id, move.url) for source_id, move in moves if move.home}
        rows = [(document_id, *home) for document_id, home in homes.items()]
        self._db.many("UPDATE documents SET url = ?3 WHERE id = ?1", rows)
        # Requests for its former addresses no longer say anything about it.
        self._db.many(
            "UPDATE requests SET document_id = NULL, etag = '', last_modified = '', raw_hash = '' "
            "WHERE document_id = ?",
            [(document_id,) for document_id in homes],
        )
        self._db.many("UPDATE requests SET document_id = ?1 WHERE source_id = ?2 AND url = ?3", rows)


def _written(told: Iterable[_Brought]) -> dict[tuple[str, int], Contents]:
    """The contents of revisions that have a predecessor."""
    return {
        (one.item.document_id, one.item.rev_n): (one.document.text.encode(), one.document.html.encode())
        for one in told
        if not one.is_first and one.item.change is not Change.REMOVED
    }


def _is_shared(item: Item) -> bool:
    """Whether a duplicate is the same document shown by a second source, not a copy of it."""
    return item.duplicate_of == item.document_id


def _contents(document: Document) -> Row:
    """The columns that only `revisions` has, as they are stored."""
    return (
        packed(document.text),
        packed(document.html),
        json.dumps(stored_meta(document)),
        document.strategy,
        document.quality,
        document.published_at,
        len(document.text),
    )
