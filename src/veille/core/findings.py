"""What a kind or a decision says beside documents and requests: limits, complete lists, omissions and moves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How many requests a source may save in all, and of one shape of address; how long one turn may last."""

    pages: int
    per_pattern: int
    #: 0 for any time.
    run_ms: int = 0
    #: New requests saved from one answer; 0 for any number.
    fresh: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The keys of everything a source has now. Complete: what it had before and is not in here is gone."""

    keys: tuple[str, ...]
    #: When it was begun, if it took several answers: what was seen after that is not gone.
    since: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something that was left out on purpose, and why. What is about the same thing is reported once in a run."""

    code: str
    url: str
    message: str
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A document that is known at one address more: it stays itself."""

    document_id: str
    url: str
    #: Whether this is where it lives now; if not, the address is only another name for it.
    home: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Quirk:
    """A line that comes, goes or moves by itself."""

    line: tuple[str | None, ...]
    #: On how many occasions it was seen to, and when last.
    proofs: int = 1
    at: int = 0
