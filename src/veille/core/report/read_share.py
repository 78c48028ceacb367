"""How much of a page's main container was read, in words; and what to do where that is implausibly little."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

#: Of articles and manuals 99 in 100 readings keep more than half of the main container. Of all pages 3 in 100 keep less
#: than this, and every other of those is a bad reading (docs/evaluation.md).
LEAST_PLAUSIBLE: Final = 0.4

#: What to do about it.
ADVICE: Final = "try another mode or a selector (`--set mode=reader`, `--set mode=css --set 'selectors=[\".text\"]'`)"


@dataclass(frozen=True, slots=True, kw_only=True)
class BarelyRead:
    """A source of which most pages were read implausibly."""

    source_name: str
    #: How many of its pages, and the worst of them.
    pages: int
    url: str
    quality: float

    def __str__(self) -> str:
        """What is wrong, and what to do."""
        which = self.url if self.pages == 1 else f"{self.pages} pages, such as {self.url}"
        return f"{self.source_name}: of {which} only {share_text(self.quality)} of the main part was read; {ADVICE}."


def is_implausible(quality: float | None) -> bool:
    """Whether so little of the main container was read that the reading is probably wrong."""
    return quality is not None and quality < LEAST_PLAUSIBLE


def share_text(quality: float | None) -> str:
    """A share as people read it; empty if it is not known.

    >>> share_text(0.974), share_text(None)
    ('97 %', '')
    """
    return "" if quality is None else f"{quality:.0%}".replace("%", " %")


def advice(quality: float | None) -> str:
    """What to do about a reading; empty if it is plausible."""
    if not is_implausible(quality):
        return ""
    return f"Only {share_text(quality)} of its main part was read: {ADVICE}."
