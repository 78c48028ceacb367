"""Modes: the names by which a way to find the content is asked for, and what can never be found so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from veille.core.extract._types import Strategy
from veille.errors import ConfigError, ReadError
from veille.registry import names

if TYPE_CHECKING:
    from veille.core.extract._types import Options

PACKAGE: Final = "veille.core.extract"
AUTO: Final = "auto"
#: Modes that name a chain of strategies or another way to ask one.
CHAINS: Final = {"css": ("selectors",), "xpath": ("selectors",), "reader": ("readability", "landmarks")}


def modes() -> list[str]:
    """Every mode there is; the strategies of outside packages are among them."""
    return [AUTO, *CHAINS, *names(PACKAGE, Strategy)]


def refuse_useless(options: Options) -> None:
    """ConfigError when nothing could be found so on any page."""
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
