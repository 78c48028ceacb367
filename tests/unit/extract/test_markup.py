"""Content as markup: what was kept, in harmless elements only (R-113, T19)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from veille.core.extract.output.html import ANYWHERE, ATTRIBUTES, TAGS, Base, clean_html
from veille.core.extract.output.markup import markup_of_node

CASES = {
    "boxes in boxes are left out": ("<div><div><section><p>One</p></section></div></div>", "<p>One</p>"),
    "a box with text of its own stays": ("<div>One</div><div>Two</div>", "<div>One</div><div>Two</div>"),
    "text after a paragraph does not run on": (
        "<div><p>One</p>two</div><div>three</div>",
        "<p>One</p><div>two</div><div>three</div>",
    ),
    "a link in a box": ('<div><a href="/x">go</a></div>', '<div><a href="https://a.org/x">go</a></div>'),
    "text beside a span": ("<div><span>One</span> <span>two</span></div>", "<div>One two</div>"),
    "a span with a direction": ('<p><span dir="rtl">One</span></p>', '<p><span dir="rtl">One</span></p>'),
    "the cells of an empty row go with it": (
        "<table><tr><td></td><td></td></tr><tr><td>1</td><td></td></tr></table>",
        "<table><tbody><tr><td>1</td><td></td></tr></tbody></table>",
    ),
    "empty cells keep the columns": (
        "<table><tr><td></td><td></td><td>3</td><td></td></tr></table>",
        "<table><tbody><tr><td></td><td></td><td>3</td><td></td></tr></tbody></table>",
    ),
    "what a script would put in": (
        '<p>One <img src="data:image/gif;base64,AA" data-src="/b.png" data-srcset="/c.png 2x"></p>',
        '<p>One <img src="https://a.org/b.png" srcset="https://a.org/c.png 2x"></p>',
    ),
    "the language of code, said by the box around it": (
        '<div class="highlight-source-python"><pre><span>a</span>\n<span>b</span></pre></div>',
        '<pre><code class="language-python">a\nb</code></pre>',
    ),
    "line ends and rules": ("<p>One<br>two</p><hr><p>three</p>", "<p>One<br>two</p><hr><p>three</p>"),
    "invisible characters": ("<p>O\u200bn\u202ee</p>", "<p>One</p>"),
    "hidden": ('<p>One</p><p style="display:none">Two</p><script>3</script>', "<p>One</p>"),
    "escapes": ("<p>&lt;b&gt; &amp; &quot;</p>", '<p>&lt;b&gt; &amp; "</p>'),
}
HARMFUL = (
    "javascript:alert(1)", " java\nscript:alert(1)", "JAVA\tSCRIPT:alert(1)", "\x01javascript:alert(1)",
    "data:text/html,x", "vbscript:x", "file:///etc/passwd", "//[", "ssh://x", "magnet:?x",
)  # fmt: skip


def written(html: str, url: str = "https://a.org/d/") -> str:
    body = LexborHTMLParser(html.encode()).body
    assert body is not None
    return markup_of_node(body, Base(url))


@pytest.mark.parametrize("name", CASES)
def test_markup(name: str) -> None:
    html, expected = CASES[name]
    assert written(html) == expected


@pytest.mark.parametrize("address", HARMFUL)
def test_harmful_addresses_are_left_out(address: str) -> None:
    html = f'<p><a href="{address}">One</a> <img src="{address}"></p>'
    assert written(html) == "<p><a>One</a> </p>"
    assert written(html, url="") == "<p><a>One</a> </p>"


def test_of_a_srcset_only_addresses_and_sizes_are_left() -> None:
    html = '<p>One <img srcset="a.png 2x, javascript:x 3x, b.png onerror=alert(1), c,d.png 100w"></p>'
    base = "https://a.org/d"
    assert written(html) == f'<p>One <img srcset="{base}/a.png 2x, {base}/b.png, {base}/c,d.png 100w"></p>'


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("x", "https://a.org/d/x"),
        ("/x", "https://a.org/x"),
        ("//b.org/x", "https://b.org/x"),
        ("?q", "https://a.org/d/?q"),
        ("#s", "https://a.org/d/#s"),
        (" https://b.org/ ", "https://b.org/"),
        ("mailto:a@b.org", "mailto:a@b.org"),
    ],
)
def test_addresses_are_made_absolute(reference: str, expected: str) -> None:
    assert written(f'<p><a href="{reference}">One</a></p>') == f'<p><a href="{expected}">One</a></p>'


_PIECES = st.sampled_from(
    [
        *"<svg> <math> <mi> <mtext> <style> </style> <title> <noscript> </noscript> <table> <td> <tr> <p>".split(),
        *"</p> <!-- <script> </script> <textarea> <form> <select> <template> <pre> </pre> <b> </b> <plaintext>".split(),
        *"<xmp> --> &lt;i&gt;".split(),
        "<a href='javascript:x'>", "<img src=x onerror=alert(1)>", "<span lang='\"><script>'>", "<div title=\"a'b\">",
        "<iframe srcdoc='<script>'>", "text", " ", "\u202e",
    ]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=40).map("".join))
def test_whatever_the_page_only_harmless_elements_are_written(html: str) -> None:
    """T19"""
    found = written(html)
    for tag in re.findall(r"<(?!/)([^\s>]*)", found):
        assert tag in TAGS
    # Read again, by the rules of a browser, it must still hold nothing else.
    for node in LexborHTMLParser(found.encode()).css("body *"):
        tag = node.tag or ""
        assert tag in TAGS
        assert set(node.attributes) <= ATTRIBUTES.get(tag, frozenset()) | ANYWHERE
        assert "javascript" not in (node.attributes.get("href") or "")


def test_half_a_character_is_cleaned_like_any_other() -> None:
    assert clean_html("<p onclick=x>before \ud800 after", "https://example.org/") == "<p>before ? after</p>"
