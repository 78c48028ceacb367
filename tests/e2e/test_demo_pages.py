from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from forms import Person
from service import Client
from veille.interfaces.demo.world import World


@pytest.mark.timeout(90)
def test_the_demo_serves_its_pages_until_it_is_told_to_end(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "veille", "demo", "--serve", "--data", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        said = ""
        try:
            while not (link := re.search(r"(http://\S+)/setup\?token=(\S+)", said)):
                line = process.stderr.readline()
                assert line, said
                said += line
            stranger = Client(link[1])
            entry = stranger.ask("POST", f"/setup?token={link[2]}", None, {"Sec-Fetch-Site": "same-origin"})
            owner = Person(Client(link[1], {"Cookie": entry.headers["set-cookie"].partition(";")[0]}))
            shown = owner.see("/")
            assert "Lighthouse keeper's diary found behind a panel" in shown
            assert '<dd data-is="workers" >1</dd>' in shown
            (home,) = set(re.findall(r'href="(/d/[^"/]+)"', shown))
            assert "Tea above 13" in owner.see(f"{home}/alerts"), "an alert, a story and a value are in it"
            assert "orpoises" in owner.see(f"{home}/stories")
            (camera,) = set(re.findall(rf'href="({home}/documents/[0-9a-f-]+)[^"]*"[^>]*><bdi>Harbour camera', shown))
            assert f"{camera}/picture?rev=2" in owner.see(f"{camera}/pictures"), "and a picture that changed"
        finally:
            process.terminate()
            said += process.stderr.read()
        assert process.wait(30) == 0, said
    assert "Ending" in said
    assert "Traceback" not in said


def test_the_sample_world_goes_on_changing() -> None:
    with World() as world:
        world.change()
        seen = {path: {world.answer(path).body} for path in ("/feed.xml", "/shop/tea", "/gauge_fetch", "/news/ferry")}
        for _ in range(12):
            world.drift()
            for path, bodies in seen.items():
                bodies.add(world.answer(path).body)
    assert {path: len(bodies) for path, bodies in seen.items()} == {
        "/feed.xml": 13,
        "/shop/tea": 4,
        "/gauge_fetch": 4,
        "/news/ferry": 4,
    }
