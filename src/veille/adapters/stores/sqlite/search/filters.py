"""The filters of a search: which documents may be found at all, by source, language, time, topic and tag."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from veille.adapters.stores.sqlite._rows import as_json
from veille.core.search.answers import Labels

if TYPE_CHECKING:
    from veille.adapters.stores.database import Database
    from veille.core.records import Revision
    from veille.core.search.query import Query

#: What `filter_values` gives its values for. A topic is of the last analysis; a tag of it, of the source, or by a rule.
_LABELLED = """
    (:topics IS NULL OR documents.row IN
        (SELECT document FROM document_labels WHERE kind = 'topic' AND label IN (SELECT value FROM json_each(:topics))))
    AND (:tags IS NULL OR documents.row IN
            (SELECT document FROM document_labels WHERE kind = 'tag' AND label IN (SELECT value FROM json_each(:tags)))
        OR documents.source_id IN
            (SELECT source_id FROM source_tags WHERE lower(tag) IN (SELECT value FROM json_each(:tags)))
        OR documents.id IN
            (SELECT document_id FROM document_tags WHERE lower(tag) IN (SELECT value FROM json_each(:tags))))
"""
#: What a source found itself, and what it found after another one.
OF_SOURCES = "documents.source_id IN (SELECT value FROM json_each(:sources))"
SEEN_BY_SOURCES = (
    "documents.id IN (SELECT document_id FROM views WHERE source_id IN (SELECT value FROM json_each(:sources)))"
)
OF_LANGS = "documents.lang IN (SELECT value FROM json_each(:langs))"
FILTERS = f"""
    (:sources IS NULL OR {OF_SOURCES} OR {SEEN_BY_SOURCES})
    AND (:langs IS NULL OR {OF_LANGS})
    AND (:after IS NULL OR coalesce(documents.published_at, documents.changed_at) >= :after)
    AND (:before IS NULL OR coalesce(documents.published_at, documents.changed_at) < :before)
    AND {_LABELLED}
"""
#: Each document is looked up once, however many kinds of labels there are.
_LABELS = """
    WITH asked AS MATERIALIZED (
        SELECT documents.id, documents.row, documents.source_id
        FROM json_each(:ids) AS wanted CROSS JOIN documents ON documents.id = wanted.value
    )
    SELECT asked.id, kind, label FROM asked JOIN document_labels ON document = asked.row
    UNION ALL SELECT asked.id, 'tag', lower(tag) FROM asked JOIN source_tags ON source_tags.source_id = asked.source_id
    UNION ALL SELECT asked.id, 'tag', lower(tag) FROM asked JOIN document_tags ON document_tags.document_id = asked.id
"""
_FILTERED_BY = ("sources", "langs", "after", "before", "topics", "tags")


def filter_values(db: Database, query: Query) -> dict[str, Any]:
    """The values of the filters of a query; None for those that it does not have."""
    return {
        "sources": _sources(db, query),
        "langs": _list(query.langs),
        "after": query.after,
        "before": query.before,
        "topics": _list(query.topics),
        "tags": _list(query.tags),
    }


def is_filtered(values: dict[str, Any]) -> bool:
    """Whether any filter is given."""
    return any(values[name] is not None for name in _FILTERED_BY)


def passing(db: Database, query: Query, revisions: Sequence[Revision]) -> list[Revision]:
    """The revisions that pass the filters of a query, as `FILTERS` has them."""
    allowed = _sources(db, query)
    sources = None if allowed is None else set(json.loads(allowed))
    found = [one for one in revisions if _passes(one, query, sources)]
    if not found or not (query.topics or query.tags):
        return found
    labelled = db.column(
        f"SELECT documents.id FROM json_each(:ids) JOIN documents ON documents.id = value WHERE {_LABELLED}",
        {
            "ids": as_json({one.document_id for one in found}),
            "topics": _list(query.topics),
            "tags": _list(query.tags),
        },
    )
    return [one for one in found if one.document_id in set(labelled)]


def labels_of(db: Database, document_ids: Sequence[str]) -> dict[str, Labels]:
    """The topics and tags of these documents, without those that have none."""
    found: dict[str, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    rows = db.execute(_LABELS, {"ids": as_json(document_ids)})
    for document_id, kind, label in rows:
        found[document_id][kind == "tag"].add(label)
    return {
        document_id: Labels(topics=tuple(sorted(topics)), tags=tuple(sorted(tags)))
        for document_id, (topics, tags) in found.items()
    }


def _list(wanted: Sequence[str]) -> str | None:
    return as_json(wanted) if wanted else None


def _passes(revision: Revision, query: Query, sources: set[str] | None) -> bool:
    at = revision.published_at or revision.extracted_at
    return (
        (sources is None or revision.source_id in sources)
        and (not query.langs or revision.lang in query.langs)
        and (query.after is None or at >= query.after)
        and (query.before is None or at < query.before)
    )


def _sources(db: Database, query: Query) -> str | None:
    """The ids of the sources that a query selects; None if it selects all."""
    if not query.sources and not query.kinds:
        return None
    found = db.column(
        "SELECT id FROM sources WHERE trashed_at IS NULL "
        "AND (:names IS NULL OR EXISTS (SELECT 1 FROM json_each(:names) "
        "WHERE lower(value) IN (lower(name), id))) "
        "AND (:kinds IS NULL OR kind IN (SELECT value FROM json_each(:kinds)))",
        {"names": _list(query.sources), "kinds": _list(query.kinds)},
    )
    return as_json(found)
