"""What the options of a source take from an answer, before they are saved: for the field that somebody is writing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Final, TypedDict

from veille.core.change.reading import Findings, findings
from veille.core.extract import Options, Page
from veille.core.extract.rules.css import matches
from veille.core.kinds import kind_of_source
from veille.core.models import Document, Request, Source
from veille.core.show.tried import BOUNDS, PICTURED, TriedField, TriedSample
from veille.core.traffic import Payload
from veille.core.values.near import value_near
from veille.core.values.wishes import ValueWish

#: Number of samples and lines shown, and characters of each.
_SHOWN: Final = 5
_LINES: Final = 20
_LETTERS: Final = 300


class _Listed(TypedDict):
    """A list of which the first lines are shown."""

    takes: tuple[str, ...]
    count: int


def tried_on_answer(source: Source, request: Request, payload: Payload, field: str) -> TriedField:
    """What the options of a source take from an answer; VeilleError says why nothing can be read."""
    if field in PICTURED:
        return _elements(source, payload, field)
    found = findings(source, request, payload)
    addresses = [one.url for one in found.requests]
    samples = [_sample(one) for one in found.documents[:_SHOWN]]
    samples += [TriedSample(title="", url=url) for url in addresses[: _SHOWN - len(samples)]]
    missing = tuple(one.message for one in found.notices if one.code == "value_missing")
    tried = TriedField(
        field=field, found=len(found.documents) + len(addresses), samples=tuple(samples), missing=missing
    )
    if field == "ignore":
        return replace(tried, **_ignored(source, (one.text for one in found.documents)))
    return replace(tried, **_left_out(source, request, payload, field, found)) if field in BOUNDS else tried


def tried_on_texts(source: Source, texts: Sequence[tuple[str, str]], field: str) -> TriedField:
    """The same from the titles and texts of stored documents, for fields that need nothing else (`needs_texts`)."""
    if field == "ignore":
        return TriedField(field=field, **_ignored(source, (text for _, text in texts)))
    wishes = kind_of_source(source).config.values
    samples = [TriedSample(title=title, url="", values=_near(wishes, text)) for title, text in texts[:_SHOWN]]
    known = {name for one in samples for name, _ in one.values}
    missing = tuple(f"The value {name!r} was not found." for name in wishes if name not in known)
    return TriedField(field=field, found=len(texts), samples=tuple(samples), missing=missing)


def needs_texts(source: Source, field: str) -> bool:
    """Whether a field takes what it takes from the texts of documents, not from the page."""
    wishes = kind_of_source(source).config.values
    return field == "ignore" or (field == "values" and bool(wishes) and all(one.near for one in wishes.values()))


def _near(wishes: Mapping[str, ValueWish], text: str) -> tuple[tuple[str, str], ...]:
    found = (value_near(name, text, one.near, one.type) for name, one in wishes.items())
    return tuple((one.name, one.text) for one in found if one is not None)


def _sample(document: Document) -> TriedSample:
    return TriedSample(
        title=document.title,
        url=document.url,
        text=_short(document.text),
        values=tuple((one.name, one.text) for one in document.values),
    )


def _short(text: str) -> str:
    return " ".join(text[: 4 * _LETTERS].split())[:_LETTERS]


def _listed(found: Iterable[str]) -> _Listed:
    every = list(dict.fromkeys(found))
    return {"takes": tuple(map(_short, every[:_LINES])), "count": len(every)}


def _ignored(source: Source, texts: Iterable[str]) -> _Listed:
    """The lines whose changes do not count."""
    patterns = [str(one) for one in source.config.get("ignore", ())]
    lines = (line for text in texts for line in text.splitlines() if line)
    return _listed(line for line in lines if any(fnmatchcase(line, one) for one in patterns))


def _elements(source: Source, payload: Payload, field: str) -> TriedField:
    """The elements that a picture shows, or that are covered in it."""
    written = source.config.get(field) or ()
    selectors = (written,) if isinstance(written, str) else tuple(written)
    page = Page(payload.body, payload.final_url, Options(charset=payload.charset))
    found = [node.text(separator=" ") or f"<{node.tag}>" for one in selectors for node in matches(page.tree, one)]
    return TriedField(field=field, takes=tuple(map(_short, found[:_LINES])), count=len(found))


def _left_out(source: Source, request: Request, payload: Payload, field: str, found: Findings) -> _Listed:
    """The addresses that would be read without the field."""
    bare = {name: value for name, value in source.config.items() if name != field}
    every = findings(replace(source, config=bare), request, payload)
    read = _addresses(found)
    return _listed(url for url in _addresses(every) if url not in read)


def _addresses(found: Findings) -> dict[str, None]:
    return dict.fromkeys((*(one.url for one in found.documents), *(one.url for one in found.requests)))
