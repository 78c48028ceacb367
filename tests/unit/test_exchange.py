from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import NOW
from veille.core.models import Change
from veille.core.outgoing.cursors import Cursor, parse_cursor
from veille.core.outgoing.delivery_attempts import LONGEST_PAUSE_MS, LONGEST_WISH_MS, next_try
from veille.core.outgoing.export_record import (
    FIELDS,
    change_record,
    cut,
    document_record,
    event_id,
    harmless,
    json_line,
)
from veille.core.records import Event, Parcel, Revision
from veille.errors import ConfigError

ID = "019a0000-0000-7000-8000-000000000001"
OTHER = "019a0000-0000-7000-8000-000000000002"


def _event(seq: int = 1, at: int = NOW, dossier_id: str = ID) -> Event:
    return Event(
        seq=seq, at=at, change=Change.CHANGED, dossier_id=dossier_id, source_id="s", source_name="A source",
        kind="page", document_id="d", revision_id="r", rev_n=2, url="https://example.org", title="T",
    )  # fmt: skip


def _revision(text: str = "Text", published_at: int | None = None) -> Revision:
    return Revision(
        id="r", document_id="d", source_id="s", n=2, url="https://example.org", title="T", text=text, html="",
        lang="en", content_hash="h", extracted_at=NOW, published_at=published_at, meta={"authors": ["A"]}, strategy="",
        quality=0.5,
    )  # fmt: skip


def test_an_event_keeps_its_id_and_shares_it_with_no_other() -> None:
    assert event_id(_event()) == event_id(_event())
    assert len({event_id(_event(*given)) for given in ((1,), (2,), (1, NOW + 1), (1, NOW, OTHER))}) == 4


def test_changes_and_documents_have_the_same_fields_in_the_same_order() -> None:
    change = change_record(Parcel(event=_event(), revision=_revision(published_at=NOW)))
    document = document_record(_revision(), ID, "A source", "page")
    assert list(change) == list(document) == list(FIELDS)
    assert (change["change"], change["at"], change["published_at"]) == ("changed",) + ("2023-11-14T22:13:20Z",) * 2
    assert [document[name] for name in ("id", "seq", "at", "change", "published_at")] == [None] * 5
    assert all(value is None or isinstance(value, FIELDS[name]) for name, value in change.items())
    assert json.loads(json_line(change)) == change


def test_a_cut_text_keeps_its_true_length() -> None:
    record = document_record(_revision("abcdef"), ID, "", "")
    assert (cut(record, 2)["text"], cut(record, 2)["text_length"]) == ("ab", 6)
    assert cut(record, 6) is record


HOSTILE = [
    '=HYPERLINK("http://evil.example","x")', "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1", ";=1", "|cmd", "%x",
    "＝1", "＋1", "－1", "＠x", " =1", "\u00a0=1", "\ufeff=1", "\ufeff \u00a0=1", "-- a title", "=", " -",  # noqa: RUF001
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(text: str) -> None:
    assert harmless(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", " ", "\ufeff", "a=b", "1-2", "'=1", '"=1"', "(=1)", "https://example.org/?a=b"])
def test_what_is_harmless_stays_as_it_is(text: str) -> None:
    assert harmless(text) == text


@given(st.text(st.characters(codec="utf-8")))
def test_a_cell_read_back_is_the_text_and_never_a_formula(text: str) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, quoting=csv.QUOTE_NONNUMERIC).writerow([harmless(text), 1])
    ((cell, number),) = csv.reader(io.StringIO(out.getvalue(), newline=""))
    assert (cell.removeprefix("'") if cell != text else cell) == text
    assert cell.lstrip("\ufeff \u00a0")[:1] not in tuple("=+-@\t\r\n;|%＝＋－＠")  # noqa: RUF001
    assert number == "1"


def test_a_cursor_is_read_as_it_was_printed() -> None:
    cursor = Cursor({ID: 12, OTHER: 0})
    assert str(cursor) == f"{ID}:12,{OTHER}:0"
    assert parse_cursor(str(cursor)) == cursor
    assert (parse_cursor(f" {ID}:7 ").of(ID), parse_cursor(f"{ID}:7").of(OTHER)) == (7, 0)
    assert (parse_cursor("5").of(ID), parse_cursor("").of(ID)) == (5, 0)


@pytest.mark.parametrize(
    "text", ["x", "-1", "1.5", "1,2", f"{ID}", f"{ID}:", f"{ID}:x", f"{ID}:1,", "9" * 40, "\u0661"]
)
def test_what_is_no_cursor_is_told(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_cursor(text)
    assert caught.value.code == "bad_cursor"


def test_pauses_double_up_to_an_hour_and_a_wish_lengthens_them_up_to_a_day() -> None:
    assert [next_try(0, attempt, 1.0, None) for attempt in (1, 2, 3, 20, 5000)] == [
        5000, 10_000, 20_000, LONGEST_PAUSE_MS, LONGEST_PAUSE_MS,
    ]  # fmt: skip
    assert next_try(NOW, 1, 0.0, None) == NOW + 2500
    assert [next_try(0, 1, 1.0, wish) for wish in (0, 1, 60, 10**9)] == [5000, 5000, 60_000, LONGEST_WISH_MS]
