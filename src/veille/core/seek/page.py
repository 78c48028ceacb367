"""Find on a page what a source used to find there: its content, the items of its list, or a link to where it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations, islice

from veille.core.models import Json, Source
from veille.core.pick.alike import item_selector
from veille.core.pick.flat import FlatPage
from veille.core.pick.selector import selector_of
from veille.core.seek.candidates import ProvenChange, Remembered
from veille.core.seek.proof import grams, likeness, words_of
from veille.core.text import flat
from veille.core.urls import join
from veille.errors import ConfigError

#: Elements about as like as the best: the smallest of them is taken.
_NEARLY = 0.02
_LEAST = 0.3
#: Items that are tried as the two marked ones.
_MOST_MARKED = 4
#: Links whose text is like the title of what is looked for.
_MOST_LINKS = 3
_LINK_LIKENESS = 0.6
#: Lines and characters of an outline, and characters of the text in one line.
_MOST_LINES, _MOST_CHARS, _LINE_TEXT, _MOST_NAMES = 400, 12_000, 60, 80


def content_changes(page: FlatPage, source: Source, before: Sequence[Remembered]) -> Iterator[Json]:
    """Selectors of the element whose text is most like the content as it was."""
    alike = _most_like(page, before[0].text) if before else []
    if alike:
        selector = min((selector_of(page, n) for n in alike), key=_fragility)
        change: Json = {"selectors": [selector]}
        yield {"config": change | ({"mode": "css"} if source.config.get("mode") == "xpath" else {})}


def _fragility(selector: str) -> tuple[bool, bool, bool, int]:
    """Names before places and bare tags, an id before everything else, and short before long."""
    is_named = any(sign in selector for sign in "#.[")
    return ":nth" in selector, not is_named, not selector.startswith("#") or " " in selector, len(selector)


def item_changes(page: FlatPage, before: Sequence[Remembered]) -> Iterator[Json]:
    """Selectors of lists that have known items."""
    titles = {flat(one.title) for one in before if one.title}
    # The innermost element of each title: wrappers of it have the same text and come before it.
    innermost = {text: n for n in range(len(page)) if (text := page.text(n, 400)) in titles}
    marked = list(innermost.values())[:_MOST_MARKED]
    seen: set[str] = set()
    for pair in combinations(marked, 2):
        try:
            selector = item_selector(page, pair)
        except ConfigError:
            continue
        if selector not in seen:
            seen.add(selector)
            yield {"config": {"item": selector, "title_selector": None, "link_selector": None, "date_selector": None}}


def linked(page: FlatPage, base: str, before: Sequence[Remembered], but: str) -> list[ProvenChange]:
    """The links whose texts are most like the title, best first."""
    title = before[0].title if before else ""
    found: dict[str, ProvenChange] = {}
    for n, tag in enumerate(page.tags):
        href = page.attributes[n].get("href") if tag == "a" and title else None
        url = join(base, href) if href else None
        if not url or not url.startswith(("http://", "https://")) or url == but:
            continue
        score = likeness(title, page.text(n, 400))
        if score >= _LINK_LIKENESS and score > (found[url].likeness if url in found else 0.0):
            found[url] = ProvenChange(change={"url": url}, likeness=score, sample=page.text(n, 160))
    return sorted(found.values(), key=lambda one: -one.likeness)[:_MOST_LINKS]


def links_of(page: FlatPage, base: str) -> str:
    """The addresses that a page links to, each in a line with the text of the link."""
    found: dict[str, str] = {}
    for n, tag in enumerate(page.tags):
        href = page.attributes[n].get("href") if tag == "a" else None
        url = join(base, href) if href else None
        if url and url.startswith(("http://", "https://")) and not found.get(url):
            found[url] = page.text(n, _LINE_TEXT)
    told = "\n".join(f"{url} {text!r}" for url, text in islice(found.items(), _MOST_LINES))
    # A line that was cut would have half an address.
    return told if len(told) <= _MOST_CHARS else told[:_MOST_CHARS].rpartition("\n")[0]


def outlined(page: FlatPage) -> str:
    """The elements of a page that have a name or begin a text, each in a line with how its text begins."""
    lines: list[str] = []
    for n, tag in enumerate(page.tags):
        names = _named(page, n)
        if not names and tag not in {"main", "article", "section", "table", "ul", "ol", "h1", "h2"}:
            continue
        text = page.text(n, _LINE_TEXT)
        if text:
            lines.append(f"{' ' * min(len(page.above(n)), 20)}{tag}{names} {len(page.text(n, 5000))} {text!r}")
        if len(lines) >= _MOST_LINES:
            break
    return "\n".join(lines)[:_MOST_CHARS]


def _named(page: FlatPage, n: int) -> str:
    """The id and the classes of an element, as in a selector."""
    own = page.attributes[n]
    names = [f"#{own['id']}"] if own.get("id") else []
    return "".join([*names, *(f".{name}" for name in (own.get("class") or "").split())])[:_MOST_NAMES]


def _most_like(page: FlatPage, text: str) -> list[int]:
    """The elements about as like the text as any is: the smallest of them, and those around it."""
    known, own = set(grams(words_of(text))), max(1, len(words_of(text)) - 1)
    hits, sizes = [0], [0]
    counts = [grams(words_of(piece)) for piece in page.pieces]
    hits += accumulate(sum(gram in known for gram in of) for of in counts)
    sizes += accumulate(map(len, counts))
    scores: list[float] = []
    for n in range(len(page)):
        hit = hits[page.last[n]] - hits[page.first[n]]
        size = sizes[page.last[n]] - sizes[page.first[n]]
        scores.append(2 * min(hit, own) / (size + own))
    best = max(scores, default=0.0)
    if best < _LEAST:
        return []
    # Elements inside others come later.
    smallest = max(n for n, score in enumerate(scores) if score >= best - _NEARLY)
    return [n for n in (smallest, *page.above(smallest)) if scores[n] >= best - _NEARLY]
