"""JSON endpoints: what to send, and how items become documents; shared by APIs and search engines."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from veille.core.dates import parse_date, plausible
from veille.core.extract.output.render import fragment_text
from veille.core.fingerprint import content_hash, guid_identity, raw_hash, url_identity
from veille.core.http.secrets import has_open_reference, references_in
from veille.core.json.json_answers import MISSING, at, described, filled_in, is_template, items_in, parsed, put
from veille.core.json.json_values import NO_WISHES, json_values
from veille.core.json.paging import ListPage, Paging
from veille.core.models import Document, Json, Notice, Request, StrictModel
from veille.core.text import flat, tidy
from veille.core.traffic import Payload
from veille.core.urls import join
from veille.core.values.wishes import ValueWish
from veille.errors import ReadError

#: Fields of a document, each with the keys that are tried when the mapping does not name it.
FIELDS = {
    "id": "id guid uuid _id",
    "title": "title name headline full_name",
    "text": "text content body description summary snippet abstract",
    "url": "url html_url link href permalink web_url",
    "summary": "",
    "published": "published published_at date_published publication_date created_at pubDate date",
    "updated": "updated updated_at date_modified modified_at last_modified",
    "authors": "",
    "lang": "",
}
#: Maximum number of items from one answer. Twice as many as anybody reads, a few seconds to store.
MOST_ITEMS = 10_000
#: Numbers above this are milliseconds, below it seconds: the year 5138 in seconds.
_SECONDS = 100_000_000_000
_NOTHING = (None, "")
_MARKUP = re.compile(r"</?(?:p|br|div|a|b|i|em|strong|ul|ol|li|h[1-6]|span|table|blockquote|pre|code|img)\b[^<>]*>")


class Endpoint(StrictModel):
    """Options of an address that answers JSON."""

    method: Literal["GET", "POST"] = Field("GET", description="The HTTP method.")
    body: Json | str | None = Field(
        None,
        title="Request body",
        description="Sent with POST: an object as JSON, a text verbatim. It may name secrets: ${secret:NAME}.",
    )
    result_path: str = Field(
        "",
        title="Where the list is",
        description="Dot path of the list, such as `data.items`; empty: the whole answer.",
    )
    fields: dict[str, str] = Field(
        default_factory=dict,
        title="Where the parts of an item are",
        description="id, title, text, url, summary, published, updated, authors, lang (others are kept as metadata): "
        "the dot path in an item, or a template such as `https://example.org/{id}`.",
    )
    paging: Paging | None = Field(
        None, title="Further pages", description="How the list goes on: by, path, param, in_body, start, size, more."
    )
    max_pages: int = Field(10, gt=0, le=1000, title="Most pages", description="Pages read per check, with `paging`.")
    rate_limit_ms: int = Field(
        0,
        ge=0,
        le=3_600_000,
        title="Pause between requests, in milliseconds",
        description="Shortest pause between two requests.",
    )

    @model_validator(mode="after")
    def _sendable(self) -> Self:
        if self.method == "GET" and (self.body or (self.paging is not None and self.paging.in_body)):
            raise ValueError("a body is sent with POST only; set method=POST, or leave out `body` and paging.in_body")
        if has_open_reference(_written(self.body)):
            raise ValueError("`body` has a `${` without its `}`")
        return self


@dataclass(slots=True)
class Items:
    """The items of one page as documents, and notices about them."""

    page: ListPage
    documents: list[Document]
    notices: list[Notice] = field(default_factory=list)


def sent_body(endpoint: Endpoint, request: Request) -> bytes:
    """The request body, with the paging parameter if that is in the body."""
    paging, body = endpoint.paging, endpoint.body
    value = request.context.get("value")
    if paging is not None and paging.in_body and value is not None:
        body = put(body if isinstance(body, dict) else {}, paging.param or paging.by, value)
    return _written(body).encode()


def _written(body: Json | str | None) -> str:
    if isinstance(body, str):
        return body
    return "" if body is None else json.dumps(body, ensure_ascii=False)


def body_references(endpoint: Endpoint) -> frozenset[str]:
    """The references in the configured body."""
    return references_in(_written(endpoint.body))


def sent_headers(endpoint: Endpoint, given: Mapping[str, str]) -> dict[str, str]:
    """The headers of a request: the configured ones, with defaults for Accept and Content-Type."""
    is_text = isinstance(endpoint.body, str)
    usual = {"Accept": "application/json"}
    if endpoint.method == "POST":
        usual["Content-Type"] = "application/x-www-form-urlencoded" if is_text else "application/json"
    named = {name.lower() for name in given}
    return {name: value for name, value in usual.items() if name.lower() not in named} | dict(given)


def read_listing(
    endpoint: Endpoint, request: Request, payload: Payload, wishes: Mapping[str, ValueWish] = NO_WISHES
) -> Items:
    """The documents of an answer. ReadError if it is no listing, or if none of its items can be used."""
    value, flaws = parsed(payload)
    every = items_in(value, endpoint.result_path)
    items = every[:MOST_ITEMS]
    objects = [item for item in items if isinstance(item, dict)]
    if items and not objects:
        raise ReadError(
            f"The items at result_path {endpoint.result_path!r} are no objects but {described(items[0])}.",
            code="api.path",
        )
    values = [_values(endpoint.fields, item) for item in objects]
    listing = Items(ListPage(request, payload, value, len(every), _mark(items)), [])
    if len(every) > MOST_ITEMS:
        message = f"The answer has {len(every):,} items; those after {MOST_ITEMS:,} are left out. Set `paging`."
        listing.notices.append(Notice(code="over_entries", url=payload.final_url, message=message))
    if flaws:
        more = f" {len(flaws) - 1:,} more lines are none." if len(flaws) > 1 else ""
        listing.notices.append(Notice(code="api.malformed", url=payload.final_url, message=flaws[0] + more))
    listing.notices += _missing_fields(endpoint.fields, objects, values, payload.final_url)
    addresses = Counter(_text(found.get("url")) for found in values)
    for item, found in zip(objects, values, strict=True):
        document = document_from(
            request.source_id, found, payload.final_url, is_shared=addresses[_text(found.get("url"))] > 1
        )
        if document is None:
            listing.notices.append(_empty(endpoint.fields, item, payload))
        else:
            listing.documents.append(replace(document, values=json_values(wishes, item, value, document.lang)))
    if objects and not listing.documents:
        why = next(notice.message for notice in listing.notices if notice.code == "api.field")
        raise ReadError(f"No item can be used. {why}", code="api.field")
    listing.notices += _shared_ids(endpoint.fields, listing.documents, payload.final_url)
    return listing


def _mark(items: list[Any]) -> str:
    """A fingerprint of the items, independent of the rest of the answer (its time, its page number)."""
    try:
        return raw_hash(json.dumps(items, sort_keys=True).encode())[:12]
    except RecursionError as error:
        raise ReadError("The items are nested too deeply to be read.", code="api.malformed") from error


def _values(fields: dict[str, str], item: Json) -> Json:
    """The mapped values of an item, without those that are missing."""
    found = {name: filled_in(path, item) if is_template(path) else at(item, path) for name, path in fields.items()}
    for name, keys in FIELDS.items():
        if name not in fields:
            found[name] = next((item[key] for key in keys.split() if item.get(key) not in _NOTHING), MISSING)
    return {name: value for name, value in found.items() if value is not MISSING}


def _missing_fields(fields: dict[str, str], objects: list[Json], values: list[Json], url: str) -> Iterator[Notice]:
    for name, path in fields.items():
        if objects and not any(name in found for found in values):
            message = f"No item has {path!r}, which fields.{name} names; the first has {described(objects[0])}."
            yield Notice(code="api.field", url=url, message=message)


def _shared_ids(fields: dict[str, str], documents: list[Document], url: str) -> Iterator[Notice]:
    """A notice about items with different contents under one id, of which only the first is kept."""
    said: dict[str, set[tuple[str, str]]] = {}
    for document in documents:
        said.setdefault(document.keys[0], set()).add((document.title, document.text))
    lost = sum(len(contents) - 1 for contents in said.values())
    if lost:
        named = f"{fields['id']!r}, which fields.id names," if "id" in fields else "`id` (or guid, uuid, _id)"
        message = f"{lost} items have the same value as another at {named} and are left out; set fields.id to what is "
        yield Notice(code="api.id", url=url, message=f"{message}different for every item.")


def _empty(fields: dict[str, str], item: Json, payload: Payload) -> Notice:
    named = [fields[name] for name in ("title", "text") if name in fields]
    wanted = " and ".join(map(repr, named)) or "title and text"
    return Notice(
        code="api.field",
        message=f"An item has neither title nor text: {wanted} lead to nothing in it. It has {described(item)}; "
        "correct `fields`.",
        url=payload.final_url,
    )


def document_from(source_id: str, found: Json, base: str, *, is_shared: bool) -> Document | None:
    """Build a document from these values; None without title and text. `is_shared`: other items have the same url."""
    title, text = flat(_plain(found.get("title"))), tidy(_plain(found.get("text")))
    if not title and not text:
        return None
    address = found.get("url")
    url = join(base, address) if isinstance(address, str) and address.strip() else None
    identity = _text(found.get("id"))
    # The publisher's id, else the address, else the content. A shared address does not identify an item.
    own = url_identity(url) if url and not is_shared else ""
    first = guid_identity(source_id, identity) if identity else own or guid_identity(source_id, f"{title}\n{text}")
    return Document(
        keys=tuple(dict.fromkeys((first, own) if own else (first,))),
        url=url or base,
        title=title,
        text=text or title,
        lang=_text(found.get("lang")).replace("_", "-").partition("-")[0].lower()[:8],
        authors=_people(found.get("authors")),
        summary=flat(_plain(found.get("summary")))[:1000],
        published_at=_moment(found.get("published")),
        modified_at=_moment(found.get("updated")),
        media_type="application/json",
        strategy="api",
        content_hash=content_hash(text or title),
        meta={name: value for name, value in found.items() if name not in FIELDS},
    )


def _plain(value: Any) -> str:
    """The text of a value; HTML is converted to plain text."""
    text = _text(value)
    return fragment_text(text) if _MARKUP.search(text) else text


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    if value is None:
        return ""
    if isinstance(value, dict) and value and all(_is_places(places) for places in value.values()):
        # A text as an inverted index (the positions of each word), as in OpenAlex.
        words = {place: word for word, places in value.items() for place in places}
        return " ".join(words[place] for place in sorted(words))
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        return ", ".join(map(_text, value))
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _is_places(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(type(item) is int for item in value)


def _people(value: Any) -> tuple[str, ...]:
    names = value if isinstance(value, list) else [value]
    found = (_text(name.get("name")) if isinstance(name, dict) else _text(name) for name in names)
    return tuple(flat(name)[:200] for name in found if name)


def _moment(value: Any) -> int | None:
    if isinstance(value, str):
        return parse_date(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < _SECONDS * 1000:
        return None
    return plausible(round(value if value > _SECONDS else value * 1000))
