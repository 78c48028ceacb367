"""The JSON shapes of sources, extractions, logs, questions and hits, and their conversion from our values.

Times are milliseconds since 1970. Optional fields are left out when they are None. `config_json`, `metadata_json`
and `channels` are JSON in a string, as programs that use these shapes expect.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Self

from pydantic import BaseModel, ConfigDict

from veille.core.fingerprint import uuid7
from veille.core.http.credentials import shown_options
from veille.core.models import Change
from veille.core.text import visible
from veille.core.urls import scheme_of
from veille.services.watching.questions import KIND as QUESTION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.core import models
    from veille.core.records import Revision, RunItem
    from veille.core.report.figures import Count
    from veille.core.search.answers import Hit

#: The API's names of our kinds; a kind that is not here has the same name in both.
TYPES = {"page": "web", "feed": "rss", "folder": "document", "site": "crawl"}
KINDS = {name: kind for kind, name in TYPES.items()}
_LOG = {Change.SAME: "unchanged", Change.DUPLICATE: "unchanged", Change.SKIPPED: "skipped", Change.ERROR: "error"}
_READ = frozenset({Change.NEW, Change.CHANGED, Change.SAME, Change.DUPLICATE})
_GOOD = 200
#: The options of a question, and their defaults.
_ASKED: models.Json = {"text": "", "keywords": "", "channels": [], "max_results": 20, "follow_links": True}


class JsonView(BaseModel):
    """Base class of JSON responses that show an object of ours."""

    @classmethod
    def showing(cls, one: object, **others: Any) -> Self:
        """The response with the attributes of an object as its fields of the same names, and these other fields."""
        same = {name: getattr(one, name) for name in cls.model_fields if hasattr(one, name)}
        return cls.model_validate(same | others, from_attributes=True)


class Shape(JsonView):
    """Base class of the JSON responses of operations."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Source(Shape):
    """A source: something that is watched."""

    id: str
    name: str
    url: str
    source_type: str
    fetch_interval: int
    enabled: bool
    config_json: str
    last_fetched_at: int | None = None
    last_hash: str
    last_status: str
    last_error: str
    fail_count: int
    original_fetch_interval: int | None = None
    created_at: int
    updated_at: int

    @classmethod
    def of(cls, source: models.Source, raw_hash: str = "") -> Self:
        """The shape of a source; values in its headers that may be credentials are masked."""
        is_question = source.kind == QUESTION
        config = {"question_id": source.id} if is_question else shown_options(source.config)
        return cls.showing(
            source,
            url=f"question://{source.id}" if is_question else source.url,
            source_type=source_type(source),
            fetch_interval=source.interval_ms,
            config_json=json.dumps(config, ensure_ascii=False),
            last_fetched_at=source.checked_at,
            last_hash=raw_hash,
            last_status=source.state.value,
            last_error=visible(source.error),
            fail_count=source.failures,
            original_fetch_interval=source.original_interval_ms,
        )


class Extraction(Shape):
    """The content of a document at one time."""

    id: str
    source_id: str
    content_hash: str
    title: str
    extracted_text: str
    extracted_html: str
    url: str
    extracted_at: int
    metadata_json: str

    @classmethod
    def of(cls, revision: Revision) -> Self:
        """The shape of a revision, without invisible characters."""
        return cls.showing(
            revision,
            title=visible(revision.title),
            extracted_text=visible(revision.text),
            extracted_html=visible(revision.html),
            metadata_json=json.dumps(revision.meta, ensure_ascii=False),
        )


class FetchLog(Shape):
    """The result of one fetch of an address."""

    id: str
    source_id: str
    status: str
    status_code: int
    content_hash: str
    error_message: str
    duration_ms: int
    fetched_at: int

    @classmethod
    def of(cls, item: RunItem) -> Self:
        """A line of a report as an entry of the fetch history."""
        status = "empty" if item.code == "empty" else _LOG.get(item.change, "ok")
        return cls.showing(
            item,
            id=uuid7(item.at, item.run_id, item.url, item.change, item.code, item.document_id),
            status=status,
            # Only failures have their status in the report; what was read had a good one.
            status_code=item.status or (_GOOD if item.change in _READ else 0),
            error_message=visible(item.message),
            fetched_at=item.at,
        )


class Question(Shape):
    """A standing question to search engines."""

    id: str
    text: str
    keywords: str
    channels: str
    schedule_ms: int
    max_results: int
    follow_links: bool
    enabled: bool
    last_run_at: int | None = None
    last_result_count: int
    total_results: int
    created_at: int
    updated_at: int

    @classmethod
    def of(cls, source: models.Source, counts: Sequence[Count]) -> Self:
        """The shape of a question, with the number of new results of each run."""
        asked = {name: source.config.get(name, usual) for name, usual in _ASKED.items()}
        return cls.showing(
            source,
            **asked | {"channels": json.dumps(asked["channels"], ensure_ascii=False)},
            schedule_ms=source.interval_ms,
            last_run_at=source.checked_at,
            last_result_count=counts[-1].new if counts else 0,
            total_results=sum(count.new for count in counts),
        )


class SearchHit(Shape):
    """A document that matches a search; the best has the lowest rank."""

    extraction_id: str
    source_id: str
    title: str
    text: str
    rank: float

    @classmethod
    def of(cls, hit: Hit, text: str) -> Self:
        """A hit with the text of its document."""
        title, text = visible(hit.title), visible(text)
        return cls.showing(hit, extraction_id=hit.revision_id, title=title, text=text, rank=-hit.score)


def source_type(source: models.Source) -> str:
    """The API's name for the kind of a source; a single file is a `document`, like a folder."""
    is_file = source.kind == "page" and scheme_of(source.url) == "file"
    return "document" if is_file else TYPES.get(source.kind, source.kind)
