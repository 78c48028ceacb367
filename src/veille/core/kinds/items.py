"""A list on a page that has no feed: each item of it is a document."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field
from selectolax.lexbor import LexborNode

from veille.core.dates import parse_date, plausible, written_date
from veille.core.extract import Options, Page
from veille.core.extract.output.html import clean_html
from veille.core.extract.output.render import fragment_text
from veille.core.extract.rules.css import matches, refuse_unreadable_css
from veille.core.fingerprint import content_hash, guid_identity, url_identity
from veille.core.kinds import Finding, Kind, KindConfig
from veille.core.models import Document, Notice, Request, Source
from veille.core.text import flat, tidy
from veille.core.traffic import Payload
from veille.core.urls import join
from veille.errors import ConfigError, ReadError

_HEADINGS = "h1, h2, h3, h4, h5, h6"
_MOST_TITLE = 300


class ItemsConfig(KindConfig):
    """Options of a list on a page."""

    item: str = Field(
        "", max_length=2000, title="Selector of an item", description="CSS selector of each item: `ul.news > li`."
    )
    title_selector: str = Field(
        "",
        max_length=2000,
        title="Title",
        description="CSS selector of the title in an item; else its heading or link.",
    )
    link_selector: str = Field(
        "", max_length=2000, title="Link", description="CSS selector of the link in an item; else that of its title."
    )
    date_selector: str = Field(
        "", max_length=2000, title="Date", description="CSS selector of the date in an item; else its first date."
    )
    max_items: int = Field(200, ge=1, le=2000, title="Most items", description="Most items of the page that are read.")


class ItemsKind(Kind):
    """Each match of the selector is a document, with its title, link and date."""

    Config = ItemsConfig
    config: ItemsConfig

    def check(self) -> None:
        super().check()
        if not self.config.item:
            raise ConfigError("Say what an item is: a CSS selector, such as `ul.news > li`.", code="bad_selector")
        for selector in filter(None, self._selectors()):
            try:
                refuse_unreadable_css(selector)
            except ReadError as error:
                raise ConfigError(str(error), code=error.code) from error

    def _selectors(self) -> tuple[str, ...]:
        config = self.config
        return config.item, config.title_selector, config.link_selector, config.date_selector

    def read(self, source: Source, request: Request, payload: Payload) -> Iterator[Finding]:
        page = Page(payload.body, payload.final_url, Options(charset=payload.charset))
        found = matches(page.tree, self.config.item)
        seen: set[str] = set()
        for node in found[: self.config.max_items]:
            document = self._document(source, node, page)
            if document is not None and document.keys[0] not in seen:
                seen.add(document.keys[0])
                yield document
        if not seen:
            raise ReadError(
                f"No item was found by {self.config.item!r}: the page may have changed. Mark two items again.",
                code="no_match",
            )
        if len(found) > self.config.max_items:
            message = f"The page has {len(found)} items; the first {self.config.max_items} are read (`max_items`)."
            yield Notice(code="over_items", url=request.url, message=message)

    def _document(self, source: Source, node: LexborNode, page: Page) -> Document | None:
        html = clean_html(node.html or "", page.url)
        text = tidy(fragment_text(html))
        heading = self._first(node, self.config.title_selector or _HEADINGS)
        anchor = self._first(node, self.config.link_selector) or self._anchor(node, heading)
        title = flat((heading or anchor or node).text(separator=" "))[:_MOST_TITLE]
        href = (anchor.attributes.get("href") or "") if anchor is not None else ""
        link = page.base.absolute(href) if href else ""
        if not text and not title:
            return None
        return Document(
            keys=(guid_identity(source.id, link or title), *((url_identity(link),) if link else ())),
            url=link or join(page.url, "") or page.url,
            title=title,
            text=text or title,
            html=html,
            published_at=self._date(node),
            strategy="items",
            content_hash=content_hash(text or title),
        )

    @staticmethod
    def _first(node: LexborNode, selector: str) -> LexborNode | None:
        # The item itself must not match, only what is in it.
        found = node.css(selector) if selector else []
        return next((one for one in found if one.mem_id != node.mem_id), None)

    @staticmethod
    def _anchor(node: LexborNode, heading: LexborNode | None) -> LexborNode | None:
        """The link of its heading, or the one with the longest text."""
        if node.tag == "a":
            return node
        inner = heading.css("a[href]") if heading is not None else []
        above = heading.parent if heading is not None else None
        if not inner and above is not None and above.tag == "a":
            return above
        return next(iter(inner), None) or max(node.css("a[href]"), key=lambda one: len(flat(one.text())), default=None)

    def _date(self, node: LexborNode) -> int | None:
        chosen = self._first(node, self.config.date_selector or "time")
        if chosen is not None:
            stated = chosen.attributes.get("datetime") or ""
            said = flat(chosen.text(separator=" "))
            return plausible(parse_date(stated) if stated else parse_date(said) or written_date(said))
        return plausible(written_date(flat(node.text(separator=" "))[:2000]))
