"""A tab of Chromium, as somebody has it open: nothing listens to its requests or puts scripts into its pages.

Playwright does both, and on two cores every page paints 10 to 15 ms later for it. Here a page is left alone until it
has been painted; only then is it asked, in the DevTools protocol over two pipes.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

CHROMIUM = Path("/usr/bin/chromium")
_END = b"\0"
#: Where Chromium reads what it is told, and writes what it answers.
_READS, _WRITES = 3, 4


class Tab:
    """Open as long as it is entered."""

    def __init__(self, width: int = 1280, height: int = 720) -> None:
        self._size, self._numbers, self._session = f"{width},{height}", itertools.count(1), ""
        self._profile = tempfile.TemporaryDirectory(prefix="veille-bench-", ignore_cleanup_errors=True)

    def __enter__(self) -> Self:
        told, self._tell = os.pipe()
        self._hear, answers = os.pipe()

        def join() -> None:
            # First out of the way: one of the ends may have the number of the other's place.
            ends = [os.dup(told), os.dup(answers)]
            os.dup2(ends[0], _READS)
            os.dup2(ends[1], _WRITES)

        self._chromium = subprocess.Popen(
            [
                str(CHROMIUM),
                "--headless",
                "--remote-debugging-pipe",
                f"--user-data-dir={self._profile.name}",
                f"--window-size={self._size}",
                *(["--no-sandbox"] if os.geteuid() == 0 else []),
                "about:blank",
            ],
            preexec_fn=join,  # noqa: PLW1509 - there are no threads
            pass_fds=(_READS, _WRITES),
            stderr=subprocess.DEVNULL,
        )
        os.close(told)
        os.close(answers)
        self._answers = os.fdopen(self._hear, "rb")
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._chromium.terminate()
        self._chromium.wait()
        self._answers.close()
        os.close(self._tell)
        self._profile.cleanup()

    def keep(self, url: str, name: str, value: str) -> None:
        """A cookie."""
        self._call("Network.setCookie", url=url, name=name, value=value)

    def show(self, url: str, look_s: float) -> None:
        """Load the page, and look at it for that long."""
        self._call("Page.navigate", url=url)
        time.sleep(look_s)

    def ask(self, script: str) -> Any:
        """What the script comes to on the page."""
        return self._call("Runtime.evaluate", expression=script, returnByValue=True)["result"]["value"]

    def _call(self, method: str, **params: Any) -> Any:
        number = next(self._numbers)
        said = {"id": number, "method": method, "params": params}
        if self._session:
            said["sessionId"] = self._session
        os.write(self._tell, json.dumps(said).encode() + _END)
        while (answer := json.loads(self._read())).get("id") != number:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _read(self) -> bytes:
        read = bytearray()
        while (one := self._answers.read(1)) != _END:
            if not one:
                raise RuntimeError("Chromium ended.")
            read += one
        return bytes(read)
