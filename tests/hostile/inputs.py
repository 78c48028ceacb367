"""Generators of whole inputs: what is read, what it is read with, and what is asked for."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from hostile.markup import counts, encodings, few, fragments, junk, letters, pages, values
from hostile.pieces import Input, Pieces, escaped, quoted
from veille.core.extract import modes

_TEXT = (("<p>A paragraph of a page, with enough words to count as its content. ", 30),)


def _repeated(unit: str, count: int, end: str = "") -> str:
    return (unit * count)[:4000] + end


# Selectors

_SIMPLE = "div * b .a #same [class*=a] [href^='/'] a:not([x]) :nth-child(2n+1) :first-child :empty p:nth-last-child(3)"
_simple = st.sampled_from([*_SIMPLE.split(), "a[href$='x' i]", ":is(div,b)", ":lexbor-contains('x')"])
_combined = st.builds(
    lambda parts, sign, count, end: _repeated(f"{parts}{sign}", count, end),
    _simple,
    st.sampled_from([" ", " > ", " + ", " ~ ", ","]),
    st.integers(1, 400),
    _simple,
)
_wrapped = st.builds(
    lambda name, inner, count: f":{name}(" * count + inner[:1000] + ")" * count,
    st.sampled_from(["not", "is", "where", "has", "nth-child"]),
    _combined,
    st.sampled_from([1, 2, 3, 10, 50, 500]),
)
css = _combined | _wrapped | st.builds(lambda one, other: f"nosuch {one} {other}"[:4000], _combined, _wrapped)
_steps = st.sampled_from(
    [
        "//*[count(//*)>0]",
        "//*[count(preceding::*)>1]",
        "//*[count(ancestor::*//*)>1]",
        "//*[following::*[preceding::*]]",
        "//*[contains(string(/),'x')]",
        "//*[translate(string(/),'abc','cba')='x']",
        "//*[//*[//*[//*]]]",
        "//p[.=//p]",
        "(//*)[last()]",
        "//*[re:test(.,'(a+)+b')]",
        "//*[string-length(concat(string(/),string(/)))>1]",
        "//*[sum(//*)=1]",
        "id('same')",
        "//node()|//@*|//text()",
        "//namespace::*",
    ]
)
xpaths = (
    _steps
    | st.builds(lambda one, other: f"{one}{other}", _steps, _steps)
    | st.builds(lambda one, count: "|".join([one] * min(count, 100)), _steps, few)
    | st.builds(lambda one, count: "(" * count + one + ")" * count, _steps, few)
    | st.builds(lambda count: "//*" + "[//*" * min(count, 100) + "]" * min(count, 100), few)
    | st.builds(lambda count: "1" + "+1" * min(count, 1000), few)
)
# Regular expressions, and addresses that they try for long.
_quantified = st.sampled_from(
    [
        r"(a+)+",
        r"(a|a)*",
        r"(a*)*",
        r"(.*a){12}",
        r"(a?){30}a{30}",
        r"(\w+\s?)*",
        r"(?=(a+))\1+",
        r"(a+)\1+",
        r"(.*)(.*)(.*)(.*)",
    ]
)
_patterns = (
    st.builds(lambda one, end: f"re:{one}{end}", _quantified, st.sampled_from(["$", r"\Z", "!b", "\\b\\B"]))
    | st.builds(lambda one, count: "re:" + f"(?:{one})" * min(count, 8) + "!", _quantified, few)
    | st.builds(lambda count: f"re:(?:a{{1,{count}}}){{1,{count}}}!", st.sampled_from([10, 1000, 60_000]))
    | st.builds(lambda count: "re:" + "(" * min(count, 240) + "a" + ")" * min(count, 240), few)
    | st.builds(lambda count: "*a" * min(count, 200) + "*b", few)
    | st.builds(lambda count: "?*" * min(count, 200), few)
)


def _bare(kind: str, to: str, body: Pieces, **given: Any) -> Input:
    return Input(kind=kind, to=to, body=body, **given)


#: Pages are looked at twice before they are told, or not.
_looks = st.sampled_from([{"look_twice": False}, {}])
html = st.builds(
    lambda body, again, encoding, config: _bare("html", "page", body, again=again, encoding=encoding, config=config),
    pages,
    st.just(()) | pages,
    encodings,
    _looks,
) | junk.map(lambda body: _bare("html", "page", body, encoding="raw"))
modes_of_pages = st.builds(
    lambda mode, selectors, body: _bare("selectors", "page", body, config={"mode": mode, "selectors": selectors}),
    st.sampled_from([mode for mode in modes() if mode != "xpath"]),
    st.lists(css, min_size=1, max_size=2),
    pages,
)
xpath = st.builds(
    lambda selectors, body: _bare("xpath", "page", body, config={"mode": "xpath", "selectors": selectors}),
    st.lists(xpaths, min_size=1, max_size=2),
    pages | st.just((("<p>Some words of a page. ", 6000),)),
)


def _site(config: dict[str, Any], body: Pieces) -> Input:
    return _bare("patterns", "site", body, config={"sitemaps": False, "max_pages": 2, **config})


patterns = st.builds(
    _site,
    st.builds(
        lambda name, found: {name: found},
        st.sampled_from(["include", "exclude"]),
        st.lists(_patterns, min_size=1, max_size=3),
    ),
    st.builds(
        lambda unit, count, more: (*_TEXT, ("<a href='/", 1), (unit, min(count, 2000)), ("!'>x</a>", 1), *more),
        st.sampled_from(["a", "aa/", "a b", "%61", "a-"]),
        counts,
        fragments,
    ),
)
ignored = st.builds(
    lambda lines, body, again: _bare("ignore", "page", body, again=again, config={"ignore": lines}),
    st.lists(
        st.builds(
            lambda unit, count: (unit * count)[:190] + "b", st.sampled_from(["*a", "?*", "*", "[a]*", "*[!x]"]), few
        ),
        min_size=1,
        max_size=5,
    ),
    st.builds(lambda text: (("<main><p>", 1), *text), letters),
    st.builds(lambda text, more: (("<main><p>", 1), *text, *more), letters, letters),
)

# Feeds

_ELEMENTS = (
    "description content:encoded title link guid pubDate author category enclosure media:content itunes:summary "
    "dc:creator x:y"
)


def _item(element: str, inside: Pieces, count: int, *, is_escaped: bool) -> Pieces:
    """One item with everything in it, or many with a little."""
    start, end = f"<item><guid>g{{n}}</guid><{element}>", f"</{element}></item>"
    if count == 1:
        shown = escaped(inside) if is_escaped else (("<![CDATA[", 1), *inside, ("]]>", 1))
        return ((start, 1), *shown, (end, 1))
    little = "".join(unit * min(times, 2) for unit, times in escaped(inside))[:500]
    return ((start + little + end, count),)


_items = st.builds(_item, st.sampled_from(_ELEMENTS.split()), fragments, counts, is_escaped=st.booleans())
_odd_xml = st.sampled_from(
    [
        "<x>",
        "<a:b xmlns:a='u{n}'>",
        "<item>",
        "<item/>",
        "<category>c{n}</category>",
        "<enclosure url='e{n}'/>",
        "<link href='l{n}'/>",
        "<author><name>n{n}</name></author>",
        "&a9;",
        "&#x41;",
        "<!--x-->",
        "<?x?>",
        "]]>",
        "<channel>",
        "<entry>",
        "<a href='/x{n}'>x</a>",
        "<link>https://example.org/{n}</link>",
        "<pubDate>Mon, {n} Jan 2024</pubDate>",
        "<source>",
        "<rss>",
        "<itunes:category text='x'>",
    ]
)


def _feed(start: str, inside: Pieces, again: Pieces, encoding: str) -> Input:
    body = ((start, 1), *inside, ("</channel></rss>", 1))
    later = ((start, 1), *again, ("</channel></rss>", 1)) if again else ()
    return _bare(
        "feed",
        "feed",
        body,
        again=later,
        encoding=encoding,
        media_type="application/rss+xml",
        config={"max_entries": 500},
    )


_laughs = (
    "<!DOCTYPE x [<!ENTITY a0 'ha'>" + "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 10)) + "]>"
)
_starts = st.sampled_from(
    [
        "<?xml version='1.0'?><rss version='2.0'><channel><title>F</title>",
        "<rss version='2.0' xml:base='http://example.org/'><channel>",
        f"<?xml version='1.0'?>{_laughs}<rss><channel><title>&a9;</title>",
        "<?xml version='1.0' encoding='utf-16'?><rss><channel>",
        "<feed xmlns='http://www.w3.org/2005/Atom'><title>F</title><channel>",
        "<rdf:RDF xmlns:rdf='x'><channel>",
        "<!DOCTYPE rss SYSTEM 'file:///etc/passwd'><rss><channel>",
    ]
)
_insides = _items | st.builds(lambda unit, count: ((unit, count),), _odd_xml, counts)
feeds = st.builds(
    lambda start, one, other, again, encoding: _feed(start, one + other, again, encoding),
    _starts,
    _insides,
    st.just(()) | _insides,
    st.just(()) | _insides,
    encodings,
)

# JSON

_paths = st.sampled_from(
    ["", "a", "a.b.c", "*", "a.*.b", "*.*.*", "items", "@graph", "0", "a\\.b", ".", "..", "k"]
) | st.builds(lambda unit, count: _repeated(unit, count, "a"), st.sampled_from(["a.", "*.", "0.", "\\."]), few)
_templates = st.builds(_repeated, st.sampled_from(["{text}", "{a}", "{title}{id}", "{", "{{n}}"]), few)
_mappings = st.dictionaries(
    st.sampled_from(["id", "title", "text", "url", "summary", "published", "authors", "lang", "x"]),
    _paths | _templates,
    max_size=4,
)
_rows = st.sampled_from(
    [
        '{"id":{n},"title":"Item {n}","text":"Text {n}"},',
        '{"title":"same","text":"same"},',
        '{"id":"x","title":"{n}"},',
        '{"title":{"a":[{n}]},"text":[1,[2,[3]]]},',
        '{"url":"/x{n}","title":"t","authors":[{"name":"a"},{"name":"b"}]},',
        '{"published":"2024-01-01T00:00:00Z","title":"{n}"},',
        '{"published":1e308,"title":"{n}"},',
        '{"title":"<b>{n}</b><p>x"},',
        "[1],",
        "{},",
        '{"title":{"a":[0],"b":[1]}},',
    ]
)
_listings = (
    st.builds(lambda unit, count: (("[", 1), (unit, count), ('{"title":"z"}]', 1)), _rows, counts)
    | st.builds(lambda unit, count: ((unit.rstrip(",") + "\n", count),), _rows, counts)
    | st.builds(lambda inside: (('[{"id":1,"title":"t","text":"', 1), *quoted(inside), ('"}]', 1)), fragments)
    | values
)
json_items = st.builds(
    lambda body, again, path, fields, paging: _bare(
        "json",
        "api",
        body,
        again=again,
        media_type="application/json",
        config={"result_path": path, "fields": fields, **({"paging": paging, "max_pages": 2} if paging else {})},
    ),
    _listings,
    st.just(()) | _listings,
    st.just("") | _paths,
    _mappings,
    st.none() | st.fixed_dictionaries({"by": st.just("next"), "path": st.sampled_from(["next", "a.b", "*.a"])}),
)

# What accounts ask for

_outlines = st.sampled_from(
    [
        "<outline type='rss' text='f{n}' xmlUrl='https://example.org/f/{n}'/>",
        "<outline text='folder{n}'>",
        "<outline>",
        "</outline>",
        "<outline xmlUrl='https://example.org/same'/>",
        '<outline xmlUrl="',
        "<outline type='rss'/>",
        "<outline a='b' ",
        "<!--",
        "<!-- <outline> -->",
        "<outline xmlUrl='https://example.org/{n}' category='/a/b,/c{n}'/>",
        "<outline xmlUrl='http://127.0.0.1/{n}'/>",
        "&amp;",
        "<!DOCTYPE x [",
    ]
)
opml = st.builds(
    lambda start, one, other, end: _bare(
        "opml", "opml", ((start, 1), *one, *other, (end, 1)), media_type="text/x-opml"
    ),
    st.sampled_from(["<opml version='2.0'><body>", "<opml>", "<?xml version='1.0'?><!DOCTYPE x><opml>", ""]),
    st.builds(lambda unit, count: ((unit, count),), _outlines, counts),
    st.builds(lambda unit, count: ((unit, count),), _outlines, counts),
    st.sampled_from(["</body></opml>", ""]),
)
_TERMS = (
    '" ( ) * ^a { NOT title: \u4e2d e\u0301 \x00 -a a* word{n} source:x after:2024-01-01 "a_b" NEAR(a_b) a_OR'.split(
        " "
    )
)
queries = st.builds(
    lambda one, count, end: _bare("query", "query", ((one, min(count, 4000 // len(one) + 1)), (end, 1))),
    st.builds(lambda term, space: term.replace("_", " ") + space, st.sampled_from(_TERMS), st.sampled_from(["", " "])),
    counts,
    st.sampled_from(["", "a", '"', ")"]),
)
_ROUTES = (
    "/api/dossiers",
    "/api/dossiers/{}/sources",
    "/api/dossiers/{}/questions",
    "/api/dossiers/{}/searches",
    "/api/auth/login",
    "/api/auth/tokens",
    "/mcp",
)
_options = values.map(
    lambda value: (('{"name":"n","url":"http://127.0.0.1:9/","config_json":"', 1), *quoted(value), ('"}', 1))
)
bodies = st.builds(
    lambda path, body: _bare("body", "body", body, media_type="application/json", config={"path": path}),
    st.sampled_from(_ROUTES),
    _listings | _options,
)
texts = st.builds(
    lambda one, other, both, config: _bare(
        "texts", "page", (("<main><p>", 1), *one, *both), again=(("<main><p>", 1), *both, *other), config=config
    ),
    letters,
    letters,
    letters,
    _looks,
)

#: Every generator, by name.
INPUTS: dict[str, st.SearchStrategy[Input]] = {
    "html": html,
    "selectors": modes_of_pages,
    "xpath": xpath,
    "patterns": patterns,
    "ignore": ignored,
    "body": bodies,
    "feed": feeds,
    "json": json_items,
    "opml": opml,
    "query": queries,
    "texts": texts,
}
