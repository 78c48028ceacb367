from __future__ import annotations

import pytest

from veille.core.compare.cited import marked, passage
from veille.core.show.article import article_html, article_markdown, text_html

URL = "https://example.org/news/a"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("<p>a<script>x</script></p>", "<p>a</p>"),
        ('<a href="../b#c">b</a>', '<a href="https://example.org/b#c" rel="noopener noreferrer">b</a>'),
        ('<a href="#note">1</a>', '<a rel="noopener noreferrer">1</a>'),
        ('<a href="mailto:a@b.org">m</a>', '<a href="mailto:a@b.org" rel="noopener noreferrer">m</a>'),
        ('<a href="JavaScript:alert(1)">m</a>', '<a rel="noopener noreferrer">m</a>'),
        ("<h1>A</h1><h2>B</h2><h6>C</h6>", "<h2>A</h2><h3>B</h3><h6>C</h6>"),
        ("<h2>A</h2>", "<h2>A</h2>"),
        ('<pre class="top"><code class="hidden">x</code></pre>', "<pre><code>x</code></pre>"),
    ],
)
def test_an_article_is_harmless_and_its_links_are_whole(given: str, shown: str) -> None:
    assert article_html(given, URL) == shown


def test_images_are_asked_for_through_the_proxy_only() -> None:
    html = article_html(
        '<img src="/i.png" srcset="/j.png 2x" alt="an i"><img src="//evil.test/x">', URL, lambda _: "&s=1"
    )
    assert 'src="/api/proxy-image?url=https%3A%2F%2Fexample.org%2Fi.png&amp;s=1"' in html
    assert 'src="/api/proxy-image?url=https%3A%2F%2Fevil.test%2Fx&amp;s=1"' in html
    assert "srcset" not in html
    assert 'src="https://example.org/i.png"' in article_html('<img src="/i.png">', URL)


def test_a_title_is_not_said_twice() -> None:
    html = "<div><h1>A  <b>big</b> thing &amp; more</h1><p>text</p><h2>part</h2></div>"
    assert article_html(html, URL, title="A big thing & more") == "<div><p>text</p><h2>part</h2></div>"
    assert article_html(html, URL, title="Another").startswith("<div><h2>A")
    assert article_html("<p>text</p><h2>A</h2>", URL, title="A") == "<p>text</p><h2>A</h2>"


def test_an_article_as_markdown() -> None:
    assert article_markdown("<h2>A</h2><p>b <strong>c</strong></p>", URL) == "## A\n\nb **c**\n"


HTML = "<h2>Title here</h2><p>One <b>two</b> three &amp; four.</p><ul><li>five six</li></ul>"
TEXT = "Title here\n\nOne two three & four.\n\n- five six"


def test_a_passage_is_pointed_out_without_breaking_the_markup() -> None:
    start, end = TEXT.index("two"), TEXT.index("five") + 4
    assert marked(HTML, TEXT, start, end) == (
        '<h2>Title here</h2><p>One <b><mark id="cited">two</mark></b> <mark>three &amp; four.</mark></p>'
        "<ul><li><mark>five</mark> six</li></ul>"
    )
    assert marked(HTML, TEXT, 9999, 99999) == HTML
    assert marked(HTML, "quite another text", 0, 5) == HTML


def test_what_is_selected_is_found_in_the_text() -> None:
    # Letters of the article without spaces: "Titlehere" are 9, "One" 3.
    span = passage(HTML, TEXT, 12, 20)
    assert span is not None
    assert TEXT[slice(*span)] == "two three"
    assert passage(HTML, TEXT, 900, 901) is None
    assert passage(text_html("一二三"), "一二三", 1, 2) == (1, 2)
