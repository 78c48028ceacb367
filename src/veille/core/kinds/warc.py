"""What WARC files brought: nothing is fetched, their records are read like pages (`veille warc import`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from veille.core.kinds import Finding, KindConfig
from veille.core.kinds.page import PageConfig, PageKind
from veille.core.models import Document, Request, Source
from veille.core.traffic import Payload

_SCHEME = "warc:"


class WarcKind(PageKind):
    """The pages of a crawl that somebody else made, each as it was then."""

    Config: ClassVar[type[KindConfig]] = PageConfig
    fetches_address = False

    def start(self, source: Source) -> Iterator[Request]:
        del source
        yield from ()

    @classmethod
    def address(cls, text: str) -> str:
        text = text.strip()
        return text if text.startswith(_SCHEME) else _SCHEME + text

    def read(self, source: Source, request: Request, payload: Payload) -> Iterator[Finding]:
        for found in super().read(source, request, payload):
            # It cannot be fetched a second time, so it is compared as a text.
            yield replace(found, shown=False, beside=()) if isinstance(found, Document) else found
