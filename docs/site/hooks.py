"""What the site needs beside the pages: those that lie elsewhere, the menu, and the files that pages link to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_INSTALL = "howto/install.md"
#: Pages of reference that are not made by the program.
_REFERENCE = ("glossary.md", "access.md", "data-protection.md", "stories-and-chunks.md")
#: Pages that do not lie in the folder, by their place in the site.
BESIDE = {
    "index.md": ROOT / "README.md",
    "changelog.md": ROOT / "CHANGELOG.md",
    "contributing.md": ROOT / "CONTRIBUTING.md",
    "security.md": ROOT / "SECURITY.md",
}
_PLACES = {path: place for place, path in BESIDE.items()}
_FOREIGN_WORKER, _WORKER = "https://unpkg.com/iframe-worker/shim", "assets/worker.js"
_LINK = re.compile(r"(\]\()(?!https?:|mailto:|#)([^)#\s]+)")


def on_config(config: Any) -> Any:
    """The menu: what a reader wants first comes first; how-tos by their titles."""
    config.nav = [
        {"Start": ["index.md", _INSTALL, "tutorial.md"]},
        {"How to": sorted((one for one in _pages(DOCS / "howto") if one != _INSTALL), key=_title)},
        {"Reference": [*_pages(DOCS / "reference"), *_REFERENCE]},
        {
            "Inside": [
                "architecture.md",
                "scale.md",
                "evaluation.md",
                "requirements.md",
                {"Decisions": _pages(DOCS / "decisions")},
            ]
        },
        {"Project": ["changelog.md", "contributing.md", "security.md", "release.md"]},
    ]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that lie elsewhere, and the files that pages link to, as plain text."""
    pages = [DOCS / file.src_uri for file in files.documentation_pages()] + list(BESIDE.values())
    linked = {target for page in pages for target in _targets(page) if _place(target) == _copy_of(target)}
    files.append(File.generated(config, _WORKER, abs_src_path=str(DOCS / "site" / "worker.js")))
    for place, path in BESIDE.items():
        files.append(File.generated(config, place, content=path.read_text(encoding="utf-8")))
    for path in sorted(linked):
        listed = "\n".join(sorted(one.name for one in path.iterdir())) if path.is_dir() else ""
        files.append(File.generated(config, _copy_of(path), content=listed or path.read_bytes()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links as the site has them."""
    here = BESIDE.get(page.file.src_uri, DOCS / page.file.src_uri)
    up = "../" * page.file.src_uri.count("/")

    def moved(link: re.Match[str]) -> str:
        target = (here.parent / link[2]).resolve()
        return f"{link[1]}{up}{_place(target)}" if target.exists() else link[0]

    # A page begins with its title, which the menu shows.
    return _LINK.sub(moved, re.sub(r"^<!--.*?-->\s*", "", markdown))


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Take what makes search work without a server from the site itself."""
    return output.replace(_FOREIGN_WORKER, "../" * page.file.src_uri.count("/") + _WORKER)


def on_post_template(output_content: str, **_: Any) -> str:
    """The same on the page for what is not there."""
    return output_content.replace(_FOREIGN_WORKER, f"/{_WORKER}")


def _targets(page: Path) -> list[Path]:
    """The files of the project that a page links to."""
    found = ((page.parent / link[2]).resolve() for link in _LINK.finditer(page.read_text(encoding="utf-8")))
    return [target for target in found if target.is_relative_to(ROOT) and target.exists()]


def _place(target: Path) -> str:
    """Where a file of the project is in the site. A folder of pages has none of its own: its first stands for it."""
    if target in _PLACES:
        return _PLACES[target]
    if target.is_relative_to(DOCS) and target.is_dir() and _pages(target):
        return _pages(target)[0]
    if target.is_relative_to(DOCS) and target.is_file() and target.suffix != ".py":
        return str(target.relative_to(DOCS))
    return _copy_of(target)


def _copy_of(target: Path) -> str:
    return f"files/{target.relative_to(ROOT)}.txt"


def _pages(folder: Path) -> list[str]:
    return [str(path.relative_to(DOCS)) for path in sorted(folder.glob("*.md"))]


def _title(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8").partition("\n")[0].lower()
