"""Splitting of a text for retrieval: at headings first, then paragraphs, then sentences, each chunk within a size.

A text is cut where no better place is near: within some words before and after. Places are ranked by their kind, then
by a hash: of the heading's own words, else of the first words of the block before, so that text inserted at a cut
joins the later chunk. An edit therefore only moves cuts that are near it, and all other chunks keep their hashes.
Sizes are in words; a long string without spaces counts as several, and so does text in a script without spaces.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final
from zlib import crc32

from veille.core.chunk.outline import blocks
from veille.core.dates import iso, iso_or_none
from veille.core.fingerprint import content_hash
from veille.core.formats import name_of
from veille.core.models import Json
from veille.core.records import Chunk, Revision
from veille.core.text import UNSPACED_LETTERS, UNSPACED_SIGNS
from veille.errors import ConfigError

_WORD: Final = re.compile(
    rf"[{UNSPACED_SIGNS}]{{1,2}}|[{UNSPACED_LETTERS}]{{1,6}}|[^\s{UNSPACED_SIGNS}{UNSPACED_LETTERS}]{{1,40}}"
)
#: A run of dots is tried from its beginning only: from each dot, a line of them would take hours.
_SENTENCE: Final = re.compile(
    r"(?<![.!?…؟۔])[.!?…؟۔]++[\"'”’»)\]]*+\s+|[。！？]+[」』”]*|\n"  # noqa: RUF001 - as they are written
)
#: Kinds of places to cut, the best first; headings have their levels, 1 to 6.
_PARAGRAPH, _SENTENCE_START, _ANY_WORD, _BEHIND_HEADING = 7, 8, 9, 10
#: How many first words of a block or sentence identify the place after it; edits further on do not affect it.
_HASHED_WORDS: Final = 6
#: Divisors of the size: the distance within which a place must be the best, and the margin at the ends of a piece in
#: which it is not cut. Chunks average little more than half of the size, so that most can grow by a paragraph uncut.
_REACH, _MARGIN = 4, 8
#: Pieces of more sizes than this are cut near their middle, so that none is scanned again and again.
_MOST_SIZES: Final = 16

_Rank = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkOptions:
    """The maximum length of a chunk, how much of the previous one it repeats, and the minimum length of an end."""

    size: int = 512
    overlap: int = 64
    least: int = 32

    def __post_init__(self) -> None:
        if not 0 <= self.overlap <= self.size // 2 or not 0 <= self.least <= self.size // 4 or self.size < 1:
            raise ConfigError(
                f"Chunks of {self.size} words cannot overlap by {self.overlap}: overlap by half of the size at most.",
                code="bad_chunks",
            )


DEFAULT: Final = ChunkOptions()


def chunks(revision: Revision, options: ChunkOptions = DEFAULT) -> list[Chunk]:
    """The chunks of a revision."""
    return chunks_of(revision.text, revision.html, revision.url, revision.document_id, options)


def chunks_of(
    text: str, html: str = "", url: str = "", document_id: str = "", options: ChunkOptions = DEFAULT
) -> list[Chunk]:
    """The chunks of a text, in order; together they cover all of it. Its HTML identifies headings and code."""
    starts, ranks = _cuts(text, html, options)
    count = len(starts)
    if not count:
        return []
    bounds = [0, count] if count <= options.size else _bounds(ranks, count, options)
    ends = [*starts, len(text)]
    made: list[Chunk] = []
    repeatable = 0
    for index, (first, last) in enumerate(pairwise(bounds)):
        start, end = ends[first] if index else 0, ends[last]
        kind = ranks[first or bounds[1]][0] if len(bounds) > 2 else 0  # noqa: PLR2004 - more than one
        overlap = 0
        if index and kind >= _PARAGRAPH:
            overlap = min(options.overlap, options.size - (last - first), repeatable)
        piece = text[ends[first - overlap] if overlap else start : end]
        repeatable = overlap + last - first
        made.append(
            Chunk(
                id=chunk_id(url, index),
                document_id=document_id,
                index=index,
                total=len(bounds) - 1,
                text=piece if len(bounds) == 2 else piece.strip(),  # noqa: PLR2004 - a text that fits stays verbatim
                strategy="section" if kind < _PARAGRAPH else "paragraph" if kind == _PARAGRAPH else "length",
                content_hash=content_hash(piece),
                start=start,
                end=end,
                overlap=overlap,
            )
        )
    return made


def chunk_id(url: str, index: int) -> str:
    """The id of a chunk: a hash of its document's address and its index (R-132)."""
    return hashlib.sha256(f"{url}#{index}".encode("utf-8", "replace")).hexdigest()


def chunk_json(chunk: Chunk, revision: Revision) -> Json:
    """A chunk in the public format (R-131). Times are ISO 8601; unknown values are null."""
    meta = revision.meta
    media_type = str(meta.get("media_type", ""))
    return {
        "id": chunk.id,
        "source_url": revision.url,
        "parent_url": meta.get("parent_url"),
        "source_type": name_of(media_type) or media_type.rpartition("/")[2] or None,
        "title": revision.title,
        "language": revision.lang or None,
        "version_hint": meta.get("version_hint"),
        "text": chunk.text,
        "chunk_index": chunk.index,
        "chunk_total": chunk.total,
        "chunk_strategy": chunk.strategy,
        "content_hash": chunk.content_hash,
        "last_modified": iso_or_none(revision.last_modified),
        "crawl_timestamp": iso(revision.extracted_at),
        "tags": list(meta.get("tags", ())),
    }


def _cuts(text: str, html: str, options: ChunkOptions) -> tuple[list[int], dict[int, _Rank]]:
    """Where the words of a text begin, and where it may be cut: by word index, the rank of the place before it."""
    words = _WORD.findall(text)
    starts = [match.start() for match in _WORD.finditer(text)]
    ranks: dict[int, _Rank] = {}

    def place(word: int, kind: int, named_by: tuple[int, int]) -> None:
        name = words[named_by[0] : min(named_by[0] + _HASHED_WORDS, named_by[1])]
        if 0 < word < len(words):
            ranks.setdefault(word, (kind, crc32(" ".join(name).encode())))

    before, level = (0, 0), 0
    for block in blocks(text, html):
        here = bisect_left(starts, block.start), bisect_left(starts, block.end)
        about_the_heading = level and not 0 < block.level <= level
        place(
            here[0],
            _BEHIND_HEADING if about_the_heading else block.level or _PARAGRAPH,
            here if block.level else before,
        )
        if here[1] - here[0] > options.size:
            for word, kind, name in _inside(text, starts, here, options.size - options.overlap):
                place(word, kind, name)
        before, level = here, block.level
    return starts, ranks


def _inside(
    text: str, starts: list[int], block: tuple[int, int], limit: int
) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Where to cut a block that is too long: between lines and sentences, anywhere in one that is itself too long."""
    first, last = block
    end = starts[last] if last < len(starts) else len(text)
    places = {bisect_left(starts, match.end()) for match in _SENTENCE.finditer(text, starts[first], end)}
    sentences = sorted({first, last} | {place for place in places if first < place < last})
    for here, there in pairwise(sentences):
        if there < last:
            yield there, _SENTENCE_START, (here, there)
        if there - here > limit:
            yield from ((word, _ANY_WORD, (max(here, word - _HASHED_WORDS), word)) for word in range(here + 1, there))


def _bounds(ranks: dict[int, _Rank], count: int, options: ChunkOptions) -> list[int]:
    chosen = _local_best(ranks, count, options.size // _REACH, options.least)
    places = sorted(ranks)
    bounds = [0]
    waiting = list(pairwise([0, *chosen, count]))[::-1]
    while waiting:
        first, last = waiting.pop()
        too_long = last - first > options.size
        cut = _middle_cut(ranks, places, (first, last), options.size) if too_long else None
        if cut is None:
            bounds.append(last)
        else:
            waiting += [(cut, last), (first, cut)]
    return bounds


def _local_best(ranks: dict[int, _Rank], count: int, reach: int, least: int) -> Iterator[int]:
    """The places with no better one within reach on either side; the edges of the text beat a paragraph."""
    places = [word for word in sorted(ranks) if ranks[word][0] != _BEHIND_HEADING]
    better_before: dict[int, int] = {}
    better_behind: dict[int, int] = {}
    open_places: list[int] = []
    for word in places:
        while open_places and ranks[word] < ranks[open_places[-1]]:
            better_behind[open_places.pop()] = word
        if open_places:
            better_before[word] = open_places[-1]
        open_places.append(word)
    for word in places:
        edge = least if ranks[word][0] < _PARAGRAPH else reach
        alone = (
            word - better_before.get(word, -reach - 1) > reach
            and better_behind.get(word, count + reach + 1) - word > reach
        )
        if alone and edge <= word <= count - edge:
            yield word


def _middle_cut(ranks: dict[int, _Rank], places: list[int], piece: tuple[int, int], size: int) -> int | None:
    """The best place well inside a piece that is too long, else the one nearest to its middle, if any."""
    first, last = piece
    middle = (first + last) // 2
    margin = max(1, size // _MARGIN, (last - first - _MOST_SIZES * size) // 2)
    if well_inside := places[bisect_left(places, first + margin) : bisect_left(places, last - margin + 1)]:
        best = min(map(ranks.__getitem__, well_inside))
        return min((word for word in well_inside if ranks[word] == best), key=lambda word: abs(word - middle))
    inside = places[bisect_left(places, first + 1) : bisect_left(places, last)]
    return min(inside, key=lambda word: abs(word - middle), default=None)
