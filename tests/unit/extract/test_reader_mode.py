"""The mode `reader`: Readability where it is worth it, then well-known selectors, then the caller's.

By the words of the seed document K; the numbers are its lines.
"""

from __future__ import annotations

import re

import pytest

from veille.core.extract import ArticleHead, Content, Extracted, Options, Page, extract_page, refuse_useless
from veille.core.extract.landmarks import MIN_CHARS, SELECTORS
from veille.core.extract.readability import Readability
from veille.errors import ConfigError, ReadError

URL = "https://example.org/a"
SENTENCE = "The harbour bridge, closed since the flood in spring, opens again, and the ferries go back to their piers. "
LONG = "".join(f"<p class=lead>Part {number}. {SENTENCE * 2}</p>" for number in range(5))
#: Enough text for a selector, too little for Readability.
PIECES = "<p>Short piece.</p>" * 42
TITLE = "<title>The harbour bridge opens</title>"
#: An element that each of the selectors matches, in their order.
MARKS = ("<article>", "<main>", "<div role=main>", "<div class=post-content>", "<div class=entry-content>",
         "<div class=article-content>", "<div id=content>")  # fmt: skip


def _read(html: str, mode: str = "reader", *selectors: str, min_chars: int = -1) -> Extracted:
    return extract_page(html, URL, Options(mode=mode, selectors=selectors, min_chars=min_chars))


def _content(html: str, *selectors: str, min_chars: int = -1) -> Content:
    found = _read(html, "reader", *selectors, min_chars=min_chars).content
    assert found is not None
    return found


def _length(found: Extracted) -> int:
    return len(found.content.text) if found.content else 0


@pytest.mark.covers("R-109")
def test_readability_is_tried_only_on_a_page_that_is_probably_readerable() -> None:
    """K181: `if (!isProbablyReaderable(doc)) return null`."""
    assert _read(f"{TITLE}<article>{LONG}</article>").strategy == "readability"
    assert _read(f"{TITLE}<div>{PIECES}</div>").strategy is None
    assert _read(f"<div>{PIECES}</div>", "readability").strategy == "readability", "unless it is asked for alone"


@pytest.mark.covers("R-109")
def test_a_text_of_a_hundred_characters_is_enough_for_readability() -> None:
    """K186: `charThreshold: 100`."""
    short = "The bridge opens again, and the ferries go back, at last, to the piers they had left in spring, too soon."
    links = f"<div><p><a href=/x>{'word ' * 140}</a></p></div>"
    page = f"{TITLE}<div id=content><p>{{}}</p></div>{links}<div class=sidebar>{LONG}</div>"
    assert _length(_read(page.format(short))) == len(short) >= 100
    assert _length(_read(page.format(short[40:]))) > 500, "with less, the boxes that look unlikely are read, too"


@pytest.mark.covers("R-109")
def test_readability_works_on_a_copy_of_the_page() -> None:
    """K185: `doc.cloneNode(true)`."""
    page = Page(f"<title>T</title><article>{LONG}</article>", URL, Options(mode="reader"))
    before = page.tree.html
    assert Readability().candidate(page) is not None
    assert page.tree.html == before


@pytest.mark.covers("R-109")
def test_classes_are_kept() -> None:
    """K187: `keepClasses: true`; K223: `el.innerHTML` of a selector has them, too."""
    found = _content(f"{TITLE}<article>{LONG}<p class='note warm' style='color:red' onclick='x()'>Note.</p></article>")
    assert '<p class="note warm">Note.</p>' in found.html
    assert '<p class="lead">Part 0.' in found.html
    found = _content(f"{TITLE}<main><h2 class=top id=x>Pieces</h2>{PIECES}</main>")
    assert '<h2 class="top">Pieces</h2>' in found.html
    for mode in ("auto", "readability", "landmarks"):
        other = _read(f"{TITLE}<article>{LONG}</article>", mode).content
        assert other is not None
        assert "class" not in other.html


@pytest.mark.covers("R-109")
def test_an_article_without_a_title_is_left_to_the_selectors() -> None:
    """K190-192: `if (!article?.content || !article?.textContent || !article?.title) return null`."""
    found = _read(f"<article>{LONG}</article>")
    assert (found.strategy, found.content and found.content.head) == (
        "landmarks", ArticleHead(title="Untitled", excerpt=found.content.text[:200] if found.content else ""),
    )  # fmt: skip
    assert _read(f"<div>{LONG}</div>").strategy is None


@pytest.mark.covers("R-106", "R-107")
@pytest.mark.parametrize(
    ("head", "title", "description"),
    [
        ("<meta property=og:title content=' By graph '><title>Plain</title>", "By graph", ""),
        ("<meta property=og:title content=' '><title> Plain | Site </title>", "Plain | Site", ""),
        ("<script type='application/ld+json'>{'@type':'Article','headline':'Data'}</script>", "Untitled", ""),
        ("<meta name=description content=' Plain. '>", "Untitled", "Plain."),
        ("<meta name=description content=Plain><meta property=og:description content=Graph>", "Untitled", "Graph"),
        ("<meta name=twitter:description content=Bird>", "Untitled", ""),
    ],
)
def test_the_metadata_are_what_the_head_states(head: str, title: str, description: str) -> None:
    """K101-113: `og:title`, `title`, "Untitled"; `og:description`, `meta[name="description"]`, null."""
    found = _read(f"<head>{head.replace(chr(39) + '@', chr(34) + '@')}</head><body><h1>Heading</h1>").metadata
    assert (found.title, found.description) == (title, description)


@pytest.mark.covers("R-112")
def test_an_article_says_what_readability_says_of_it() -> None:
    """K196-202: `article.title`, `article.excerpt`, `article.byline`, `article.siteName`."""
    people = '"author":[{"name":"Ann"},{"name":"Bo"}]'
    data = f'{{"@context":"https://schema.org","@type":"NewsArticle","headline":"Bridge opens",{people}}}'
    metas = "<meta property=og:title content=Graph><meta property=og:site_name content=Gazette>"
    page = f"<head><title>Bridge opens - Gazette</title>{metas}{{}}</head><article>{LONG}</article>"
    assert _content(page.format(f"<script type='application/ld+json'>{data}</script>")).head == ArticleHead(
        title="Bridge opens", excerpt=f"Part 0. {SENTENCE * 2}".strip(), byline="Ann, Bo", site_name="Gazette"
    )
    said = _content(page.format("<meta name=description content='In short.'><meta name=author content='By Cleo'>")).head
    assert said == ArticleHead(title="Graph", excerpt="In short.", byline="By Cleo", site_name="Gazette")


@pytest.mark.covers("R-112")
@pytest.mark.parametrize(
    ("title", "found"),
    [
        ("The old bridge opens again - Gazette", "The old bridge opens again"),
        ("The bridge opens again - Gazette", "The bridge opens again - Gazette"),
        ("Gazette - The bridge opens again today", "The bridge opens again today"),
        ("Gazette: the bridge over the harbour opens", "the bridge over the harbour opens"),
        ("The bridge opens", "The bridge opens"),
        ("Bridge", "Bridge"),
    ],
)
def test_the_title_of_an_article_is_without_the_name_of_the_site(title: str, found: str) -> None:
    head = _content(f"<title>{title}</title><article>{LONG}</article>").head
    assert head is not None
    assert head.title == found


@pytest.mark.covers("R-110")
@pytest.mark.parametrize("first", range(len(MARKS)))
def test_the_first_of_the_selectors_in_their_order_has_the_content(first: int) -> None:
    """K135-143: the order of `DEFAULT_SELECTORS`."""
    boxes = [f"{mark}<p>{mark[1:-1]}</p>{PIECES}</{mark[1:-1].split()[0]}>" for mark in MARKS]
    # Later ones stand before it on the page, and earlier ones have too little text.
    page = "".join(reversed(boxes[first:])) + "".join(f"{mark}Too little" for mark in MARKS[:first])
    found = _read(page)
    assert (found.strategy, found.reasons) == ("landmarks", (f"matched {SELECTORS[first]}",))


@pytest.mark.covers("R-110")
def test_a_selector_needs_five_hundred_characters() -> None:
    """K145: `MIN_CONTENT_LENGTH = 500`; K220-221: `el.textContent?.trim()`, whose length counts."""
    assert MIN_CHARS == 500
    for length, strategy in ((499, None), (500, "landmarks")):
        assert _read(f"<main> <i>{'x' * length}</i> </main>").strategy == strategy
    assert _read(f"<main>{'x ' * 250}y</main>").strategy == "landmarks", "spaces within count"


@pytest.mark.covers("R-110")
def test_the_selectors_of_the_caller_come_after_the_well_known_ones() -> None:
    """K213: `[...DEFAULT_SELECTORS, ...(options.selectors ?? [])]`."""
    mine, other = f"<div class=mine><p>Mine.</p>{PIECES}</div>", f"<div class=other><p>Other.</p>{PIECES}</div>"
    assert _read(f"{mine}{other}").strategy is None
    found = _read(f"{mine}{other}", "reader", ".none", ".other", ".mine")
    assert (found.strategy, found.reasons) == ("landmarks", ("matched .other",))
    found = _read(f"{mine}<div id=content>{PIECES}</div>", "reader", ".mine")
    assert found.reasons == ("matched #content",)


@pytest.mark.covers("R-110")
def test_the_shortest_text_of_the_caller_counts() -> None:
    """K214: `options.minContentLength ?? MIN_CONTENT_LENGTH`."""
    page = f"<main>{'x' * 80}</main><div class=mine>{'y' * 120}</div>"
    assert _read(page, "reader", ".mine").strategy is None
    assert _content(page, ".mine", min_chars=81).text == "y" * 120
    assert _content(page, ".mine", min_chars=80).text == "x" * 80
    assert _content(page, min_chars=0).text == "x" * 80
    assert _read(f"<main>{PIECES}</main>", "reader", min_chars=5000).strategy is None


@pytest.mark.covers("R-110")
def test_a_selector_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(ReadError, match="cannot be read"):
        _read("<p>Text", "reader", "p[")
    with pytest.raises(ConfigError, match="cannot be read"):
        refuse_useless(Options(mode="reader", selectors=("p[",)))


@pytest.mark.covers("R-111")
def test_what_a_selector_finds_is_its_inner_html_under_the_title_of_the_page() -> None:
    """K223-233: `el.innerHTML`; `title` or "Untitled"; `textContent.slice(0, 200)`; byline and siteName null."""
    head = "<meta property=og:title content=Graph><meta name=author content=Ann><meta property=og:site_name content=S>"
    inside = (
        f"<nav class=n>Parts</nav><h2>Top</h2>{PIECES}<p hidden>Hidden</p><footer>Below</footer><script>x()</script>"
    )
    found = _content(f"<head>{head}<title> Pieces |\n Site </title></head><main class=m>{inside}</main>")
    assert found.head == ArticleHead(title="Pieces | Site", excerpt=found.text[:200])
    assert found.excerpt == found.text[:200]
    assert "\n" in found.excerpt
    assert found.html.startswith("Parts<h2>Top</h2><p>Short piece.</p>")
    assert found.html.endswith("<p>Short piece.</p>Below")
    head_of_none = _content(f"<main>{PIECES}</main>").head
    assert head_of_none is not None
    assert head_of_none.title == "Untitled"


@pytest.mark.covers("R-113")
@pytest.mark.parametrize("page", ["<article>{}</article>", "<main>{}</main>"], ids=["readability", "selector"])
def test_words_are_those_of_the_plain_text(page: str) -> None:
    """K175-178: `text.split(/\\s+/).filter(Boolean).length` and `Math.ceil(wordCount / 200)`."""
    listed = "<ul><li>One</li><li>two - three</li></ul><table><tr><th>a<th>b<tr><td>c | d<td>e</table>"
    prose = LONG if "article" in page else PIECES
    found = _content(TITLE + page.format(prose + listed))
    words = len(re.sub("<[^>]+>", " ", prose).split())
    assert found.word_count == words + 4 + 6 == len(found.text.split())
    assert found.reading_minutes == -(-found.word_count // 200)
    assert "One\ntwo - three" in found.text


@pytest.mark.covers("R-113")
def test_the_signs_that_other_modes_add_are_no_words() -> None:
    found = _read("<ul><li>One</li><li>two - three</li></ul><table><tr><td>a<td>b</table>", "everything").content
    assert found is not None
    assert (found.text, found.word_count) == ("- One\n- two - three\n\na | b", 6)


@pytest.mark.covers("R-113")
@pytest.mark.parametrize(("words", "minutes"), [(100, 1), (200, 1), (201, 2), (400, 2), (401, 3)])
def test_reading_takes_a_minute_for_each_two_hundred_words_begun(words: int, minutes: int) -> None:
    """K177: `Math.ceil(wordCount / 200)`."""
    found = _content(f"<main>{'wording ' * words}</main>")
    assert (found.word_count, found.reading_minutes) == (words, minutes)


def test_selectors_of_the_caller_are_tried_first_in_mode_auto() -> None:
    found = _read(f"<article>{LONG}</article><div class=mine>{SENTENCE}</div>", "auto", ".mine")
    assert (found.strategy, found.content and found.content.text) == ("selectors", SENTENCE.strip())


@pytest.mark.covers("R-114")
@pytest.mark.parametrize("block", ["<pre><code class='language-c'>{}</code></pre>", "<pre class=c>{}</pre>"])
@pytest.mark.parametrize(
    ("inside", "lines"),
    [
        ("<div>one  </div><div>  two </div><div>three</div>", "one\n  two\nthree"),
        ("<span>one</span>\n<span>two</span>\n", "one\n\ntwo\n"),
        (" <i>let</i> x = <b>1</b>;", "let\n x =\n1\n;"),
        ("one<br>two", "one\n\ntwo"),
        ("plain\n  lines  \n", "plain\n  lines  \n"),
        ("<span>only <i>child</i>  </span>", "<span>only <i>child</i>  </span>"),
    ],
)
def test_the_children_of_a_code_block_are_joined_by_line_breaks(block: str, inside: str, lines: str) -> None:
    """K148-161: where one of several children is an element, their right-trimmed texts are the lines."""
    found = _content(f"{TITLE}<article>{LONG}{block.format(inside)}{LONG}</article>")
    assert block.format(lines).replace("'", '"').replace("class=c", 'class="c"') in found.html


@pytest.mark.covers("R-114")
def test_code_is_joined_only_where_readability_was_tried() -> None:
    """K181-183: after the readerable test, and in the page itself, so that selectors find it changed."""
    code = "<pre><i>a</i><i>b</i></pre>"
    assert "<pre>a\nb</pre>" in _content(f"<article>{LONG}{code}</article>").html
    assert code in _content(f"<main>{PIECES}{code}</main>").html


@pytest.mark.covers("R-114")
def test_elsewhere_only_children_that_are_lines_make_lines() -> None:
    page = f"{TITLE}<article>{LONG}<pre><div>one  </div><div>  <i>two</i> <i>b</i></div></pre>{LONG}</article>"
    found = _read(page, "auto").content
    assert found is not None
    assert "one\n  two b" in found.text


def test_what_is_beside_the_text_is_not_in_it() -> None:
    page = f"{TITLE}<p>Before.</p><main>{PIECES}<ul><li>One</li></ul></main><svg><title>Icon</title></svg>"
    assert list(filter(None, _content(page).beside)) == ["Before."]
    assert _read(f"<svg><title>Icon</title></svg>{TITLE}").metadata.title == "The harbour bridge opens"
