"""The result of reading a page: a stable contract for other programs, also in case of failure."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from veille.core.traffic import Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMetadata:
    """The metadata of a page; the title is always there."""

    title: str
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderContent:
    """The content of a page, sanitised, with its images sent through the proxy."""

    title: str
    content: str
    text_content: str
    excerpt: str | None
    byline: str | None
    site_name: str | None
    word_count: int
    reading_time_minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderResult:
    """Readable exactly if there is content; metadata is missing only if the page could not be fetched or read."""

    readable: bool
    metadata: PageMetadata | None
    content: ReaderContent | None
    strategy: str | None
    error: str | None

    def as_json(self) -> dict[str, Any]:
        """The result under the names that its first users know: camelCase."""
        return {name: _camel(value) for name, value in asdict(self).items()}


def not_read(error: str) -> ReaderResult:
    """The result for a page that could not be fetched or read."""
    return ReaderResult(readable=False, metadata=None, content=None, strategy=None, error=error)


def message_of(failure: Failure) -> str:
    """The error message for a failure."""
    if failure.status:
        return f"HTTP {failure.status}"
    return "Request timed out" if failure.code in {"timeout", "too_slow"} else failure.message


def _camel(value: Any) -> Any:
    return {_camel_name(name): inner for name, inner in value.items()} if isinstance(value, dict) else value


def _camel_name(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(map(str.capitalize, rest))
