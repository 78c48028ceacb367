"""Operations on stored documents: extractions, revisions, changes; and reading a page now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from veille.core.addresses import host_in
from veille.core.compare.diff import compared, unified
from veille.core.outgoing.cursors import parse_cursor
from veille.core.text import visible
from veille.core.urls import canonical, host_of, scheme_of
from veille.errors import ConfigError, NotFoundError, VeilleError
from veille.interfaces.operations import shapes
from veille.interfaces.operations._first_sight import ChangedValue, ExcerptPart, first_sight
from veille.interfaces.operations._limits import MAX_URL
from veille.interfaces.operations._operation import InDossier, Place, operation
from veille.interfaces.operations._passages import MOST, USUAL, Passage, Provenance, passage
from veille.interfaces.operations.shapes import TYPES, Shape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from veille.core.records import Event, Revision
    from veille.ports import DossierReader

_LIMIT = "Maximum number."
#: Larger than any real number, and still small enough for databases.
_HUGE = 2**31 - 1


class ListExtractions(InDossier):
    """The source, and the maximum number."""

    source_id: str | None = Field(None, max_length=MAX_URL, description="Only of this source.")
    limit: int = Field(50, ge=1, le=1000, description=_LIMIT)


class Window(InDossier):
    """The part of a text to return."""

    offset: int = Field(0, ge=0, le=_HUGE, description="Where in the text to begin.")
    max_chars: int = Field(USUAL, ge=1, le=MOST, description="How much of the text.")


class GetDocument(Window):
    """The document and its revision."""

    document: str = Field(min_length=1, max_length=MAX_URL, description="Its id or address.")
    revision: int | None = Field(
        None, ge=1, le=_HUGE, description="The number of the revision. Default: the current one."
    )


class Diff(Window):
    """The document and its two revisions."""

    document: str = Field(min_length=1, max_length=MAX_URL, description="Its id or address.")
    old: int | None = Field(None, ge=0, le=_HUGE, description="Default: the one before `new`; 0: compare with nothing.")
    new: int | None = Field(None, ge=1, le=_HUGE, description="Default: the current one.")


class ChangesSince(InDossier):
    """The cursor to start from, and the maximum number."""

    cursor: str = Field("", max_length=100, description="The cursor of the previous call; empty: from the beginning.")
    limit: int = Field(50, ge=1, le=1000, description=_LIMIT)
    order: Literal["time", "popular"] = Field(
        "time",
        description="The oldest first; or the last change of the most popular documents, with why each stands there.",
    )


class ReadUrl(Window):
    """The page to read."""

    url: str = Field(min_length=1, max_length=MAX_URL, description="Its address, at a host the dossier watches.")


class Changed(Shape):
    """One change of a document."""

    seq: int
    at: int
    change: str
    source_id: str
    source_name: str
    source_type: str
    document_id: str
    extraction_id: str
    revision: int
    url: str
    title: str
    changed_metadata: list[str] = Field([], description="The metadata that changed, if the text did not.")
    excerpt: list[ExcerptPart] = Field([], description="The words struck and added; of a new document its lead.")
    values: list[ChangedValue] = Field([], description="The values that changed.")
    reason: str = Field("", description="Why a document was removed.")
    why: list[str] = Field([], description="Why it stands where it does, if the most popular come first.")


class Changes(Shape):
    """What changed, in the order that was asked for."""

    trust: Literal["untrusted"] = "untrusted"
    changes: list[Changed]
    cursor: str = Field(description="The cursor to continue from.")
    more: bool = Field(description="Whether there are more changes already.")


class Difference(Passage):
    """What changed between two revisions, as a unified diff in `content`."""

    old: int
    new: int


@operation("read", untrusted=True)
def _list_extractions(place: Place, given: ListExtractions) -> list[shapes.Extraction]:
    """What was extracted in a dossier or from one source, newest first."""
    source_id = place.reading.sources.find(given.source_id).id if given.source_id else None
    return list(map(shapes.Extraction.of, place.reading.records.latest(source_id, given.limit)))


@operation("read", untrusted=True)
def _get_document(place: Place, given: GetDocument) -> Passage:
    """The text of a document as it is, or as it was in an earlier revision."""
    reading = place.reading
    revision = reading.records.revision(reading.records.find(given.document), given.revision)
    where = _provenance(reading, revision)
    return passage(revision.title, revision.text, where, given.offset, given.max_chars)


@operation("read", untrusted=True)
def _diff(place: Place, given: Diff) -> Difference:
    """What changed between two revisions of a document."""
    reading = place.reading
    document_id = reading.records.find(given.document)
    new = reading.records.revision(document_id, given.new)
    if given.old is None:
        old = reading.records.revision_before(document_id, new.n)
    else:
        old = reading.records.revision(document_id, given.old) if given.old else None
    old_n = old.n if old else 0
    where = _provenance(reading, new)
    names = (f"revision {old_n}", f"revision {new.n}")
    older, newer = map(visible, compared(old, new))
    text = "\n".join(unified(older, newer, names))
    return Difference(
        **passage(new.title, text, where, given.offset, given.max_chars).model_dump(), old=old_n, new=new.n
    )


@operation("read", untrusted=True)
def _changes_since(place: Place, given: ChangesSince) -> Changes:
    """What changed in a dossier since a cursor, and the cursor to go on from."""
    services, ids = place.services.exports, [place.dossier_id]
    if given.order == "popular":
        since = parse_cursor(given.cursor).of(place.dossier_id)
        end = services.end(ids)
        found = place.services.popular.changes(place.dossier_id, since, given.limit)
        return Changes(changes=[_changed(one, why) for one, (_, why) in found], cursor=str(end), more=False)
    events, cursor = services.events(ids, parse_cursor(given.cursor), given.limit)
    end = services.end(ids)
    return Changes(
        changes=list(map(_changed, events)),
        cursor=str(cursor),
        more=cursor.of(place.dossier_id) < end.of(place.dossier_id),
    )


@operation("fetch", untrusted=True)
def _read_url(place: Place, given: ReadUrl) -> Passage:
    """Read a page now, without watching it; only at hosts that the dossier watches or the operator allows."""
    url = canonical(given.url)
    _check_host(place, url)
    with place.app.reader(place.dossier_id) as reader:
        # The cache is only for continued reading: the beginning is fetched anew.
        result = reader.get_reader_content(url, force=not given.offset)
    if result.content is None:
        raise VeilleError(visible(result.error or "The page could not be read."), code="fetch_failed")
    where = Provenance(dossier_id=place.dossier_id, url=url, at=place.app.clock())
    return passage(result.content.title, result.content.text_content, where, given.offset, given.max_chars)


def _check_host(place: Place, url: str) -> None:
    """Refuse hosts that the dossier does not watch: an agent could leak data to any host through the address."""
    if scheme_of(url) not in {"http", "https"}:
        raise ConfigError("Only http and https addresses are read.", code="unsafe_address")
    host, allowed = host_of(url).partition(":")[0], place.app.settings.read_hosts
    watched = {host_of(source.url) for source in place.services.sources.all(place.dossier_id)}
    if host_of(url) not in watched and "*" not in allowed and not host_in(host, allowed):
        raise ConfigError(
            f"{host} is no host that this dossier watches; watch something there, or have the operator list it in "
            "read_hosts.",
            code="unsafe_address",
        )


def _provenance(reading: DossierReader, revision: Revision) -> Provenance:
    try:
        source = reading.sources.find(revision.source_id)
        named = {"source_name": visible(source.name), "source_url": source.url}
    except NotFoundError:
        named = {}
    return Provenance.showing(revision, dossier_id=reading.id, revision=revision.n, at=revision.extracted_at, **named)


def _changed(event: Event, why: Iterable[str] = ()) -> Changed:
    return Changed.showing(
        event,
        why=list(why),
        source_name=visible(event.source_name),
        source_type=TYPES.get(event.kind, event.kind),
        extraction_id=event.revision_id,
        revision=event.rev_n,
        title=visible(event.title),
        **first_sight(event),
    )
