from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import veille
from scans import LINES, page, picture_file, recall, scan
from veille.core.models import Change, Scope
from veille.core.records import Run
from veille.services.watching.sources import Wish
from veille.settings import WorkshopSettings
from watching import FAST
from world import Page, Site

PDF_TYPE = "application/pdf"
#: Far too short for character recognition, which has a limit of its own.
SHORT_S = 1.5


@pytest.fixture
def app(tmp_path: Path) -> Iterator[veille.App]:
    fetch = FAST.model_copy(update={"file_roots": (tmp_path / "papers",)})
    with veille.open_app(data=tmp_path / "data", fetch=fetch, workshop=WorkshopSettings(timeout_s=SHORT_S)) as opened:
        yield opened


def run(app: veille.App) -> Run:
    (report,) = app.run(Scope())
    return report


@pytest.mark.covers("R-125")
def test_a_scan_is_read_in_the_child_and_says_that_its_text_was_recognised(app: veille.App, site: Site) -> None:
    site["/scan.pdf"] = Page(scan(page(), page(LINES[:3])), type=PDF_TYPE)
    dossier = app.create_dossier("news")
    app.sources.add(dossier.id, Wish(url=f"{site.url}/scan.pdf", kind="page", config={"ocr": True}))
    (line,) = run(app).items
    assert (line.change, line.code) == (Change.NEW, "")
    with app.dossiers.open(dossier.id) as store:
        (revision,) = store.records.documents()
    assert recall(revision.text) >= 0.9
    assert (revision.meta["ocr"], revision.meta["ocr_pages"], revision.meta["needs_ocr"]) == (True, [1, 2], False)
    app.queue.arm(dossier.id, app.clock())
    assert not run(app).counts.get(Change.CHANGED)


def test_pages_that_are_left_out_are_told(app: veille.App, site: Site) -> None:
    site["/scan.pdf"] = Page(scan(page(LINES[:2]), page(LINES[2:4]), page(LINES[4:6])), type=PDF_TYPE)
    dossier = app.create_dossier("news")
    wish = Wish(url=f"{site.url}/scan.pdf", kind="page", config={"ocr": True, "ocr_pages": 1})
    app.sources.add(dossier.id, wish)
    codes = {line.code: line for line in run(app).items}
    assert set(codes) == {"", "over_ocr"}
    assert "2 scanned pages" in codes["over_ocr"].message


def test_pictures_in_a_folder_are_read_if_their_types_are_named(app: veille.App, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "letter.png").write_bytes(picture_file(page(LINES[:2])))
    (folder / "note.txt").write_text("Only the letter is read: no text file was asked for here.")
    dossier = app.create_dossier("news")
    app.sources.add(dossier.id, Wish(url=str(folder), kind="folder", config={"ocr": True, "types": ["png"]}))
    run(app)
    with app.dossiers.open(dossier.id) as store:
        (revision,) = store.records.documents()
    assert recall(revision.text, LINES[:2]) >= 0.9
    assert (revision.meta["format"], revision.meta["ocr"]) == ("picture", True)


@pytest.mark.covers("R-127")
def test_recognition_that_takes_too_long_is_stopped(tmp_path: Path, site: Site) -> None:
    limits = WorkshopSettings(timeout_s=SHORT_S, ocr_timeout_s=0.5)
    site["/scan.pdf"] = Page(scan(*[page()] * 3), type=PDF_TYPE)
    with veille.open_app(data=tmp_path / "data", fetch=FAST, workshop=limits) as app:
        dossier = app.create_dossier("news")
        app.sources.add(dossier.id, Wish(url=f"{site.url}/scan.pdf", kind="page", config={"ocr": True}))
        (line,) = run(app).items
    assert (line.change, line.code) == (Change.ERROR, "too_slow")
    assert "ocr_timeout_s" in line.message


def test_a_long_recognition_does_not_delay_pages(app: veille.App, site: Site) -> None:
    site["/scan.pdf"] = Page(scan(*[page()] * 3), type=PDF_TYPE)
    dossier = app.create_dossier("news")
    app.sources.add(dossier.id, Wish(url=f"{site.url}/scan.pdf", kind="page", config={"ocr": True}))
    for number in range(5):
        site[f"/{number}"] = Page(b"<main><p>%d ferries of the harbour left in the morning.</p></main>" % number)
        app.sources.add(dossier.id, Wish(url=f"{site.url}/{number}", kind="page"))
    order = [line.url.rpartition("/")[2] for line in run(app).items]
    assert order[-1] == "scan.pdf"
    assert len(order) == 6


@pytest.mark.covers("R-127")
def test_without_the_extra_the_option_is_refused_and_a_scan_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['rapidocr'] = None\n"
        "from veille.core.formats import FormatOptions, read_paper\n"
        "from veille.core.kinds import kind_of\n"
        "from veille.errors import VeilleError\n"
        "scan = sys.stdin.buffer.read()\n"
        "for attempt in (lambda: kind_of('page', {'ocr': True}).check(),\n"
        "                lambda: read_paper(scan, 'pdf', FormatOptions(ocr_pages=1))):\n"
        "    try:\n"
        "        attempt()\n"
        "    except VeilleError as error:\n"
        "        print(error.code, error)\n"
    )
    said = subprocess.run([sys.executable, "-c", program], input=scan(page(LINES[:1])), capture_output=True, check=True)
    lines = said.stdout.decode().splitlines()
    assert len(lines) == 2
    assert all(line.startswith("needs_extra ") and "pip install 'veille[ocr]'" in line for line in lines)


def test_nothing_is_loaded_where_nothing_is_recognised() -> None:
    program = (
        "import sys; from veille.core.tasks import every_task; every_task()\n"
        "from veille.core.kinds import kind_of\n"
        "kind_of('page', {'ocr': True}).check()\n"
        "print([name for name in ('rapidocr', 'onnxruntime', 'PIL', 'cv2') if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert said.stdout.strip() == b"[]"
