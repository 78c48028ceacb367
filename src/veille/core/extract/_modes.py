"""Extraction modes: their names, and the check for options that can never match."""

from __future__ import annotations

from typing import Final

from veille.core.extract._types import Options, Strategy
from veille.errors import ConfigError, ReadError
from veille.registry import names

PACKAGE: Final = "veille.core.extract"
AUTO: Final = "auto"
#: Modes that stand for a chain of strategies, or for one strategy with another syntax.
CHAINS: Final = {"css": ("selectors",), "xpath": ("selectors",), "reader": ("readability", "landmarks")}


def modes() -> list[str]:
    """All modes, with the strategies of third-party packages."""
    return [AUTO, *CHAINS, *names(PACKAGE, Strategy)]


def refuse_useless(options: Options) -> None:
    """Raise ConfigError if these options cannot find content on any page."""
    mode = options.mode
    if mode not in modes():
        raise ConfigError(
            f"There is no mode {mode[:100]!r}; there are: {', '.join(modes())}.", code="unknown_extension"
        )
    asks_selectors = "selectors" in CHAINS.get(mode, (mode,))
    if asks_selectors and not options.selectors:
        raise ConfigError(f"Mode {mode} needs selectors: say which part of the page it is.", code="bad_selector")
    if asks_selectors or mode == AUTO:
        from veille.core.extract.selectors import refuse_unreadable  # noqa: PLC0415 - lxml is slow to import

        try:
            refuse_unreadable(options)
        except ReadError as error:
            raise ConfigError(str(error), code=error.code) from error
