"""The recursive listing of a folder; symbolic links are listed, never followed."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass, field
from urllib.parse import quote_from_bytes

FOLDER_TYPE = "application/vnd.veille.folder+json"
#: Folders with more files are not watched as one source.
MAX_FILES = 200_000
#: Maximum depth below the watched folder.
_MAX_LEVELS = 64

_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class TooManyFilesError(Exception):
    """The folder has more files than can be listed."""


@dataclass(slots=True)
class _Found:
    #: Path and mark of every regular file, and the paths that are links, could not be read, or are too deep.
    files: list[tuple[str, str]] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    deep: list[str] = field(default_factory=list)


def listing(folder: int) -> bytes:
    """The listing of an open folder as JSON, the same bytes for the same state. Raises TooManyFilesError."""
    found = _Found()
    _walk(folder, "", found, _MAX_LEVELS)
    content = {name: sorted(getattr(found, name)) for name in ("files", "links", "refused", "deep")}
    return json.dumps(content, separators=(",", ":")).encode()


def mark_of(facts: os.stat_result) -> str:
    """Changes whenever a file is written or replaced; stays if it is renamed."""
    return f"{facts.st_mtime_ns:x}-{facts.st_size:x}-{facts.st_ino:x}"


def _walk(folder: int, prefix: str, found: _Found, levels: int) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            # Escaped as in an address: names may be any bytes.
            path = prefix + quote_from_bytes(os.fsencode(entry.name))
            if entry.is_symlink():
                found.links.append(path)
            elif entry.is_dir(follow_symlinks=False):
                _enter(folder, entry.name, path, found, levels)
            else:
                _note(entry, path, found)
            if len(found.files) > MAX_FILES:
                raise TooManyFilesError


def _enter(folder: int, name: str, path: str, found: _Found, levels: int) -> None:
    try:
        inner = os.open(name, _OPEN, dir_fd=folder)
    except OSError:
        found.refused.append(path)
        return
    try:
        if levels:
            _walk(inner, f"{path}/", found, levels - 1)
        else:
            found.deep.append(path)
    except OSError:
        found.refused.append(path)
    finally:
        os.close(inner)


def _note(entry: os.DirEntry[str], path: str, found: _Found) -> None:
    try:
        facts = entry.stat(follow_symlinks=False)
    except OSError:
        # Deleted meanwhile: the next listing is correct.
        found.refused.append(path)
        return
    if stat.S_ISREG(facts.st_mode):
        found.files.append((path, mark_of(facts)))
