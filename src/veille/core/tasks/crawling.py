"""Judge addresses by the bounds of a site, which have patterns of users."""

from __future__ import annotations

from dataclasses import dataclass

from veille.core.kinds.site import SiteKind
from veille.core.models import Json, Request, Source
from veille.core.tasks import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Admit(Task[list[bool]]):
    """Which of the addresses, each with its depth, are within the bounds of a site."""

    config: Json
    source: Source
    addresses: tuple[tuple[str, int], ...]

    def run(self, body: bytes) -> list[bool]:
        del body
        kind = SiteKind(SiteKind.Config.model_validate(self.config))
        return [kind.covers(self.source, url, depth) for url, depth in self.addresses]


@dataclass(frozen=True, slots=True, kw_only=True)
class FindRequest(Task[Request]):
    """The request for one address of a site; ConfigError if it is out of bounds."""

    config: Json
    source: Source
    url: str

    def run(self, body: bytes) -> Request:
        del body
        return SiteKind(SiteKind.Config.model_validate(self.config)).one(self.source, self.url)
