"""Write what kept answers read now: into the stored revisions, in place, and into all that is made from them.

No event is written and no time of a change moves: the world did not change, only our reading of it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from veille.adapters.stores.sqlite._rows import as_json, packed_marks
from veille.adapters.stores.sqlite.commit.values import reread_values
from veille.adapters.stores.sqlite.read.revisions import replace_contents
from veille.core.archive.kept_contents import packed, stored_meta
from veille.core.change.metadata_changes import facts_of
from veille.core.language.stories import StoryStep
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from veille.adapters.stores.database import Database
    from veille.adapters.stores.sqlite.commit.documents import DocumentRows
    from veille.core.models import Document
    from veille.core.reread.judged import RereadAnswer, RereadRevision


class _Read(NamedTuple):
    """A revision that was read again, and its document as it is read now."""

    revision: RereadRevision
    document: Document
    #: How often its answer had been read again.
    reads: int

    @property
    def key(self) -> tuple[str, str]:
        """The ids of its document and of the revision."""
        return self.revision.kept.document_id, self.revision.kept.revision_id

    def shown(self) -> tuple[object, ...]:
        """The id of the revision, and the columns that both `revisions` and `documents` have."""
        it = self.document
        return self.revision.kept.revision_id, it.title, it.lang, it.content_hash, it.published_at


class RereadRows:
    """Writes rereadings inside one transaction."""

    def __init__(self, db: Database, documents: DocumentRows) -> None:
        self._db = db
        self._documents = documents

    def write(self, answers: Sequence[RereadAnswer], reader: str, now: int) -> list[RereadAnswer]:
        """Write these answers; returns those that were. An answer that somebody else read meanwhile is left alone."""
        written = [one for one in answers if self._is_ours(one, reader, now)]
        revisions = [revision for one in written for revision in one.revisions]
        self._db.many(
            "UPDATE raw_revisions SET outcome = ?2, code = ?3 WHERE revision_id = ?1",
            [(one.kept.revision_id, one.outcome, one.code) for one in revisions],
        )
        read = [
            _Read(one, one.document, answer.kept.reads)
            for answer in written
            for one in answer.revisions
            if one.document is not None
        ]
        valued = reread_values(self._db, {one.key: one.document for one in read})
        read = [one._replace(document=valued[one.key]) for one in read]
        self._write_revisions(read)
        self._write_documents(read)
        self._write_views([one for one in read if one.document.content_hash != one.revision.content_hash])
        return written

    def _is_ours(self, answer: RereadAnswer, reader: str, now: int) -> bool:
        """Whether the answer is still as it was when its reading began; then it is marked as read."""
        failpoint("during_reread")
        found = self._db.execute(
            "UPDATE raw_answers SET read_by = ?, options = ?, read_at = ?, reads = reads + 1 "
            "WHERE id = ? AND reads = ? RETURNING id",
            (reader, answer.options, now, answer.kept.id, answer.kept.reads),
        )
        return bool(found)

    def _write_revisions(self, read: Sequence[_Read]) -> None:
        self._db.many(
            "UPDATE revisions SET title = ?2, lang = ?3, content_hash = ?4, published_at = ?5, meta = ?6, "
            "strategy = ?7, quality = ?8, text_length = ?9 WHERE id = ?1",
            [
                (*one.shown(), json.dumps(stored_meta(it)), it.strategy, it.quality, len(it.text))
                for one in read
                for it in [one.document]
            ],
        )
        for one in read:
            if {"text", "html"} & set(one.revision.fields):
                kept, it = one.revision.kept, one.document
                replace_contents(self._db, kept.document_id, kept.n, (it.text.encode(), it.html.encode()))

    def _write_documents(self, read: Sequence[_Read]) -> None:
        """The documents whose current revision was read again: what lists and the next check know of them."""
        rows = self._db.execute(
            "SELECT revision_id, row, state FROM documents "
            "WHERE id IN (SELECT value FROM json_each(?)) AND state <> 'duplicate'",
            (as_json(one.revision.kept.document_id for one in read),),
        )
        current = {revision_id: (row, state == "current") for revision_id, row, state in rows}
        newest = [one for one in read if one.revision.kept.revision_id in current]
        self._db.many(
            "UPDATE documents SET title = ?2, lang = ?3, content_hash = ?4, published_at = coalesce(?5, published_at), "
            "beside = ?6, facts = ?7 WHERE id = ?8 AND revision_id = ?1",
            [
                (*one.shown(), packed_marks(one.document.beside), facts_of(one.document), one.revision.kept.document_id)
                for one in newest
            ],
        )
        told = [one for one in newest if {"title", "text"} & set(one.revision.fields)]
        self._documents.reindex({current[one.revision.kept.revision_id][0]: one.document for one in told})
        self._retell(told, current)
        # A second look compares with what the first one read: it has to begin again.
        self._db.many(
            "UPDATE requests SET glimpse = '' WHERE document_id = ? AND glimpse <> ''",
            [(one.revision.kept.document_id,) for one in told],
        )

    def _retell(self, told: Sequence[_Read], current: Mapping[str, tuple[int, bool]]) -> None:
        steps = []
        for one in told:
            row, is_current = current[one.revision.kept.revision_id]
            if is_current and "text" in one.revision.fields:
                # The id of a story is made from its founder's, the time and the text: all may be as they were before.
                seed = f"{one.revision.kept.document_id} {one.reads}"
                steps.append(StoryStep(row, seed, one.document.text))
        self._documents.retell(steps)

    def _write_views(self, read: Sequence[_Read]) -> None:
        """What other sources and duplicates saw as the same content is still the same."""
        changed = [
            (one.revision.kept.document_id, one.revision.content_hash, one.document.content_hash) for one in read
        ]
        self._db.many(
            "UPDATE views SET content_hash = ?3, title = ?4, text = iif(text IS NULL, NULL, ?5) "
            "WHERE document_id = ?1 AND content_hash = ?2",
            [
                (*hashes, one.document.title, packed(one.document.text))
                for hashes, one in zip(changed, read, strict=True)
            ],
        )
        self._db.many("UPDATE documents SET content_hash = ?3 WHERE duplicate_of = ?1 AND content_hash = ?2", changed)
