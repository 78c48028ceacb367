"""Search engines as data: how to query them, and where the results are in their answers."""

from __future__ import annotations

import json
import re
from typing import Any, Literal
from urllib.parse import quote

from pydantic import Field, field_validator, model_validator
from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from veille.core.http.credentials import HIDDEN, same_origin, unhidden
from veille.core.json.endpoints import Endpoint
from veille.core.models import Json, StrictModel
from veille.core.text import storable
from veille.core.urls import canonical, host_of, scheme_of
from veille.errors import ConfigError

QUERY = "{query}"
_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class ResultSelectors(StrictModel):
    """CSS selectors of a result page; `title`, `link` and `snippet` are applied inside each result."""

    result_item: str = Field(description="One result.")
    title: str = Field(description="Its title.")
    link: str = Field(description="The link to it.")
    snippet: str = Field("", description="The words the engine shows of it.")
    next: str = Field("", description="The link to the next page.")
    empty: str = Field("", description="What the page shows when nothing was found.")

    @field_validator("*")
    @classmethod
    def _readable(cls, selector: str) -> str:
        try:
            LexborHTMLParser("<p>").css(selector or "p")
        except SelectolaxError as error:
            raise ValueError(f"the CSS selector {selector!r} cannot be read") from error
        return selector


class SearchEngine(Endpoint):
    """A search engine: `api` answers JSON, `generic` a page."""

    id: str = Field(description="Its id in questions.")
    name: str = Field("", description="Its name.")
    strategy: Literal["api", "generic"] = Field("api", description="Whether it answers JSON or a page.")
    url_template: str = Field(description="Its address, with {query} in place of the query.")
    headers: dict[str, str] = Field(default_factory=dict, description="Headers; they may name secrets: ${secret:NAME}.")
    selectors: ResultSelectors | None = Field(None, description="For pages: where the parts of a result are.")
    unwrap: str = Field("", description="The parameter with the address, if links are redirects through the engine.")
    max_pages: int = Field(1, gt=0, le=100, description="Pages read per check.")
    rate_limit_ms: int = Field(1000, ge=0, le=3_600_000, description="Shortest pause between two requests.")
    render: bool = Field(default=False, description="Whether its page needs a browser (the extra `browser`).")
    enabled: bool = Field(default=True, description="Whether it is used.")

    @model_validator(mode="after")
    def _whole(self) -> SearchEngine:
        if not _ID.fullmatch(self.id):
            raise ValueError("`id` is made of small letters, digits, _ and -")
        if QUERY not in self.url_template and QUERY not in json.dumps(self.body):
            raise ValueError(f"`url_template` must contain {QUERY} in the place of the words")
        try:
            urls = [canonical(self.url_template.replace(QUERY, words)) for words in "xy"]
        except ConfigError as error:
            raise ValueError(f"`url_template`: {error}") from error
        if scheme_of(urls[0]) not in {"http", "https"}:
            raise ValueError("`url_template` must begin with http:// or https://")
        if len(set(map(host_of, urls))) > 1:
            raise ValueError("the words go into the path or the parameters, never into the host")
        if self.strategy == "generic" and self.selectors is None:
            raise ValueError("an engine that answers a page needs `selectors`")
        return self

    def asked(self, words: str) -> SearchEngine:
        """The engine with the words put into its address and body."""
        url = self.url_template.replace(QUERY, quote(words, safe=""))
        return self.model_copy(update={"url_template": url, "body": _put(self.body, words)})

    @property
    def record(self) -> Json:
        """The record to store: the values that were set, without defaults."""
        return self.model_dump(mode="json", exclude_unset=True)


def _put(body: Any, words: str) -> Any:
    if isinstance(body, str):
        return body.replace(QUERY, words)
    if isinstance(body, dict):
        return {key: _put(value, words) for key, value in body.items()}
    return [_put(value, words) for value in body] if isinstance(body, list) else body


def as_it_was(record: Json, known: SearchEngine | None) -> Json:
    """Restore the redacted headers in a record from a client; ConfigError if they would go to another host."""
    headers = record.get("headers")
    if known is None or not isinstance(headers, dict) or HIDDEN not in headers.values():
        return record
    wanted, before = (str(url).replace(QUERY, "") for url in (record.get("url_template"), known.url_template))
    if not same_origin(wanted, before):
        raise ConfigError(
            "The hidden headers were set for another address: write their values anew, or leave them out.",
            code="bad_engine",
        )
    return record | {"headers": unhidden(headers, known.headers)}


def engine_of(record: Json) -> SearchEngine:
    """Validate a record as an engine; ConfigError that names what is wrong."""
    try:
        return SearchEngine.model_validate(storable(record))
    except ValueError as error:
        raise ConfigError(_explained(record, error), code="bad_engine") from error


def _explained(record: Json, error: ValueError) -> str:
    errors = getattr(error, "errors", None)
    first = errors()[0] if errors else {"loc": (), "msg": str(error)}
    place = ".".join(map(str, first["loc"])) or "the record"
    return f"The engine {record.get('id', '')!r} is not right: {place}: {first['msg']}."
