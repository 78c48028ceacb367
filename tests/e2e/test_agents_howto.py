"""The page about agents is true."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import veille
from agents import agent_over_a_pipe, serving

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "give-an-agent-access.md").read_text()


def _lines(*words: str) -> list[str]:
    return [line for line in re.findall(r"^\$ (veille .*)", PAGE, re.MULTILINE) if line.startswith(words)]


def test_the_configuration_of_an_agent_starts_a_server(tmp_path: Path) -> None:
    (block,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    server = json.loads(block)["mcpServers"]["veille"]
    assert (server["command"], server["args"]) == ("veille", ["mcp"])
    (line,) = _lines("veille mcp")
    with agent_over_a_pipe(tmp_path, *line.split()[2:]) as agent:
        assert {"veille_add_source", "veille_fetch_now", "veille_search"} <= set(agent.tools())


def test_the_program_of_the_page_asks_over_http(tmp_path: Path) -> None:
    environment = os.environ | {"VEILLE_DATA": str(tmp_path)}

    def run(line: str) -> str:
        command = [str(Path(sys.executable).parent / "veille"), *line.split()[1:]]
        done = subprocess.run(
            command, env=environment, input="correct horse lamp\n", capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    with veille.open_app(data=tmp_path) as app:
        mine = app.create_dossier("competitors").id
    for line in _lines("veille users", "veille members"):
        run(line)
    (line,) = _lines("veille tokens")
    token = run(line).strip()
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    with veille.open_app(data=tmp_path) as app, serving(app) as url:
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=environment | {"VEILLE_URL": url, "VEILLE_TOKEN": token},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.stdout.splitlines() == ["23 tools", json.dumps([{"id": mine, "name": "competitors"}])], done.stderr
