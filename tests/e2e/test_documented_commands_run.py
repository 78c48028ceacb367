"""Every command of the documentation is run, in this process, in a world that has what it names."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from documented import CASES
from documented_world import Place, Town, build
from telling import Mailbox

ROOT = Path(__file__).parents[2]
PAGES: dict[str, list[str]] = {}
for _page, _words in CASES:
    PAGES.setdefault(_page, []).append(shlex.join(_words))

#: Commands that cannot be run here, and the test that runs them.
ELSEWHERE = {
    "veille serve*": "tests/e2e/test_serve.py",  # it runs until it is stopped
    "veille work": "tests/e2e/test_crawler_walk.py",  # likewise
    "veille mcp*": "tests/e2e/test_agents.py",  # it speaks with another program
    "veille move *": "tests/integration/test_moving_to_postgres.py",  # it needs PostgreSQL
    "veille * --ray *": "tests/integration/test_bulk_reread.py",  # it needs a cluster
    "veille bodies move --from s3:*": "tests/integration/test_bodies.py",  # it needs a server
}
#: Pages that are typed by another test: they have people write an extension, or a service.
TYPED_BY = {
    "add-a-format.md": "tests/integration/test_extension_howtos.py",
    "add-a-kind.md": "tests/integration/test_extension_howtos.py",
    "add-a-repair.md": "tests/integration/test_extension_howtos.py",
    "add-a-sink.md": "tests/integration/test_extension_howtos.py",
    "add-an-embedder.md": "tests/integration/test_extension_howtos.py",
    "add-an-extractor.md": "tests/integration/test_extension_howtos.py",
    "write-a-bridge.md": "tests/integration/test_howto.py",
}
#: The reference, whose commands do not follow one another: each has a world of its own.
REFERENCE = "cli.md"
#: Other pages that begin in the world, not in an empty folder.
IN_THE_WORLD = {
    REFERENCE, "ask-your-documents.md", "back-up-and-restore.md", "data-protection.md", "hand-changes-on.md",
    "keep-what-you-need.md", "know-what-documents-are-about.md", "read-everything-again.md", "stories-and-chunks.md",
    "tell-news-from-noise.md", "tutorial.md", "use-the-command-line.md",
}  # fmt: skip
#: Commands that begin in an empty folder although their page does not.
ANEW = {
    REFERENCE: (
        "veille add https://example.org/news.rss *", "veille channels add *", "veille dossiers add *",
        "veille offers sources add *", "veille users add *",
    ),
    "tutorial.md": ("veille add example.org --dry-run",),
}  # fmt: skip
#: What people have done before they type this: a page, or a command.
BEFORE = {
    "access.md": "veille dossiers add competitors",
    "give-an-agent-access.md": "veille dossiers add competitors",
    "release.md": "veille restore veille.zip --data /tmp/copy",
    "run-it-as-a-service.md": "veille users add you@example.org --admin",
    "search-by-meaning.md": "veille add https://example.org/story --kind page\nveille run",
    "meri crawler report*": "veille crawler run",
    "veille crawler report*": "veille crawler run",
    "veille channels restore me": "veille channels delete me --yes",
    "veille offers undo community": "veille offers pull index.json --apply",
    "veille repairs apply *": "veille repairs undo 8f0c2f31a7d4",
    "veille rules restore *": "veille rules delete 'price falls'",
    "veille search * --mode meaning": "veille vectors on --dossier press\nveille vectors embed --dossier press",
    "veille sources restore *": "veille sources delete 'Example News' --yes",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with Town() as site, Mailbox() as mailbox:
        yield build(tmp_path_factory.mktemp("documented") / "world", site, mailbox)


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.timeout(300)) if page == REFERENCE else page
        for page in PAGES
        if page not in TYPED_BY
    ],
)
def test_the_commands_of_a_page_run(page: str, world: Place, tmp_path: Path) -> None:
    failed, place = [], _begin(page, world, tmp_path / "here")
    # The reference may have a command twice.
    for line in dict.fromkeys(PAGES[page]) if page == REFERENCE else PAGES[page]:
        if any(fnmatchcase(line, one) for one in ELSEWHERE):
            continue
        is_anew = any(fnmatchcase(line, one) for one in ANEW.get(page, ()))
        if page == REFERENCE or is_anew:
            shutil.rmtree(place.folder)
            place = world.copy(tmp_path / "here", empty=is_anew)
        for known, typed in BEFORE.items():
            if fnmatchcase(line, known):
                place.type(typed)
        status, out, errors = place(shlex.split(line))
        if status != 0:
            failed.append((line, status, out, errors))
    shutil.rmtree(place.folder)
    assert failed == []


def _begin(page: str, world: Place, folder: Path) -> Place:
    place = world.copy(folder, empty=page not in IN_THE_WORLD)
    place.type(BEFORE.get(page, ""))
    return place


def test_what_is_not_run_here_is_run_by_another_test() -> None:
    for page, place in TYPED_BY.items():
        text = (ROOT / place).read_text(encoding="utf-8")
        assert page.removesuffix(".md") in text or 'glob("add-*.md")' in text, page
    for pattern, place in ELSEWHERE.items():
        word = "--ray" if "--ray" in pattern else pattern.split()[1].rstrip("*")
        assert f'"{word}"' in (ROOT / place).read_text(encoding="utf-8"), pattern


def test_every_exception_is_of_a_command_that_is_documented() -> None:
    lines = [line for typed in PAGES.values() for line in typed]
    assert TYPED_BY.keys() | IN_THE_WORLD | ANEW.keys() <= PAGES.keys()
    patterns = [*ELSEWHERE, *BEFORE, *(one for ones in ANEW.values() for one in ones)]
    unused = [one for one in patterns if one not in PAGES and not any(fnmatchcase(line, one) for line in lines)]
    assert unused == []
    # So many are documented; a page that is written otherwise would be left out silently.
    assert len(lines) > 490
