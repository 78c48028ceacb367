from __future__ import annotations

from desk import Desk, Program, Store
from samples import NOW, document
from veille.core.access.accounts import Token, User
from veille.core.models import Document
from veille.core.readers.item_numbers import ItemNumbers


def _about(name: str, text: str = "") -> Document:
    return document(f"https://example.org/{name}", title=name, text=text or f"All about {name}.")


def test_names_keep_their_numbers_in_every_process(store: Store) -> None:
    here, there = store.program().reader_numbers, store.program().reader_numbers
    first = here.of_names(["source a", "label Ü", "source a"])
    assert sorted(first) == ["label Ü", "source a"]
    second = there.of_names(["source b", "source a"])
    assert second["source a"] == first["source a"]
    assert second["source b"] > max(first.values())
    assert here.of_names([]) == {}


def test_a_number_that_is_given_later_is_higher_whichever_dossier_it_is_of(program: Program) -> None:
    numbers = program.reader_numbers
    for dossier_id, seq in (("a", 3), ("b", 2), ("a", 3), ("a", 5), ("a", 6), ("b", 9)):
        numbers.number_up_to(dossier_id, seq)
    known = ItemNumbers(numbers.ranges(["a", "b"]))
    assert [known.number("a", seq) for seq in range(1, 8)] == [1, 2, 3, 6, 7, 8, None]
    assert [known.number("b", seq) for seq in (1, 2, 3, 9, 10)] == [4, 5, 9, 15, None]
    assert [known.change(number) for number in (0, 1, 5, 6, 15, 16)] == [
        None,
        ("a", 1),
        ("b", 2),
        ("a", 4),
        ("b", 9),
        None,
    ]
    only = ItemNumbers(numbers.ranges(["a"]))
    assert only.by_dossier([1, 4, 6, 99]) == {"a": [1, 4]}, "what is of another dossier is nothing"


def test_an_item_is_the_last_change_to_be_read_of_a_document(desk: Desk) -> None:
    desk.bring(_about("one"), _about("two"))
    with desk.open() as opened:
        marks = opened.marks
        first = {one.document_id: one for one in marks.items("ada")}
        assert [one.is_unread for one in first.values()] == [True, True]
        desk.again(_about("one", "Something else."), _about("two"), now=NOW + 1)
        [changed] = [one for one in marks.items("ada") if one not in first.values()]
        before = first[changed.document_id]
        assert (changed.seq > before.seq, changed.at) == (True, NOW + 1)
        marks.read_changes("ada", [one.seq for one in first.values()])
        assert marks.unread_documents("ada") == [changed.document_id], "what came after them stays unread"
        marks.read_changes("ada", [changed.seq, 99_999])
        marks.read_changes("ada", [before.seq])
        assert marks.unread("ada") == 0, "what was read once stays so"
        marks.read("ada", before.document_id, is_read=False)
        marks.keep("ada", before.document_id, NOW)
        [item] = [one for one in marks.items("ada") if one.is_unread]
        assert (item.seq, item.is_kept) == (changed.seq, True)
        marks.read_changes("ada", [item.seq])
        assert marks.unread("ada") == 0
        assert marks.unread("bob") == 2
        parcels = {one.event.seq: one.revision.text for one in opened.outbox.parcels_of([before.seq, changed.seq, 99])}
        assert parcels[changed.seq] == "Something else.", "each change has its own content"
        assert len(parcels) == 2


def test_a_password_of_an_app_is_found_by_two_digests(program: Program) -> None:
    accounts = program.accounts
    user = User(id="u", email="ada", name="Ada", is_admin=False, has_password=False, created_at=NOW)
    accounts.users.add(user, None)
    token = Token(id="t", user_id="u", name="phone", scopes=("read",), dossiers=None, created_at=NOW, expires_at=None)
    accounts.tokens.add(token, "secret")
    accounts.app_passwords.add("t", "digest", "fever")
    passwords = accounts.app_passwords
    assert (passwords.by_password("digest"), passwords.by_fever("fever")) == ("t", "t")
    assert (passwords.by_password("fever"), passwords.by_fever("digest")) == (None, None)
