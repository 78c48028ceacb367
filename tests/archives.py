"""Backups that somebody changed: taken apart, altered and put together again, with sums that are right."""

from __future__ import annotations

import hashlib
import json
import struct
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import apsw

from veille.bootstrap.backups import Restored
from veille.bootstrap.backups import restore as put_back
from veille.settings import FetchSettings, load_settings
from watching import FAST

_LOCAL, _CENTRAL, _END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"


def restored(archive: Path, folder: Path, fetch: FetchSettings = FAST, **given: Any) -> Restored:
    """Restore it as `veille restore` does."""
    return put_back(load_settings(data=folder, fetch=fetch, **given), archive)


class Archive:
    """The parts of a backup, and how it is written again; its manifest fits what is in it, unless it is given."""

    def __init__(self, path: Path) -> None:
        with ZipFile(path) as archive:
            self.parts = {name: archive.read(name) for name in archive.namelist()}
        self.manifest: dict[str, Any] = json.loads(self.parts.pop("manifest.json"))
        #: Members that the manifest says nothing of.
        self.more: list[tuple[ZipInfo, bytes]] = []
        #: What is done to the manifest, to each member's head and to all bytes in the end.
        self.vouch: Callable[[dict[str, Any]], None] = lambda _: None
        self.head: Callable[[ZipInfo], None] = lambda _: None
        self.bytes: Callable[[bytes], bytes] = lambda data: data

    @property
    def dossiers(self) -> list[str]:
        return sorted(name for name in self.parts if name != "catalog.db")

    @contextmanager
    def database(self, name: str, folder: Path) -> Iterator[apsw.Connection]:
        """One of its databases, to be changed by hand."""
        path = folder / "by-hand.db"
        path.write_bytes(self.parts[name])
        with closing(apsw.Connection(str(path))) as connection:
            yield connection
        self.parts[name] = path.read_bytes()
        path.unlink()

    def write(self, path: Path) -> Path:
        self.manifest["files"] = [
            {"name": name, "bytes": len(part), "sha256": hashlib.sha256(part).hexdigest()}
            for name, part in self.parts.items()
        ]
        self.vouch(self.manifest)
        with warnings.catch_warnings(), ZipFile(path, "w") as archive:
            warnings.simplefilter("ignore", UserWarning)  # of names that come twice
            about = ("manifest.json", json.dumps(self.manifest).encode())
            named = [(ZipInfo(name), part) for name, part in (*self.parts.items(), about)]
            for info, part in (*named, *self.more):
                info.compress_type = ZIP_DEFLATED
                self.head(info)
                archive.writestr(info, part)
        path.write_bytes(self.bytes(path.read_bytes()))
        return path


def swap(data: bytes, old: bytes, new: bytes) -> bytes:
    """The same with other bytes wherever those were."""
    assert old in data
    return data.replace(old, new)


def encrypted(data: bytes) -> bytes:
    """The flag of encrypted members on each."""
    changed = bytearray(data)
    for mark, offset in ((_LOCAL, 6), (_CENTRAL, 8)):
        at = changed.find(mark)
        while at >= 0:
            changed[at + offset] |= 1
            at = changed.find(mark, at + 4)
    return bytes(changed)


def overlapping(data: bytes, name: str, other: str) -> bytes:
    """The entry of a member is gone, and that of another stands there a second time under its name."""
    end = data.rfind(_END)
    start = struct.unpack("<I", data[end + 16 : end + 20])[0]
    entries = [_CENTRAL + entry for entry in data[start:end].split(_CENTRAL)[1:]]
    (gone,) = (entry for entry in entries if name.encode() in entry)
    (twice,) = (entry for entry in entries if other.encode() in entry)
    entries[entries.index(gone)] = swap(twice, other.encode(), name.encode())
    directory = b"".join(entries)
    tail = struct.pack("<4s4H2IH", _END, 0, 0, len(entries), len(entries), len(directory), start, 0)
    return data[:start] + directory + tail
