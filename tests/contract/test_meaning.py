from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Sequence
from typing import Any

import pytest

from desk import Desk, Store
from samples import NOW, document
from veille.core.archive.retention import Fate
from veille.core.chunk.pieces import piece_hash, pieces
from veille.core.models import Document
from veille.core.search.meaning import (
    OWN_TITLE,
    SHARED_TITLE,
    KnownEmbedder,
    MeaningCounts,
    MeaningFlaws,
    NearPiece,
)
from veille.errors import SinkError
from veille.ports import DossierStore

WORDS = KnownEmbedder(name="words-1", label="words")
ENGLISH = KnownEmbedder(name="english-1", label="english", languages=frozenset({"en"}))
LATER = NOW + 3_600_000


def vector(text: str) -> list[float]:
    """A vector in which texts with the same words are near."""
    numbers = [0.0] * 64
    for word in text.lower().split():
        numbers[int.from_bytes(hashlib.sha256(word.encode()).digest()[:2]) % 64] += 1
    return [number - 0.3 for number in numbers]


def paragraph(seed: int) -> str:
    rng = random.Random(seed)
    return " ".join(f"w{rng.randrange(2000)}" for _ in range(130)).capitalize() + "."


def embed(store: DossierStore, name: str = "words-1", now: int = NOW) -> list[str]:
    """Embed all that waits; returns the texts."""
    texts: list[str] = []
    while claimed := store.meaning.claim(name, 7, now, now + 1000):
        texts += [text for _, text in claimed]
        assert store.meaning.put(name, {sha: vector(text) for sha, text in claimed}) == len(claimed)
    return texts


def near(store: DossierStore, text: str, limit: int = 5, name: str = "words-1") -> list[NearPiece]:
    return store.meaning.nearest(name, vector(text), limit)


def filled(store: DossierStore) -> None:
    while store.meaning.cut(2):
        pass


def test_without_an_embedder_there_is_nothing(desk: Desk) -> None:
    desk.bring(document("https://example.org/a", text=paragraph(1)))
    with desk.open() as store:
        assert store.meaning.embedders() == []
        assert store.meaning.counts() == MeaningCounts()
        assert store.meaning.claim("words-1", 5, NOW, NOW + 1) == []
        assert near(store, "bridge") == []
        assert store.meaning.put("words-1", {b"x" * 16: [1.0]}) == 0


def test_pieces_are_written_with_their_text_and_embedded_later(desk: Desk) -> None:
    text = f"{paragraph(1)}\n\n{paragraph(2)}"
    with desk.open() as store:
        store.meaning.switch([WORDS])
    desk.bring(document("https://example.org/a", text=text, title="The bridge"))
    with desk.open() as store:
        cut = [text[piece.start : piece.end] for piece in pieces(text)]
        assert store.meaning.counts() == MeaningCounts(
            pieces=len(cut) + 1, vectors={"words-1": 0}, waiting={"words-1": len(cut) + 1}
        )
        assert sorted(embed(store)) == sorted([*cut, "The bridge"])
        assert store.meaning.counts().waiting == {"words-1": 0}
        (found,) = near(store, cut[1])
        assert text[found.start : found.end] == cut[1]
        assert found.score == pytest.approx(1, abs=0.01)
        (titled,) = near(store, "the bridge")
        assert (titled.start, titled.end) != (0, 0), "a title leads to the nearest piece of the text"
        assert store.meaning.likeness("words-1", vector(cut[0]), [found.document_id, "none"])[0].start == 0


def test_a_title_counts_beside_what_the_text_says(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    told = {
        "https://example.org/a": ("Library", "Dogs must stay outside."),
        "https://example.org/b": ("Zoo", "Dogs must stay outside."),
        "https://example.org/c": ("Zoo", "The lions were fed at noon."),
    } | {f"https://example.org/{n}": (f"Title {n}", paragraph(n)) for n in range(20)}
    with desk.open() as store:
        store.meaning.switch([WORDS])
    desk.bring(*(document(url, text=text, title=title) for url, (title, text) in told.items()))
    with desk.open() as store:
        embed(store)
        urls = {one.document_id: one.url for one in store.records.documents()}
        assert urls[near(store, "zoo dogs")[0].document_id] == "https://example.org/b"
        # Also where the title, or the text, is not among the pieces that are looked at first.
        monkeypatch.setattr("veille.core.search.vectors.CANDIDATES", 1)
        for text in ("zoo", "dogs must stay", "lions at noon in a zoo", "title 7"):
            (found,) = near(store, text, limit=1)
            (whole,) = store.meaning.likeness("words-1", vector(text), [found.document_id])
            assert (found.start, found.end) == (whole.start, whole.end)
            assert found.score == pytest.approx(whole.score, abs=1e-5)


def test_a_title_of_its_own_says_more_than_one_that_others_have(desk: Desk) -> None:
    told = {
        "https://example.org/a": ("Library opening", "Dogs must stay outside."),
        "https://example.org/b": ("Museum opening", "Dogs must stay outside."),
        "https://example.org/c": ("Museum opening", "The lions were fed at noon."),
    }
    with desk.open() as store:
        store.meaning.switch([WORDS])
    desk.bring(*(document(url, text=text, title=title) for url, (title, text) in told.items()))

    def scores(store: DossierStore, text: str) -> dict[str, float]:
        urls = {one.document_id: one.url for one in store.records.documents()}
        return {urls[one.document_id][-1]: one.score for one in near(store, text)}

    def cosine(one: str, other: str) -> float:
        a, b = vector(one), vector(other)
        length = math.hypot(*a) * math.hypot(*b)
        return sum(x * y for x, y in zip(a, b, strict=True)) / length

    with desk.open() as store:
        embed(store)
        for title, share in (("Library opening", OWN_TITLE), ("Museum opening", SHARED_TITLE)):
            found = scores(store, title)["a" if title.startswith("L") else "b"]
            assert found == pytest.approx((1 - share) * cosine(title, "Dogs must stay outside.") + share, abs=0.02)


def test_texts_that_were_there_before_are_cut_when_it_is_switched_on(desk: Desk) -> None:
    texts = {f"https://example.org/{n}": paragraph(n) for n in range(5)}
    desk.bring(*(document(url, text=text, title="") for url, text in texts.items()))
    with desk.open() as store:
        store.meaning.switch([WORDS])
        assert store.meaning.counts().uncut == 5
        assert [store.meaning.cut(2), store.meaning.cut(2), store.meaning.cut(2)] == [3, 1, 0]
        assert store.meaning.counts().pieces == 5
        assert len(embed(store)) == 5
        store.meaning.switch([WORDS])
        assert store.meaning.counts().uncut == 0, "a repeat changes nothing"


def test_what_does_not_fit_together_is_counted_and_made_again(desk: Desk) -> None:
    texts = {f"https://example.org/{n}": paragraph(n) for n in range(3)}
    with desk.open() as store:
        store.meaning.switch([WORDS, ENGLISH])
    desk.bring(*(document(url, text=text, title="", lang="de") for url, text in texts.items()))
    with desk.open() as store:
        assert store.meaning.flaws() == MeaningFlaws(), "what waits is not lost, and German is nothing for `english`"
        embed(store)
        assert store.meaning.flaws() == MeaningFlaws()
        db: Any = getattr(store, "db")  # noqa: B009 - no port leads to such a state
        (stray, unseen, *_) = (row[0] for row in db.execute("SELECT id FROM vectors ORDER BY id"))
        db.execute("UPDATE vectors SET hash = ? WHERE id = ?", (b"?" * 16, stray))
        db.execute("DELETE FROM vector_bits WHERE id = ?", (unseen,))
        last = db.execute("SELECT max(document) FROM pieces")[0][0]
        db.execute("DELETE FROM pieces WHERE document = ?", (last,))
        assert store.meaning.flaws() == MeaningFlaws(strays=3, lost=1, uncut=1)
        store.meaning.mend()
        filled(store)
        assert len(embed(store)) == 3, "of two texts the vectors were wrong, and that of the third went with its piece"
        assert store.meaning.flaws() == MeaningFlaws()
        assert all(near(store, text)[0].score > 0.99 for text in texts.values())


def test_only_new_pieces_are_embedded(desk: Desk) -> None:
    with desk.open() as store:
        store.meaning.switch([WORDS])
    shared, own = paragraph(1), [paragraph(n) for n in (2, 3, 4)]
    desk.bring(document("https://example.org/a", text=f"{shared}\n\n{own[0]}\n\n{own[1]}", title=""))
    with desk.open() as store:
        assert len(embed(store)) == 3
    desk.again(document("https://example.org/a", text=f"{own[2]}\n\n{own[1]}\n\n{shared}", title=""), now=LATER)
    with desk.open() as store:
        assert embed(store) == [own[2]]
        assert store.meaning.counts().vectors == {"words-1": 3}
    desk.bring(document("https://other.example/b", text=shared, title=""), url="https://other.example/b", now=LATER)
    with desk.open() as store:
        assert embed(store) == [], "another document has the same piece"


def test_a_vector_without_its_piece_is_not_stored(desk: Desk) -> None:
    with desk.open() as store:
        store.meaning.switch([WORDS])
    desk.bring(document("https://example.org/a", text="The first text of all."))
    with desk.open() as store:
        claimed = store.meaning.claim("words-1", 10, NOW, NOW + 1000)
        assert store.meaning.claim("words-1", 10, NOW, NOW + 1000) == [], "somebody is at it"
        assert store.meaning.claim("words-1", 10, NOW + 1000, NOW + 2000) == claimed, "that one died"
    desk.again(document("https://example.org/a", text="Now it says something else."), now=LATER)
    with desk.open() as store:
        texts = dict(claimed)
        gone = {sha: vector(text) for sha, text in claimed if text == "The first text of all."}
        assert len(gone) == 1
        assert len(texts) == 2
        assert store.meaning.put("words-1", gone) == 0
        assert store.meaning.counts().vectors == {"words-1": 0}


def test_an_embedder_gets_the_languages_it_knows(desk: Desk) -> None:
    with desk.open() as store:
        store.meaning.switch([WORDS, ENGLISH])
        assert store.meaning.embedders() == [WORDS, ENGLISH]
    desk.bring(
        document("https://example.org/en", text="In English.", title="", lang="en"),
        document("https://example.org/de", text="Auf Deutsch.", title="", lang="de"),
        document("https://example.org/xx", text="Xx yy zz.", title="", lang=""),
    )
    with desk.open() as store:
        assert sorted(embed(store)) == ["Auf Deutsch.", "In English.", "Xx yy zz."]
        assert sorted(embed(store, "english-1")) == ["In English.", "Xx yy zz."]
        assert store.meaning.languages() == {"en": 1, "de": 1, "": 1}
        store.meaning.switch([WORDS])
        assert store.meaning.counts().vectors == {"words-1": 3}
        store.meaning.switch([])
        assert store.meaning.counts() == MeaningCounts()
        assert near(store, "english") == []


def test_a_deleted_source_is_not_found_and_a_restored_one_is_embedded_no_second_time(desk: Desk) -> None:
    with desk.open() as store:
        store.meaning.switch([WORDS])
    added = desk.bring(document("https://example.org/a", text="The bridge is closed."))
    with desk.open() as store:
        assert len(embed(store)) == 2
        store.trash.put(added.id, NOW)
        assert near(store, "the bridge is closed.") == []
        store.trash.restore(added.id, NOW)
        filled(store)
        assert embed(store) == []
        assert len(near(store, "the bridge is closed.")) == 1


def test_what_was_not_embedded_before_it_was_deleted_is_after_it_was_restored(desk: Desk) -> None:
    with desk.open() as store:
        store.meaning.switch([WORDS])
    added = desk.bring(document("https://example.org/a", text="The bridge is closed.", title=""))
    with desk.open() as store:
        store.trash.put(added.id, NOW)
        assert embed(store) == []
        store.trash.restore(added.id, NOW)
        filled(store)
        assert embed(store) == ["The bridge is closed."]


def test_deleting_for_good_leaves_nothing(desk: Desk) -> None:
    with desk.open() as store:
        store.meaning.switch([WORDS])
    first = desk.bring(document("https://example.org/a", text=f"{paragraph(1)}\n\n{paragraph(2)}", title=""))
    desk.bring(document("https://other.example/b", text=paragraph(2), title=""), url="https://other.example/b")
    with desk.open() as store:
        embed(store)
        store.trash.put(first.id, NOW)
        store.trash.purge(NOW + 1, NOW)
        assert store.meaning.counts() == MeaningCounts(pieces=1, vectors={"words-1": 1}, waiting={"words-1": 0})
        assert len(near(store, paragraph(2))) == 1, "another document has it"
        store.trash.put(store.sources.all()[0].id, NOW)
        store.trash.purge(NOW + 1, NOW)
        assert store.meaning.counts() == MeaningCounts(vectors={"words-1": 0}, waiting={"words-1": 0})


def test_another_process_finds_what_was_added_and_nothing_that_is_gone(desk: Desk, store: Store) -> None:
    with desk.open() as opened:
        opened.meaning.switch([WORDS])
    first = desk.bring(*(document(f"https://example.org/{n}", text=paragraph(n), title="") for n in range(20)))
    other = Desk(store.program(), desk.dossier_id)
    with desk.open() as opened, other.open() as there:
        embed(opened)
        assert len(near(there, paragraph(3), 10)) == 10
        assert there.meaning.nearest("words-1", vector(paragraph(3)), 3)[0].score == pytest.approx(1, abs=0.01)
        added = desk.bring(document("https://b.example/", text=paragraph(99), title=""), url="https://b.example/")
        embed(opened)
        assert near(there, paragraph(99), 1)[0].score == pytest.approx(1, abs=0.01)
        opened.trash.put(first.id, NOW)
        opened.trash.purge(NOW + 1, NOW)
        for _ in range(2):
            assert len(near(there, paragraph(3), 10)) == 1
        assert added.id


def test_a_narrow_filter_still_finds(desk: Desk) -> None:
    with desk.open() as store:
        store.meaning.switch([WORDS])
    desk.bring(*(document(f"https://example.org/{n}", text=paragraph(n), title="") for n in range(30)))
    with desk.open() as store:
        embed(store)
        wanted = near(store, paragraph(7), 30)[-1].document_id
        asked: list[int] = []

        def allowed(ids: Sequence[str]) -> set[str]:
            asked.append(len(ids))
            return {wanted} & set(ids)

        found = store.meaning.nearest("words-1", vector(paragraph(7)), 5, allowed)
        assert [one.document_id for one in found] == [wanted]
        assert asked == [30]


def _say(desk: Desk, url: str, *parts: int, now: int) -> None:
    desk.again(document(url, text="\n\n".join(map(paragraph, parts)), title=""), now=now)


def test_what_comes_back_is_embedded_no_second_time(desk: Desk) -> None:
    here, there = "https://example.org/a", "https://example.org/b"
    with desk.open() as store:
        store.meaning.switch([WORDS])
    first, second = (document(url, text=paragraph(n), title="") for url, n in ((here, 1), (there, 9)))
    desk.bring(first, second)
    with desk.open() as store:
        embed(store)
    turns: list[tuple[tuple[int, ...], tuple[int, ...], list[int]]] = [
        ((1, 2), (9,), [2]),
        ((1, 3), (9,), [3]),
        ((1, 2), (9,), []),  # reverted
        ((1,), (9,), []),
        ((1,), (9, 2), []),  # cut out in one commit, put into another document in the next
        ((4,), (9, 2), [4]),
        ((1, 2, 3), (4,), []),
    ]
    for at, (one, other, expected) in enumerate(turns, 1):
        now = NOW + at * 3_600_000
        texts = {here: one, there: other}
        desk.again(
            *(document(url, text="\n\n".join(map(paragraph, of)), title="") for url, of in texts.items()), now=now
        )
        with desk.open() as store:
            assert embed(store, now=now) == [paragraph(n) for n in expected]
            # What is not there now is not found, and what is there again is.
            shown = {*one, *other}
            assert store.meaning.counts().vectors == {"words-1": len(shown)}
            for n in (1, 2, 3, 4, 9):
                assert (near(store, paragraph(n))[0].score > 0.99) == (n in shown)
            assert store.meaning.flaws() == MeaningFlaws()


def _history(desk: Desk, *revisions: tuple[int, ...]) -> str:
    """A document with these revisions, all embedded; its id."""
    url = "https://example.org/a"
    with desk.open() as store:
        store.meaning.switch([WORDS])
    for at, parts in enumerate(revisions):
        one = document(url, text="\n\n".join(map(paragraph, parts)), title="")
        if at:
            desk.again(one, now=NOW + at * 3_600_000)
        else:
            desk.bring(one)
        with desk.open() as store:
            embed(store)
    with desk.open() as store:
        return store.records.documents()[0].document_id


def _former(store: DossierStore) -> set[bytes]:
    db: Any = getattr(store, "db")  # noqa: B009 - no port tells of what is not searched
    return {sha for (sha,) in db.execute("SELECT hash FROM former_vectors")}


def _hashes(*parts: int) -> set[bytes]:
    return {piece_hash(paragraph(n)) for n in parts}


def test_vectors_of_former_pieces_go_with_the_contents_of_the_last_revision_that_has_them(desk: Desk) -> None:
    # 2 is in the first four revisions, 3 in the second and third, 4 in the first and, back again, in the fourth.
    document_id = _history(desk, (1, 2, 4), (1, 2, 3), (1, 2, 3, 5), (1, 2, 4), (1, 6))
    with desk.open() as store:
        assert _former(store) == _hashes(2, 3, 4, 5)
        store.retained.settle({document_id: {3: Fate.REMOVE}}, [], NOW)
        assert _former(store) == _hashes(2, 3, 4), "the second revision still has 3"
        store.retained.settle({document_id: {2: Fate.ARCHIVE, 4: Fate.REMOVE}}, [], NOW)
        assert _former(store) == _hashes(2, 4), "the first has them"
        store.retained.settle({document_id: {1: Fate.REMOVE}}, [], NOW)
        assert _former(store) == set()
        assert store.meaning.counts().vectors == {"words-1": 2}
    _say(desk, "https://example.org/a", 1, 2, now=NOW + 9 * 3_600_000)
    with desk.open() as store:
        assert embed(store) == [paragraph(2)], "no revision had it any more"


@pytest.mark.parametrize("forgotten", ["document", "embedder", "all"])
def test_vectors_of_former_pieces_go_with_their_document_and_their_embedder(desk: Desk, forgotten: str) -> None:
    _history(desk, (1, 2), (1, 3))
    with desk.open() as store:
        assert _former(store) == _hashes(2)
        if forgotten == "document":
            store.trash.put(store.sources.all()[0].id, NOW)
            store.trash.purge(NOW + 1, NOW)
        else:
            store.meaning.switch([ENGLISH] if forgotten == "embedder" else [])
        assert _former(store) == set()
        store.meaning.switch([WORDS])
        filled(store)
        assert sorted(embed(store)) == ([] if forgotten == "document" else sorted(map(paragraph, (1, 3))))


def test_a_paragraph_of_a_deleted_document_stays_embedded_where_an_older_revision_has_it(desk: Desk) -> None:
    _history(desk, (1, 2), (1, 3))
    other = desk.bring(document("https://other.example/b", text=paragraph(2)), url="https://other.example/b")
    with desk.open() as store:
        assert paragraph(2) not in embed(store)
        store.trash.put(other.id, NOW)
        store.trash.purge(NOW + 1, NOW)
        assert _former(store) == _hashes(2)
        assert store.meaning.flaws() == MeaningFlaws()
    _say(desk, "https://example.org/a", 1, 2, now=NOW + 9 * 3_600_000)
    with desk.open() as store:
        assert embed(store) == []


def test_what_is_edited_while_it_is_embedded_is_not_embedded_again_when_it_comes_back(desk: Desk) -> None:
    url = "https://example.org/a"
    with desk.open() as store:
        store.meaning.switch([WORDS])
    desk.bring(document(url, text=paragraph(1), title=""))
    with desk.open() as store:
        ((sha, text),) = store.meaning.claim("words-1", 10, NOW, NOW + 1000)
        _say(desk, url, 2, now=LATER)
        assert store.meaning.put("words-1", {sha: vector(text)}) == 0
        _say(desk, url, 2, 1, now=LATER + 3_600_000)
        assert embed(store) == [paragraph(2)]
        assert near(store, paragraph(1))[0].score > 0.99


def test_a_hash_is_of_the_words(desk: Desk) -> None:
    with desk.open() as store:
        store.meaning.switch([WORDS])
    desk.bring(document("https://example.org/a", text="東京タワーは高い。\nそうです。", title="", lang="ja"))
    with desk.open() as store:
        assert [sha for sha, _ in store.meaning.claim("words-1", 9, NOW, NOW + 1)] == [
            piece_hash("東京タワーは高い。\nそうです。")
        ]


@pytest.mark.timeout(400)
def test_after_a_paragraph_of_a_thousand_documents_changed_the_new_pieces_are_embedded_and_no_others(
    desk: Desk,
) -> None:
    with desk.open() as store:
        store.meaning.switch([WORDS])
    rng = random.Random(2)
    texts = [[paragraph(rng.randrange(600)) for _ in range(3)] for _ in range(1000)]

    def documents() -> list[Document]:
        return [document(f"https://example.org/{n}", text="\n\n".join(one), title="") for n, one in enumerate(texts)]

    def hashes() -> set[bytes]:
        return {piece.hash for one in documents() for piece in pieces(one.text)}

    desk.bring(*documents())
    before = hashes()
    with desk.open() as store:
        assert {piece_hash(text) for text in embed(store)} == before
    for number, one in enumerate(texts):
        one[number % 3] = paragraph(10_000 + number // 2)
    desk.again(*documents(), now=LATER)
    with desk.open() as store:
        embedded = [piece_hash(text) for text in embed(store)]
        assert len(embedded) == len(set(embedded))
        assert set(embedded) == hashes() - before
        assert store.meaning.counts().vectors == {"words-1": len(hashes())}


def test_vectors_of_another_length_are_refused_and_the_others_stay(desk: Desk) -> None:
    with desk.open() as store:
        store.meaning.switch([WORDS])
    desk.bring(document("https://example.org/a", title="", text="alpha beta gamma"))
    with desk.open() as store:
        assert len(embed(store)) == 1
    desk.bring(document("https://other.example/b", title="", text="epsilon"), url="https://other.example/b", now=LATER)
    with desk.open() as store:
        claimed = store.meaning.claim("words-1", 7, NOW, NOW + 1000)
        assert len(claimed) == 1
        with pytest.raises(SinkError, match="veille vectors off"):
            store.meaning.put("words-1", {sha: [1.0, 2.0, 3.0] for sha, _ in claimed})
        with pytest.raises(SinkError, match="of 3 numbers, not of 64"):
            store.meaning.nearest("words-1", [1.0, 2.0, 3.0], 5)
        with pytest.raises(SinkError, match="of 3 numbers, not of 64"):
            store.meaning.likeness("words-1", [1.0, 2.0, 3.0], [one.document_id for one in near(store, "alpha")])
        assert len(near(store, "alpha")) == 1
        assert store.meaning.counts().waiting == {"words-1": 1}


def test_what_was_let_go_is_had_by_the_next(desk: Desk) -> None:
    with desk.open() as store:
        store.meaning.switch([WORDS])
    desk.bring(document("https://example.org/a", title="", text="alpha beta gamma"))
    with desk.open() as store:
        claimed = store.meaning.claim("words-1", 7, NOW, LATER)
        assert store.meaning.claim("words-1", 7, NOW, LATER) == []
        store.meaning.let_go("words-1", [sha for sha, _ in claimed])
        assert store.meaning.claim("words-1", 7, NOW, LATER) == claimed != []
