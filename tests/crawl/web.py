"""A site on loopback with everything a crawler can get lost in, whose reachable pages are known."""

from __future__ import annotations

import gzip
import itertools
import random
import re
from collections import Counter
from collections.abc import Callable

from world import Page, Site

_WORDS = "river stone cloud letter harbour winter copper garden signal market bridge lantern orchard window".split()
_ONLY_LISTED = 20
_DEAD = 10
#: Every so many pages have a trap on them.
_TRAP_EVERY = 25


class Web:
    """`size` pages that link to each other, traps among them, and a neighbour that nobody may visit.

    `documents` are the paths whose pages must be stored in the end, `once` those to be fetched exactly once.
    """

    def __init__(self, site: Site, neighbour: Site, size: int, seed: int) -> None:
        self.site = site
        self.neighbour = neighbour
        self._size = size
        self._seed = seed
        self._tokens = itertools.count()
        self._rules: list[tuple[re.Pattern[str], Callable[..., Page]]] = [
            (re.compile(pattern), answer)
            for pattern, answer in (
                (r"/(?:page-(\d+)\.html)?", self._numbered),
                (r"/page-(\d+)\.html\?view=print", self._printed),
                (r"/page-(\d+)\.html\?sid=\w+", self._numbered),
                (r"/calendar/(\d+)/(\d+)", self._month),
                (r"/view\?k=(\w+)", self._view),
                (r"/deep/(?:down/)*", self._deep),
                (r"/loop/([ab])", self._loop),
                (r"/hop/(\d+)", self._hop),
                (r"/old/(\d+)", self._moved),
                (r"/away", self._away),
                (r"/private", self._private),
                (r"/walled", self._walled),
                (r"/(behind-private|listed-\d+)", self._leaf),
                (r"/robots\.txt", self._robots),
                (r"/sitemap(-index|-a)?\.xml(?:\.gz)?", self._sitemap),
            )
        ]
        neighbour.article("/", "A neighbour", "Nobody may come here.")
        site.pages = self  # type: ignore[assignment] # it answers `get` as the dictionary does

    def get(self, path: str, missing: Page) -> Page:
        """The page at a path, made afresh: trap pages differ at every look."""
        for pattern, answer in self._rules:
            found = pattern.fullmatch(path)
            if found is not None:
                return answer(*found.groups())
        return missing

    @property
    def documents(self) -> set[str]:
        """The pages that are there and can be reached."""
        pages = {f"/page-{number}.html" for number in range(1, self._size)}
        return {"/", "/behind-private", *pages, *(f"/listed-{number}" for number in range(_ONLY_LISTED))}

    @property
    def once(self) -> set[str]:
        """What is fetched once and no more."""
        return self.documents | {"/private", "/away", "/walled", "/loop/a", "/loop/b"}

    def strays(self) -> list[str]:
        """Requests that a well-behaved crawler does not make."""
        wrong = re.compile(
            r"/hidden|/forbidden|/excluded|.*\.(?:jpg|css)|.*sid=|/deep/(?:down/){3}|/hop/(?:[7-9]|\d\d)"
        )
        return [seen.path for seen in self.site.seen if wrong.match(seen.path)] + [
            f"neighbour{seen.path}" for seen in self.neighbour.seen
        ]

    def fetched(self) -> Counter[str]:
        """How often each path was asked for."""
        return Counter(seen.path for seen in self.site.seen)

    def _numbered(self, number: str | None = None) -> Page:
        mine = int(number or 0)
        if mine >= self._size:
            return Page(b"Not here", status=404, validates=False)
        chance = random.Random(f"{self._seed} {mine}")
        children = (child for child in (3 * mine + 1, 3 * mine + 2, 3 * mine + 3) if child < self._size)
        others = (chance.randrange(self._size) for _ in range(3))
        links = [f"/page-{other}.html" if other else "/" for other in (*children, *others)]
        if mine % _TRAP_EVERY == 0:
            links += self._traps(mine, chance)
        return self._page(f"Page {mine}", _text(chance, f"Page {mine} speaks of"), links)

    def _traps(self, mine: int, chance: random.Random) -> list[str]:
        somewhere = chance.randrange(1, self._size)
        return [
            "/calendar/2026/5",
            f"/page-{somewhere}.html?sid={next(self._tokens):08}abcdef",
            f"/page-{mine or 1}.html?view=print",
            f"/old/{somewhere}",
            f"/dead/{mine % _DEAD}",
            "/view?k=first",
            "/deep/",
            "/loop/a",
            "/hop/1",
            "/away",
            "/private",
            "/walled",
            "/photo.jpg",
            "/style.css",
            "/forbidden/page",
            "/excluded/page",
            f"{self.neighbour.url}/",
            "mailto:nobody@example.org",
            "javascript:alert(1)",
            "/#top",
        ]

    def _page(self, title: str, text: str, links: list[str], head: str = "") -> Page:
        anchors = "".join(f"<li><a href='{link}'>{link.strip('/').replace('/', ' ')}</a></li>" for link in links)
        body = (
            f"<html lang=en><head><title>{title}</title>{head}</head><body><main><h1>{title}</h1><p>{text}</p></main>"
            f"<nav><ul>{anchors}<li><a rel=nofollow href='/hidden/1'>hidden</a></li></ul></nav></body></html>"
        )
        return Page(body.encode())

    def _printed(self, number: str) -> Page:
        page = self._numbered(number)
        home = f"<link rel=canonical href='/page-{number}.html'></head>".encode()
        return Page(page.body.replace(b"</head>", home), status=page.status)

    def _month(self, year: str, month: str) -> Page:
        at = int(year) * 12 + int(month) - 1
        links = [f"/calendar/{other // 12}/{other % 12 + 1}" for other in (at - 1, at + 1)]
        chance = random.Random(f"month {at}")
        return self._page(f"Month {year} {month}", _text(chance, f"In month {month} of {year}"), links)

    def _view(self, token: str) -> Page:
        """The same page under ever new addresses."""
        chance = random.Random("view")
        return self._page("A view", _text(chance, "A view of"), [f"/view?k={token}x"])

    def _deep(self) -> Page:
        return self._page("Deeper", _text(random.Random("deep"), "Deeper into"), ["down/"])

    def _loop(self, side: str) -> Page:
        return _redirect("/loop/b" if side == "a" else "/loop/a")

    def _hop(self, number: str) -> Page:
        return _redirect(f"/hop/{int(number) + 1}")

    def _moved(self, number: str) -> Page:
        return _redirect(f"/page-{number}.html")

    def _away(self) -> Page:
        return _redirect(f"{self.neighbour.url}/")

    def _private(self) -> Page:
        text = "This page asks not to be kept, " * 8
        return self._page("Private", text, ["/behind-private"], "<meta name=robots content=noindex>")

    def _walled(self) -> Page:
        page = self._page("Walled", "The links of this page are not to be followed, " * 6, ["/hidden/2"])
        page.headers["X-Robots-Tag"] = "noindex, nofollow"
        return page

    def _leaf(self, name: str) -> Page:
        return self._page(name, _text(random.Random(name), f"What {name} has to say:"), [])

    def _robots(self) -> Page:
        text = f"User-agent: *\nDisallow: /forbidden/\nSitemap: {self.site.url}/sitemap-index.xml\n"
        return Page(text.encode(), type="text/plain")

    def _sitemap(self, which: str | None = None) -> Page:
        """An index that names itself, and a packed sitemap."""
        if which == "-index":
            names = ("/sitemap-index.xml", "/sitemap-a.xml.gz")
            entries = "".join(f"<sitemap><loc>{self.site.url}{name}</loc></sitemap>" for name in names)
            return Page(f"<sitemapindex>{entries}</sitemapindex>".encode(), type="application/xml")
        if which is None:
            return Page(b"Not here", status=404, validates=False)
        paths = [f"/listed-{number}" for number in range(_ONLY_LISTED)] + ["/page-1.html", "/excluded/page"]
        entries = "".join(f"<url><loc>{self.site.url}{path}</loc><lastmod>2026-01-01</lastmod></url>" for path in paths)
        packed = gzip.compress(f"<urlset>{entries}</urlset>".encode(), mtime=0)
        return Page(packed, type="application/gzip")


def _text(chance: random.Random, start: str) -> str:
    return f"{start} {' '.join(chance.choices(_WORDS, k=60))}."


def _redirect(target: str) -> Page:
    return Page(b"", status=301, headers={"Location": target}, validates=False)
