"""How much of real manuals is kept: `make eval`, or `python tests/gate/manuals.py [--pages 100] [--site git]`.

Debian packages documentation as the pages that people read on the web, made by many generators. For every page the
paragraphs and the code of its main container, named here by hand, are looked for in the extracted text. The other way
round, each line of the text that is not in the main container, but elsewhere on the page, is furniture that should not
be there: navigation, headers, footers. It fails if a site loses more than 0.5 % of its words, keeps more than 0.5 %
of its furniture, or any page loses a section of more than 200 words.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

from veille.extract import text as extracted

DOC = Path("/usr/share/doc")
MOST_LOST = MOST_FURNITURE = 0.005
#: Words that a section may lose.
SECTION = 200
#: Indexes, listings of source code and pages that repeat all others.
_SKIPPED = re.compile(
    r"(?:^|/)(?:genindex|bookindex|search|py-modindex|_modules/|_sources/|all\.html|contents\.html|\w+_singlepage)"
)
#: What is furniture within a main container, too.
_FURNITURE = (
    "nav, .navheader, .navfooter, .sphinxsidebar, .footer, #footer, #column2, #leftnav, .docnav, .menu, #path, "
    ".bottomlang, .toplang, div.header, table.header"
)
_NO_TEXT = frozenset({"script", "style", "noscript", "template", "svg"})
_WORD = re.compile(r"\w+")
#: So many words in a row that are in the text are not there by chance.
_RUN = 5


@dataclass(frozen=True)
class Site:
    """The pages of one package, their main containers, and what in these is no text: lists of links, diagrams."""

    package: str
    folder: Path
    main: str
    beside: str = ".toc"
    pattern: str = "**/*.html"

    def pages(self, most: int) -> list[Path]:
        found = [
            path
            for path in sorted(self.folder.glob(self.pattern))
            if not _SKIPPED.search(f"/{path.relative_to(self.folder)}")
        ]
        return random.Random(1).sample(found, min(most, len(found))) if most else found


SITES = {
    "postgresql": Site("postgresql-doc-15", DOC / "postgresql-doc-15/html", "body > div:not(.navheader, .navfooter)"),
    "python": Site("python3-doc", DOC / "python3.11/html", "div.body", ".toctree-wrapper, .contents, table"),
    "django": Site("python-django-doc", DOC / "python-django-doc/html", "#yui-main", ".toctree-wrapper, .contents"),
    "git": Site("git-doc", DOC / "git-doc", "#header, #content", "#toc"),
    "sqlite": Site("sqlite3-doc", DOC / "sqlite3", "body", ".nosearch, .imgcontainer"),
    "apache": Site("apache2-doc", DOC / "apache2-doc/manual/en", "#page-content", ".toplang, #quickview, .top"),
    "handbook": Site("debian-handbook", DOC / "debian-handbook/html/en-US", "body > div:not(#banner)", ".toc, .docnav"),
    "reference": Site("debian-reference-en", Path("/usr/share/debian-reference"), "body > div", ".toc", "*.en.html"),
    "nodejs": Site("nodejs-doc", DOC / "nodejs/api", "#apicontent", ".toc, .mark, .srclink"),
    "erlang": Site("erlang-doc", DOC / "erlang-doc", "#content"),
    "bind9": Site("bind9-doc", DOC / "bind9-doc/arm", "[itemprop=articleBody]", ".toctree-wrapper, .contents"),
    "exim": Site("exim4-doc-html", DOC / "exim4-doc-html", "#content"),
    "libvirt": Site("libvirt-doc", DOC / "libvirt-doc/html", "main, #body", ".contents"),
    # Without the 15,000 pages of `rtl` and `fcl`, which are like those of `fclres`.
    "freepascal": Site("fp-docs-3.2.2", DOC / "fp-docs/3.2.2", "body", pattern="*[!l]/**/*.html"),
    "maxima": Site("maxima-doc", DOC / "maxima-doc/html", "body", ".contents, .menu"),
}


@dataclass
class Tally:
    """Words of one site."""

    pages: int = 0
    #: Pages of another form, without the main container.
    unknown: int = 0
    words: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    sections: list[str] = field(default_factory=list)
    #: The lines of furniture that were kept, and their words on all pages.
    furniture: Counter[str] = field(default_factory=Counter)

    def share(self, kind: str) -> float:
        return self.lost[kind] / max(self.words[kind], 1)

    @property
    def is_kept(self) -> bool:
        return (
            max(self.share("text"), self.share("code")) <= MOST_LOST
            and self.share("furniture") <= MOST_FURNITURE
            and not self.sections
        )


def measured(site: Site, path: Path, tally: Tally) -> None:
    """Add one page to the tally."""
    html = path.read_bytes()
    tree = LexborHTMLParser(html)
    text = extracted(html, f"https://manual.example/{path.name}")
    joined = _joined(_WORD.findall(text.lower()))
    mains = _outermost(tree.css(site.main))
    if not mains:
        tally.unknown += 1
        return
    sections: Counter[tuple[int, int]] = Counter()
    for number, main in enumerate(mains):
        for section, kind, words in _paragraphs(main, site.beside):
            lost = _lost(words, joined)
            tally.words[kind] += len(words)
            tally.lost[kind] += lost
            sections[number, section] += lost
    tally.pages += 1
    tally.sections += [f"{path.name}: {lost} words" for lost in sections.values() if lost > SECTION]
    inside, outside = _parted(tree, mains)
    tally.words["furniture"] += len(outside)
    main_text, other_text = _joined(inside), _joined(outside)
    for line in text.split("\n"):
        words = _WORD.findall(line.lower())
        if _joined(words) not in main_text and _joined(words) in other_text:
            tally.lost["furniture"] += len(words)
            tally.furniture[line.strip()] += len(words)


def _outermost(nodes: list[LexborNode]) -> list[LexborNode]:
    ids = {node.mem_id for node in nodes}
    return [node for node in nodes if not any(above.mem_id in ids for above in _above(node))]


def _above(node: LexborNode) -> Iterator[LexborNode]:
    while (parent := node.parent) is not None:
        yield parent
        node = parent


def _paragraphs(main: LexborNode, beside: str) -> Iterator[tuple[int, str, list[str]]]:
    """The number of its section, its kind and the words of every paragraph, and of every line of code."""
    left_out = {node.mem_id for found in main.css(f"{beside}, {_FURNITURE}") for node in found.traverse()}
    section = 0
    for node in main.traverse():
        tag = node.tag or ""
        if node.mem_id in left_out:
            continue
        section += re.fullmatch("h[1-6]", tag) is not None
        is_paragraph = tag == "p" or "para" in (node.attributes.get("class") or "").split()
        if tag == "pre":
            for line in node.text().splitlines():
                yield section, "code", _WORD.findall(line.lower())
        elif is_paragraph and len(node.css("p, pre, .para")) <= 1:
            yield section, "text", _WORD.findall(node.text(separator=" ").lower())


def _parted(tree: LexborHTMLParser, mains: list[LexborNode]) -> tuple[list[str], list[str]]:
    """The words of the main containers without furniture in them, and all others of the page."""
    is_main, is_furniture = ({node.mem_id for node in nodes} for nodes in (mains, tree.css(_FURNITURE)))
    words: tuple[list[str], list[str]] = [], []
    rest: list[tuple[LexborNode | None, bool]] = [(tree.body, False)]
    while rest:
        node, inside = rest.pop()
        if node is None:
            continue
        rest.append((node.next, inside))
        if node.tag == "-text":
            words[not inside].extend(_WORD.findall((node.text_content or "").lower()))
        elif node.tag not in _NO_TEXT:
            here = (inside or node.mem_id in is_main) and node.mem_id not in is_furniture
            rest.append((node.first_child, here))
    return words


def _lost(words: list[str], text: str) -> int:
    """How many of the words are not in the text, in this order."""
    if _joined(words) in text:
        return 0
    has = [False] * len(words)
    for at in range(len(words) - _RUN + 1):
        if _joined(words[at : at + _RUN]) in text:
            has[at : at + _RUN] = [True] * _RUN
    return has.count(False)


def _joined(words: list[str]) -> str:
    # Markup within a word splits it: words are compared without the spaces between them.
    return "".join(words)


def main() -> int:
    """Measure, print a table, and fail where too much is lost."""
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--pages", type=int, default=0, help="Pages of each site, drawn at random; 0 for all.")
    cli.add_argument("--site", choices=SITES, action="append")
    cli.add_argument("--show", type=int, default=0, help="Lines of furniture to show for each site.")
    args = cli.parse_args()
    tallies: defaultdict[str, Tally] = defaultdict(Tally)
    print(f"{'site':12}{'pages':>6}{'text lost':>11}{'code lost':>11}{'furniture kept':>16}  sections lost")
    for name in args.site or SITES:
        tally = tallies[name]
        for path in SITES[name].pages(args.pages):
            measured(SITES[name], path, tally)
        shares = "".join(
            f"{tally.share(kind):>{size}.2%}" for kind, size in (("text", 11), ("code", 11), ("furniture", 16))
        )
        print(f"{name:12}{tally.pages:>6}{shares}  {len(tally.sections)} {'; '.join(tally.sections[:3])}", flush=True)
        for line, count in tally.furniture.most_common(args.show):
            print(f"{count:>10} words: {line[:100]}")
    missing = [SITES[name].package for name, tally in tallies.items() if not tally.words["text"]]
    if missing:
        print(f"not installed, or of another form than is known here: {', '.join(missing)}")
    print(f"{sum(tally.unknown for tally in tallies.values())} pages of another form were left out")
    return 0 if all(tally.is_kept for tally in tallies.values()) and not missing else 1


if __name__ == "__main__":
    sys.exit(main())
