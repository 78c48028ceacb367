"""One web page, or one document such as a PDF, watched for changes of its main content."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import lru_cache
from typing import Annotated, ClassVar, Final

from pydantic import Field

from veille.core.compare.boilerplate import marks_of
from veille.core.extract import AUTO, UNTITLED, Apart, Extracted, Metadata, Options, extract_page, modes, refuse_useless
from veille.core.fingerprint import content_hash, part_identity, url_identity
from veille.core.formats import FormatOptions, Paper, detect, is_binary, media_type_of, read_paper
from veille.core.formats.scans import NEEDS_EXTRA, is_installed
from veille.core.http.caching import is_just_made, modified_at
from veille.core.kinds import Finding, HttpCall, Kind, KindConfig
from veille.core.kinds._options import PAGE_WAYS, OneOf, Selectors
from veille.core.kinds._visits import VisitConfig, picture_wish, refuse_useless_visit
from veille.core.markup_bounds import SIMPLIFIED
from veille.core.models import Document, Json, Notice, Request, Source
from veille.core.news.labels import site_of
from veille.core.pick.identity import part_key
from veille.core.pick.part import PagePart
from veille.core.traffic import Payload
from veille.core.urls import scheme_of
from veille.errors import ConfigError, ReadError

#: Where a date of publication may have been read from what the page displays, which may be the date of today.
_SHOWN = frozenset({"time", "text"})
PERMANENT = frozenset({301, 308})
_NO_DETAILS: Final[Json] = {}
#: The strategy of a document that is no page starts with it.
_FORMAT = "format:"
_MISSED = (
    "Nothing on the page matches {}, so its main content was taken. Correct `selectors`; or set `mode=css`, with which "
    "a page without them is an error."
)
#: No host has a longer address: what is remembered of one is small.
_LONG_HOST = 300


class PageConfig(KindConfig):
    """Options of a page source."""

    mode: Annotated[str, OneOf(modes)] = Field(
        AUTO, title="How to find the content", description="auto, css, xpath, reader, or the one strategy to use."
    )
    selectors: Selectors = Field(
        (),
        title="Selectors of the content",
        description="CSS selectors of the content (XPath in mode xpath); in mode reader, tried last.",
    )
    parts: tuple[PagePart, ...] = Field(
        (),
        max_length=20,
        title="Parts to watch",
        description="The parts of the page that were pointed at; nothing else is watched. Each is found by its marks.",
    )
    without: tuple[PagePart, ...] = Field(
        (),
        max_length=20,
        title="Parts to ignore",
        description="The parts of the page that were pointed at as not to be watched.",
    )
    with_parts: tuple[Apart, ...] = Field(
        (),
        title="Parts to add to the text",
        description="Parts around an article that belong to the watched text too: headline, byline, captions, related, "
        "comments.",
    )
    look_twice: bool = Field(
        default=True,
        title="Check changes twice",
        description="Fetch a changed page again before it is reported, to learn what differs at every fetch.",
    )
    min_chars: int = Field(
        50,
        ge=1,
        title="Shortest text",
        description="Content with fewer characters is ignored. Unless set, all that selectors find counts; in mode "
        "reader, from 500 characters on.",
    )
    ocr: bool = Field(
        default=False,
        title="Recognise text in pictures",
        description="Recognise the text of scanned pages of PDFs, and of pictures (needs the extra `ocr`).",
    )
    ocr_pages: int = Field(
        20,
        ge=1,
        le=500,
        title="Most pages to recognise",
        description="Most pages of a document whose text is recognised; further ones are reported.",
    )


class OnePageConfig(PageConfig, VisitConfig):
    """Options of a source that is one page."""

    own_document: bool = Field(
        default=False,
        title="A document of its own",
        description="Keep what is found apart from what other sources find at the same address, such as the page "
        "without a part beside the whole page. Sources that watch parts or selectors always do.",
    )


class PageKind(Kind):
    """A page gives one document: itself."""

    Config: ClassVar[type[KindConfig]] = OnePageConfig
    config: PageConfig
    value_ways = PAGE_WAYS

    def read(self, source: Source, request: Request, payload: Payload) -> Iterator[Finding]:
        del source
        for found in self.found(request, payload):
            yield found
            if isinstance(found, Document) and self._is_missed(found):
                selectors = ", ".join(self.config.selectors)
                yield Notice(code="selectors_missed", url=request.url, message=_MISSED.format(selectors))

    def _is_missed(self, found: Document) -> bool:
        """Whether a page was read without what its selectors should have found."""
        config = self.config
        is_asked = config.selectors and config.mode == AUTO and not config.parts
        is_page = found.strategy and not found.strategy.startswith(_FORMAT)
        return bool(is_asked and is_page and found.strategy != "selectors")

    def call(self, source: Source, request: Request) -> HttpCall:
        plain = super().call(source, request)
        if not isinstance(self.config, VisitConfig):
            return plain
        return replace(plain, steps=self.config.steps, picture=picture_wish(self.config))

    def check(self) -> None:
        super().check()
        refuse_useless(self.extraction())
        if isinstance(self.config, VisitConfig):
            refuse_useless_visit(self.config)
        if self.config.ocr and not is_installed():
            raise ConfigError(NEEDS_EXTRA, code="needs_extra")

    def found(self, request: Request, payload: Payload) -> Iterator[Document | Notice]:
        """The document of an answer, and what was left out of it."""
        ocr_pages = self.config.ocr_pages if self.config.ocr else 0
        document = document_of(request, payload, self.extraction(payload), ocr_pages=ocr_pages)
        if part_key(self.config.model_dump(mode="json", exclude_unset=True)):
            # Other sources may watch other parts of the same page.
            document = replace(document, keys=tuple(part_identity(request.source_id, key) for key in document.keys))
        yield document
        if left_out := document.meta.get("ocr_left_out"):
            message = (
                f"The text of {left_out} scanned pages was not recognised: up to {ocr_pages} pages of a document are, "
                "if their pictures are not too large. `ocr_pages` sets the limit."
            )
            yield Notice(code="over_ocr", url=request.url, message=message)

    def extraction(self, payload: Payload | None = None) -> Options:
        """The extraction options, with the charset of the answer if there is one."""
        config = self.config
        # Each mode has its own default.
        least = {"min_chars": config.min_chars} if "min_chars" in config.model_fields_set else {}
        charset = payload.charset if payload else ""
        return Options(
            mode="parts" if config.parts else config.mode,
            selectors=config.selectors,
            parts=config.parts,
            without=config.without,
            with_parts=config.with_parts,
            charset=charset,
            values=config.values,
            offers=config.offers,
            **least,
        )


def document_of(
    request: Request,
    payload: Payload,
    options: Options = Options(),  # noqa: B008 - frozen
    *,
    detailed: bool = False,
    ocr_pages: int = 0,
) -> Document:
    """The document of an answer, a web page or a file; also for addresses that another kind followed.

    With `detailed`, it is an entry of a listing, and `meta` also has section, tags, type, site and outgoing links of a
    page. With `ocr_pages`, the text of that many pages that are pictures is recognised.
    """
    name = detect(payload.body, payload.media_type, payload.final_url, ocr=ocr_pages > 0)
    if name is not None:
        hints = FormatOptions(charset=payload.charset, url=payload.final_url, ocr_pages=ocr_pages)
        paper = read_paper(payload.body, name, hints)
        return _paper_document(name, paper, request, payload)
    if is_binary(payload.body):
        said = payload.media_type
        what = f"It is sent as {said}, but is" if said.startswith("text/") else f"It is {said or 'data'}, which is"
        raise ReadError(f"This is not a page. {what} binary.", code="unsupported")
    extracted = extract_page(payload.body, payload.final_url, options)
    details = _details(extracted, payload.final_url) if detailed else {}
    return page_document(extracted, request, payload, shown=not detailed, details=details)


def _paper_document(name: str, paper: Paper, request: Request, payload: Payload) -> Document:
    """The document of a file: its text and metadata; the bytes are not stored."""
    quality = paper.quality
    hint = {"version_hint": paper.version_hint} if paper.version_hint else {}
    modified, by = _modified(paper.modified, paper.created, payload)
    return Document(
        keys=_keys(request, payload),
        url=payload.final_url,
        title=paper.title,
        text=paper.text,
        lang=paper.language,
        authors=paper.authors,
        published_at=paper.created,
        modified_at=modified,
        media_type=media_type_of(name),
        strategy=_FORMAT + name,
        meta={
            "format": name,
            "needs_ocr": quality.needs_ocr,
            "text_quality": asdict(quality),
            **hint,
            **by,
            **_ocr(paper),
        },
        content_hash=content_hash(paper.text),
    )


def _ocr(paper: Paper) -> Json:
    """What the reading says of recognised text; nothing if none was looked for."""
    done = paper.recognised
    if done is None:
        return {}
    left_out = {"ocr_left_out": done.left_out} if done.left_out else {}
    return {"ocr": bool(done.pages), "ocr_pages": list(done.pages), "ocr_confidence": done.confidence, **left_out}


def page_document(
    extracted: Extracted, request: Request, payload: Payload, *, shown: bool = True, details: Json = _NO_DETAILS
) -> Document:
    """The document of a fetched page; also for pages that another kind followed.

    Without `shown` it is compared as a text, not as a page that may differ at every fetch. `details` are put in `meta`.
    """
    meta = extracted.metadata
    text = extracted.content.text if extracted.content else ""
    modified, by = _modified(meta.modified_at, meta.published_at, payload)
    if meta.date_origin in _SHOWN:
        by = by | {"published_by": "display"}
    return Document(
        keys=_keys(request, payload),
        url=payload.final_url,
        # The reader view shows "Untitled"; a stored document has an empty title instead.
        title="" if meta.title == UNTITLED else meta.title,
        text=text,
        html=extracted.content.markup if extracted.content else "",
        lang=meta.lang,
        authors=meta.authors,
        summary=meta.description,
        published_at=meta.published_at,
        modified_at=modified,
        strategy=extracted.strategy or "",
        quality=extracted.quality,
        meta=details | ({SIMPLIFIED: True} if SIMPLIFIED in extracted.reasons else {}) | by,
        values=extracted.values,
        shown=shown,
        beside=marks_of(extracted.content.beside) if shown and extracted.content else (),
        content_hash=content_hash(text),
    )


def _modified(own: int | None, published: int | None, payload: Payload) -> tuple[int | None, Json]:
    """When a document was modified, and whose word that is: its own, else the server's or that of the file."""
    if own is not None:
        return own, {"modified_by": "document"}
    said = modified_at(payload)
    # The time of the fetch is only better than nothing.
    if said is None or (published is not None and is_just_made(said, payload.fetched_at)):
        return None, {}
    return said, {"modified_by": "file" if scheme_of(payload.final_url) == "file" else "server"}


def _details(extracted: Extracted, url: str) -> Json:
    meta = extracted.metadata
    return {
        "section": meta.section,
        "tags": list(meta.tags),
        "article_type": meta.article_type,
        "category_guess": meta.category_guess,
        "site_name": meta.site_name,
        **_out_links(meta, url),
    }


def _out_links(meta: Metadata, url: str) -> Json:
    """The links to other sites with their texts, in order; those beyond a limit are only counted."""
    site = site_of(url)
    # Most links lead to the same host: for these the parse is skipped.
    home = "/".join(url.split("/", 3)[:3]) + "/"
    kept, left_out = meta.find_outgoing(home, lambda target: _site(target) not in {site, ""})
    return {"out_links": kept, **({"out_links_left_out": left_out} if left_out else {})}


def _site(target: str) -> str:
    """`site_of` an absolute address. The pages of a site link to the same others."""
    origin = "/".join(target.split("/", 3)[:3])
    return _site_at(origin) if len(origin) <= _LONG_HOST else site_of(origin)


_site_at = lru_cache(maxsize=4096)(site_of)


def _keys(request: Request, payload: Payload) -> tuple[str, ...]:
    # A temporary redirect (to a login page, to today's edition) says nothing about the identity of the page.
    moved = payload.redirects and all(status in PERMANENT for status, _ in payload.redirects)
    urls = (request.url, payload.final_url) if moved else (request.url,)
    return tuple(dict.fromkeys(map(url_identity, urls)))
