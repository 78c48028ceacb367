"""Markup from outside is bounded before a parser sees it: whatever it is, parsing and cleaning it is quick."""

from __future__ import annotations

import json
import re
from html import escape
from time import process_time

import nh3
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from veille.core.change.reading import Findings, findings
from veille.core.chunk.outline import blocks
from veille.core.extract import extract_page
from veille.core.kinds.feed import FeedConfig, FeedKind
from veille.core.markup_bounds import MAX_ATTRIBUTES, MAX_DEPTH, bounded, is_too_deep
from veille.core.models import Source
from veille.core.show.article import article_html, article_markdown
from veille.core.show.images import rewrite_images
from veille.core.traffic import Payload

URL = "https://example.org/page"
#: CPU seconds; on a busy machine a bounded one takes up to 4. Unbounded, most of these take minutes.
SOON = 8
MANY = 20_000

HOSTILE = {
    "open": "<div>x" * MANY,
    "closed by what was never opened": "<div></x>" * MANY,
    "closed by what a block shields": "<x><div></x></div><b><div></b>" * MANY,
    "said to be empty": "<div/>" * MANY,
    "closed in a comment": "<div><!--</div>--><div><!--></div><div>--!>" * (MANY // 4),
    "closed in a declaration": "<div><!x </div>><div></ </div>>" * (MANY // 4),
    "closed in a text": "<div><textarea></div></textarea><div><title></div></title>" * (MANY // 4),
    "closed in a script": "<script><!--<script></script><div></script>" * (MANY // 4),
    "hidden between brackets": "<<!---->div>" * MANY,
    "foreign": "<svg><td><style><g>" * MANY,
    "formulas": "<math><mi><wbr><mo/>" * MANY,
    "tables": "<table><tr><td>" * MANY,
    "beside rows": "<table>" + "<i>x</i>" * MANY,
    "formats that are opened again": "".join(f"<p><b title={n}>x" for n in range(MANY // 4)),
    "links in links": "".join(f"<a href={n}><b>" for n in range(MANY // 2)),
    "attributes": "<p " + " ".join(f"a{n}=1" for n in range(MANY * 2)) + ">x",
    "attributes that are cut": "<p " + ("a=1 " * 240 + 'b="<" ') * 500 + ">x",
    "quotes": "<p a='" * MANY + '<p a="' * MANY,
    "brackets": "<" * MANY * 4,
}


def _depth(node: LexborNode | None) -> int:
    depth, here = 0, [node] if node is not None else []
    while here:
        here = [child for one in here for child in one.iter()]
        depth += 1
    return depth


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_markup_is_cleaned_shown_and_told_soon(case: str) -> None:
    started = process_time()
    html = HOSTILE[case]
    assert len(nh3.clean(bounded(html))) < 4 * len(html) + 1000
    shown = article_html(html, URL)
    article_markdown(html, URL)
    rewrite_images(html, URL, lambda _: "")
    blocks("x", html)
    assert process_time() - started < SOON
    assert _depth(LexborHTMLParser(shown).body) <= 2 * MAX_DEPTH


def test_the_text_of_what_is_too_deep_is_kept() -> None:
    html = "".join(f"<div>word{n} " for n in range(5000))
    assert is_too_deep(html)
    tree = LexborHTMLParser(bounded(html))
    assert tree.text().split() == [f"word{n}" for n in range(5000)]
    assert _depth(tree.body) == MAX_DEPTH + 1


def test_ends_of_what_was_left_out_end_nothing_else() -> None:
    html = f"<section>{'<div>' * 500}deep{'</div>' * 500}<p>after</p></section>"
    body = LexborHTMLParser(bounded(html)).css_first("section > p")
    assert body is not None
    assert body.text() == "after"


def test_a_tag_keeps_as_many_attributes_as_a_page_may_have() -> None:
    html = "<p " + " ".join(f'a{n}="{n}&amp;<"' for n in range(1000)) + "><br/>x"
    node = LexborHTMLParser(bounded(html)).css_first("p")
    assert node is not None
    assert node.attributes == {f"a{n}": f"{n}&<" for n in range(MAX_ATTRIBUTES)}


REAL = {
    "lists": "<ul><li>one<li>two <b>bold</b><ul><li>inner</ul><li>three</ul>",
    "paragraphs": "<p>one<p>two<div>three<p>four</div>five",
    "a table": "<table><caption>c</caption><thead><tr><th>h<tbody><tr><td>1<td><p>2<p>3<tr><td>4</table>after",
    "a table in a table": "<table><tr><td><table><tr><td>in</td></tr></table><td>out</table>",
    "definitions": "<dl><dt>a<dd>1<dt>b<dd><dl><dt>c<dd>2</dl></dl>",
    "a figure": '<figure><img src="/a.png" alt=A><figcaption>c</figcaption></figure><hr>x<br/>y',
    "comments and scripts": "a<!-- b --><script>c < d</script><style>e</style>f &lt; &amp; g < h",
    "unknown elements": "<x-card><p>in</p></x-card><button>b</button>",
    "formulas": "<math><mi>x</mi><mo>+</mo><msup><mi>y</mi><mn>2</mn></msup></math>",
    "marks": "<p>a <em>b <strong>c</em> d</strong></p>e",
}


@pytest.mark.parametrize("case", REAL)
def test_real_markup_says_the_same_before_and_after(case: str) -> None:
    html = REAL[case] * 300
    before, after = (LexborHTMLParser(one) for one in (html, bounded(html)))
    assert bounded(html) != html or "/" in html
    for tree in (before, after):
        tree.strip_tags(["script", "style"])
    assert after.text().split() == before.text().split()
    for selector in ("li li", "td p", "td td", "dd dd", "figure > img[alt=A]", "th", "msup > mi"):
        assert len(after.css(selector)) == len(before.css(selector)), selector


PARTS = (
    "<p> <b> <a> <div> <table> <tr> <td> <li> <ul> <h1> <math> <mi/> <svg> </p> </b> </div> </table> </td> </ul> "
    "</math> x <!-- --> < 'x=\""
).split(" ")
NAMES = {*"p b a div table tbody tr td li ul h1 math mi i".split()}


@settings(max_examples=200)
@given(st.lists(st.sampled_from(PARTS)))
def test_what_is_written_makes_no_more_elements_than_it_names(parts: list[str]) -> None:
    # 401 tags make it large enough to be written anew.
    html = bounded("<i></i>" * 201 + "".join(parts))
    made = nh3.clean(html, tags=NAMES)
    # Parsers add the rows that a table lacks, and nothing else.
    assert _without_rows(made) <= _without_rows(html)


def _without_rows(html: str) -> int:
    return len(re.findall(r"</?(?!tbody|tr)\w", html))


def _rss(description: str) -> bytes:
    item = f"<item><title>An entry</title><guid>1</guid><description>{escape(description)}</description></item>"
    return f"<rss><channel>{item}</channel></rss>".encode()


def _payload(body: bytes) -> Payload:
    return Payload(url=URL, status=200, body=body, fetched_at=0, final_url=URL)


def _read(kind: str, payload: Payload) -> Findings:
    source = Source(id="s", name="", kind=kind, url=URL)
    (request,) = FeedKind(FeedConfig()).start(source)
    return findings(source, request, payload)


def test_an_entry_of_200_000_elements_is_read_soon_with_a_notice() -> None:
    started = process_time()
    reading = _read("feed", _payload(_rss("the text" + "<div>" * 200_000)))
    assert process_time() - started < SOON
    assert reading.documents[0].text.startswith("the text")
    assert [notice.code for notice in reading.notices] == ["over_text", "simplified"]


DEEP = "<div>" * 10_000 + "A sentence of the article, long enough to be one. " * 5
PAGES = {
    "JSON-LD": '<script type="application/ld+json">'
    + json.dumps({"@type": "NewsArticle", "headline": "H", "articleBody": DEEP})
    + "</script><title>t</title>",
    "preloaded posts": "<title>t</title><div id='data-preloaded' data-preloaded='"
    + escape(json.dumps({"topic_1": json.dumps({"post_stream": {"posts": [{"username": "u", "cooked": DEEP}]}})}))
    + "'></div>",
}


@pytest.mark.parametrize("case", PAGES)
def test_deep_markup_in_the_data_of_a_page_is_read_soon_with_a_notice(case: str) -> None:
    started = process_time()
    reading = _read("page", _payload(PAGES[case].encode()))
    assert process_time() - started < SOON
    assert "A sentence of the article" in reading.documents[0].text
    assert [notice.code for notice in reading.notices] == ["simplified"]
    assert extract_page(PAGES[case], URL).strategy == "structured"
