"""Requests a second: 16 clients ask for a page of the demo world as fast as they get it (`wrk`, on the same machine).

The best of several rounds counts, and the least CPU time of the service for one answer, which other programs on the
machine hardly change.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from case_interface import Service, Visitor, allow_in

CLIENTS, ROUNDS, SECONDS = 16, 5, 2
#: What is asked for, and how many answers a second are expected.
ASKED = {"/": 250, "/search?q=the": 250, "/health": 2500}


def available() -> bool:
    return shutil.which("wrk") is not None


def main() -> dict[str, Any]:
    """Fill, serve, measure, print."""
    import veille

    with tempfile.TemporaryDirectory(prefix="veille-bench-") as folder:
        data = Path(folder) / "demo"
        print("requests: making the demo world ...", file=sys.stderr, flush=True)
        command = [sys.executable, "-m", "veille", "demo", "--data", str(data)]
        subprocess.run(command, check=True, capture_output=True)
        with veille.open_app(data=data) as app:
            cookie = allow_in(app, *(dossier.id for dossier in app.local.all()))
        with Service(data) as service:
            return _told({path: _best(service, path, cookie) for path in ASKED})


def _best(service: Service, path: str, cookie: str) -> tuple[float, float]:
    """Answers a second, and milliseconds of CPU for one."""
    headers = ("-H", f"Cookie: sid={cookie}", "-H", "Accept: text/html")
    command = ["wrk", "-t1", f"-c{CLIENTS}", f"-d{SECONDS}", *headers, service.url + path]
    most, least = 0.0, float("inf")
    # What is made once, at the first answer, is no part of the others.
    Visitor(service.url, cookie).get(path)
    for _ in range(ROUNDS):
        before = _cpu_s(service.pid)
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        if "Non-2xx" in told:
            raise RuntimeError(f"{path} was refused:\n{told}")
        count = int(re.findall(r"(\d+) requests in", told)[0])
        if not count:
            # On a machine on which much else runs, two seconds may pass without an answer.
            continue
        most = max(most, float(re.findall(r"Requests/sec:\s+(\S+)", told)[0]))
        least = min(least, (_cpu_s(service.pid) - before) / count * 1000)
    return most, least


def _cpu_s(pid: int) -> float:
    """CPU time of a process and of all that it started."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return own + sum(_cpu_s(int(child)) for child in children)


def _told(found: dict[str, tuple[float, float]]) -> dict[str, Any]:
    print(f"\n{'address':16}{'a second':>10}{'CPU each':>12}   with {CLIENTS} clients")
    for path, (most, least) in found.items():
        is_fine = most >= ASKED[path]
        print(f"{path:16}{most:10.0f}{least:9.2f} ms   {'ok' if is_fine else f'TOO FEW, {ASKED[path]} are expected'}")
    few = [f"{path}: {most:.0f} a second, {ASKED[path]} are expected" for path, (most, _) in found.items()]
    over = [line for line, (path, (most, _)) in zip(few, found.items(), strict=True) if most < ASKED[path]]
    return {**{f"{path} a second": most for path, (most, _) in found.items()}, "over": over}


if __name__ == "__main__":
    main()
