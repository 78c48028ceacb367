"""The machine that the service runs on, as far as the soak test can make it misbehave: `machine.c`, preloaded."""

from __future__ import annotations

import mmap
import shutil
import struct
import subprocess
import time
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

_SOURCE = Path(__file__).with_name("machine.c")
_FIELDS = ("ahead_ns", "disk_full", "refused", "syncs", "connections", "strays", "stray_address", "net", "mask")
HOUR_MS = 3_600_000


class Machine:
    """Its clock, its disk, and a count of where it connects to. `environment` is for the processes that run on it."""

    def __init__(self, folder: Path, allowed: IPv4Network, *, is_asked: bool = True) -> None:
        compiler = shutil.which("cc") or shutil.which("gcc")
        assert compiler, "The soak test needs a C compiler: apt-get install gcc libc6-dev."
        library, page = folder / "machine.so", folder / "machine.page"
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, _SOURCE, "-ldl"], check=True)
        page.write_bytes(bytes(8 * len(_FIELDS)))
        with page.open("r+b") as file:
            self._page = mmap.mmap(file.fileno(), 0)
        self._set("net", int(allowed.network_address))
        self._set("mask", int(allowed.netmask))
        self.environment = {"LD_PRELOAD": str(library), "SOAK_PAGE": str(page)}
        #: Whether what runs on it goes by its clock, and not by that of a database.
        self._is_asked = is_asked
        #: When the clock jumped, by itself before it did; None while it has not, or nobody goes by it.
        self.jumped_at: int | None = None

    def count(self, name: str) -> int:
        """`refused` writes, `syncs`, `connections` within the allowed network, and `strays`."""
        found: int = struct.unpack_from("q", self._page, 8 * _FIELDS.index(name))[0]
        return found

    def _set(self, name: str, value: int) -> None:
        struct.pack_into("q", self._page, 8 * _FIELDS.index(name), value)

    @property
    def stray(self) -> str:
        """The last address outside the allowed network that was connected to."""
        address = self.count("stray_address")
        return "IPv6" if address < 0 else str(IPv4Address(address))

    def jump(self) -> None:
        """Put the clock forward by an hour."""
        self.jumped_at = self.now() if self._is_asked else None
        self._set("ahead_ns", HOUR_MS * 1_000_000)

    def set_ahead(self, seconds: int) -> None:
        """Have a clock that is wrong from the beginning."""
        self._set("ahead_ns", seconds * 1_000_000_000)

    def fill_disk(self, *, full: bool) -> None:
        self._set("disk_full", int(full))

    def now(self) -> int:
        """Milliseconds since 1970, by the clock that counts."""
        ahead_ns = self.count("ahead_ns") if self._is_asked else 0
        return (time.time_ns() + ahead_ns) // 1_000_000

    def steady(self, at: int) -> int:
        """A moment of its clock as if that had never jumped: what fell due in the hour left out did so at the jump."""
        if self.jumped_at is None or at <= self.jumped_at:
            return at
        return max(self.jumped_at, at - HOUR_MS)
