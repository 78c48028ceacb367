"""A whole site: every page and document that can be reached from its start within its bounds, each watched separately.

Pages are found by links and by the sitemaps that robots.txt names. Each page is one document and is fetched at every
check; a sitemap that says when a page changed saves most of these fetches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from pydantic import AliasChoices, Field

from veille.core.crawl.bounds import PLAIN, Address, Bounds, address_of, pattern_of
from veille.core.crawl.sitemaps import is_sitemap, parse_sitemap
from veille.core.extract import Extracted, extract_page
from veille.core.extract.tree.prescan import tree_of
from veille.core.fingerprint import url_identity
from veille.core.formats import detect, extensions, is_binary
from veille.core.http.robots import Robots, product, text_of
from veille.core.kinds import Finding
from veille.core.kinds._options import Patterns, Several
from veille.core.kinds.page import PageConfig, PageKind, page_document
from veille.core.markup_bounds import SIMPLIFIED
from veille.core.models import Budget, Document, Notice, Request, Source
from veille.core.traffic import Payload
from veille.core.urls import canonical, host_of, join, url_key
from veille.errors import ConfigError, ReadError

PAGE: Final = "page"
SITEMAP: Final = "sitemap"
ROBOTS: Final = "robots"
#: A page whose `lastmod` is unchanged is still fetched at every Nth check: not all sites keep `lastmod` up to date.
_TRUST_TURNS = 7
_MAX_HOPS = 5
_MAX_NESTING = 3
_NOT_KEPT = "The page asks not to be kept; what was kept before it asked stays as it was, and its links are read."
#: Maximum number of links read from one page: few pages have a thousand, and so many take a second or two.
MOST_LINKS: Final = 10_000
#: Our agent name in X-Robots-Tag, unless the source has its own user agent.
_AGENT = "veille"
#: Robots directives with a value, which may itself look like a directive: `max-image-preview: none`.
_VALUED = re.compile(r"(?<![\w-])(?:unavailable_after|max-[a-z-]++)\s*+:[^,]*+")


class SiteConfig(PageConfig):
    """Options of a site source."""

    seeds: Several = Field((), title="Further addresses", description="Further addresses to start from.")
    hosts: Several = Field(
        (),
        validation_alias=AliasChoices("hosts", "allowed_domains"),
        description="Hosts of the site, such as example.org or *.example.org; by default those of the seeds.",
    )
    include: Patterns = Field(
        (),
        title="Only these addresses",
        description="Only such addresses: */news/*, or re: and a regular expression. Seeds are always read.",
    )
    exclude: Patterns = Field((), title="Never these addresses", description="Never such addresses.")
    max_depth: int = Field(
        25, ge=0, le=10_000, title="Most links away", description="Most links from a seed to a page."
    )
    max_pages: int = Field(10_000, gt=0, le=10_000_000, title="Most pages", description="Pages and documents in all.")
    max_per_pattern: int = Field(
        5_000,
        gt=0,
        title="Most addresses of one pattern",
        description="Addresses that differ only in numbers, tokens and values (calendars, sessions).",
    )
    max_repeats: int = Field(
        50,
        gt=0,
        title="Most addresses of one pattern in a row",
        description="How often addresses of one pattern may link to each other (next month, next month).",
    )
    max_run_s: float = Field(
        0, ge=0, title="Longest check, in seconds", description="The rest waits for the next check. 0: no limit."
    )
    sitemaps: bool = Field(
        default=True, title="Read sitemaps", description="Read the sitemaps that robots.txt names, and /sitemap.xml."
    )
    trust_lastmod: bool = Field(
        default=True,
        title="Trust the dates of sitemaps",
        description=f"Fetch pages with an unchanged lastmod only at every {_TRUST_TURNS}th check.",
    )
    attachments: Several = Field(
        tuple(sorted(extensions())), title="Types of documents", description="Extensions of documents that are read."
    )
    keep_pages: bool = Field(default=True, description="Store pages; otherwise only documents are stored.")
    obey_meta: bool = Field(default=True, title="Rules within pages", description="Obey noindex and nofollow.")


class SiteKind(PageKind):
    """A site gives one document per page."""

    Config = SiteConfig
    config: SiteConfig
    stays = True

    @property
    def budget(self) -> Budget:
        options = self.config
        return Budget(
            pages=options.max_pages, per_pattern=options.max_per_pattern, run_ms=round(options.max_run_s * 1000)
        )

    def start(self, source: Source) -> Iterator[Request]:
        seeds = dict.fromkeys((source.url, *map(canonical, self.config.seeds)))
        bounds = self._bounds(source)
        for seed in seeds:
            if not bounds.has_host(host_of(seed)):
                raise ConfigError(
                    f"The seed {seed} is on none of the hosts {', '.join(bounds.hosts)}; add its host to `hosts`.",
                    code="seed_out_of_scope",
                )
            yield self.request(source, seed, depth=1, pattern=PLAIN)
        if self.config.sitemaps:
            for origin in dict.fromkeys(join(seed, "/") or seed for seed in seeds):
                yield self._aside(source, f"{origin}robots.txt", ROBOTS)
                yield self._aside(source, f"{origin}sitemap.xml", SITEMAP)

    def one(self, source: Source, url: str) -> Request:
        """The request for one address of the site, already found or not; ConfigError if it is out of bounds."""
        found = address_of(url)
        for seed in self.start(source):
            if found is not None and seed.purpose == "root" and url_key(seed.url) == found.key:
                return seed
        if found is None or not self._bounds(source).admit(found):
            raise ConfigError(
                f"{url} is not within bounds; see `hosts`, `include`, `exclude` and the types of files.",
                code="out_of_scope",
            )
        request = self._follow(source, Request(id="", source_id=source.id, url=source.url, depth=1), found)
        if isinstance(request, Notice):
            raise ConfigError(request.message, code="out_of_scope")
        return request

    def covers(self, source: Source, url: str, depth: int) -> bool:
        """Whether a page that was found earlier is still within bounds with these options."""
        found = address_of(url)
        if found is None or found.key in self._seed_keys(source):
            return True
        return depth - 1 <= self.config.max_depth and self._bounds(source).admit(found)

    def read(self, source: Source, request: Request, payload: Payload) -> Iterator[Finding]:
        if payload.leads_on:
            yield from self._led_on(source, request, payload)
        elif request.purpose == ROBOTS:
            for link in Robots(text_of(payload.body), "*").sitemaps:
                yield from self._sitemap(source, request, link, payload.final_url)
        elif request.purpose == SITEMAP or (request.purpose == "root" and is_sitemap(payload.body)):
            yield from self._listed(source, request, payload)
        else:
            yield from self._page(source, request, payload)

    def _bounds(self, source: Source) -> Bounds:
        options = self.config
        named = options.hosts or tuple(map(host_of, (source.url, *options.seeds)))
        return Bounds(
            hosts=tuple(dict.fromkeys(host.lower().removeprefix("www.") for host in named)),
            include=tuple(map(pattern_of, options.include)),
            exclude=tuple(map(pattern_of, options.exclude)),
            attachments=frozenset(ending.lower().lstrip(".") for ending in options.attachments),
            readable=extensions(),
        )

    def _aside(self, source: Source, url: str, purpose: str, **more: Any) -> Request:
        """A request that helps to find pages; it is no error if it is missing."""
        return self.request(source, url, purpose, every=1, depth=1, optional=True, **more)

    def _page(self, source: Source, request: Request, payload: Payload) -> Iterator[Finding]:
        if detect(payload.body, payload.media_type, payload.final_url) or is_binary(payload.body):
            for found in self.found(request, payload):
                yield _placed(found, request) if isinstance(found, Document) else found
            return
        extracted = extract_page(payload.body, payload.final_url, self.extraction(payload))
        agent = product(self.config.user_agent or _AGENT).lower()
        words = _robots_words(extracted, payload, agent) if self.config.obey_meta else frozenset()
        if words & {"noindex", "none"}:
            yield Notice(code="noindex", url=request.url, message=_NOT_KEPT)
        elif self.config.keep_pages:
            yield _placed(_with_claims(page_document(extracted, request, payload), extracted), request)
        if not words & {"nofollow", "none"}:
            yield from self._linked(source, request, self._links(extracted, payload), payload.final_url)

    def _links(self, extracted: Extracted, payload: Payload) -> Iterator[str]:
        if extracted.metadata.canonical_url:
            yield extracted.metadata.canonical_url
        if SIMPLIFIED not in extracted.reasons:
            yield from _alternates(payload)
        for link in extracted.metadata.links:
            if not (self.config.obey_meta and "nofollow" in link.rel.lower().split()):
                yield link.url

    def _linked(self, source: Source, request: Request, links: Iterator[str], base: str) -> Iterator[Finding]:
        bounds = self._bounds(source)
        mine = address_of(request.url)
        seen = self._seed_keys(source) | ({mine.key} if mine else set())
        for link in islice(links, MOST_LINKS):
            found = _absolute(base, link)
            if found is None or found.key in seen or not bounds.admit(found):
                continue
            seen.add(found.key)
            yield self._follow(source, request, found, parent=base)
        if next(links, None) is not None:
            message = f"The page has more than {MOST_LINKS:,} links; further ones are left out. `seeds` can name them."
            yield Notice(code="over_links", url=request.url, message=message)

    def _follow(
        self, source: Source, request: Request, found: Address, *, stamp: str = "", parent: str = ""
    ) -> Request | Notice:
        depth = request.depth + 1
        trail: dict[str, int] = dict(request.context.get("trail", {}))
        if found.shape != PLAIN:
            trail[found.shape] = trail.get(found.shape, 0) + 1
        if found.winds or trail.get(found.shape, 0) > self.config.max_repeats:
            message = (
                f"Addresses like {found.url} seem to go on for ever; this one and further ones are left out. "
                "`max_repeats` sets the limit, `exclude` leaves them all out."
            )
            return Notice(code="trap", url=found.url, message=message, about=found.shape)
        if depth - 1 > self.config.max_depth:
            message = f"It is more than {self.config.max_depth} links away; `max_depth` sets the limit."
            return Notice(code="too_deep", url=found.url, message=message, about="depth")
        return self.request(
            source,
            found.url,
            PAGE,
            key=found.key,
            stamp=stamp,
            every=_TRUST_TURNS if stamp else 1,
            depth=depth,
            pattern=found.pattern,
            # The count first: of two paths to a page at the same depth, the one with fewer repeats is kept.
            context=({"again": f"{trail.get(found.shape, 0):05}", "trail": trail} if trail else {})
            | ({"parent": parent} if parent else {}),
        )

    def _led_on(self, source: Source, request: Request, payload: Payload) -> Iterator[Finding]:
        """A redirect to another page: the target becomes its own request, if it is within bounds."""
        hops = [*request.context.get("hops", ()), request.url]
        target = address_of(payload.final_url)
        if target is None or not self._bounds(source).admit(target):
            message = f"It leads out of the site, to {payload.final_url}; add that host to `hosts` if it belongs to it."
            yield Notice(code="off_site", url=request.url, message=message)
        elif target.url in hops or len(hops) > _MAX_HOPS:
            yield Notice(code="redirect_loop", url=request.url, message="The redirects do not end; it is left out.")
        elif request.purpose in {ROBOTS, SITEMAP}:
            yield self._aside(source, target.url, request.purpose, context={"hops": hops})
        elif target.key not in self._seed_keys(source):
            # Same depth as the page that redirects there.
            nearer, parent = replace(request, depth=request.depth - 1), request.context.get("parent", "")
            found = self._follow(source, nearer, target, parent=parent)
            yield replace(found, context={**found.context, "hops": hops}) if isinstance(found, Request) else found

    def _seed_keys(self, source: Source) -> set[str]:
        return {seed.key for url in (source.url, *self.config.seeds) if (seed := address_of(url))}

    def _listed(self, source: Source, request: Request, payload: Payload) -> Iterator[Finding]:
        try:
            sitemap = parse_sitemap(payload.body)
        except ReadError as error:
            if error.code == "sitemap.unknown_format" and not request.context:
                return  # For a guessed address, many sites answer with a page.
            yield Notice(code=error.code, url=request.url, message=str(error))
            return
        if sitemap.is_cut:
            yield Notice(code="over_budget", url=request.url, message="The sitemap has more entries than are read.")
        for link in sitemap.sitemaps:
            yield from self._sitemap(source, request, link, payload.final_url)
        bounds, start = self._bounds(source), Request(id="", source_id=source.id, url=payload.final_url, depth=1)
        seeds = self._seed_keys(source)
        for link, changed in sitemap.pages:
            found = _absolute(payload.final_url, link)
            if found is not None and bounds.admit(found) and found.key not in seeds:
                yield self._follow(source, start, found, stamp=changed if self.config.trust_lastmod else "")

    def _sitemap(self, source: Source, request: Request, link: str, base: str) -> Iterator[Finding]:
        nesting = int(request.context.get("nesting", 0)) + 1
        url = join(base, link)
        if url is None or not self._bounds(source).has_host(host_of(url)):
            return
        if nesting > _MAX_NESTING:
            yield Notice(code="too_deep", url=url, message="Sitemaps name sitemaps again and again.", about="sitemaps")
            return
        yield self._aside(source, url, SITEMAP, pattern="?sitemap", context={"nesting": nesting})


def _placed(document: Document, request: Request) -> Document:
    """Add the page that links to the document; sitemaps do not count."""
    parent = request.context.get("parent")
    return replace(document, meta=document.meta | {"parent_url": parent}) if parent else document


def _with_claims(document: Document, extracted: Extracted) -> Document:
    """Add the canonical address of a page as a claim; it is accepted if that page has the same text."""
    home = address_of(extracted.metadata.canonical_url) if extracted.metadata.canonical_url else None
    if home is None or url_identity(home.url) in document.keys:
        return document
    return replace(document, claims=(url_identity(home.url),))


def _absolute(base: str, link: str) -> Address | None:
    # Most links are absolute already; for these the join is skipped.
    url = link if link.startswith(("http://", "https://")) else join(base, link)
    return address_of(url) if url else None


def _robots_words(extracted: Extracted, payload: Payload, agent: str) -> frozenset[str]:
    """The robots directives of the page and its headers; an agent name in a header applies to the rest of it."""
    words: set[str] = set()
    for line in (extracted.metadata.robots, *payload.robots.split("\n")):
        is_ours = True
        for part in _VALUED.sub("", line.lower()).split(","):
            name, colon, rest = (piece.strip() for piece in part.partition(":"))
            if colon:
                is_ours = name in {"*", agent}
            if is_ours:
                words.update((rest if colon else name).split())
    return frozenset(words)


def _alternates(payload: Payload) -> Iterator[str]:
    """The same page in other languages."""
    if b"hreflang" not in payload.body:
        return
    for node in tree_of(payload.body).css("link[hreflang][href]"):
        if "alternate" in (node.attributes.get("rel") or "").lower():
            yield node.attributes.get("href") or ""
