"""A JSON API, or any address that answers a list in JSON or lines of JSON: every item is a document."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from veille.core.endpoints import Endpoint, read_listing, sent_body, sent_headers
from veille.core.kinds import Call, Finding, Kind, KindConfig
from veille.core.kinds._follow import context_of, followed, stamp_of
from veille.core.models import Payload, Request, Source
from veille.core.paging import first_page, follow, next_target
from veille.core.secrets import same_origin

ITEM = "item"


class ApiConfig(Endpoint, KindConfig):
    """Options of an API source."""

    follow_links: bool = Field(default=False, description="Read each item from the page its url leads to.")


class ApiKind(Kind):
    """An API gives one document per item, page after page."""

    Config = ApiConfig
    config: ApiConfig

    def start(self, source: Source) -> Iterator[Request]:
        request = self.request(source, source.url)
        yield first_page(request) if self.config.paging is not None else request

    def call(self, source: Source, request: Request) -> Call:
        if request.purpose == ITEM:
            return super().call(source, request)
        # What is sent, like the headers, is for the source's own site: a link to elsewhere is only looked at.
        is_own = same_origin(source.url, request.url)
        return Call(
            method=self.config.method if is_own else "GET",
            headers=sent_headers(self.config, self.config.headers) if is_own else {"Accept": "application/json"},
            body=sent_body(self.config, request) if is_own else b"",
            robots=False,
            delay_ms=self.config.rate_limit_ms,
        )

    def read(self, source: Source, request: Request, payload: Payload) -> Iterator[Finding]:
        if request.purpose == ITEM:
            yield followed(request, payload)
            return
        listing = read_listing(self.config, request, payload)
        for document in listing.documents:
            if self.config.follow_links and document.url != payload.final_url:
                yield self.request(source, document.url, ITEM, stamp=stamp_of(document), context=context_of(document))
            else:
                yield document
        yield from listing.notices
        if self.config.paging is not None:
            onward = follow(listing.page, next_target(self.config.paging, listing.page), self.config.max_pages)
            if onward is not None:
                yield onward
