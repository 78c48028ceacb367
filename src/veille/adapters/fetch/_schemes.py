"""The retriever of an address, and whether it would accept the address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille import registry
from veille.adapters.fetch._retriever import Retriever
from veille.core.http.egress import Verdict
from veille.core.outcomes import failure
from veille.core.urls import meant

if TYPE_CHECKING:
    from veille.settings import FetchSettings

_PACKAGE = "veille.adapters.fetch"
#: Schemes that share the retriever of another.
_ALIKE = {"https": "http"}


def scheme_of(url: str) -> str:
    """The name of the retriever for an address, whether or not it exists."""
    scheme = url.partition(":")[0].lower()
    return _ALIKE.get(scheme, scheme)


def retriever_of(scheme: str) -> type[Retriever] | None:
    """The retriever of a scheme, if there is one."""
    is_known = scheme in registry.names(_PACKAGE, Retriever)
    return registry.load(_PACKAGE, scheme, Retriever) if is_known else None


def judge(settings: FetchSettings, url: str) -> Verdict:
    """Whether an address would be retrieved, as far as known without any request."""
    kind = retriever_of(scheme_of(url))
    if kind is None:
        why = failure("bad_scheme", f"{scheme_of(url)[:20]!r} is not known").message
        return Verdict(allowed=False, reason="scheme", detail=f"{why}{meant(url)}")
    return kind.judge(settings, url)
