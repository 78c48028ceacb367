"""What left in an export, and what is left of it elsewhere."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any


def unpacked(archive: bytes | Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The manifest and the files of an export, all of them checked against it."""
    with zipfile.ZipFile(archive if isinstance(archive, Path) else io.BytesIO(archive)) as zipped:
        assert zipped.testzip() is None
        files = {name: zipped.read(name) for name in zipped.namelist()}
    manifest = json.loads(files.pop("manifest.json"))
    lines = files.pop("SHA256SUMS").decode().splitlines()
    sums = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    assert {one["name"] for one in manifest["files"]} == set(files) == set(sums)
    for one in manifest["files"]:
        content = files[one["name"]]
        assert one["bytes"] == len(content)
        assert one["sha256"] == sums[one["name"]] == hashlib.sha256(content).hexdigest()
        if "lines" in one:
            assert one["lines"] == len(content.splitlines())
    return manifest, files


def traces(folder: Path, *words: str) -> list[str]:
    """The files that have one of these words, as text or in UTF-16, in any place."""
    return [
        str(path.relative_to(folder))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and any(word.encode() in path.read_bytes() for word in words)
    ]


def traces_in(backup: Path, word: str) -> list[str]:
    """The files of a backup that have a word."""
    with zipfile.ZipFile(backup) as zipped:
        return [name for name in zipped.namelist() if word.encode() in zipped.read(name)]
