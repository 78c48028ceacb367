"""A site that is edited in every round, and that also changes all by itself on every load; the edits are known."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime

from veille.core.schedule import HOUR
from world import Page, Site

_WORDS = (
    "river stone cloud letter harbour winter copper garden signal market bridge lantern orchard window council ferry "
    "tower engine valley meadow teacher captain morning evening station village mountain forest doctor painter summer "
    "railway kitchen library theatre museum hospital festival journey shelter ladder blanket mirror basket bottle"
).split()
_GLUE = "the a of in on with for and to from by at near under over after before without".split()
_ADS = (
    "Shoes for every season, now half price", "A car for the whole family", "Fly south this winter with us",
    "Our hats are the warmest in town", "Learn to sail in a week", "The best coffee, sent to your door",
    "Sleep well on a new mattress tonight", "Tickets for the summer concerts are here",
)  # fmt: skip
QUIRKS = ("views", "readers", "ad", "today", "ago", "token", "shuffled", "clock", "inside")


@dataclass
class Article:
    """One page as its author knows it."""

    title: str
    paragraphs: list[str]
    quirks: frozenset[str]
    #: What it lists, in an order of the server's choosing.
    items: list[str] = field(default_factory=list)
    price: int = 100
    written: int = 0


@dataclass
class Round:
    """What really happened to the pages, by path."""

    changed: set[str] = field(default_factory=set)
    new: set[str] = field(default_factory=set)
    removed: set[str] = field(default_factory=set)
    moved: dict[str, str] = field(default_factory=dict)


class Web:
    """Answers as the dictionary of pages of a `Site` does; `edit` is what its authors do between two visits."""

    def __init__(self, site: Site, size: int, seed: int, now: int) -> None:
        #: What the clocks of the server say.
        self.now = now
        self._random = random.Random(seed)
        self._loads = random.Random(seed + 1)
        self.articles = {f"/articles/{number}": self._article() for number in range(size)}
        self._made = size
        self.gone: dict[str, int] = {}
        self.moved: dict[str, str] = {}
        #: Some pages that answer 500, or all of them answering 503.
        self.down: set[str] = set()
        self.closed = False
        self.design = 0
        site.pages = self  # type: ignore[assignment] # it answers `get` as the dictionary does

    def get(self, path: str, missing: Page) -> Page:
        if self.closed:
            return Page(b"Closed", status=503, headers={"Retry-After": "1800"}, validates=False)
        if path == "/" or path.startswith("/list/"):
            return Page(self._index(path).encode(), validates=False)
        if path in self.down:
            return Page(b"Out of order", status=500, validates=False)
        if path in self.moved:
            return Page(b"", status=301, headers={"Location": self.moved[path]}, validates=False)
        if path in self.gone:
            return Page(b"Gone", status=self.gone[path], validates=False)
        article = self.articles.get(path)
        return missing if article is None else Page(self._page(article).encode(), validates=False)

    def edit(self) -> Round:
        """Edits of all sizes, new pages, moves and deletions; afterwards some pages are down for a while."""
        chance, done = self._random, Round()
        self.down = set()
        for path in chance.sample(sorted(self.articles), len(self.articles) // 10):
            self._change(self.articles[path])
            done.changed.add(path)
        for _ in range(chance.randint(0, 4)):
            path, self._made = f"/articles/{self._made}", self._made + 1
            self.articles[path] = self._article()
            done.new.add(path)
        untouched = sorted(set(self.articles) - done.changed - done.new)
        picked = chance.sample(untouched, 6)
        for path in picked[: chance.randint(0, 2)]:
            del self.articles[path]
            self.gone[path] = chance.choice((404, 410))
            done.removed.add(path)
        for path in picked[2 : 2 + chance.randint(0, 2)]:
            to = f"{path}-{chance.choice(_WORDS)}-{chance.choice(_WORDS)}"
            self.articles[to] = self.articles.pop(path)
            self.moved[path] = done.moved[path] = to
        if chance.random() < 0.15:
            self.design += 1
        self._fail(sorted(set(untouched) & set(self.articles)))
        return done

    def _fail(self, untouched: list[str]) -> None:
        """An outage: of some pages that nobody edited, seldom of the whole site."""
        self.closed = self._random.random() < 0.1
        if self._random.random() < 0.3:
            self.down = set(self._random.sample(untouched, len(untouched) // 8))

    def _change(self, article: Article) -> None:
        paragraphs, chance = article.paragraphs, self._random
        at = chance.randrange(len(paragraphs))
        match chance.randrange(8):
            case 0:
                words = paragraphs[at].split()
                words[chance.randrange(len(words))] = f"{chance.choice(_WORDS)}-{chance.choice(_WORDS)}"
                paragraphs[at] = " ".join(words)
            case 1:
                article.price += chance.randint(1, 50)
            case 2:
                paragraphs[at] += " " + self._sentence()
            case 3:
                paragraphs.insert(at, self._paragraph())
            case 4 if len(paragraphs) > 3:
                del paragraphs[at]
            case 5:
                paragraphs[at] = self._paragraph()
            case 6:
                article.title = self._sentence().rstrip(".")
            case _:
                article.paragraphs = [self._paragraph() for _ in paragraphs]

    def _article(self) -> Article:
        chance = self._random
        return Article(
            title=self._sentence().rstrip("."),
            paragraphs=[self._paragraph() for _ in range(chance.randint(4, 12))],
            quirks=frozenset(quirk for quirk in QUIRKS if chance.random() < 0.3),
            items=[self._sentence() for _ in range(chance.randint(4, 7))],
            price=chance.randint(5, 900),
            written=self.now - chance.randint(2, 50) * HOUR,
        )

    def _paragraph(self) -> str:
        return " ".join(self._sentence() for _ in range(self._random.randint(2, 5)))

    def _sentence(self) -> str:
        words = [self._random.choice(_GLUE if number % 2 else _WORDS) for number in range(self._random.randint(7, 15))]
        return " ".join(words).capitalize() + "."

    def _index(self, path: str) -> str:
        """Lists of links, a hundred to a page."""
        paths = sorted(self.articles)
        if path == "/":
            links = "".join(f'<li><a href="/list/{n}">List {n}</a></li>' for n in range(len(paths) // 100 + 1))
        else:
            first = int(path.rpartition("/")[2]) * 100
            links = "".join(f'<li><a href="{p}">{self.articles[p].title}</a></li>' for p in paths[first : first + 100])
        return f"<html lang=en><head><title>Lists</title></head><body><main><ul>{links}</ul></main></body></html>"

    def _page(self, article: Article) -> str:
        """The page as this one visitor gets it."""
        title = f"<title>{article.title}</title>"
        paragraphs = list(article.paragraphs)
        if "inside" in article.quirks:
            paragraphs[0] += f" It was read {self._loads.randrange(10_000)} times, and it goes on."
        body = [f"<h1>{article.title}</h1>", *(f"<p>{text}</p>" for text in paragraphs)]
        body.insert(2, f"<p>The entrance fee is {article.price} crowns for grown-ups and nothing for children.</p>")
        for quirk in sorted(article.quirks - {"inside"}):
            at, piece = self._quirk(quirk, article)
            body.insert(min(at, len(body)), piece)
        return self._frame(title, "".join(body))

    def _quirk(self, name: str, article: Article) -> tuple[int, str]:
        loads = self._loads
        moment = datetime.fromtimestamp(self.now / 1000, UTC)
        shuffled = loads.sample(article.items, len(article.items))
        return {
            "views": (1, f"<p>Views: {loads.randrange(10_000)}</p>"),
            "readers": (3, f"<p>So far {loads.randrange(10_000)} people of the valley have read this page.</p>"),
            "ad": (4, f"<p>{loads.choice(_ADS)}</p>"),
            "today": (1, f"<p>{moment:%A}, {moment:%d %B %Y}</p>"),
            "ago": (2, f"<p>Written {(self.now - article.written) // HOUR} hours ago by our own reporter</p>"),
            "token": (99, f"<p>Your visit has the number {loads.randrange(16**8):08x} with us</p>"),
            "shuffled": (99, "<ul>" + "".join(f"<li>{item}</li>" for item in shuffled) + "</ul>"),
            "clock": (99, f"<p>This page was made at {moment:%H:%M:%S}</p>"),
        }[name]

    def _frame(self, title: str, body: str) -> str:
        menu = "".join(f'<li><a href="/list/{number}">{word}</a></li>' for number, word in enumerate(_WORDS[:3]))
        frames = (
            f"<nav><ul>{menu}</ul></nav><main><article>{body}</article></main><footer>All rights reserved</footer>",
            f'<div class="top"><ul>{menu}</ul></div><div class="page"><div class="entry-content">{body}</div></div>',
            f'<header><ul>{menu}</ul></header><section id="content"><div>{body}</div></section><aside>{menu}</aside>',
        )
        return f"<html lang=en><head>{title}</head><body>{frames[self.design % len(frames)]}</body></html>"
