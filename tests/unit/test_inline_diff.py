from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from veille.core.compare.inline_diff import InlineDiff, inline_diff
from veille.core.show.article import article_html, text_html

#: Old, new, and the result without the numbers of the changes.
CASES = {
    "nothing": ("<p>as it was</p>", "<p>as it was</p>", "<p>as it was</p>"),
    "a word": (
        "<p>The price is 10 euros.</p>",
        "<p>The price is 12 euros.</p>",
        "<p>The price is <del>10</del><ins>12</ins> euros.</p>",
    ),
    "words in a row are one change": (
        "<p>we met on a cold day</p>",
        "<p>we met in the warm day</p>",
        "<p>we met <del>on a cold</del><ins>in the warm</ins> day</p>",
    ),
    "a word inside of a link": (
        '<p>Read <a href="/x">the old page</a> now.</p>',
        '<p>Read <a href="/x">the new page</a> now.</p>',
        '<p>Read <a href="/x">the <del>old</del><ins>new</ins> page</a> now.</p>',
    ),
    "what came goes across a tag": (
        "<p>one two</p>",
        "<p>one <b>and a half</b> of two</p>",
        "<p>one <b><ins>and a half</ins></b> <ins>of</ins> two</p>",
    ),
    "a paragraph that came": (
        "<p>first of all</p><p>last of all</p>",
        "<p>first of all</p><p>quite something else</p><p>last of all</p>",
        "<p>first of all</p><p><ins>quite something else</ins></p><p>last of all</p>",
    ),
    "a paragraph that went": (
        "<p>first of all</p><p>quite something else</p><p>last of all</p>",
        "<p>first of all</p><p>last of all</p>",
        '<p>first of all</p><p><del class="gone">quite something else</del></p><p>last of all</p>',
    ),
    "the last paragraph went": (
        "<p>first of all</p><p>something <b>else</b></p>",
        "<p>first of all</p>",
        '<p>first of all</p><p><del class="gone">something else</del></p>',
    ),
    "all went": ("<p>one</p><h2>two</h2>", "", '<p><del class="gone">one</del></p><p><del class="gone">two</del></p>'),
    "all came": ("", "<p>one</p>", "<p><ins>one</ins></p>"),
    "an item that went": (
        "<ul><li>apples</li><li>pears</li><li>plums</li></ul>",
        "<ul><li>apples</li><li>plums</li></ul>",
        '<ul><li>apples</li><li><del class="gone">pears</del></li><li>plums</li></ul>',
    ),
    "the last item went": (
        "<ul><li>apples</li><li>pears</li></ul><p>end</p>",
        "<ul><li>apples</li></ul><p>end</p>",
        '<ul><li>apples</li><li><del class="gone">pears</del></li></ul><p>end</p>',
    ),
    "a row that went": (
        "<table><tbody><tr><td>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr></tbody></table>",
        "<table><tbody><tr><td>a</td><td>1</td></tr></tbody></table>",
        (
            '<table><tbody><tr><td>a</td><td>1</td></tr><tr><td><del class="gone">b</del></td>'
            '<td><del class="gone">2</del></td></tr></tbody></table>'
        ),
    ),
    "a cell that changed": (
        "<table><tbody><tr><td>total 1 of all</td></tr></tbody></table>",
        "<table><tbody><tr><td>total 2 of all</td></tr></tbody></table>",
        "<table><tbody><tr><td>total <del>1</del><ins>2</ins> of all</td></tr></tbody></table>",
    ),
    "a table that went": (
        "<table><tbody><tr><td>a</td><td>1</td></tr></tbody></table><p>end</p>",
        "<p>end</p>",
        '<p><del class="gone">a</del></p><p><del class="gone">1</del></p><p>end</p>',
    ),
    "a heading that went stays one": (
        "<h2>Old news</h2><p>the same</p>",
        "<p>the same</p>",
        '<h2><del class="gone">Old news</del></h2><p>the same</p>',
    ),
    "a paragraph that moved": (
        "<p>this one goes to the end</p><p>the second of them all</p><p>the third stays where it is</p>",
        "<p>the second of them all</p><p>the third stays where it is</p><p>this one goes to the end</p>",
        (
            '<p><del class="gone moved">this one goes to the end</del></p><p>the second of them all</p>'
            '<p>the third stays where it is</p><p><ins class="moved">this one goes to the end</ins></p>'
        ),
    ),
    "layout of prose is no change": ("<p>a  b\n c</p>\n\n<p>d</p>", "<p>a b c</p><p>d</p>", "<p>a b c</p><p>d</p>"),
    "layout of code is": (
        "<pre>if a:\n  b</pre>",
        "<pre>if a:\n    b</pre>",
        "<pre>if a:<del>\n  </del><ins>\n    </ins>b</pre>",
    ),
    "an image": (
        '<p>look <img src="/a" alt="a cat"></p>',
        '<p>look <img src="/b" alt="a dog"></p>',
        '<p>look <del>[image a cat]</del><ins><img src="/b" alt="a dog"></ins></p>',
    ),
    "writing without spaces": (
        "<p>今日は天気がいい</p>",
        "<p>今日は天気が悪い</p>",
        "<p>今日は天気が<del>い</del><ins>悪</ins>い</p>",
    ),
    "references are words": (
        "<p>a &amp; b &lt;i&gt;</p>",
        "<p>a &amp; c &lt;i&gt;</p>",
        "<p>a &amp; <del>b</del><ins>c</ins> &lt;i&gt;</p>",
    ),
    "text without HTML": (
        text_html("One line\nanother <b>\n\nend"),
        text_html("One line\nanother <i>\n\nend"),
        '<p class="plain">One line\nanother <del>&lt;b&gt;</del><ins>&lt;i&gt;</ins></p><p class="plain">end</p>',
    ),
}
LINKS = {
    "a link that leads elsewhere": (
        '<p>Read <a href="https://example.org/x">the page</a> now.</p>',
        '<p>Read <a href="https://example.org/y?a=1&amp;b=2">the page</a> now.</p>',
        (
            '<p>Read <a href="https://example.org/y?a=1&amp;b=2">the page</a> <small class="relinked"><span '
            'class="added">(link now goes to <ins>https://example.org/y?a=1&amp;b=2</ins>)</span> <span '
            'class="removed">(before: <del>https://example.org/x</del>)</span></small> now.</p>'
        ),
    ),
    "words that became a link": (
        "<ul><li>one page</li></ul>",
        '<ul><li>one <b><a href="/y">page</a></b></li></ul>',
        (
            '<ul><li>one <b><a href="/y">page</a> <small class="relinked"><span class="added">(now a link to '
            "<ins>/y</ins>)</span></small></b></li></ul>"
        ),
    ),
    "words that are no link any more": (
        '<p><a href="/y">one page</a> more</p>',
        "<p>one page more</p>",
        (
            '<p>one page <small class="relinked"><span class="removed">(no link any more, before: '
            "<del>/y</del>)</span></small> more</p>"
        ),
    ),
    "some words of the link stayed": (
        '<p>Here are <a href="/x">the many figures of May</a> for all.</p>',
        '<p>Here are <a href="/y">the many figures of June</a> for all.</p>',
        (
            '<p>Here are <a href="/y">the many figures of <del>May</del><ins>June</ins></a> <small class="relinked">'
            '<span class="added">(link now goes to <ins>/y</ins>)</span> <span class="removed">(before: '
            "<del>/x</del>)</span></small> for all.</p>"
        ),
    ),
    "an image that leads elsewhere": (
        '<p><a href="/x"><img src="/i" alt="cat"></a></p>',
        '<p><a href="/y"><img src="/i" alt="cat"></a></p>',
        (
            '<p><a href="/y"><img src="/i" alt="cat"></a> <small class="relinked"><span class="added">(link now goes '
            'to <ins>/y</ins>)</span> <span class="removed">(before: <del>/x</del>)</span></small></p>'
        ),
    ),
    "a paragraph that moved with another link": (
        '<p>this <a href="/x">one</a> goes to the end</p><p>the second of them all</p><p>the third of them all</p>',
        '<p>the second of them all</p><p>the third of them all</p><p>this <a href="/y">one</a> goes to the end</p>',
        (
            '<p><del class="gone moved">this one goes to the end</del></p><p>the second of them all</p><p>the third of '
            'them all</p><p><ins class="moved">this</ins> <a href="/y"><ins class="moved">one</ins></a> <small '
            'class="relinked"><span class="added">(link now goes to <ins>/y</ins>)</span> <span class="removed">'
            '(before: <del>/x</del>)</span></small> <ins class="moved">goes to the end</ins></p>'
        ),
    ),
    "a link around blocks": (
        '<a href="/x"><p>one page</p></a>',
        '<a href="/y"><p>one page</p></a>',
        (
            '<a href="/y"><p>one page <small class="relinked"><span class="added">(link now goes to <ins>/y</ins>)'
            '</span> <span class="removed">(before: <del>/x</del>)</span></small></p></a>'
        ),
    ),
    "a link of more words": (
        '<p>Read <a href="/x">this</a> page.</p>',
        '<p>Read <a href="/x">this page</a>.</p>',
        '<p>Read <a href="/x">this page</a>.</p>',
    ),
    "an address that would be markup": (
        '<p><a href="/x">page</a></p>',
        '<p><a href="/&quot;&lt;img src=x&gt;">page</a></p>',
        (
            '<p><a href="/&quot;&lt;img src=x&gt;">page</a> <small class="relinked"><span class="added">(link now goes '
            'to <ins>/&quot;&lt;img src=x&gt;</ins>)</span> <span class="removed">(before: <del>/x</del>)</span>'
            "</small></p>"
        ),
    ),
}
NUMBER = re.compile(r' id="change-\d+" data-change')


@pytest.mark.parametrize("name", CASES)
def test_what_changed_is_shown_inside_the_article(name: str) -> None:
    old, new, shown = CASES[name]
    found = inline_diff(old, new)
    assert NUMBER.sub("", found.html) == shown
    assert bool(found.changes) == (name not in {"nothing", "layout of prose is no change"})


@pytest.mark.parametrize("name", LINKS)
def test_a_link_with_a_new_target_is_marked(name: str) -> None:
    old, new, shown = LINKS[name]
    found = inline_diff(old, new)
    assert NUMBER.sub("", found.html) == shown
    assert found.relinked == (name != "a link of more words")
    assert found.changes == len(NUMBER.findall(found.html))
    assert inline_diff(new, new).changes == 0


def test_changes_are_numbered_in_their_order_and_counted() -> None:
    found = inline_diff("<p>one a two</p><p>gone with it</p><p>end b</p>", "<p>one b two</p><p>end b c</p>")
    assert re.findall(r'id="(change-\d+)"', found.html) == ["change-1", "change-2", "change-3"]
    assert (found.changes, found.added, found.removed, found.moved) == (3, 2, 4, 0)


def test_white_space_can_be_left_out() -> None:
    old, new = text_html("a b\n  c"), text_html("a   b c")
    assert inline_diff(old, new).changes == 2
    assert inline_diff(old, new, ignore_space=True).changes == 0


WORDS = st.lists(st.sampled_from(["alpha", "beta", "&amp;", "gamma", "日", "x&lt;y"]), max_size=6).map(" ".join)
LINK = st.builds('<a href="/{0}">{1}</a>'.format, st.sampled_from("xy"), WORDS)
INLINE = WORDS | st.builds("<{0}>{1}</{0}>".format, st.sampled_from(["b", "em", "span"]), WORDS) | LINK
TEXT = st.lists(INLINE, max_size=4).map(" ".join)
LIST = st.lists(TEXT, min_size=1, max_size=4).map(
    lambda items: "<ul>" + "".join(f"<li>{one}</li>" for one in items) + "</ul>"
)
TABLE = st.lists(st.lists(TEXT, min_size=1, max_size=3), min_size=1, max_size=3).map(
    lambda rows: (
        "<table><tbody>"
        + "".join("<tr>" + "".join(f"<td>{one}</td>" for one in row) + "</tr>" for row in rows)
        + "</tbody></table>"
    )
)
BLOCK = (
    st.builds("<{0}>{1}</{0}>".format, st.sampled_from(["p", "h2", "div", "pre", "blockquote"]), TEXT)
    | LIST
    | TABLE
    | TEXT
    | st.builds("<blockquote><p>{0}</p>{1}</blockquote>".format, TEXT, LIST)
)
ARTICLE = st.lists(BLOCK, max_size=6).map("".join).map(lambda html: article_html(html, "https://example.org/"))


@given(ARTICLE, ARTICLE)
def test_markup_is_never_broken_and_nothing_is_lost(old: str, new: str) -> None:
    found = inline_diff(old, new)
    # What a browser makes of it is what was written: no element is moved or closed by the parser.
    assert _parsed(found.html) == _serialised(found.html)
    assert _words(_without(found, "del")) == _words(new)
    assert sorted("".join(_words(_without(found, "ins")))) == sorted("".join(_words(old))), "what went is all there"
    assert bool(found.changes) or _words(old) == _words(new)


def test_a_long_article_takes_little_time() -> None:
    rng = random.Random(1)
    words = [f"w{rng.randrange(4000)}" for _ in range(60_000)]

    def article() -> str:
        return "".join(f"<p>{' '.join(words[at : at + 60])}</p>" for at in range(0, len(words), 60))

    old = article()
    for _ in range(300):
        words[rng.randrange(len(words))] = "edited"
    started = time.process_time()
    found = inline_diff(old, article())
    assert 250 <= found.changes <= 300
    assert time.process_time() - started < 3

    started = time.process_time()
    rng.shuffle(words)
    assert inline_diff(old, article()).changes
    assert time.process_time() - started < 8


@pytest.mark.parametrize(
    "side",
    [
        lambda name: "".join(f"<p>{name}{n}</p>" for n in range(30_000)),
        lambda name: "<p>" + "<br>" * 90_000 + f"{name}</p>",
        lambda name: "<p>" + "".join(f'<a href="/{name}{n}">w</a> ' for n in range(18_000)) + "</p>",
        lambda name: f'<p><a href="/{name}">' + "word " * 80_000 + "</a></p>",
    ],
    ids=["paragraphs", "line breaks", "links", "a long link"],
)
def test_articles_of_many_small_parts_take_little_time(side: Callable[[str], str]) -> None:
    started = time.process_time()
    assert inline_diff(side("a"), side("b")).changes
    assert time.process_time() - started < 8


HOSTILE = [
    "<script>alert(1)</script><p>x</p>",
    '<img src=x onerror="alert(1)">',
    '<a href="javascript:alert(1)">x</a>',
    '<a href=" java\tscript:alert(1)">x</a>',
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    '<img src="data:image/svg+xml,<svg onload=alert(1)>">',
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    '<pre class="top" style="position:fixed">x</pre>',
    '<b title="><img src=x onerror=alert(1)>">x</b>',
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<p><ins id=change-9>x</ins></p>",
]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_html_is_harmless_also_between_marks(hostile: str) -> None:
    url = "https://example.org/"
    ours, theirs = (article_html(one, url, keep_edits=False) for one in (hostile, f"<p>before</p>{hostile}<p>y</p>"))
    for html in (ours, inline_diff(ours, theirs).html, inline_diff(theirs, ours).html):
        tree = LexborHTMLParser(html)
        assert not tree.css("script, style, iframe, svg, object, embed, form, [onerror], [onload], [style], [srcdoc]")
        assert not tree.css("pre[class], ins[id='change-9']")
        for node in tree.css("[href], [src]"):
            value = node.attributes.get("href") or node.attributes.get("src") or ""
            assert value.startswith(("https://example.org/", "data:image/"))


def _without(found: InlineDiff, tag: str) -> str:
    told = re.sub(r" <small .*?</small>", "", found.html)
    return re.sub(rf"<{tag}[ >].*?</{tag}>", "", told, flags=re.DOTALL)


def _words(html: str) -> list[str]:
    # A mark of a change may stand inside a word; other elements end one.
    return re.sub(r"<[^>]*>", " ", re.sub(r"</?(?:ins|del)\b[^>]*>", "", html)).split()


def _parsed(html: str) -> str:
    body = LexborHTMLParser(f"<body>{html}").body
    assert body is not None
    return re.sub(r"\s+", " ", body.inner_html or "").strip()


def _serialised(html: str) -> str:
    return re.sub(r"\s+", " ", html.replace(" data-change", ' data-change=""')).strip()


def test_plain_text_is_escaped() -> None:
    assert text_html("<b>\n\n&") == f'<p class="plain">{escape("<b>")}</p><p class="plain">&amp;</p>'
