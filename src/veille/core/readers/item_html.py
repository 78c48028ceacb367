"""The content of an item for reader apps: what changed, then the article; sanitised like what our own pages show."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from veille.core.models import Change
from veille.core.show.article import article_html, text_html
from veille.core.show.marked import marked_html

if TYPE_CHECKING:
    from veille.core.records import Event, Revision
    from veille.core.told import ToldValue

#: A longer article is sent as plain text, cut off at so many characters.
_MOST_HTML = 400_000
_MOST_TEXT = 300_000


def item_html(event: Event, revision: Revision | None) -> str:
    """The HTML of an item; `revision` is None if its content is not kept any more."""
    parts = [f"<p>{_value(one)}</p>" for one in event.told.values]
    if event.change is Change.CHANGED and event.told.excerpt:
        parts.append(f"<p>{marked_html(event.told.excerpt).replace(chr(10), '<br>')}</p>")
    if event.change is Change.REMOVED:
        parts.append(f"<p>{escape(event.told.reason or 'It was removed from its source.')}</p>")
    if parts:
        parts.append("<hr>")
    return "".join(parts) + (_article(revision) if revision else "")


def _article(revision: Revision) -> str:
    if revision.html and len(revision.html) <= _MOST_HTML:
        return article_html(revision.html, revision.url, title=revision.title, keep_edits=False)
    return text_html(revision.text[:_MOST_TEXT])


def _value(value: ToldValue) -> str:
    before, after = (escape(one) or "&ndash;" for one in (value.before, value.after))
    return f"{escape(value.name)}: <del>{before}</del> <ins>{after}</ins>"
