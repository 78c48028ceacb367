from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.http.charset import decoded, from_header, label

RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю. " * 5


@pytest.mark.parametrize(
    ("body", "header", "text", "encoding"),
    [
        ("\ufeffdéjà".encode(), "windows-1252", "déjà", "utf-8"),
        ("déjà".encode("utf-16"), "", "déjà", "utf-16le"),
        ("déjà".encode("latin-1"), "windows-1252", "déjà", "windows-1252"),
        (b"<meta charset=iso-8859-2>" + "žluť".encode("iso-8859-2"), "", "<meta charset=iso-8859-2>žluť", "iso-8859-2"),
        (b"<?xml version='1.0' encoding='koi8-r'?>" + "мир".encode("koi8-r"), "", None, "koi8-r"),
        (b"<meta charset=utf-16>ok", "", "<meta charset=utf-16>ok", "utf-8"),
        ("plain déjà".encode(), "", "plain déjà", "utf-8"),
        ("<p>some text</p>".encode("utf-16-le"), "", "<p>some text</p>", "utf-16le"),
        ("<p>some text</p>".encode("utf-16-be"), "", "<p>some text</p>", "utf-16be"),
        (RUSSIAN.encode("windows-1251"), "", RUSSIAN, "windows-1251"),
        (b"caf\xe9 \xff\xfe" * 3, "utf-8", None, "utf-8"),
        (b"", "", "", "utf-8"),
    ],
)
def test_the_charset_is_that_of_the_byte_order_mark_then_header_then_page_then_a_guess(
    body: bytes, header: str, text: str | None, encoding: str
) -> None:
    found, used = decoded(body, header)
    assert used == encoding
    assert text is None or found == text


@pytest.mark.parametrize(
    "name", ["zip", "idna", "unicode_escape", "utf-7", "rot13", "base64", "punycode", "klingon", "hex"]
)
def test_a_codec_that_is_no_charset_is_never_used(name: str) -> None:
    assert label(name) == ""
    assert from_header(f"text/html; charset={name}") == ""


def test_labels_mean_what_browsers_take_them_for() -> None:
    assert from_header("text/html;charset=ISO-8859-1") == "windows-1252"
    assert from_header('text/html; charset="UTF8"') == "utf-8"
    assert from_header("text/html") == ""


@given(st.binary(max_size=400), st.sampled_from(["", "utf-8", "shift_jis", "gb18030", "utf-16le"]))
def test_any_bytes_become_text(body: bytes, header: str) -> None:
    text, encoding = decoded(body, header)
    assert isinstance(text, str)
    assert label(encoding)
