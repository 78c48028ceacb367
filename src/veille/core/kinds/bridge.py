"""An outside service that the operator configured: it fetches in its own way and answers with documents.

The service gets `{source_id, url, config, source_type}` by POST and answers `{extractions: [{title, content, url,
content_hash}]}`. It may add `id`, `published`, `updated`, `authors`, `lang`, `summary` and `picture` to each, and
`complete: true` to the whole: then documents that are missing from the answer are removed. The kind of such a source is
the name of the service.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self

from pydantic import ConfigDict, Field, model_validator

from veille.core.browsing.given_pictures import given_picture
from veille.core.http.secrets import references_in
from veille.core.json.endpoints import document_from
from veille.core.json.json_answers import described, parsed
from veille.core.kinds import Finding, HttpCall, Kind, KindConfig
from veille.core.models import Document, Json, Listing, Notice, Request, Source
from veille.core.traffic import Payload
from veille.errors import ReadError

_OPTIONAL: tuple[str, ...] = ("published", "updated", "authors", "lang", "summary")


class BridgeConfig(KindConfig):
    """Options of a bridged source, which are passed to the service verbatim."""

    model_config = ConfigDict(extra="allow")

    complete: bool = Field(
        default=False,
        title="Its answers are complete",
        description="Remove documents that are no longer in an answer, unless the answer says otherwise.",
    )

    @model_validator(mode="after")
    def _names_no_secrets(self) -> Self:
        if references_in(json.dumps(self.model_dump(mode="json", exclude_unset=True))):
            raise ValueError("`${…}` is not expanded for an outside service; its operator gives it the keys it needs")
        return self


class BridgeKind(Kind):
    """A service gives one document per extraction."""

    Config = BridgeConfig
    fetches_address = False
    config: BridgeConfig

    def call(self, source: Source, request: Request) -> HttpCall:
        del request
        asked = {
            "source_id": source.id,
            "url": source.url,
            "config": self.config.model_dump(mode="json", exclude_unset=True),
            "source_type": source.kind,
        }
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        body = json.dumps(asked, ensure_ascii=False).encode()
        return HttpCall(method="POST", headers=headers, body=body, robots=False, service=source.kind)

    def read(self, source: Source, request: Request, payload: Payload) -> Iterator[Finding]:
        del request
        answer = parsed(payload).value
        given = _extractions(source, answer)
        extractions = [item for item in given if isinstance(item, dict)]
        addresses = Counter(item.get("url") for item in extractions if isinstance(item.get("url"), str))
        keys: list[str] = []
        without = 0
        for item in extractions:
            url = item.get("url")
            is_own = isinstance(url, str) and bool(url) and url != source.url and addresses[url] == 1
            values = _values(item, source, is_own=is_own)
            document = document_from(source.id, values, source.url, is_shared=not is_own) if values["text"] else None
            if document is None:
                without += 1
            else:
                keys += document.keys
                yield from _pictured(document, item.get("picture"))
        if answer.get("complete", self.config.complete) is True and not without and len(extractions) == len(given):
            yield Listing(keys=tuple(keys))
        if without:
            message = f"{without} extractions of the service {source.kind} have no content."
            yield Notice(code="empty", url=source.url, message=message)


def _extractions(source: Source, value: Any) -> list[Any]:
    found = value.get("extractions") if isinstance(value, dict) else None
    if isinstance(found, list):
        return found
    if isinstance(value, dict) and isinstance(value.get("error"), str):
        raise ReadError(
            f"The service {source.kind} could not fetch {source.url}: {value['error'][:500]}", code="bridge.error"
        )
    raise ReadError(
        f'The service {source.kind} must answer {{"extractions": [...]}}; its answer has {described(value)}.',
        code="bridge.reply",
    )


def _pictured(document: Document, picture: Any) -> Iterator[Finding]:
    """The document with the picture that came with it; without it, and why, if that cannot be kept."""
    try:
        yield replace(document, picture=given_picture(picture)) if picture else document
    except ReadError as error:
        yield document
        yield Notice(code=error.code, url=document.url, message=str(error))


def _values(item: Json, source: Source, *, is_own: bool) -> Json:
    """An extraction as fields of a document.

    Edits are only recognised as such if the service gives each extraction an id or its own address. Otherwise its hash
    is its identity.
    """
    known = item.get("id") or ("" if is_own else item.get("content_hash") or f"{source.url}|{item.get('title')}")
    values = {name: item[name] for name in _OPTIONAL if name in item}
    return values | {"id": known, "title": item.get("title"), "text": item.get("content"), "url": item.get("url")}
