"""A JSON API, or any address that answers a list in JSON or lines of JSON: every item is a document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from veille.core.http.credentials import same_origin
from veille.core.json.endpoints import Endpoint, Items, body_references, read_listing, sent_body, sent_headers
from veille.core.json.paging import first_page, follow, is_further_page, next_target
from veille.core.kinds import Finding, HttpCall, Kind, KindConfig
from veille.core.kinds._follow import context_of, followed, refuse_wrong_selectors, stamp_of
from veille.core.kinds._options import PAGE_WAYS
from veille.core.models import Listing, Request, Source
from veille.core.traffic import Payload

ITEM = "item"


class ApiConfig(Endpoint, KindConfig):
    """Options of an API source."""

    plain_value: ClassVar[str] = "path"

    follow_links: bool = Field(
        default=False, title="Read the linked pages", description="Read each item from the page at its url."
    )
    complete: bool = Field(
        default=False,
        title="The list is complete",
        description="Remove documents that are no longer in the list with all its pages. Not for latest news.",
    )


class ApiKind(Kind):
    """An API gives one document per item, page after page."""

    Config = ApiConfig
    config: ApiConfig

    def ways(self) -> frozenset[str]:
        return PAGE_WAYS if self.config.follow_links else frozenset({"path", "near"})

    def check(self) -> None:
        super().check()
        refuse_wrong_selectors(self.config)

    def start(self, source: Source) -> Iterator[Request]:
        request = self.request(source, source.url)
        yield first_page(request) if self.config.paging is not None else request

    def call(self, source: Source, request: Request) -> HttpCall:
        if request.purpose == ITEM:
            return super().call(source, request)
        # Headers and body are for the source's own site: a link to another site is fetched with a plain GET.
        call = HttpCall(headers={"Accept": "application/json"}, robots=False, delay_ms=self.config.rate_limit_ms)
        if not same_origin(source.url, request.url):
            return call
        return replace(
            call,
            method=self.config.method,
            headers=sent_headers(self.config, self.config.headers),
            body=sent_body(self.config, request),
            body_references=body_references(self.config),
        )

    def read(self, source: Source, request: Request, payload: Payload) -> Iterator[Finding]:
        if request.purpose == ITEM:
            yield followed(request, payload, self.config)
            return
        listing = read_listing(self.config, request, payload, self.config.values)
        for document in listing.documents:
            if self.config.follow_links and document.url != payload.final_url:
                yield self.request(source, document.url, ITEM, stamp=stamp_of(document), context=context_of(document))
            else:
                yield document
        yield from listing.notices
        listed = _listed(request, listing) if self.config.complete else None
        onward = None
        if self.config.paging is not None:
            page = replace(listing.page, request=replace(request, context=request.context | {"listed": listed}))
            onward = follow(page, next_target(self.config.paging, page), self.config.max_pages)
        if onward is not None:
            yield onward
        elif listed is not None:
            yield Listing(keys=tuple(listed), since=int(request.context["turn"]) if "turn" in request.context else None)


def _listed(request: Request, items: Items) -> list[str] | None:
    """The keys of all items of this walk so far; None if any item was left out."""
    before = request.context.get("listed") if is_further_page(request) else []
    if before is None or items.notices or len(items.documents) < items.page.count:
        return None
    return [*before, *(key for document in items.documents for key in document.keys)]
