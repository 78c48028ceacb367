"""The full-text index of the PostgreSQL store, in memory; with the server it is tested in tests/contract."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any

import apsw
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.adapters.stores.postgres.words.chunks import chunks, joined
from veille.adapters.stores.postgres.words.known import NOTHING, KnownSegments, collected, read, stored
from veille.adapters.stores.postgres.words.making import (
    Mergeable,
    StoredSegment,
    made,
    plain_made,
    plain_remade,
    remade,
)
from veille.adapters.stores.postgres.words.matching import Occurrences, counted, scored
from veille.adapters.stores.postgres.words.queries import Node, WordPhrase, parsed, phrases, tokens, wanted
from veille.adapters.stores.postgres.words.segments import Documents, Segment, built, merged
from veille.core.compiled import BUILT, native

Text = tuple[int, str, str]


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        ('("harbour")', WordPhrase(("harbour",))),
        ('("a" OR "b") AND ("c")', Node("AND", Node("OR", WordPhrase(("a",)), WordPhrase(("b",))), WordPhrase(("c",)))),
        ('(("a")) NOT ("node.js")', Node("NOT", WordPhrase(("a",)), WordPhrase(("node", "js")))),
        (
            '"a" OR "b" NOT "c" *',
            Node("OR", WordPhrase(("a",)), Node("NOT", WordPhrase(("b",)), WordPhrase(("c",), is_begun=True))),
        ),
        ('"it""s"', WordPhrase(("it", "s"))),
        ('"+++"', WordPhrase(())),
    ],
)
def test_a_query_is_read(match: str, expected: object) -> None:
    assert parsed("search", match) == expected


@pytest.mark.parametrize("match", ['"a" AND', '("a"', '"a" "b"', ""])
def test_what_is_no_query_is_refused(match: str) -> None:
    with pytest.raises(ValueError, match="query"):
        parsed("search", match)


def test_documents_are_ranked_by_what_is_wanted() -> None:
    assert wanted(parsed("search", '("a" OR "b") NOT ("c")')) == [WordPhrase(("a",)), WordPhrase(("b",))]


def test_forms_are_stemmed_and_words_are_not() -> None:
    assert (tokens("search", "Harbours, Café 3.14"), tokens("forms", "Harbours")) == (
        ["harbours", "cafe", "3", "14"],
        ["harbour"],
    )


def test_signs_that_no_database_stores_are_no_words() -> None:
    assert built("search", [(1, "a\0b", "c\ud800d")]).words == ["a", "b", "c", "d"]


def test_a_word_may_be_longer_than_a_key() -> None:
    assert list(map(len, built("search", [(1, "", "x" * 5_000)]).words)) == [500]


def test_phrases_are_found_however_long_a_document_is() -> None:
    text = "the " * 70_000 + "very last"
    segment = built("search", [(1, "", f"nothing here {text}"), (2, "", "last very")])
    assert [row for row, _ in _found([segment], '"the very last"')] == [1]


def _stored(segment: Segment, number: int) -> Segment:
    """The segment, written and read again."""
    parts = list(chunks(segment))
    assert [part.first for part in parts] == sorted({part.first for part in parts})
    documents = read(number, len(segment.documents.rows), stored(segment.documents))
    return joined(documents, [part[1:] for part in parts])


def _found(
    segments: Sequence[Segment], match: str, gone: Sequence[tuple[int, int, int]] = ()
) -> list[tuple[int, float]]:
    """Rows and scores, the best first; of equal ones the last."""
    known = KnownSegments(
        {number: _stored(one, number).documents for number, one in enumerate(segments, 1)},
        NOTHING.marks.with_more(gone),
    )
    collection, begins = collected(list(known.segments), known)

    def look(word: str, is_begun: bool) -> list[Occurrences]:  # noqa: FBT001 - as it is called
        found = []
        for number, segment in enumerate(segments, 1):
            ends = np.cumsum(segment.counts)
            sizes = np.append(0, np.cumsum(segment.postings.titled + segment.postings.told))
            for at, (own, end) in enumerate(zip(segment.words, ends.tolist(), strict=True)):
                if own == word or (is_begun and own.startswith(word)):
                    start = end - int(segment.counts[at])
                    documents, titled, told = (column[start:end] for column in segment.postings)
                    places = segment.places[sizes[start] : sizes[end]]
                    found.append(Occurrences(documents.astype(np.int64) + begins[number], titled, told, places))
        return found

    query = parsed("search", match)
    counts = {one: counted(one, look, collection) for one in phrases(query)}
    rows, scores = scored(query, counts, collection, 8.0)
    return sorted(zip(rows.tolist(), scores.tolist(), strict=True), key=lambda one: (-one[1], -one[0]))


def _found_by_fts5(texts: Sequence[Text], match: str) -> list[tuple[int, float]]:
    with closing(apsw.Connection(":memory:")) as db:
        db.execute("CREATE VIRTUAL TABLE s USING fts5 (title, text, tokenize = 'unicode61 remove_diacritics 2')")
        db.executemany("INSERT INTO s (rowid, title, text) VALUES (?, ?, ?)", texts)
        rows: list[Any] = db.execute("SELECT rowid, -bm25(s, 8.0, 1.0) FROM s WHERE s MATCH ?", (match,)).fetchall()
    return sorted(((int(row), float(score)) for row, score in rows), key=lambda one: (-one[1], -one[0]))


_WORDS = st.lists(st.sampled_from("harbour harbours bridge the the the of ca café 3.14 京".split()), max_size=12)
_TEXTS = st.lists(st.tuples(_WORDS.map(" ".join), _WORDS.map(" ".join)), min_size=1, max_size=8)
_MATCHES = st.sampled_from(
    [
        '"the"',
        '"harbour" *',
        '"the harbour"',
        '"the the"',
        '"of the har" *',
        '("the" OR "ca") AND ("bridge")',
        '("the") NOT ("bridge" OR "3 14")',
        '"3.14"',
        '"c" * OR "京"',
    ]
)


@given(texts=st.lists(_TEXTS, min_size=1, max_size=4), match=_MATCHES, dead=st.sets(st.integers(1, 12)))
def test_segments_give_what_fts5_gives_merged_or_not(
    texts: list[list[tuple[str, str]]], match: str, dead: set[int]
) -> None:
    numbered: list[list[Text]] = []
    for part in texts:
        begun = sum(map(len, numbered))
        numbered.append([(row, *one) for row, one in enumerate(part, begun + 1)])
    segments = [_stored(built("search", part), number) for number, part in enumerate(numbered, 1)]
    expected = _found_by_fts5([one for part in numbered for one in part if one[0] not in dead], match)
    gone = [(row, len(segments), row) for row in dead]
    assert _rounded(_found(segments, match, gone)) == _rounded(expected)
    marks = NOTHING.marks.with_more(gone)
    one = merged(segments, [marks.spare(segment.documents) for segment in segments])
    assert _rounded(_found([_stored(one, 9)], match)) == _rounded(expected)
    assert sorted(one.words) == one.words


def _rounded(found: list[tuple[int, float]]) -> dict[int, float]:
    return {row: round(score, 12) for row, score in found}


compiled = pytest.mark.skipif(not BUILT, reason="nothing is compiled here")
#: Enough different words for several chunks, some with more postings than a chunk, and of every width of numbers.
_LONG = " ".join(f"word{number % 700}" for number in range(9_000)) + " the" * 66_000


def _told(segment: StoredSegment) -> tuple[list[Any], list[list[int]]]:
    return list(segment.chunks), [column.tolist() for column in segment.documents]


@compiled
@given(texts=st.lists(_TEXTS, max_size=4), more=st.lists(st.tuples(st.text(), st.text()), max_size=4), gone=st.data())
def test_compiled_segments_are_those_of_the_python_code(
    texts: list[list[tuple[str, str]]], more: list[tuple[str, str]], gone: st.DataObject
) -> None:
    segments = []
    for at, part in enumerate([*texts, more, []]):
        rows = [(10 * at + number, *one) for number, one in enumerate(part)]
        both = [make(index, rows) for make in (made, plain_made) for index in ("search", "forms")]
        assert _told(both[0]) == _told(both[2])
        assert _told(both[1]) == _told(both[3])
        alive = np.array(gone.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))), bool)
        documents = read(at + 1, len(rows), stored(both[0].documents))
        segments.append(Mergeable(documents, [chunk[1:] for chunk in both[0].chunks], alive))
    assert _told(remade(segments)) == _told(plain_remade(segments))


@compiled
def test_large_segments_are_those_of_the_python_code() -> None:
    rows = [(number, f"title {number}", f"{_LONG if number == 7 else 'the other'} ä{number}") for number in range(300)]
    once, other = (
        made("search", rows),
        made("search", [(number + 300, title, text) for number, title, text in rows[:9]]),
    )
    assert len(once.chunks) > 10
    assert _told(once) == _told(plain_made("search", rows))
    segments = [
        Mergeable(read(1, len(one.documents.rows), stored(one.documents)), [chunk[1:] for chunk in one.chunks], alive)
        for one, alive in ((once, np.arange(300) != 7), (other, np.ones(9, bool)))
    ]
    assert _told(remade(segments)) == _told(plain_remade(segments))


@compiled
@given(part=st.integers(0, 2), at=st.integers(0, 10_000), byte=st.integers(0, 255), cut=st.booleans())
def test_a_damaged_chunk_is_refused_or_read_as_it_is(*, part: int, at: int, byte: int, cut: bool) -> None:
    segment = made("search", [(1, "the harbour", "of the bridge"), (2, "", "the harbour")])
    (chunk,) = ([*one[1:]] for one in segment.chunks)
    place = at % len(chunk[part])
    chunk[part] = chunk[part][:place] + (b"" if cut else bytes([byte]) + chunk[part][place + 1 :])
    documents = read(1, 2, stored(segment.documents))
    try:
        found = remade([Mergeable(documents, [tuple(chunk)], np.ones(2, bool))])
    except (ValueError, UnicodeDecodeError):
        return
    assert found.documents.rows.tolist() == [1, 2]


@compiled
@pytest.mark.parametrize("cells", [[["a", 1]], ["a"], [("a",)], ()])
def test_what_is_not_lists_of_words_is_refused(cells: Any) -> None:
    with pytest.raises(TypeError):
        native.index_words(cells, 64, 2048)


def test_a_text_that_came_again_is_not_gone() -> None:
    before = Documents(np.array([7]), np.array([1], np.int32), np.array([3]))
    marks = NOTHING.marks.with_more([(7, 3, 1), (8, 5, 2)])
    assert marks.spare(before).tolist() == [False]
    assert marks.spare(before._replace(born=np.array([4]))).tolist() == [True]
    assert marks.with_more([(7, 4, 3)]).spare(before._replace(born=np.array([4]))).tolist() == [False]
