"""A folder of this machine: every document in it, read again when its file changes, removed when its file is gone.

The operator lists the folders that may be watched (`fetch.file_roots`). Symbolic links are never followed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Final
from urllib.parse import quote, unquote

from pydantic import Field

from veille.core.crawl.bounds import Bounds, pattern_of
from veille.core.fingerprint import url_identity
from veille.core.formats import extensions
from veille.core.kinds import Finding
from veille.core.kinds._options import Patterns, Several
from veille.core.kinds.page import PageConfig, PageKind
from veille.core.models import Json, Listing, Notice, Request, Source
from veille.core.traffic import Payload
from veille.core.urls import MAX_LENGTH
from veille.errors import ConfigError

FILE: Final = "file"
_PAGES = frozenset({"html", "htm", "xhtml"})
#: What is not read, as the fetcher names it, and its notice.
_LEFT_OUT = {
    "links": partial(Notice, code="link_refused", message="It is a link; only what is really in the folder is read."),
    "refused": partial(
        Notice, code="folder_unreadable", message="It cannot be read, so nothing counts as removed; check its rights."
    ),
    "deep": partial(
        Notice, code="folder_too_deep", message="It is too deep, so nothing counts as removed; watch it separately."
    ),
}


class FolderConfig(PageConfig):
    """Options of a folder source."""

    recursive: bool = Field(default=True, title="Folders in it, too", description="Watch its subfolders, too.")
    include: Patterns = Field(
        (), title="Only these paths", description="Only such paths: reports/*.pdf, or re: and a regular expression."
    )
    exclude: Patterns = Field((), title="Never these paths", description="Never such paths.")
    types: Several = Field(
        tuple(sorted(extensions() | _PAGES)),
        title="Types of files",
        description="Extensions of the files that are read; with `ocr` also png, jpg, tiff or webp, if named here.",
    )
    hidden: bool = Field(
        default=False, title="Hidden files, too", description="Read files and folders whose names start with a dot."
    )


class FolderKind(PageKind):
    """A folder gives one document per file."""

    Config = FolderConfig
    config: FolderConfig

    @classmethod
    def address(cls, text: str) -> str:
        """The address from a path or a `file:` address; always with a trailing slash."""
        path = quote(text, safe="/") if text.startswith("/") else text.removeprefix("file://").removeprefix("localhost")
        parts = [part for part in path.split("/") if part]
        if not path.startswith("/") or not parts or len(path) > MAX_LENGTH or {".", ".."} & set(map(unquote, parts)):
            raise ConfigError(
                f"{text[:120]!r} is not a folder; write it in full, such as /srv/documents.", code="bad_url"
            )
        return f"file:///{'/'.join(parts)}/"

    def read(self, source: Source, request: Request, payload: Payload) -> Iterator[Finding]:
        if request.purpose != FILE:
            yield from self._listed(source, payload)
            return
        yield from self.found(request, payload)

    def _listed(self, source: Source, payload: Payload) -> Iterator[Finding]:
        found: Json = json.loads(payload.body)
        wanted = [(f"{source.url}{path}", mark) for path, mark in found["files"] if self._wants(path)]
        for url, mark in wanted:
            yield self.request(source, url, FILE, stamp=mark)
        left_out = [(name, path) for name in _LEFT_OUT for path in found[name] if self._is_near(path)]
        for name, path in left_out:
            yield _LEFT_OUT[name](url=f"{source.url}{path}")
        if all(name == "links" for name, _ in left_out):
            yield Listing(keys=tuple(url_identity(url) for url, _ in wanted))

    def _is_near(self, path: str) -> bool:
        return self.config.recursive or "/" not in path

    def _wants(self, path: str) -> bool:
        if not self._is_near(path):
            return False
        names = unquote(path)
        if not self.config.hidden and any(part.startswith(".") for part in names.split("/")):
            return False
        ending = names.rpartition(".")[2].lower() if "." in names else ""
        return ending in self._endings and self._bounds.wants(names)

    @property
    def _endings(self) -> frozenset[str]:
        return frozenset(ending.lower().lstrip(".") for ending in self.config.types)

    @property
    def _bounds(self) -> Bounds:
        options = self.config
        return Bounds(
            hosts=(),
            include=tuple(map(pattern_of, options.include)),
            exclude=tuple(map(pattern_of, options.exclude)),
        )
