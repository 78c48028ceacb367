"""The commands of the documentation are run, in this process, on the sample world of `veille demo`.

What they name may not be there (`no_source` …): then they have to say so in one line. None may end as a bug, and most
have to do what they are for. Pages whose every command has to succeed are typed in `tests/integration/test_howto.py`.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

import veille
from command import run_here
from documented import CASES
from veille.interfaces.cli import main as start_veille
from veille.services.watching.sources import SourceEdit

#: Commands that cannot run here, and why.
CANNOT = {
    "serve": "it runs until it is stopped; tests/e2e/test_serve.py",
    "work": "likewise, without --drain; tests/e2e",
    "mcp": "it speaks with another program; tests/e2e/test_agents.py",
    "demo": "this world is made by it",
    "news": "it asks the feeds of the internet; tests/e2e/test_news_cli.py",
    "move": "to a database; tests/integration/test_moving_to_postgres.py",
    "vectors": "it needs weights of an extra; tests/integration/test_search_by_meaning.py",
    "warc": "it needs archives of others; tests/warc",
    "crawler": "it crawls a site; tests/e2e/test_crawler_cli.py",
    "restore": "into an empty folder; tests/e2e/test_backup_cli.py",
    "discover": "it asks the internet; tests/integration",
    "probe": "it asks the internet; tests/integration",
    "preview": "it asks the internet; tests/integration",
    "read": "it asks the internet; tests/integration",
    "run": "it asks the internet; tests/integration/test_howto.py",
    "sweep": "it asks the internet; tests/integration",
}
_ADDRESS = re.compile(r"https?://|postgresql://|ssh |\$\{?[A-Za-z(]|\.example\b|example\.(?:org|com)")
#: At least this share does what it is for; the others name what the sample world does not have.
DO_SOMETHING = 0.55
#: What the pages call the dossier.
DOSSIERS = {"competitors", "prices", "press", "regulation"}


def _runs(words: list[str]) -> bool:
    return bool(words) and words[0] not in CANNOT and "--help" not in words and not _ADDRESS.search(" ".join(words))


@pytest.mark.timeout(300)
def test_the_commands_of_the_documentation_run(tmp_path: Path) -> None:
    world = tmp_path / "world"
    # A home of their own: `veille config init` writes there.
    homes = {
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_DATA_HOME": str(tmp_path / "home"),
    }
    environment = {**os.environ, **homes, "VEILLE_FETCH__HOST_DELAY_MS": "0"}
    status, _, errors = run_here(start_veille, ["veille", "demo", "--no-serve", "--data", str(world)], environment)
    assert status == 0, errors
    # As the pages call them.
    with veille.open_app(data=world) as app:
        (dossier,) = app.dossiers.all()
        for source, name in zip(app.sources.all(dossier.id), ("Example News", "tea"), strict=False):
            app.sources.edit(dossier.id, source.id, SourceEdit(name=name))
        app.dossiers.rename(dossier.id, "default")
    wanted: dict[str, dict[str, list[str]]] = {}
    for page, (program, *words) in CASES:
        if program == "veille" and _runs(words):
            wanted.setdefault(page, {})[shlex.join(words)] = words
    ended: dict[str, object] = {}
    for page, commands in wanted.items():
        folder = tmp_path / page
        folder.mkdir()
        shutil.copytree(world, folder / "data", ignore=shutil.ignore_patterns("present", "in_hand"))
        for line, words in commands.items():
            with pytest.MonkeyPatch.context() as patch:
                patch.chdir(folder)
                patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a long secret of ours\n")))
                here = {**environment, "VEILLE_DATA": str(folder / "data")}
                typed = ["default" if word in DOSSIERS else word for word in words]
                status, out, errors = run_here(start_veille, ["veille", *typed], here)
            assert status in {0, 1, 2}, (page, line, status, out, errors)
            assert "Traceback" not in errors, (page, line, errors)
            ended[f"{page}: {line}"] = status
    done = [line for line, status in ended.items() if status != 2]
    assert len(ended) > 150
    assert len(done) > DO_SOMETHING * len(ended), sorted(set(ended) - set(done))
