"""Article pages made from a seed: the same bytes on every machine, shaped like those of real news sites.

A page has 30 to 60 KB, of which a tenth or so is the article: the rest is what extraction and parsing have to
get past (menus, style sheets, icons, inlined state, teasers, comments).
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from itertools import accumulate

#: Stands in the text of every PLANTED_EVERY-th article and nowhere else on the site.
PLANTED = "quokkaline"
PLANTED_EVERY = 7

_SYLLABLES = (
    "ba be bi bo da de di do fa fe fi ga go ka ke ki la le li lo ma me mi mo na ne no pa pe po ra re ri ro sa se si so "
    "ta te ti to va ve vi za ber cal den fer gan hal jor kel lin mon nor pel ran sol tur ver win"
).split()
_COMMON = (
    "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which "
    "one you were all their there been if more when will would who so no she other its may these what them than some"
).split()
_VOCABULARY = 20_000


@dataclass(frozen=True)
class Article:
    """One page of the site."""

    path: str
    title: str
    summary: str
    #: RFC 822, for the feed.
    published: str
    html: bytes


class Press:
    """Writes the articles of one site; article `n` depends on the seed and `n` alone."""

    def __init__(self, seed: int, pages: int) -> None:
        self._seed = seed
        self._pages = pages
        rng = random.Random(seed)
        made = {"".join(rng.choices(_SYLLABLES, k=rng.randint(2, 4))) for _ in range(_VOCABULARY * 2)}
        # Zipf's law, as in any language: a few words are most of a text, and most words are rare.
        self._words = _COMMON + sorted(made - {PLANTED})[:_VOCABULARY]
        self._weights = list(accumulate(1 / (rank + 3) for rank in range(len(self._words))))
        self._menu = self._navigation(rng)
        self._style = _style(rng)

    def title(self, n: int) -> str:
        """The title of article `n`; no two are equal."""
        rng = random.Random(f"{self._seed}/title/{n}")
        return f"{self._phrase(rng, 6).capitalize()} {n}"

    def article(self, n: int) -> Article:
        rng = random.Random(f"{self._seed}/{n}")
        title, summary = self.title(n), self._sentence(rng)
        day = f"{n % 28 + 1:02}"
        html = "".join(
            (
                '<!DOCTYPE html>\n<html lang="en">\n<head>\n',
                self._head(rng, n, title, summary, day),
                "</head>\n<body>\n",
                self._menu,
                self._around(rng, n, self._body(rng, n, title, day)),
                self._footer(rng),
                "</body>\n</html>\n",
            )
        )
        return Article(
            path=path(n), title=title, summary=summary, published=f"{day} Jan 2026 08:00:00 GMT", html=html.encode()
        )

    def _head(self, rng: random.Random, n: int, title: str, summary: str, day: str) -> str:
        linked = {
            "@context": "https://schema.org",
            "@type": "NewsArticle",
            "headline": title,
            "datePublished": f"2026-01-{day}T08:00:00Z",
            "author": {"@type": "Person", "name": _author(n)},
        }
        state = {
            "user": None,
            "flags": {self._word(rng): rng.random() < 0.5 for _ in range(60)},
            "teasers": [{"id": rng.getrandbits(48), "t": self._phrase(rng, 7)} for _ in range(rng.randint(40, 120))],
        }
        return (
            f'<meta charset="utf-8">\n<title>{title} | The Loopback Courier</title>\n'
            f'<meta name="description" content="{summary}">\n<meta property="og:title" content="{title}">\n'
            f'<meta property="og:type" content="article">\n<meta name="author" content="{_author(n)}">\n'
            f'<meta property="article:published_time" content="2026-01-{day}T08:00:00Z">\n'
            f'<link rel="canonical" href="{path(n)}">\n<style>{self._style}</style>\n'
            f'<script type="application/ld+json">{json.dumps(linked)}</script>\n'
            f"<script>window.__STATE__ = {json.dumps(state)};</script>\n"
        )

    def _body(self, rng: random.Random, n: int, title: str, day: str) -> str:
        blocks = [self._block(rng, k) for k in range(rng.randint(12, 30))]
        if n % PLANTED_EVERY == 0:
            blocks.insert(len(blocks) // 2, f"<p>{self._sentence(rng)} {PLANTED} {self._sentence(rng)}</p>\n")
        return (
            f'<h1 class="headline">{title}</h1>\n<p class="byline">By <a rel="author" href="/people/{n % 40}">'
            f'{_author(n)}</a> <time datetime="2026-01-{day}T08:00:00Z">{day} January 2026</time></p>\n'
        ) + "".join(blocks)

    def _block(self, rng: random.Random, position: int) -> str:
        kind = rng.random()
        if position and kind < 0.08:
            return f"<h2>{self._phrase(rng, 5).capitalize()}</h2>\n"
        if position and kind < 0.14:
            items = "".join(f"<li>{self._sentence(rng)}</li>" for _ in range(rng.randint(3, 6)))
            return f"<ul>{items}</ul>\n"
        if position and kind < 0.18:
            return f"<blockquote><p>{self._sentence(rng)}</p></blockquote>\n"
        if position and kind < 0.24:
            return (
                f'<figure><picture><source srcset="/img/{position}.webp 1x, /img/{position}@2x.webp 2x">'
                f'<img src="/img/{position}.jpg" alt="{self._phrase(rng, 4)}" width="640" height="360"></picture>'
                f"<figcaption>{self._sentence(rng)}</figcaption></figure>\n"
            )
        return f"<p>{' '.join(self._marked(rng) for _ in range(rng.randint(2, 6)))}</p>\n"

    def _marked(self, rng: random.Random) -> str:
        sentence = self._sentence(rng)
        if rng.random() < 0.2:
            head, _, tail = sentence.partition(" ")
            tag = rng.choice(("em", "strong", f'a href="{path(rng.randrange(self._pages))}"'))
            sentence = f"<{tag}>{head}</{tag.split()[0]}> {tail}"
        return sentence

    def _around(self, rng: random.Random, n: int, body: str) -> str:
        """The article in one of four layouts, between teasers and comments."""
        teasers = "".join(self._teaser(rng) for _ in range(rng.randint(24, 60)))
        comments = "".join(
            f'<li class="comment"><cite>{self._word(rng)}</cite><p>{self._sentence(rng)}</p></li>\n'
            for _ in range(rng.randint(0, 8))
        )
        layouts = (
            '<main id="main"><article class="post">{}</article></main>',
            '<main role="main"><div class="entry-content">{}</div></main>',
            '<div id="page"><div class="row"><article itemprop="articleBody">{}</article></div></div>',
            '<div class="wrap"><div class="col-8"><div class="article-content">{}</div></div></div>',
        )
        return (
            f"{layouts[n % len(layouts)].format(body)}\n"
            f'<aside class="sidebar"><h3>Most read</h3><div class="teasers">{teasers}</div></aside>\n'
            f'<aside class="comments" id="comments"><h3>Comments</h3><ol>{comments}</ol></aside>\n'
        )

    def _teaser(self, rng: random.Random) -> str:
        n = rng.randrange(self._pages)
        return (
            f'<div class="teaser card card--small" data-id="{rng.getrandbits(40)}"><a href="{path(n)}">'
            f'<img loading="lazy" data-src="/img/{n}.jpg" alt=""><span class="kicker">{self._word(rng)}</span>'
            f'<span class="card__title">{self._phrase(rng, 7)}</span></a></div>\n'
        )

    def _navigation(self, rng: random.Random) -> str:
        sections = "".join(
            f'<li class="nav__item"><a class="nav__link" href="/section/{s}"><svg width="16" height="16" '
            f'viewBox="0 0 16 16"><path d="M{rng.random():.4f} {rng.random():.4f}L8 8z"/></svg>{self._word(rng)}</a>'
            f"<ul>{self._topics(rng, s)}</ul></li>\n"
            for s in range(12)
        )
        return (
            '<header class="top"><a class="logo" href="/">The Loopback Courier</a>'
            f"<nav><ul>{sections}</ul></nav></header>\n"
        )

    def _topics(self, rng: random.Random, section: int) -> str:
        return "".join(f'<li><a href="/section/{section}/{t}">{self._word(rng)}</a></li>' for t in range(8))

    def _footer(self, rng: random.Random) -> str:
        links = "".join(f'<li><a href="/about/{k}">{self._phrase(rng, 2)}</a></li>' for k in range(40))
        return (
            f'<footer class="bottom"><ul>{links}</ul><p>© The Loopback Courier</p></footer>\n'
            f"<script>(function(w,d){{var q=w.q=w.q||[];q.push({rng.getrandbits(60)});}})(window,document);</script>\n"
        )

    def _word(self, rng: random.Random) -> str:
        return rng.choices(self._words, cum_weights=self._weights)[0]

    def _phrase(self, rng: random.Random, words: int) -> str:
        return " ".join(rng.choices(self._words, cum_weights=self._weights, k=words))

    def _sentence(self, rng: random.Random) -> str:
        return f"{self._phrase(rng, rng.randint(8, 24)).capitalize()}."


def path(n: int) -> str:
    """Where article `n` stands."""
    return f"/2026/01/article-{n}"


def planted(pages: int) -> int:
    """How many of so many articles hold the planted word."""
    return -(-pages // PLANTED_EVERY)


def _author(n: int) -> str:
    return f"Author Number{n % 40}"


def _style(rng: random.Random) -> str:
    return "".join(
        f".c{k}{{margin:{rng.randint(0, 40)}px;color:#{rng.getrandbits(24):06x};display:flex}}" for k in range(130)
    )
