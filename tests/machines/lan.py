"""Two machines and the hosts that they ask, as network namespaces: whatever is sent stays between them."""

from __future__ import annotations

import subprocess
from contextlib import ExitStack
from types import TracebackType
from typing import Self

#: All of it is in here; the addresses are nobody's outside of the namespaces.
NETWORK = "10.77.0.0/16"
_NAMES = ("one", "two")


class Lan:
    """`hub` has the hosts, and a cable to each of the machines `one` and `two`. It ends with the block."""

    def __init__(self, hosts: int) -> None:
        self.hosts = [f"10.77.100.{number}" for number in range(1, hosts + 1)]
        #: The machines by their addresses, as the hosts see them.
        self.machines = {f"10.77.{number}.2": name for number, name in enumerate(_NAMES, 1)}
        self._holders: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        with ExitStack() as undo:
            undo.callback(self._end)
            for name in ("hub", *_NAMES):
                # A namespace lasts as long as a process that is in it.
                holder = self._holders[name] = subprocess.Popen(
                    ["unshare", "--net", "sh", "-c", "echo; exec sleep infinity"], stdout=subprocess.PIPE
                )
                assert holder.stdout
                # It is in there when it says something.
                assert holder.stdout.readline() == b"\n"
                self._in(name, "ip", "link", "set", "lo", "up")
            for number, name in enumerate(_NAMES, 1):
                self._cable(name, f"10.77.{number}")
            for host in self.hosts:
                self._in("hub", "ip", "address", "add", f"{host}/32", "dev", "lo")
            undo.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._end()

    def inside(self, name: str) -> list[str]:
        """The beginning of a command that is run there."""
        return ["nsenter", "--net", "--target", str(self._holders[name].pid)]

    def _cable(self, name: str, prefix: str) -> None:
        hub, machine = (str(self._holders[each].pid) for each in ("hub", name))
        ends = (f"to-{name}", "netns", hub, "type", "veth", "peer", "name", "out", "netns", machine)
        subprocess.run(["ip", "link", "add", *ends], check=True)
        for where, link, last in (("hub", f"to-{name}", 1), (name, "out", 2)):
            self._in(where, "ip", "address", "add", f"{prefix}.{last}/24", "dev", link)
            self._in(where, "ip", "link", "set", link, "up")
        self._in(name, "ip", "route", "add", "default", "via", f"{prefix}.1")

    def _in(self, name: str, *command: str) -> None:
        subprocess.run([*self.inside(name), *command], check=True)

    def _end(self) -> None:
        for one in self._holders.values():
            one.kill()
            one.communicate()
