"""Generators of HTML that aim at whoever parses, cleans, compares or shows it."""

from __future__ import annotations

from hypothesis import strategies as st

from hostile.pieces import Pieces, escaped, quoted

#: How often something is repeated; the first is what failures shrink to.
counts = st.sampled_from([1, 2, 5, 20, 100, 400, 1500, 5000, 20_000, 80_000, 300_000])
few = st.sampled_from([1, 2, 5, 20, 100, 400])

_TAGS = (
    "div span p b i a font nobr table tr td th tbody caption colgroup col select option optgroup template svg math mi "
    "mtext foreignObject desc annotation-xml ruby rt rp li ul ol dl dd dt form button h1 h2 frameset noscript textarea "
    "title iframe object marquee applet section article main nav aside header footer blockquote pre code details body "
    "summary figure picture video label fieldset input img br hr html head em strong u s del ins sup time x-y"
).split()
tags = st.sampled_from(_TAGS)
#: Elements that the parser moves, clones or closes on its own.
_PAIRS = (
    "<a><b>",
    "<b><i></b>",
    "<p><b></p>",
    "<table><b>",
    "<table><a>x",
    "<table><tr><td><table>",
    "<a><table><a>",
    "<font><p></font>",
    "<nobr><p><nobr>",
    "<select><option>",
    "<svg><desc><b>",
    "<math><mtext><p>",
    "<form><form>",
    "<button><p></button>",
    "<li><a>",
    "<dd><div>",
    "<ruby><rt>",
    "</p>",
    "</br>",
    "<body class=a{n}>",
    "<template><tr>",
    "<b></i>",
    "<i><a></i>",
    "<h1><h2>",
    "<b><p>x</b>",
    "<svg><style><img>",
    "<noscript><p title='</noscript>'>",
)
_FLOODS = (
    "&amp;",
    "&lt;div&gt;",
    "&#x1F600;",
    "&#0;",
    "&notit;",
    "&NotEqualTilde;",
    "&",
    "&#99999999;",
    "<!--",
    "<!--x-->",
    "<!",
    "<![CDATA[",
    "<![CDATA[x]]>",
    "]]>",
    "<?x ",
    "</",
    "<",
    ">",
    '"',
    "<a href='",
    "<br>",
    "<hr>",
    "<img src=x{n}.png srcset='a 1x, b 2x'>",
    "<img src='data:image/png;base64,AAAA'>",
    "<p>One sentence of a page, number {n}, that could be an article.</p>",
    "<p>{n}",
    "<a href='/a{n}'>Link {n}</a> ",
    "<a href='?a={n}&b={n}'>x</a>",
    "<li>Item {n}</li>",
    "<h2 id=same>Heading {n}</h2>",
    "<div id=same class='a b c d'>x</div>",
    "<td colspan=1000 rowspan=65534>x</td>",
    "<tr><td colspan=9999>x<td rowspan=9999>y",
    "<meta name=author content='Name {n}'>",
    "<meta property='article:tag' content='tag{n}'>",
    "<link rel=alternate type='application/rss+xml' href='/f{n}'>",
    "<link rel=canonical href='/c{n}'>",
    "<base href='http://example.org/{n}'>",
    "<time datetime='2024-01-{n}'>Last updated on January {n}, 2024</time>",
    "<span itemscope itemtype='http://schema.org/Article'><b itemprop=articleBody>x{n}</b>",
    "<style>a{n}{color:red}</style>",
    "<script>var a{n}=1</script>",
    "<input value=x{n}>",
    "<a class=headerlink href='#x{n}'>¶</a>",
    "<ins>x{n}</ins><del>y{n}</del>",
    "<sup>{n}</sup>",
    "<pre>line {n}\n</pre>",
    "<dt>{n}<dd>x",
)
#: Runs of letters without a place to break, or with odd ones.
_LETTERS = (
    "a",
    "ab ",
    "word{n} ",
    "the ",
    "Wort, ",
    "x\n",
    "\n",
    " ",
    "\u00a0",
    "\t",
    "e\u0301",
    "\u0301",
    "\u200b",
    "\u202e\u05d0",
    "\u2066\u2069",
    "\u200f",
    "\u4e2d\u6587",
    "\u65e5\u672c\u8a9e\u306e\u6587\u3002",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\ufeff",
    "\ufffd",
    "\x00",
    "\x0c",
    "\u2028",
    "1",
    "1,",
    "1.",
    "2024-01-01 ",
    "Jan 1, 2024 ",
    "12:00 ",
    " days ago ",
    "Last updated on Jan 1, 2024\n",
    "http://a.b/c ",
    "a@b.c ",
    "-",
    ".",
    "...",
    "$",
    "*",
    "_",
    "`",
    "[x](",
    "![",
    "#",
    "> ",
    "| ",
    "\\",
    "©",
    "ß",
    "İ",
    "ﬁ",
    "ﷺ",
    "\ud800",
)


def _nested(tag: str, depth: int, inside: Pieces, closed: int) -> Pieces:
    return ((f"<{tag}>", depth), *inside, *(((f"</{tag}>", depth),) if closed else ()))


def _attributed(tag: str, name: str, unit: str, count: int) -> Pieces:
    return ((f"<{tag} {name}='", 1), (unit.replace("'", ""), count), ("'>x", 1))


def _many_attributes(tag: str, unit: str, count: int) -> Pieces:
    return ((f"<{tag} ", 1), (unit, count), (">x", 1))


letters = st.tuples(st.sampled_from(_LETTERS), counts).map(lambda one: (one,))
floods = st.tuples(st.sampled_from(_FLOODS), counts).map(lambda one: (one,))
pairs = st.tuples(st.sampled_from(_PAIRS), counts).map(lambda one: (one,))
_leaves = letters | floods | pairs
_attributes = st.builds(
    _attributed,
    tags,
    st.sampled_from(["class", "id", "href", "src", "srcset", "title", "alt", "style", "lang", "datetime", "content"]),
    st.sampled_from(
        ["a", "a ", "x{n} ", "a 1x, ", "/", "../", "%41", "&amp;", "\u00e9", "?a=1&", "#", "0", "javascript:"]
    ),
    counts,
) | st.builds(
    _many_attributes, tags, st.sampled_from(["a{n}=x ", "a=x ", "data-x{n}='y' ", "onclick=x ", "/ ", "= "]), counts
)
#: Something in a page.
fragments: st.SearchStrategy[Pieces] = st.recursive(
    _leaves | _attributes,
    lambda inner: (
        st.builds(_nested, tags, counts, inner, st.integers(0, 1))
        | st.builds(lambda one, other: one + other, inner, inner)
    ),
    max_leaves=4,
)


def _json_ld(value: Pieces, count: int) -> Pieces:
    head, tail = '<script type="application/ld+json">', "</script>"
    inside = "".join(unit * min(times, 3) for unit, times in value)
    return ((head, 1), *value, (tail, 1)) if count == 1 else ((head + inside + tail, count),)


def _preloaded(inside: Pieces) -> Pieces:
    cooked = quoted(quoted(inside))
    start, end = '{"topic_1":"{\\"post_stream\\":{\\"posts\\":[{\\"cooked\\":\\"', '\\"}]}}"}'
    value = escaped(((start, 1), *cooked, (end, 1)))
    return (('<div id=data-preloaded data-preloaded="', 1), *value, ('"></div>', 1))


def _article(inside: Pieces) -> Pieces:
    start = '{"@context":"https://schema.org","@type":"NewsArticle","headline":"One","articleBody":"'
    return ((start, 1), *quoted(inside), ('"}', 1))


def _graph(unit: str, count: int) -> Pieces:
    return (('{"@graph":[', 1), (unit, count), ("{}]}", 1))


#: JSON as data of a page or as an answer: deep, wide, long, and with numbers and letters that hardly fit anywhere.
values: st.SearchStrategy[Pieces] = (
    st.builds(lambda unit, end, count: ((unit, count), ("1", 1), (end, count)), st.just("["), st.just("]"), counts)
    | st.builds(lambda count: (('{"a":', count), ("1", 1), ("}", count)), counts)
    | st.builds(lambda count: (('{"@graph":[', count), ("1", 1), ("]}", count)), counts)
    | st.builds(
        _graph,
        st.sampled_from(
            [
                '{"@type":"Article","articleBody":"x{n}"},',
                '{"@id":"#{n}","author":{"@id":"#{n}"}},',
                "1,",
                '"x{n}",',
                '{"k{n}":{n}},',
                "{},",
                "[],",
                "null,",
            ]
        ),
        counts,
    )
    | st.builds(lambda count: (("{", 1), ('"key{n}":"x",', count), ('"z":1}', 1)), counts)
    | st.builds(lambda count: (('{"', 1), ("k", count), ('":1}', 1)), counts)
    | st.builds(
        lambda unit, count: (('{"a":', 1), (unit, count), ("}", 1)), st.sampled_from(["9", "1e", "-", "0.1"]), counts
    )
    | st.builds(
        lambda unit, count: (('{"text":"', 1), (unit, count), ('"}', 1)),
        st.sampled_from(["\\ud800", "\\u0000", "\\\\", '\\"', "\\n"]),
        counts,
    )
    | fragments.map(_article)
)
_heads = st.builds(_json_ld, values, few) | fragments | fragments.map(_preloaded)


def _page(head: Pieces, body: Pieces, *, doctype: bool) -> Pieces:
    start = "<!doctype html><html lang=en><head><title>A title</title>" if doctype else "<title>x</title>"
    return ((start, 1), *head, ("</head><body><main>", 1), *body, ("</main>", 1))


#: A whole page.
pages = (
    st.builds(_page, st.just(()) | _heads, fragments, doctype=st.booleans())
    | fragments
    | st.builds(_page, _heads, st.just((("<p>Words of a page. ", 20),)), doctype=st.just(value=True))
)
#: Bytes that are no text, or another one than they say.
encodings = st.sampled_from(
    ["utf-8", "utf-8", "utf-8", "utf-16", "utf-16-be", "utf-32", "latin-1", "shift_jis", "raw", "utf-7"]
)
junk = st.tuples(
    st.sampled_from(
        [
            "\x00",
            "\xff",
            "\x1f\x8b\x08",
            "\xfe\xff",
            "\xef\xbb\xbf",
            "\xc0\x80",
            "\xed\xa0\x80",
            "PK\x03\x04",
            "%PDF-1.4\n",
            "\x80",
            "\x1b$B",
            "\xe4",
        ]
    ),
    counts,
).map(lambda one: (one,))
