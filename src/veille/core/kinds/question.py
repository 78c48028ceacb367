"""A standing question to search engines: every result is a document, read from its page or kept as the snippet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pydantic import Field, field_validator

from veille.core.discover.engines import SearchEngine
from veille.core.discover.results import as_result, read_results, unwrapped
from veille.core.fingerprint import raw_hash, url_identity
from veille.core.http.credentials import same_origin
from veille.core.json.endpoints import body_references, read_listing, sent_body, sent_headers
from veille.core.json.paging import ListPage, NextPage, first_page, follow, next_target
from veille.core.kinds import Finding, HttpCall, Kind, KindConfig
from veille.core.kinds._follow import context_of, followed, unfollowed
from veille.core.models import Document, Notice, Request, Source
from veille.core.traffic import Payload
from veille.errors import ConfigError

RESULT = "result"


class QuestionConfig(KindConfig):
    """Options of a question; `veille questions add` fills them in."""

    text: str = Field(description="The question, as people ask it.")
    keywords: str = Field("", description="The query for the engines; by default the question itself.")
    channels: tuple[str, ...] = Field((), description="The ids of the engines to query.")
    engines: dict[str, SearchEngine] = Field(default_factory=dict, description="Copies of those engines.")
    max_results: int = Field(20, ge=0, le=10_000, description="Most results from one engine; 0: no limit.")
    follow_links: bool = Field(default=True, description="Read the page of each result; otherwise keep its snippet.")

    @field_validator("text")
    @classmethod
    def _asks(cls, text: str) -> str:
        if not text.strip():
            raise ValueError("the question is empty")
        return text.strip()

    @property
    def query(self) -> str:
        """The query that is sent to the engines."""
        return self.keywords.strip() or self.text


class QuestionKind(Kind):
    """A question gives one document per result, of all its engines together."""

    Config = QuestionConfig
    fetches_address = False
    config: QuestionConfig

    def start(self, source: Source) -> Iterator[Request]:
        for channel in dict.fromkeys(self.config.channels):
            if not self._engine(channel).enabled:
                continue
            engine = self._asked(channel)
            url = engine.url_template
            # Two engines may have the same address and differ in the rest.
            request = self.request(source, url, context={"channel": channel}, key=f"{channel} {url}")
            yield first_page(request) if engine.max_pages > 1 else request

    def call(self, source: Source, request: Request) -> HttpCall:
        del source
        if request.purpose == RESULT:
            return HttpCall(render=self.config.render)
        engine = self._asked(request.context["channel"])
        call = HttpCall(render=engine.render, robots=False, delay_ms=engine.rate_limit_ms)
        if not same_origin(engine.url_template, request.url):
            return call
        return replace(
            call,
            method=engine.method,
            headers=sent_headers(engine, engine.headers) if engine.strategy == "api" else dict(engine.headers),
            body=sent_body(engine, request),
            # From the configured engine, without the query: references in a query are never expanded.
            body_references=body_references(self._engine(request.context["channel"])),
        )

    def read(self, source: Source, request: Request, payload: Payload) -> Iterator[Finding]:
        if request.purpose == RESULT:
            yield followed(request, payload, self.config)
            return
        channel = request.context["channel"]
        engine = self._asked(channel)
        found, page, target, notices = _results(engine, request, payload)
        yield from notices
        taken = list(request.context.get("taken", ()))
        meta = {"question_id": source.id, "channel": channel, "query": self.config.query}
        for document in found:
            mark = raw_hash(url_identity(document.url).encode())[:12]
            if mark in taken or (self.config.max_results and len(taken) >= self.config.max_results):
                continue
            taken.append(mark)
            result = as_result(document, meta)
            # Without a stamp: a result is fetched once, even if its snippet changes.
            is_followed = self.config.follow_links
            yield self.request(source, result.url, RESULT, context=context_of(result)) if is_followed else result
        if not self.config.max_results or len(taken) < self.config.max_results:
            page = replace(page, request=replace(request, context=request.context | {"taken": taken}))
            onward = follow(page, target, engine.max_pages, row=channel) if engine.max_pages > 1 else None
            # No notice about further pages: a question wants the best results, not all.
            if onward is not None and not (isinstance(onward, Notice) and onward.code == "page_limit"):
                yield onward

    def instead(self, source: Source, request: Request) -> Iterator[Document]:
        """The snippet, if the page of a result cannot be fetched."""
        del source
        if request.purpose == RESULT:
            yield unfollowed(request)

    def _engine(self, channel: str) -> SearchEngine:
        if channel not in self.config.engines:
            raise ConfigError(
                f"The question asks the engine {channel!r}, which is not known; `veille engines` lists them.",
                code="no_engine",
            )
        return self.config.engines[channel]

    def _asked(self, channel: str) -> SearchEngine:
        return self._engine(channel).asked(self.config.query)


def _results(
    engine: SearchEngine, request: Request, payload: Payload
) -> tuple[list[Document], ListPage, NextPage | Notice | None, list[Notice]]:
    if engine.strategy == "generic":
        documents, link, mark = read_results(engine, payload)
        page = ListPage(request, payload, None, len(documents), mark)
        return documents, page, NextPage(link) if link else None, []
    listing = read_listing(engine, request, payload)
    # Results without their own address are dropped: there is no page to link to.
    documents = [
        replace(document, url=unwrapped(engine, document.url))
        for document in listing.documents
        if document.url != payload.final_url
    ]
    target = next_target(engine.paging, listing.page) if engine.paging is not None else None
    return documents, listing.page, target, listing.notices
