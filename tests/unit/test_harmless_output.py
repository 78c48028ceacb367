"""What comes from outside is shown in terminals and files: no escape sequence gets there."""

from __future__ import annotations

import json

import pytest

from samples import payload, request, source
from veille.core.change.reading import findings
from veille.core.extract.output.markdown import text_markdown
from veille.core.text import without_controls
from veille.interfaces.cli._output import console, highlighted, print_json, print_table, talk

SLY = "\x1b]0;owned\x07\x1b[31mred\x9b2J\x7f\r"
WORDS = "Some words of a page that is long enough to be read. " * 10
REFERENCES = "".join(f"&#{ord(letter)};" for letter in SLY if ord(letter) < 0x80)
#: An answer of each kind that has them wherever a text can stand.
ANSWERS = {
    "page": f"<title>T {REFERENCES}</title><meta name=author content='{SLY}'><main><p>{REFERENCES} {WORDS}{SLY}</p>",
    "feed": json.dumps(
        {
            "version": "https://jsonfeed.org/version/1.1",
            "items": [{"id": "1", "title": SLY, "content_html": f"<p>{SLY}{WORDS}", "language": SLY}],
        }
    ),
    "api": json.dumps([{"id": SLY, "title": SLY, "text": SLY + WORDS, "lang": SLY, "authors": [SLY]}]),
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_documents_have_no_control_characters(kind: str) -> None:
    of = source("https://example.org/x", kind=kind)
    (document,) = findings(of, request(of), payload(ANSWERS[kind], of.url)).documents
    texts = (document.title, document.text, document.html, document.summary, document.lang, *document.authors)
    assert [text for text in texts if text != without_controls(text)] == []
    assert "owned" in document.text


def test_lines_and_tabs_stay() -> None:
    assert without_controls(f"one\ntwo\t{SLY}日本\u200d") == "one\ntwo\t]0;owned[31mred2J日本\u200d"


def test_nothing_from_outside_moves_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    console().print(f"a title {SLY}\nand a line")
    console().print(highlighted(f"a <mark>{SLY}</mark> snippet {SLY}"))
    print_table(("Title",), [(SLY,)])
    print_json({"title": SLY})
    talk().print(f"a message {SLY}")
    out, err = capsys.readouterr()
    assert not [letter for letter in out + err if not letter.isprintable() and letter != "\n"]
    assert out.count("owned") == 5
    assert "\nand a line" in out
    assert json.loads(out[out.index("{") :])["title"] == SLY


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("<img src=x onerror=alert(1)>", r"\<img src=x onerror=alert(1)>"),
        ("[click](javascript:alert(1))", r"\[click\](javascript:alert(1))"),
        ("1 < 2 and snake_case", r"1 < 2 and snake\_case"),
        ("# no heading\n- no item\n1. none", "\\# no heading\n\\- no item\n1\\. none"),
        ("`code` and *stars*", r"\`code\` and \*stars\*"),
    ],
)
def test_plain_text_is_shown_as_it_is_by_markdown(text: str, markdown: str) -> None:
    assert text_markdown(text) == markdown
