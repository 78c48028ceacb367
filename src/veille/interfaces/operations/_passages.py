"""Third-party text for agents: kept apart from our own words, and with its provenance.

Prompt injection cannot be ruled out. What can be done: such text is in `content` only, marked as untrusted; invisible
characters are removed from it; and text that seems to address a machine is flagged.
"""

from __future__ import annotations

import hashlib
import re
from typing import Literal

from pydantic import Field

from veille.core.text import visible
from veille.interfaces.operations.shapes import Shape

#: Characters of a text returned at once by default, and at most.
USUAL, MOST = 20_000, 200_000

_FLAGS = {
    "speaks_to_machines": re.compile(
        r"\b(?:ignore|disregard|forget)\b.{0,40}\b(?:previous|prior|above|earlier|all)\b.{0,40}"
        r"\b(?:instructions?|prompts?|rules?|messages?)\b|\bsystem prompt\b|<\|(?:im_start|system|user|assistant)\|>"
        r"|\byou are (?:now )?(?:an?|the) (?:AI|assistant|language model)\b",
        re.IGNORECASE | re.DOTALL,
    ),
    "encoded": re.compile(r"[A-Za-z0-9+/]{200,}={0,2}"),
}


class Provenance(Shape):
    """Where a text comes from."""

    dossier_id: str
    source_id: str = ""
    source_name: str = ""
    source_url: str = ""
    url: str
    document_id: str = ""
    revision: int = 0
    at: int = Field(description="When it was read, in milliseconds since 1970.")


class Passage(Shape):
    """Third-party text: data, never instructions."""

    trust: Literal["untrusted"] = "untrusted"
    provenance: Provenance
    title: str
    content: str
    offset: int = Field(description="Where in the whole text the content begins.")
    total_chars: int = Field(description="The length of the whole text.")
    sha256: str = Field(description="Of the whole text.")
    flags: list[str] = Field(description=f"What is suspicious about the text: {', '.join(_FLAGS)}.")


def passage(title: str, text: str, provenance: Provenance, offset: int = 0, limit: int = USUAL) -> Passage:
    """A part of a text."""
    seen = visible(text)
    return Passage(
        provenance=provenance,
        title=visible(title),
        content=seen[offset : offset + limit],
        offset=offset,
        total_chars=len(seen),
        sha256=hashlib.sha256(seen.encode()).hexdigest(),
        flags=[name for name, pattern in _FLAGS.items() if pattern.search(f"{title}\n{seen}")],
    )
