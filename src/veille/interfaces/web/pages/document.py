"""One document: reading, revisions, what changed between them, chunks, citing and downloading."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlencode

from fastapi import Path, Query, Response
from pydantic import BaseModel

from veille.core.chunk.chunks import chunks
from veille.core.compare.diff import differs, word_count, word_diff
from veille.core.compare.opened import beginning, changed_paragraphs
from veille.core.extract.output.markdown import text_markdown
from veille.core.outgoing.export_record import document_record
from veille.core.records import Revision
from veille.core.show.article import article_html, article_markdown, is_rtl, quality_word, reading_minutes, text_html
from veille.core.show.enclosures import enclosures_of, media_policy
from veille.core.text import flat, without_controls
from veille.core.values.changing import ChangingNumber
from veille.errors import ConfigError, NotFoundError
from veille.interfaces.web._routes import Pages, within
from veille.interfaces.web.actions.show import Show, Showing
from veille.interfaces.web.requests.guard import PAGE_POLICY
from veille.interfaces.web.views.followed import followed
from veille.interfaces.web.views.html import page
from veille.services.reading.documents import Comparison

routes = Pages("document")

_DOCUMENT = "/d/{dossier_id}/documents/{document_id}"
_REVISIONS = 50
_CHUNKS = 40
#: As many numbers that changed are offered to be followed.
_NUMBERS = 8
#: A longer article is downloaded as plain text: the sanitiser takes 0.2 s for so much, and blocks all else meanwhile.
_MOST_HTML = 2_000_000
_TYPES = {"md": "text/markdown", "json": "application/json", "txt": "text/plain", "html": "text/html"}

DocumentId = Annotated[str, Path(max_length=200)]
Number = Annotated[int | None, Query(ge=1, le=2**31, description="Which revision; the current one without it.")]
Letter = Annotated[int, Query(ge=0, le=2**31)]
Place = Annotated[int | None, Query(ge=0, le=2**31, description="A place in the text of the revision.")]


@routes.get(_DOCUMENT, auth=within("read"))
def _read(
    show: Showing,
    document_id: DocumentId,
    rev: Number = None,
    start: Annotated[Place, Query(alias="from")] = None,
    end: Annotated[Place, Query(alias="to")] = None,
    play: Annotated[int | None, Query(ge=0, le=100, description="An attachment to play.")] = None,
) -> Response:
    """A revision to read; the passage of the URL, if any, is highlighted. A row in a list shows its beginning."""
    if "x-part" in show.request.headers:
        return _opened(show, document_id, rev, is_diff=False)
    span = (start, end) if start is not None and end is not None and start < end else None
    sign = show.app.image_signer(show.dossier.id)
    try:
        found = show.services.documents.article(show.dossier.id, show.user_id, document_id, rev, sign, span)
    except NotFoundError as error:
        return _instead(show, document_id, error)
    words = word_count(found.revision.text)
    here = f"{show.home}/documents/{document_id}"
    exact = f"{here}?rev={found.revision.n}" + (f"&from={span[0]}&to={span[1]}#cited" if span else "")
    attached = enclosures_of(found.revision.meta)
    # Only who asks for it is seen by the site it comes from.
    playing = attached[play] if play is not None and play < len(attached) and attached[play].is_playable else None
    response = show(
        "document.html",
        found=found,
        attached=attached,
        playing=playing,
        revision=found.revision,
        words=words,
        minutes=reading_minutes(words),
        quality=quality_word(found.revision.quality),
        is_rtl=is_rtl(found.revision.lang),
        values=followed(show.reading.values, show.app.clock(), document_id=document_id),
        **_about(show, document_id),
        picture=show.reading.pictures.of_revision(document_id, found.revision.n),
        here=here,
        exact=f"{show.url}{exact}",
    )
    if playing is not None:
        response.headers["Content-Security-Policy"] = media_policy(PAGE_POLICY, playing.url)
    return response


def _about(show: Show, document_id: str) -> dict[str, Any]:
    """What the document is about, and why it is popular."""
    standings = show.services.popular.standings(show.dossier.id, [document_id])
    return {
        "about": show.reading.analyses.of([document_id]).get(document_id),
        "why": standings[document_id][1] if document_id in standings else (),
    }


def _instead(show: Show, document_id: str, error: NotFoundError) -> Response:
    """Redirect from a duplicate, which has no text of its own, to the original."""
    if error.code != "no_document":
        # What a link cites was removed by a rule of retention: the message says so.
        raise error
    line = show.services.documents.line(show.dossier.id, document_id)
    if line.duplicate_of is None:
        raise NotFoundError("There is no such document.", code="no_document")
    return show.go(f"{show.home}/documents/{line.duplicate_of}", f"{line.url} has the same text as this document.")


@routes.get(f"{_DOCUMENT}/revisions", auth=within("read"))
def _revisions(show: Showing, document_id: DocumentId, before: Number = None) -> Response:
    """The history of a document."""
    here = f"{show.home}/documents/{document_id}"
    steps = show.services.documents.history(show.dossier.id, document_id, before, _REVISIONS)
    older = f"{here}/revisions?before={steps[-1].n}" if steps and steps[-1].n > 1 else ""
    return show("revisions.html", steps=steps, here=here, older=older)


@routes.get(f"{_DOCUMENT}/chunks", auth=within("read"))
def _chunks(show: Showing, document_id: DocumentId, rev: Number = None, first: Letter = 0) -> Response:
    """The chunks of a revision, as used for retrieval."""
    revision = show.reading.records.revision(document_id, rev)
    here = f"{show.home}/documents/{document_id}"
    found = chunks(revision)
    after = first + _CHUNKS
    more = f"{here}/chunks?rev={revision.n}&first={after}" if len(found) > after else ""
    return show("chunks.html", revision=revision, chunks=found[first:after], total=len(found), here=here, more=more)


@routes.get(f"{_DOCUMENT}/cite", auth=within("read"))
def _cite(show: Showing, document_id: DocumentId, rev: Letter, start: Letter, end: Letter) -> Response:
    """Redirect to the URL of a selected passage; offsets are characters of the article without white space."""
    span = show.services.documents.passage(show.dossier.id, document_id, rev, start, end)
    there = f"{show.home}/documents/{document_id}?rev={rev}"
    if span is None:
        return show.go(there, "That passage is not in the text of this revision.")
    return show.go(f"{there}&from={span[0]}&to={span[1]}#cited")


@routes.get(f"{_DOCUMENT}/download", auth=within("export"))
def _download(
    show: Showing,
    document_id: DocumentId,
    rev: Number = None,
    form: Annotated[Literal["md", "json", "txt", "html"], Query(alias="format")] = "md",
) -> Response:
    """A revision as a file."""
    revision = show.reading.records.revision(document_id, rev)
    name = "".join(letter if letter.isalnum() else "-" for letter in revision.title)[:80].strip("-") or "document"
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}-r{revision.n}.{form}"}
    return Response(_as_file(show, revision, form), media_type=f"{_TYPES[form]}; charset=utf-8", headers=headers)


def _as_file(show: Show, revision: Revision, form: str) -> str:
    head = without_controls(flat(revision.title))
    if form == "txt":
        return without_controls(f"{head}\n{revision.url}\n\n{revision.text}\n".lstrip())
    if form == "json":
        source = show.reading.sources.get(revision.source_id)
        name, kind = (source.name, source.kind) if source else ("", "")
        record = document_record(revision, show.dossier.id, name, kind)
        return json.dumps(record, ensure_ascii=False, indent=2) + "\n"
    has_html = "<" in revision.html and len(revision.html) <= _MOST_HTML
    if form == "html":
        article = article_html(revision.html, revision.url) if has_html else text_html(revision.text)
        return page("download.html", revision=revision, article=article, is_rtl=is_rtl(revision.lang))
    body = article_markdown(revision.html, revision.url) if has_html else text_markdown(revision.text)
    return without_controls(f"# {text_markdown(head)}\n\n<{revision.url}>\n\n{body}" if head else body)


class DiffChoice(BaseModel):
    """Which two revisions are compared, and how the diff is shown."""

    older: int | None = Query(None, ge=1, le=2**31)
    newer: int | None = Query(None, ge=1, le=2**31)
    view: Literal["inline", "unified"] = "inline"
    hide: Literal["", "added", "removed"] = ""
    space: Literal["", "ignore"] = ""

    def path(self, older: int, newer: int, view: str | None = None) -> str:
        """Path of the diff of two other revisions, shown in the same way."""
        given = {"view": self.view if view is None else view, "hide": self.hide, "space": self.space}
        chosen = {name: value for name, value in given.items() if value and value != "inline"}
        return f"/diff?{urlencode({'older': older, 'newer': newer, **chosen})}"


@routes.get(f"{_DOCUMENT}/diff", auth=within("read"))
def _diff(show: Showing, document_id: DocumentId, choice: Annotated[DiffChoice, Query()]) -> Response:
    """The diff, by words inside the article or by lines; a row in a list shows the changed paragraphs alone."""
    if "x-part" in show.request.headers:
        return _opened(show, document_id, choice.newer)
    here = f"{show.home}/documents/{document_id}"
    try:
        found = show.services.documents.compare(
            show.dossier.id,
            document_id,
            choice.older,
            choice.newer,
            show.app.image_signer(show.dossier.id),
            by_lines=choice.view == "unified",
            ignore_space=bool(choice.space),
        )
    except ConfigError as error:
        if error.code != "one_revision":
            raise
        return show.go(here, str(error))
    is_unread = bool(show.reading.marks.unread_of(show.user_id, [document_id]))
    is_kept = bool(show.reading.marks.kept_of(show.user_id, [document_id]))
    n = found.newer.n
    return show(
        "diff.html",
        found=found,
        here=here,
        choice=choice,
        is_unread=is_unread,
        is_kept=is_kept,
        before=here + choice.path(n - 2, n - 1) if n > 2 else "",  # noqa: PLR2004 - a diff needs two revisions
        after=here + choice.path(n, n + 1) if n < found.line.rev_n else "",
        is_rtl=is_rtl(found.newer.lang),
        numbers=_numbers(show, document_id, found),
        has_pictures=bool(show.reading.pictures.numbers(document_id)),
    )


def _opened(show: Show, document_id: str, n: int | None, *, is_diff: bool = True) -> Response:
    """A fragment for a row that is opened in place: what changed in a revision, or how it begins."""
    records = show.reading.records
    newer = records.revision(document_id, n)
    older = records.revision_before(document_id, newer.n) if is_diff else None
    is_current = older is not None and show.may("write") and newer.n == records.revision(document_id).n
    numbers = (
        show.services.rules.changing_numbers(show.dossier.id, document_id, older.n, newer.n)[:2]
        if is_current and older is not None
        else []
    )
    return show.part(
        "opened.html",
        shown=changed_paragraphs(older.text, newer.text) if older is not None else beginning(newer.text),
        title=word_diff(older.title, newer.title) if older is not None and differs(older.title, newer.title) else [],
        revision=newer,
        line=show.services.documents.line(show.dossier.id, document_id),
        older=older.n if older is not None else 0,
        numbers=numbers,
        pictured=_pictured(show, document_id, older, newer),
        here=f"{show.home}/documents/{document_id}",
        dossier=show.dossier,
        may=show.may,
    )


def _pictured(show: Show, document_id: str, older: Revision | None, newer: Revision) -> list[int]:
    """The revisions whose pictures tell a change: that before, and this one, if it has a picture of its own."""
    known = show.reading.pictures.numbers(document_id)
    if newer.n not in known:
        return []
    return [one.n for one in (older, newer) if one is not None and one.n >= known[0]]


def _numbers(show: Show, document_id: str, found: Comparison) -> list[ChangingNumber]:
    """The numbers that changed in place, for those who may make a rule; they are looked for in current texts only."""
    if not show.may("write") or found.newer.n != found.line.rev_n or found.older.n > found.newer.n:
        return []
    numbers = show.services.rules.changing_numbers(show.dossier.id, document_id, found.older.n, found.newer.n)
    return numbers[:_NUMBERS]
