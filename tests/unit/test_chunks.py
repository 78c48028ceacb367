from __future__ import annotations

import hashlib
import random
from itertools import pairwise
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.chunk.chunks import ChunkOptions, chunk_id, chunk_json, chunks, chunks_of
from veille.core.chunk.outline import blocks
from veille.core.fingerprint import content_hash
from veille.core.records import Chunk, Revision
from veille.errors import ConfigError

SMALL = ChunkOptions(size=20, overlap=4, least=3)
LETTERS = st.text(alphabet="ab .\n#|`", max_size=400)
ANY = (
    LETTERS
    | st.text(max_size=300)
    | st.lists(
        st.sampled_from(["word", "日本語です。", "مرحبا", "x" * 500, "\n\n", "# Head\n", "ไทย", "end.", "```\n"]),
        max_size=120,
    ).map(" ".join)
)


def _words(rng: random.Random, count: int) -> str:
    return " ".join(f"w{rng.randrange(4000)}" for _ in range(count)).capitalize() + "."


def _paragraphs(seed: int, count: int, words: int = 60) -> list[str]:
    rng = random.Random(seed)
    return [_words(rng, words) for _ in range(count)]


def _sections(seed: int) -> list[list[str]]:
    return [[f"## Section {n}", *_paragraphs(seed * 100 + n, 5)] for n in range(20)]


def _text(sections: list[list[str]]) -> str:
    return "\n\n".join(paragraph for section in sections for paragraph in section)


def _changed(before: list[Chunk], after: list[Chunk]) -> int:
    known = {chunk.content_hash for chunk in before}
    return sum(chunk.content_hash not in known for chunk in after)


@pytest.mark.covers("R-129", "R-130", "R-132")
@given(ANY)
def test_chunks_are_the_whole_text_in_order_within_their_size(text: str) -> None:
    made = chunks_of(text, url="u", options=SMALL)
    assert bool(made) == bool(text.strip())
    if not made:
        return
    assert (made[0].start, made[-1].end) == (0, len(text))
    assert all(a.end == b.start for a, b in pairwise(made)), "nothing is left out and nothing doubled"
    for index, chunk in enumerate(made):
        assert (chunk.index, chunk.total, chunk.id) == (index, len(made), chunk_id("u", index))
        assert chunk.text.strip()
        assert len(chunk.text.split()) <= SMALL.size
        assert len(chunk.text) <= SMALL.size * 41
        assert chunk.text.strip().endswith(text[chunk.start : chunk.end].strip())
        assert chunk.content_hash == content_hash(chunk.text)
    for before, chunk in pairwise(made):
        repeated = chunk.text[: len(chunk.text) - len(text[chunk.start : chunk.end].strip())].strip()
        assert bool(repeated) == bool(chunk.overlap)
        assert before.text.endswith(repeated)
        assert chunk.overlap <= SMALL.overlap


def test_a_text_that_fits_is_one_chunk_as_it_is() -> None:
    (chunk,) = chunks_of(" Some text,\n\nas it is. ", url="https://example.org/a")
    assert chunk.text == " Some text,\n\nas it is. "
    assert (chunk.index, chunk.total, chunk.overlap) == (0, 1, 0)


@pytest.mark.covers("R-130")
def test_the_default_is_512_words_with_64_of_the_chunk_before() -> None:
    made = chunks_of("\n\n".join(_paragraphs(1, 60)))
    sizes = [len(chunk.text.split()) for chunk in made]
    assert max(sizes) <= 512
    assert sum(sizes) / len(sizes) > 250
    assert sum(chunk.overlap == 64 for chunk in made[1:]) > 0.9 * len(made[1:])
    for before, chunk in pairwise(made):
        own = len(chunk.text.split()) - chunk.overlap
        assert chunk.overlap == min(64, 512 - own), "a chunk that is nearly full repeats less"
        assert before.text.split()[-chunk.overlap :] == chunk.text.split()[: chunk.overlap]
    assert {chunk.strategy for chunk in made} == {"paragraph"}


def _document(rng: random.Random, most_paragraphs: int) -> list[list[str]]:
    return [
        [f"## Part {n} {_words(rng, 3)}"]
        + [_words(rng, rng.randrange(8, 120)) for _ in range(rng.randrange(1, most_paragraphs))]
        for n in range(12)
    ]


def _edited(rng: random.Random, sections: list[list[str]], how: str) -> list[list[str]]:
    edited = [list(section) for section in sections]
    section = edited[rng.randrange(len(edited))]
    at = rng.randrange(1, len(section))
    words = section[at].split()
    if how == "word":
        words[rng.randrange(len(words))] = "changed"
    elif how == "sentence":
        words += _words(rng, 14).split()
    elif how == "cut":
        words = words[: len(words) // 2 + 1]
    section[at] = " ".join(words)
    if how == "paragraph":
        section.insert(at, _words(rng, rng.randrange(10, 80)))
    elif how == "rewritten":
        section[at] = _words(rng, rng.randrange(10, 120))
    elif how == "removed":
        del section[at]
    return edited


@pytest.mark.parametrize("how", ["word", "sentence", "cut", "paragraph", "rewritten", "removed"])
@pytest.mark.parametrize(("most_paragraphs", "exceptions"), [(3, 0), (6, 0), (12, 1)])
def test_an_edit_to_one_section_changes_two_chunks_at_most(how: str, most_paragraphs: int, exceptions: int) -> None:
    changed = []
    for seed in range(25):
        rng = random.Random(seed)
        sections = _document(rng, most_paragraphs)
        before = chunks_of(_text(sections))
        after = chunks_of(_text(_edited(rng, sections, how)))
        assert len(before) > 3
        changed.append(_changed(before, after))
    assert min(changed) >= 1
    assert sum(count > 2 for count in changed) <= exceptions, "a section of many chunks may be cut anew near an edit"
    assert max(changed) <= 3


def test_sections_are_cut_apart_and_repeat_nothing_of_each_other() -> None:
    made = chunks_of(_text(_sections(1)))
    assert all(chunk.text.startswith("## Section") and not chunk.overlap for chunk in made)
    assert {chunk.strategy for chunk in made} == {"section"}


def test_headings_of_the_html_are_found_in_the_plain_text() -> None:
    bodies = [_paragraphs(n, 5) for n in range(8)]
    text = "\n\n".join("\n\n".join([f"About {n}", *body]) for n, body in enumerate(bodies))
    html = "<h1>Not in the text</h1>" + "".join(
        f"<h2>About <i>{n}</i></h2>" + "".join(f"<p>{one}</p>" for one in body) for n, body in enumerate(bodies)
    )
    made = chunks_of(text, html)
    assert [chunk.text.split("\n")[0] for chunk in made] == [f"About {n}" for n in range(8)]
    assert {chunk.strategy for chunk in chunks_of(text)} == {"paragraph"}


def test_a_heading_stays_with_what_it_is_about() -> None:
    made = chunks_of("\n\n".join(f"# Part {n}\n\n## Detail\n\n{_words(random.Random(n), 90)}" for n in range(40)))
    assert all(not chunk.text.rstrip().split("\n")[-1].startswith("#") for chunk in made)


@pytest.mark.parametrize(
    ("whole", "html"),
    [
        ("\n".join(f"name {n} | value {n}" for n in range(60)), ""),
        ("```python\n" + "\n\n".join(f"call({n}) # a line" for n in range(60)) + "\n```", ""),
        ("\n\n".join(f"call({n}) # a line" for n in range(60)), "<pre>{}</pre>"),
    ],
    ids=["table", "fenced code", "code of the html"],
)
def test_tables_and_code_are_kept_whole(whole: str, html: str) -> None:
    text = "\n\n".join([*_paragraphs(1, 9), whole, *_paragraphs(2, 9)])
    made = chunks_of(text, html.format(whole))
    assert sum(whole in chunk.text for chunk in made) == 1


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("`" * 600_000, ""),
        ("```a\n" * 200_000, ""),
        ("word " * 200_000, "<pre>a\nb</pre>" * 30_000),
        (" ".join(sorted((f"s{n} w." for n in range(60_000)), key=lambda text: crc32(text.encode()))), ""),
    ],
    ids=["one fence", "fences that nothing ends", "code that is not in the text", "every place better than the next"],
)
def test_a_text_made_to_be_hard_to_cut_takes_no_more_time_than_its_length(text: str, html: str) -> None:
    # Each took minutes; the time that any test may take is the limit.
    made = chunks_of(text, html)
    assert [made[0].start, *(one.end for one in made)] == [*(one.start for one in made), len(text)]


def test_a_code_fence_ends_at_a_fence_of_the_same_sign_that_is_at_least_as_long() -> None:
    code = "````\na\n\n```\n~~~~\n\nb\n`````"
    text = f"{code}\n\nc\n\n~~~\nd\n\ne"
    assert [text[one.start : one.end] for one in blocks(text)] == [code, "c", "~~~\nd", "e"]


def test_ids_come_from_the_address_and_the_place() -> None:
    (chunk,) = chunks_of("Some text.", url="https://example.org/a")
    assert chunk.id == hashlib.sha256(b"https://example.org/a#0").hexdigest()


@pytest.mark.covers("R-131")
def test_the_json_of_a_chunk_has_the_documented_fields() -> None:
    revision = Revision(
        id="r",
        document_id="d",
        source_id="s",
        n=1,
        url="https://example.org/a",
        title="Title",
        text="Some text.",
        html="",
        lang="en",
        content_hash="h",
        extracted_at=1_700_000_000_000,
        published_at=None,
        meta={"media_type": "application/pdf", "modified_at": 1_600_000_000_000, "version_hint": "3"},
        strategy="",
        quality=1,
    )
    (chunk,) = chunks(revision)
    assert chunk_json(chunk, revision) == {
        "id": chunk.id,
        "source_url": "https://example.org/a",
        "parent_url": None,
        "source_type": "pdf",
        "title": "Title",
        "language": "en",
        "version_hint": "3",
        "text": "Some text.",
        "chunk_index": 0,
        "chunk_total": 1,
        "chunk_strategy": "section",
        "content_hash": content_hash("Some text."),
        "last_modified": "2020-09-13T12:26:40Z",
        "crawl_timestamp": "2023-11-14T22:13:20Z",
        "tags": [],
    }


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (10, 6), (10, -1)])
def test_impossible_sizes_are_refused(size: int, overlap: int) -> None:
    with pytest.raises(ConfigError) as told:
        ChunkOptions(size=size, overlap=overlap, least=0)
    assert told.value.code == "bad_chunks"
