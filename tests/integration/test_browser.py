from __future__ import annotations

import os
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from faults.dns import ScriptedDns
from process_tree import command as process_command
from process_tree import descendants, is_alive, wait_until
from veille.adapters.fetch import Door
from veille.adapters.fetch._browser import _memory_mb, available
from veille.core.http.audit import script
from veille.core.traffic import Failure, Order, Payload
from veille.services.watching.questions import Asking
from veille.settings import FetchSettings
from watching import FAST, Watch
from world import Page, Site

CHROMIUM = Path("/usr/bin/chromium")
# `make test` installs both; where CI lacks one, that is a failure and not a skip.
needs_browser = pytest.mark.skipif(
    not available(CHROMIUM) and not os.environ.get("CI"), reason="no Chromium or no extra `browser` here"
)

SHELL = b"""<!doctype html><title>Shell</title><div id="root"></div><script>
fetch("/data.json").then(r => r.json()).then(d => { document.getElementById("root").textContent = d.text; });
</script>"""


def clock() -> int:
    return time.time_ns() // 1_000_000


@pytest.fixture
def canary() -> Iterator[list[int]]:
    hits: list[int] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        hits.append(port)

        def listen() -> None:
            while True:
                try:
                    server.accept()[0].close()
                except OSError:
                    return
                hits.append(1)

        threading.Thread(target=listen, daemon=True).start()
        yield hits
        server.shutdown(socket.SHUT_RDWR)


def fetched(site: Site, *, render: bool = False, chromium: Path = CHROMIUM, seconds: float = 25) -> Payload | Failure:
    settings = FetchSettings(
        timeout_s=seconds, host_delay_ms=0, allow_hosts=frozenset({"js.test"}), browser_path=chromium
    )
    dns = ScriptedDns(script("js.test=127.0.0.1"))
    with closing(Door(settings, clock, resolve=dns)) as door:
        port = site.url.rpartition(":")[2]
        door.submit(Order(key="x", url=f"http://js.test:{port}/page", render=render))
        answers: list[tuple[str, Payload | Failure]] = []
        while not answers:
            answers = door.collect(1)
    return answers[0][1]


@needs_browser
def test_a_page_that_a_script_fills_is_read_as_it_is_shown(site: Site) -> None:
    site["/page"] = Page(SHELL)
    site["/data.json"] = Page(b'{"text": "Brought by a script"}', type="application/json")
    before = _memory_mb()
    answer = fetched(site)
    assert isinstance(answer, Payload), answer
    assert b"Brought by a script" in answer.body
    assert (answer.charset, answer.etag, answer.status) == ("utf-8", "", 200)
    assert _memory_mb() < before + 200, "the browser was left behind"


@needs_browser
def test_the_browser_reaches_only_what_we_may_reach(site: Site, canary: list[int]) -> None:
    targets = [
        f"http://127.0.0.1:{canary[0]}/",
        f"http://localhost:{canary[0]}/",
        f"http://[::ffff:127.0.0.1]:{canary[0]}/",
    ]
    tries = "".join(f'<img src="{target}"><iframe src="{target}"></iframe>' for target in targets)
    calls = "".join(f'fetch("{target}", {{mode: "no-cors"}}).catch(() => {{}});' for target in targets)
    socket_call = f'new WebSocket("ws://127.0.0.1:{canary[0]}/");'
    site["/page"] = f"<main><p>{'Some text. ' * 30}</p>{tries}</main><script>{calls}{socket_call}</script>"
    answer = fetched(site, render=True)
    assert isinstance(answer, Payload), answer
    assert b"Some text." in answer.body
    assert canary[1:] == []


KILLED = """
    import sys
    from veille.adapters.fetch import Door
    from veille.core.traffic import Order
    from watching import FAST
    door = Door(FAST.model_copy(update={"timeout_s": 100}), lambda: 0)
    door.submit(Order(key="x", url=sys.argv[1], render=True))
    while True:
        door.collect(1)
"""


@needs_browser
def test_a_browser_ends_with_the_process_that_drives_it(site: Site) -> None:
    site["/page"] = "<p>x</p><script>while (true) {}</script>"
    command = [sys.executable, "-c", textwrap.dedent(KILLED), f"{site.url}/page"]
    tests = str(Path(__file__).parents[1])
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": tests}) as parent:
        try:
            # It is asked for by the door first, then by the browser.
            wait_until(lambda: sum(one.path == "/page" for one in site.seen) > 1)
            family = descendants(parent.pid)
            assert any("--type=renderer" in process_command(pid) for pid in family)
        finally:
            parent.kill()
        wait_until(lambda: not any(map(is_alive, family)), 10)


@needs_browser
def test_a_page_that_never_ends_is_given_up_in_time(site: Site) -> None:
    site["/page"] = "<p>x</p><script>while (true) {}</script>"
    started = time.monotonic()
    answer = fetched(site, render=True, seconds=4)
    assert isinstance(answer, Failure)
    assert answer.code in {"timeout", "render"}
    assert time.monotonic() - started < 12


def test_without_a_browser_an_empty_shell_says_what_is_missing(site: Site) -> None:
    site["/page"] = Page(SHELL)
    answer = fetched(site, chromium=Path("/nonexistent"))
    assert isinstance(answer, Failure)
    assert answer.code == "needs_rendering"
    assert "veille[browser]" in answer.message


def test_a_page_with_text_needs_no_browser(site: Site) -> None:
    site["/page"] = f"<div id=root><p>{'Some text. ' * 30}</p></div><script src=/app.js></script>"
    answer = fetched(site, chromium=Path("/nonexistent"))
    assert isinstance(answer, Payload)


def test_memory_of_the_processes_below_is_seen() -> None:
    assert 0 <= _memory_mb() < 100_000
    assert os.getpid() > 0


@needs_browser
@pytest.mark.covers("R-100", "R-101")
def test_an_engine_whose_page_is_made_by_a_script_is_asked_with_a_browser(site: Site, tmp_path: Path) -> None:
    made = "r.className = 'r'; r.innerHTML = '<a href=/found>Found</a><p>Words of it</p>'; document.body.append(r);"
    script = f"const r = document.createElement('div'); {made}"
    site["/find?q=bridge"] = f"<title>Find</title><p>Looking for it.</p><script>{script}</script>"
    engine = {
        "id": "scripted",
        "strategy": "generic",
        "url_template": f"{site.url}/find?q={{query}}",
        "selectors": {"result_item": ".r", "title": "a", "link": "a", "snippet": "p"},
        "rate_limit_ms": 0,
    }
    settings = FAST.model_copy(update={"timeout_s": 30})
    with Watch(site, tmp_path, fetch=settings) as watch:
        asking = Asking(text="bridge", channels=("scripted",), follow_links=False)
        watch.app.catalogue.put_engine(watch.dossier_id, engine)
        watch.app.questions.add(watch.dossier_id, asking)
        assert [item.code for item in watch.run().items] == ["engine.no_match"]
        watch.app.catalogue.put_engine(watch.dossier_id, engine | {"render": True})
        report, _ = watch.turn()
    assert [(item.title, item.url) for item in report.items] == [("Found", f"{site.url}/found")]
