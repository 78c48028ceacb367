"""What all dossiers share."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from veille.core.analyse.analysis import AnalysisSubject, TextFacts
    from veille.core.discover.opml import FeedList
    from veille.core.http.egress import Verdict
    from veille.core.models import Json
    from veille.ports import Clock, Offers
    from veille.ports.meaning import Embedders
    from veille.ports.readers import ReaderNumbers


class AlertTools(Protocol):
    """What `services.alerts` needs for rules and for channels, made when it is first used."""

    # Not by their types, which need the services of sources, which need the house.
    @property
    def rules(self) -> Any: ...
    @property
    def channels(self) -> Any: ...


class OutsideKinds(Collection[str], Protocol):
    """The kinds that outside services provide, as they are now."""

    def vet(self, kind: str, config: Json) -> None:
        """ConfigError if a source of this kind cannot have these options."""


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """What all dossiers share: limits, offers and functions of the program."""

    clock: Clock
    offers: Offers
    reader_numbers: ReaderNumbers
    #: The kinds that outside services provide.
    bridges: OutsideKinds
    #: The maximum number of sources of a dossier, and of searches in its log.
    max_sources: int
    searches_kept: int
    #: Whether an address may be fetched, as far as that is known before its name is resolved.
    judge: Callable[[str], Verdict]
    #: Makes all recurring requests of these sources of a dossier due at a time; returns how many.
    arm: Callable[[str, int, Sequence[str]], int]
    #: Parses a list of sources; raises ReadError.
    outlines: Callable[[bytes], FeedList]
    alerts: AlertTools
    #: Reads texts in a child process, on behalf of a dossier; raises ReadError.
    text_facts: Callable[[Sequence[AnalysisSubject], str], list[TextFacts]]
    #: The embedders of search by meaning.
    embedders: Embedders
    #: How the language model is asked; by `services.model`, which is loaded when somebody asks.
    model: Callable[[], Any]
