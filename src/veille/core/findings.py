"""What a kind or a decision returns besides documents and requests: limits, complete lists, omissions and moves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How many requests a source may save, in total and per URL pattern, and how long one check may run."""

    pages: int
    per_pattern: int
    #: 0 for no limit.
    run_ms: int = 0
    #: New requests saved from one answer; 0 for no limit.
    fresh: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The keys of all documents of a source. It is complete: a document that is not in it is gone."""

    keys: tuple[str, ...]
    #: Start time of a listing in several answers: documents seen since then are not gone.
    since: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something that was left out on purpose, and why. Notices with the same `about` are reported once in a run."""

    code: str
    url: str
    message: str
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A further address of a known document, which stays the same document."""

    document_id: str
    url: str
    #: Whether this is its main address now; if not, the address is only an alias.
    home: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Quirk:
    """A line that appears, disappears or moves without a change of the content."""

    line: tuple[str | None, ...]
    #: How often that was seen, and when last.
    proofs: int = 1
    at: int = 0
