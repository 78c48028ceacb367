"""Documents for people: lists, the article of a revision, and what changed between two revisions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from veille.core.archive.content_state import ContentState
from veille.core.compare.cited import marked, passage
from veille.core.compare.diff import Fact, change_size, compared, differs, facts_changed, unified, word_diff
from veille.core.compare.inline_diff import InlineDiff, inline_diff
from veille.core.records import DocumentFilter
from veille.core.show.article import article_html, text_html
from veille.core.told import TextEdit
from veille.errors import ConfigError, NotFoundError
from veille.services.analyse.popular import most_popular

if TYPE_CHECKING:
    from collections.abc import Iterator

    from veille.core.models import Quirk
    from veille.core.records import DocumentLine, Event, Revision
    from veille.core.search.answers import Story
    from veille.core.show.images import Signer
    from veille.ports import Clock, DossierReader, Dossiers

#: A longer article is shown and compared as plain text, cut off at `MOST_TEXT` characters.
MOST_HTML = 400_000
MOST_TEXT = 300_000
_MOST_LINES = 5000
#: As many of the last changed documents are compared for a list with the most popular first.
_COMPARED = 500
_MOST_TIMES = 100
#: Other documents of the story shown with an article; the page of the story has all.
_SIBLINGS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPage:
    """A page of a list of documents, and the user's marks on them."""

    lines: list[DocumentLine]
    #: Where the next page begins; None after the last.
    following: tuple[int, int] | None
    unread: set[str]
    kept: set[str]
    #: The last change of each.
    last: dict[str, Event]
    #: Why each stands where it does, if the most popular come first.
    why: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """One revision in the history of a document, with roughly how many words it added and removed."""

    n: int
    at: int
    title: str
    added: int
    removed: int
    kept: ContentState = ContentState.HERE


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadableRevision:
    """A revision for reading. The HTML is sanitised, its images go through the proxy."""

    line: DocumentLine
    revision: Revision
    html: str
    #: Whether only a part of it is shown.
    is_cut: bool
    #: The passage that is highlighted in it.
    quote: str
    steps: list[Step]
    story: Story | None
    is_unread: bool
    is_kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What changed between two revisions."""

    line: DocumentLine
    older: Revision
    newer: Revision
    #: The revisions to choose from, and when each was read.
    times: dict[int, int]
    title: list[TextEdit]
    facts: list[Fact]
    #: None if a line diff was requested.
    inline: InlineDiff | None
    lines: list[str]
    is_cut: bool


class DocumentService:
    """Documents, for people."""

    def __init__(self, dossiers: Dossiers, clock: Clock) -> None:
        self._dossiers = dossiers
        self._clock = clock

    def listing(  # noqa: PLR0913 - which, and in which order
        self,
        dossier_id: str,
        user_id: str,
        wanted: DocumentFilter,
        before: tuple[int, int] | None,
        limit: int,
        *,
        marks: str = "",
        popular: bool = False,
    ) -> DocumentPage:
        """Documents, last changed first; with `marks`, those that are `unread` or `kept`.

        With `popular`, the most popular of the last changed ones; there is no further page.
        """
        with self._dossiers.open(dossier_id) as store:
            if marks == "unread":
                wanted = replace(wanted, only=tuple(store.marks.unread_documents(user_id)))
            elif marks == "kept":
                wanted = replace(wanted, only=tuple(store.marks.kept(user_id, _MOST_LINES)))
            lines, following = store.records.lines(wanted, before, _COMPARED if popular else limit)
            why: dict[str, tuple[str, ...]] = {}
            if popular:
                lines, why = most_popular(store, lines, limit, self._clock())
                following = None
            ids = [line.id for line in lines]
            unread, kept = store.marks.unread_of(user_id, ids), store.marks.kept_of(user_id, ids)
            last = store.changes.last_of(ids)
        return DocumentPage(lines=lines, following=following, unread=unread, kept=kept, last=last, why=why)

    def line(self, dossier_id: str, document_id: str) -> DocumentLine:
        """A document as lists show it."""
        with self._dossiers.open(dossier_id) as store:
            return _line(store, document_id)

    def kept(self, dossier_id: str, user_id: str, limit: int, before: int | None) -> list[tuple[int, DocumentLine]]:
        """The documents that a user kept in a dossier, and when, latest first."""
        with self._dossiers.open(dossier_id) as store:
            kept = store.marks.kept(user_id, limit, before)
            lines, _ = store.records.lines(DocumentFilter(only=tuple(kept)), None, limit)
        return sorted(((kept[line.id], line) for line in lines), key=lambda one: -one[0])

    def mark_read(self, dossier_id: str, user_id: str, document_id: str, *, is_read: bool) -> None:
        """The user has read a document as it is now, or wants to see it as unread."""
        with self._dossiers.open(dossier_id) as store:
            store.records.revision(document_id)
            store.marks.read(user_id, document_id, is_read=is_read)

    def keep(self, dossier_id: str, user_id: str, document_id: str, *, is_kept: bool) -> None:
        """Keep a document for the user, or no longer."""
        with self._dossiers.open(dossier_id) as store:
            store.records.revision(document_id)
            store.marks.keep(user_id, document_id, self._clock() if is_kept else None)

    def quirks(self, dossier_id: str, document_id: str, *, forget: bool = False) -> tuple[Quirk, ...]:
        """The lines of a page that change on every load; with `forget`, they are learned anew."""
        with self._dossiers.open(dossier_id) as store:
            known = store.quirks.of(document_id)
            if forget:
                store.quirks.forget(document_id)
        return known

    def article(
        self,
        dossier_id: str,
        user_id: str,
        document_id: str,
        n: int | None,
        sign: Signer,
        span: tuple[int, int] | None = None,
    ) -> ReadableRevision:
        """A revision (the current one without a number) for reading, with the passage of `span` highlighted."""
        with self._dossiers.open(dossier_id) as store:
            line = _line(store, document_id)
            revision = store.records.revision(document_id, n)
            # One more than is shown: the last one is compared with it.
            steps = _steps(store.records.history(document_id, min(revision.n + 6, line.rev_n + 1), 12))
            story = store.stories.of(document_id, _SIBLINGS)
            is_unread = bool(store.marks.unread_of(user_id, [document_id]))
            is_kept = bool(store.marks.kept_of(user_id, [document_id]))
        html, is_cut = _shown(revision, sign)
        quote = revision.text[slice(*span)] if span else ""
        return ReadableRevision(
            line=line,
            revision=revision,
            html=marked(html, _compared(revision, is_cut=is_cut), *span) if span and quote else html,
            is_cut=is_cut,
            quote=quote,
            steps=steps,
            story=story,
            is_unread=is_unread,
            is_kept=is_kept,
        )

    def passage(self, dossier_id: str, document_id: str, n: int, start: int, end: int) -> tuple[int, int] | None:
        """Where a selection in the shown article is in the text; `start` and `end` do not count white space."""
        with self._dossiers.open(dossier_id) as store:
            revision = store.records.revision(document_id, n)
        html, is_cut = _shown(revision, None)
        return passage(html, _compared(revision, is_cut=is_cut), start, end)

    def history(self, dossier_id: str, document_id: str, before: int | None, limit: int) -> list[Step]:
        """Revisions of a document, newest first."""
        with self._dossiers.open(dossier_id) as store:
            steps = _steps(store.records.history(document_id, before, limit + 1))
        if not steps:
            raise NotFoundError("There is no such document.", code="no_document")
        return steps[:limit]

    def compare(  # noqa: PLR0913 - which two, and how
        self,
        dossier_id: str,
        document_id: str,
        older: int | None,
        newer: int | None,
        sign: Signer,
        *,
        by_lines: bool = False,
        ignore_space: bool = False,
    ) -> Comparison:
        """What changed between two revisions; without numbers, in the latest change."""
        with self._dossiers.open(dossier_id) as store:
            line = _line(store, document_id)
            before, after = two_revisions(store, document_id, older, newer)
            times = store.records.times(document_id, _MOST_TIMES) | {one.n: one.extracted_at for one in (before, after)}
        is_cut = max(len(before.text), len(after.text)) > MOST_TEXT
        return Comparison(
            line=line,
            older=before,
            newer=after,
            times=times,
            title=word_diff(before.title, after.title) if before.title != after.title else [],
            facts=facts_changed(before, after),
            inline=None if by_lines else _inline(before, after, sign, ignore_space=ignore_space),
            lines=_lines(before, after, ignore_space=ignore_space) if by_lines else [],
            is_cut=is_cut,
        )


def two_revisions(
    store: DossierReader, document_id: str, older: int | None, newer: int | None
) -> tuple[Revision, Revision]:
    """The two revisions to compare; without numbers, the current one and the one before it."""
    after = store.records.revision(document_id, newer)
    if older is not None:
        return store.records.revision(document_id, older), after
    before = store.records.revision_before(document_id, after.n)
    if before is None:
        raise ConfigError("There is one revision only, so nothing to compare it with.", code="one_revision")
    return before, after


def _line(store: DossierReader, document_id: str) -> DocumentLine:
    lines, _ = store.records.lines(DocumentFilter(only=(document_id,)), None, 1)
    if not lines:
        raise NotFoundError("There is no such document.", code="no_document")
    return lines[0]


def _steps(found: Iterator[Revision]) -> list[Step]:
    """Each revision compared with the one before it, which follows in `found`; the first one is all new.

    A revision whose content is not kept is compared with nothing, and neither is the one after it.
    """
    return [
        Step(one.n, one.extracted_at, one.title, *_size(before, one), one.kept)
        for one, before in pairwise(chain(found, [None]))
        if one and (before or one.n == 1)
    ]


def _size(before: Revision | None, one: Revision) -> tuple[int, int]:
    if not one.has_content or (before is not None and not before.has_content):
        return 0, 0
    return change_size(*compared(before, one))


def _has_article(revision: Revision) -> bool:
    return "<" in revision.html and len(revision.html) <= MOST_HTML


def _shown(revision: Revision, sign: Signer | None) -> tuple[str, bool]:
    if _has_article(revision):
        return article_html(revision.html, revision.url, sign, title=revision.title), False
    return text_html(revision.text[:MOST_TEXT]), len(revision.text) > MOST_TEXT


def _compared(revision: Revision, *, is_cut: bool) -> str:
    """The part of the text that is shown."""
    return revision.text[:MOST_TEXT] if is_cut else revision.text


def _inline(before: Revision, after: Revision, sign: Signer, *, ignore_space: bool) -> InlineDiff:
    if _has_article(before) and _has_article(after):
        # Both with the newer address as base, so that an article that only moved has the same images and links.
        old, new = (article_html(one.html, after.url, sign, keep_edits=False) for one in (before, after))
        found = inline_diff(old, new, ignore_space=ignore_space)
        if found.changes or not differs(before.text, after.text):
            return found
        # The difference shows in the texts only.
    old, new = text_html(before.text[:MOST_TEXT]), text_html(after.text[:MOST_TEXT])
    return inline_diff(old, new, ignore_space=ignore_space)


def _lines(before: Revision, after: Revision, *, ignore_space: bool) -> list[str]:
    old, new = before.text[:MOST_TEXT], after.text[:MOST_TEXT]
    if ignore_space:
        old, new = ("\n".join(" ".join(line.split()) for line in text.splitlines()) for text in (old, new))
    return unified(old, new, (f"revision {before.n}", f"revision {after.n}"))[:_MOST_LINES]
