"""Rows of changes and documents as HTML, the same everywhere.

Written out and not in a template: a page has dozens of them, and they took most of its time. What they quote is text of
sites: every value goes through `escape`, or is made of nothing foreign.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from markupsafe import Markup, escape

from veille.core.models import Change
from veille.interfaces.web.views.pieces import favicon, time
from veille.interfaces.web.views.rows import edits, percentage, trend
from veille.interfaces.web.views.words import number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from veille.core.records import DocumentLine, Event
    from veille.core.search.answers import Hit
    from veille.core.search.refine import Facet
    from veille.services.reading.change_feed import ChangeRow

_NO_SOURCE = "a source that is gone"
_CHOSEN = ' aria-current="true"'
#: Characters of a title, and of an address to go to by a key: a page of rows is not to weigh more for one of them.
_MOST_TITLE, _MOST_NAMED, _MOST_URL = 200, 60, 500
#: Other changes that a row shows when it is unfolded.
_MOST_SIBLINGS = 5
_STAR = '<span class="star" title="kept">★<span class="hidden"> kept</span></span>'


def what(event: Event) -> Markup:
    """What became of a document, in a line."""
    told = event.told
    if event.change is Change.REMOVED:
        seen = f", last seen {time(told.seen_at)}" if told.seen_at else ""
        return _html(f"<del>removed</del> {escape(told.reason or 'last text kept')}{seen}")
    return edits(told.excerpt) if told.excerpt else escape(told.reason)


def link(event: Event, home: str) -> str:
    """Where a change is shown in full."""
    is_diff = event.change is Change.CHANGED and not event.changed_metadata
    return f"{home}/documents/{event.document_id}{f'/diff?newer={event.rev_n}' if is_diff else ''}"


def extent(event: Event) -> str:
    """How much of a document changed."""
    told = event.told
    if event.changed_metadata:
        return f"only {', '.join(event.changed_metadata).replace('_', ' ')}"
    if told.paragraphs > 1 and told.paragraphs_changed and event.change is Change.CHANGED:
        return f"{number(told.paragraphs_changed)} of {number(told.paragraphs)} paragraphs changed"
    return event.change.value


def change_row(one: ChangeRow, *, with_dossier: bool = False, part: str = "") -> Markup:
    """One row of a list of changes. What keys act on is in its data."""
    event, home = one.event, escape(f"/d/{one.dossier.id}")
    name = event.source_name or _NO_SOURCE
    source, title, said = escape(name), _title(event), what(event)
    dossier = f"<bdi>{escape(one.dossier.name)}</bdi> · " if with_dossier else ""
    if one.is_fold:
        query = {"source": event.source_id, "first": one.first_seq, "last": one.last_seq, "show": part or "all"}
        target, opened, counted = f"{home}?{escape(urlencode(query))}", name, f' data-changes="{one.count}"'
        top = (
            f'<a class="title" href="{target}"><bdi>{source}</bdi></a>\n<p class="what" dir="auto">{said or title} '
            f'<span class="more">· {number(one.count)} changes</span></p>'
        )
        where = f"newest: <bdi>{title}</bdi>"
    else:
        target, opened, counted = escape(link(event, home)), event.title or event.url, ""
        top = f'<a class="title" href="{target}"><bdi>{title}</bdi></a>\n{_said(said)}'
        where = (
            f'<a href="{home}/sources/{escape(event.source_id)}"><bdi>{source}</bdi></a> · '
            f'<span class="{event.change.value}">{escape(extent(event))}</span>'
        )
    return _html(
        f'<li class="item row{_state(is_unread=one.is_unread, is_kept=one.is_kept)}" data-item{counted}'
        f' data-document="{home}/documents/{escape(event.document_id)}"{_original(event.url)}>\n'
        f'{favicon(name, event.url, one.dossier.id)}\n<div class="body">\n{top}\n'
        f'<p class="meta">{_STAR}{dossier}{where}{_badges(one, home)}</p>\n{_siblings(one, home)}</div>\n'
        f'<div class="side">{time(event.at)}{_side(event, one.trend)}{_thumb(one, home)}\n'
        f'<a class="open" data-open href="{target}" title="Open here (o)">'
        f'<span class="hidden">Open {escape(_cut(opened, _MOST_NAMED))} here</span></a></div>\n</li>\n'
    )


def document_row(  # noqa: PLR0913 - what a row shows
    one: DocumentLine,
    dossier_id: str,
    last: Event | None,
    *,
    is_unread: bool = False,
    is_kept: bool = False,
    dossier_name: str = "",
    at: int | None = None,
    is_choosable: bool = False,
    why: Sequence[str] = (),
) -> Markup:
    """A document in a list, with its last change; what repeats another leads to that one."""
    home = escape(f"/d/{dossier_id}")
    document_id, name, title = escape(one.duplicate_of or one.id), one.source_name or _NO_SOURCE, _title(one)
    box = '<input class="pick" type="checkbox" form="bulk" name="document"'
    pick = f'{box} value="{document_id}" aria-label="Choose {title}">\n' if is_choosable else ""
    lang = f' lang="{escape(one.lang)}"' if one.lang else ""
    dossier = f"<bdi>{escape(dossier_name)}</bdi> · " if dossier_name else ""
    return _html(
        f'<li class="item row{_state(is_unread=is_unread, is_kept=is_kept)}" data-item'
        f' data-document="{home}/documents/{document_id}"{_original(one.url)}>\n'
        f'{pick}{favicon(name, one.url, dossier_id)}\n<div class="body">\n'
        f'<a class="title" href="{home}/documents/{document_id}"{lang}><bdi>{title}</bdi></a>\n'
        f'{_said(what(last) if last and one.state != "duplicate" else "")}\n<p class="meta">{_STAR} {dossier}'
        f'<a href="{home}/sources/{escape(one.source_id)}"><bdi>{escape(name)}</bdi></a> · {_edition(one, last)}</p>\n'
        f'{_why(why)}</div>\n<div class="side">{time(one.changed_at if at is None else at)}{_side(last)}</div>\n</li>\n'
    )


def _why(reasons: Sequence[str]) -> str:
    """Why a row stands where it does."""
    return f'<span class="soft why">{escape("; ".join(reasons))}</span>\n' if reasons else ""


def hit_row(hit: Hit, title: str, last: Event | None, dossier_name: str = "") -> Markup:
    """A hit of a search. Its title with the words marked and its snippet are HTML (`core/search/snippets.py`)."""
    home, document_id = escape(f"/d/{hit.dossier_id}"), escape(hit.document_id)
    said = what(last) if last and last.change is Change.CHANGED else ""
    dossier = f"<bdi>{escape(dossier_name)}</bdi> · " if dossier_name else ""
    lang = f" · {escape(hit.lang)}" if hit.lang else ""
    return _html(
        f'<li class="item hit" data-item data-document="{home}/documents/{document_id}"'
        f'{_original(hit.url)}>\n<a class="title" href="{home}/documents/{document_id}">'
        f"<bdi>{title if hit.title else escape(hit.url)}</bdi></a>\n"
        f'<span class="snippet" dir="auto">{hit.snippet}</span>\n{_said(said)}\n<span class="soft meta">{dossier}'
        f'<a href="{home}/sources/{escape(hit.source_id)}"><bdi>{escape(hit.source_name)}</bdi></a> · '
        f"{time(hit.dated_at)}{lang}</span>\n{_why(hit.why)}</li>\n"
    )


def facet_rows(facet: Facet, link: Callable[..., str]) -> Markup:
    """The values by which hits can be narrowed; `link` leads to the search with another query."""
    return _html(
        "".join(
            f'<li><a href="{escape(link(q=one.text))}"{_CHOSEN if one.is_chosen else ""}><span class="name">'
            f'{escape(one.label)}</span> <span class="soft">{"✕" if one.is_chosen else one.count}</span></a></li>\n'
            for one in facet.choices
        )
    )


def _html(text: str) -> Markup:
    return Markup(text)  # noqa: S704 - see the docstring of the module


def _title(one: DocumentLine | Event) -> Markup:
    return escape(_cut(one.title or one.url, _MOST_TITLE))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _original(url: str) -> str:
    """Where the key `v` leads; to the document itself if that is very long."""
    return f' data-original="{escape(url)}"' if len(url) <= _MOST_URL else ""


def _state(*, is_unread: bool, is_kept: bool) -> str:
    return f"{' unread' if is_unread else ''}{' kept' if is_kept else ''}"


def _said(said: str) -> str:
    return f'<p class="what" dir="auto">{said}</p>' if said else ""


def _edition(one: DocumentLine, last: Event | None) -> str:
    """The state of a document, or how often it changed."""
    if one.state != "current":
        return f'<span class="badge {escape(one.state)}">{escape(one.state)}</span>'
    if one.rev_n <= 1:
        return "new"
    changed = f", {escape(extent(last))}" if last and last.told.paragraphs_changed else ""
    return f"rev {one.rev_n}{changed}"


def _badges(one: ChangeRow, home: str) -> str:
    """Other tellers of the story, rules that found it, and tags."""
    found = ""
    if one.tellers:
        others = f"{number(one.tellers)} other{'' if one.tellers == 1 else 's'}"
        found = f' · <a class="more" href="{home}/stories/{escape(one.story)}">also told by {others}</a>'
    for rule in one.rules:
        found += f' <a class="badge rule" href="{home}/alerts">rule: <bdi>{escape(rule)}</bdi></a>'
    for tag in one.tags:
        found += f' <span class="badge"><bdi>{escape(tag)}</bdi></span>'
    return found


def _siblings(one: ChangeRow, home: str) -> str:
    """The other changes that a row stands for, folded."""
    if not one.siblings:
        return ""
    others, mine = one.count - 1, one.event.document_id
    if any(other.document_id != mine for other in one.siblings):
        summary = f"{others} more on the same story"
    else:
        summary = f"{others} earlier {'change' if others == 1 else 'changes'} of it"
    lines = "".join(
        f'<li><a href="{escape(link(other, home))}">{_named(other, mine)}</a>'
        f"{_whose(other, mine)}{_said(what(other))}</li>"
        for other in one.siblings[:_MOST_SIBLINGS]
    )
    return f'<details class="siblings"><summary>{summary}</summary>\n<ul>{lines}</ul></details>\n'


def _named(other: Event, mine: str) -> str:
    """An earlier change of the same document by its time; that of another by its title."""
    return time(other.at) if other.document_id == mine else f"<bdi>{_title(other)}</bdi>"


def _whose(other: Event, mine: str) -> str:
    if other.document_id == mine:
        return ""
    return f' <span class="soft"><bdi>{escape(other.source_name)}</bdi> · {time(other.at)}</span>'


def _side(event: Event | None, numbers: Sequence[float] = ()) -> str:
    """The value that a change brought: by how much, and its last numbers."""
    if event is None or not event.told.values:
        return ""
    value, percent = event.told.values[0], ""
    if value.percent:
        steps = escape(f"{value.name}: {value.before} → {value.after}")
        way = "up" if value.percent > 0 else "down"
        percent = f'<span class="percent {way}" title="{steps}">{percentage(value.percent)}</span>'
    return f"{percent}{trend(numbers) if len(numbers) > 1 else ''}"


def _thumb(one: ChangeRow, home: str) -> str:
    """What the page looked like, small."""
    if not one.has_picture:
        return ""
    at = f"{home}/documents/{escape(one.event.document_id)}"
    return (
        f'<a class="thumb" href="{at}/pictures?newer={one.event.rev_n}"><img loading="lazy" width="92" height="52" '
        f'src="{at}/picture/small?rev={one.event.rev_n}" alt="The page in revision {one.event.rev_n}"></a>'
    )


ROW_PIECES = {
    "what": what,
    "change_row": change_row,
    "document_row": document_row,
    "hit_row": hit_row,
    "facet_rows": facet_rows,
}
