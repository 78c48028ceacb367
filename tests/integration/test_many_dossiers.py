from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from world import Site

#: Each has three files; there are handles for fewer than that.
MANY, HANDLES = 300, 512

# In a process of its own: the limit on open files cannot be raised again.
PROGRAM = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, ({HANDLES}, {HANDLES}))

import veille
from veille.core.models import Scope
from veille.services.watching.sources import Wish

fetch = {{"host_delay_ms": 0, "allow_networks": ["127.0.0.0/8"]}}
with veille.open_app(data=sys.argv[1], fetch=fetch) as app:
    ids = [app.create_dossier(f"dossier {{number}}").id for number in range({MANY})]
    for number in (0, {MANY} // 2, {MANY} - 1):
        app.sources.add(ids[number], Wish(url=sys.argv[2], kind="page"))
    app.run(Scope())
    hits = app.searches.search(ids, "lighthouse")
    assert app.queue.backlog(app.clock(), Scope()).due == 0
    print(len(ids), *sorted(ids.index(hit.dossier_id) for hit in hits))
"""


@pytest.mark.timeout(300)
@pytest.mark.covers("R-002", "R-004", "R-005")
def test_hundreds_of_dossiers_are_made_and_searched_with_fewer_handles_than_they_have_files(
    tmp_path: Path, site: Site
) -> None:
    site.article("/", "The lighthouse", "The lighthouse keeper wrote every storm down. " * 5)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "data"), site.url], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(MANY), "0", str(MANY // 2), str(MANY - 1)]
