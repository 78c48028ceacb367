"""Revisions as WARC files keep them: the text as it is, all other facts as JSON beside it, and both back again."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from veille.core.change.telling import tell_change, tell_new
from veille.core.fingerprint import content_hash, guid_identity, url_identity, uuid7
from veille.core.models import Change, Document, Item, Json, KeepRaw, Known, Lease, Plan, State
from veille.core.records import Revision
from veille.core.text import storable, without_controls
from veille.core.traffic import Payload
from veille.errors import ReadError

#: The media type of the facts.
FACTS_TYPE: Final = "application/vnd.veille.revision+json"
_Short = Annotated[str, Field(max_length=4096)]
_Moment = Annotated[int | None, Field(ge=-(1 << 50), le=1 << 50)]


class SourceFacts(BaseModel):
    """The source that read a revision."""

    model_config = ConfigDict(frozen=True)

    name: _Short
    kind: _Short
    url: _Short


class RevisionFacts(BaseModel):
    """All that is stored of a revision except its text, and its address and time, which the record itself has."""

    model_config = ConfigDict(frozen=True)

    #: The id of its document, in the dossier that it comes from.
    document: Annotated[str, Field(min_length=1, max_length=100)]
    source: SourceFacts
    #: Whether other documents have the same address, so that it says nothing about which one this is.
    shares_address: bool = False
    #: Whether this is no revision: the document was removed, and what its address was.
    is_removal: bool = False
    url: _Short = ""
    title: str = ""
    lang: _Short = ""
    html: str = ""
    published_at: _Moment = None
    strategy: _Short = ""
    quality: Annotated[float | None, Field(ge=0, le=1)] = None
    meta: dict[str, Any] = Field(default_factory=dict)


def packed_revision_facts(revision: Revision, source: SourceFacts, *, shares_address: bool) -> bytes:
    """The facts of a revision as JSON."""
    return _packed(
        RevisionFacts(
            document=revision.document_id,
            source=source,
            shares_address=shares_address,
            title=revision.title,
            lang=revision.lang,
            html=revision.html,
            published_at=revision.published_at,
            strategy=revision.strategy,
            quality=revision.quality,
            meta=revision.meta,
        )
    )


def packed_removal(revision: Revision, source: SourceFacts, *, shares_address: bool) -> bytes:
    """The facts of the removal of a document, after its last revision, as JSON."""
    return _packed(
        RevisionFacts(
            document=revision.document_id,
            source=source,
            title=revision.title,
            shares_address=shares_address,
            is_removal=True,
            url=revision.url,
        )
    )


def unpacked_revision_facts(data: bytes) -> RevisionFacts:
    """The facts in the JSON of a record; ReadError `warc_record` if they are none. Unknown fields are left out."""
    try:
        return RevisionFacts.model_validate(storable(json.loads(data)))
    except (ValidationError, ValueError, RecursionError) as error:
        raise ReadError("The record cannot be read: its facts are no revision's.", code="warc_record") from error


def revision_document(facts: RevisionFacts, source_id: str, url: str, text: str) -> Document:
    """The document of a revision, as a kind would have read it."""
    own = guid_identity(source_id, facts.document)
    meta: Json = dict(facts.meta)
    authors, modified = meta.pop("authors", ()), meta.pop("modified_at", None)
    text = without_controls(text)
    return Document(
        keys=(own,) if facts.shares_address else (url_identity(url), own),
        url=url,
        title=without_controls(facts.title),
        text=text,
        html=without_controls(facts.html),
        lang=without_controls(facts.lang),
        authors=tuple(map(str, authors)) if isinstance(authors, list) else (),
        summary=without_controls(str(meta.pop("summary", ""))),
        published_at=facts.published_at,
        modified_at=modified if isinstance(modified, int) else None,
        media_type=str(meta.pop("media_type", "text/html")),
        strategy=without_controls(facts.strategy),
        quality=facts.quality,
        meta=meta,
        content_hash=content_hash(text),
    )


def revision_plan(
    lease: Lease, document: Document, known: Known | None, before: tuple[str, str], at: int, answer: Payload | None
) -> Plan:
    """The plan that stores a revision as the one after what is known. `before`: the title and text known, if any.

    It is a revision because the file says so: nothing is compared, so that the history is the same as where it is from.
    """
    is_there = known is not None and known.state == "current"
    item = Item(
        change=Change.CHANGED if is_there else Change.NEW,
        url=document.url,
        title=document.title,
        document=document,
        document_id=known.document_id if known else uuid7(at, lease.dossier_id, document.keys[0]),
        rev_n=known.rev_n + 1 if known else 1,
        told=tell_change(*before, document) if is_there else tell_new(document),
    )
    kept = answer if lease.keep_raw is not KeepRaw.NONE else None
    return Plan(lease=lease, items=(item,), state=State.OK, kept=kept)


def removal_plan(lease: Lease, known: Known) -> Plan:
    """The plan that removes a known document."""
    item = Item(
        change=Change.REMOVED, url=known.url, title=known.title, document_id=known.document_id, rev_n=known.rev_n
    )
    return Plan(lease=lease, items=(item,), state=State.OK)


def _packed(facts: RevisionFacts) -> bytes:
    return facts.model_dump_json(exclude_defaults=True).encode()
