from __future__ import annotations

import pytest

from veille.core.extract import Options, extract_page
from veille.core.extract.output.render import fragment_text
from veille.core.extract.tree.permalinks import without_permalinks

SENTENCES = "The ferry leaves at dawn from the old pier, and comes back after dark. " * 5


@pytest.mark.parametrize(
    "heading",
    [
        '<h2 id="x">Title<a class="headerlink" href="#x" title="Permalink to this heading">¶</a></h2>',
        '<section id="x"><h2>Title<a class="headerlink" href="#x">#</a></h2></section>',
        '<h2 id="x">Title <a href="#x">#</a></h2>',
        "<h2 id=x>Title <a href=#x>#</a></h2>",
        '<h2><a name="x"></a>Title <a href="page.html#x" class="permalink">&para;</a></h2>',
        '<h2 id="x"><a class="anchor" href="#x"><span aria-hidden="true">#</span></a>Title</h2>',
        '<h2 id="x"><a class="doc-anchor" href="#x">§</a>Title</h2>',
        '<h2>Title<a id="x" href="https://example.org/page#x">🔗</a></h2>',
        '<h2 class="title" id="X">Title <a href="#X" class="id_link">#</a></h2>',
    ],
)
def test_the_link_of_a_heading_to_itself_is_no_text(heading: str) -> None:
    assert fragment_text(heading) == "Title"


@pytest.mark.parametrize(
    "text",
    [
        '<p><a href="#digits">#</a> <a href="#A">A</a></p><h2 id="digits">1</h2>',
        '<p>See <a href="https://example.org/issues/7">#</a>7</p>',
        "<p>C# and § 7 and ¶ 3</p>",
        '<p>Issue <a href="#12">#12</a></p>',
        "<pre># a comment</pre>",
    ],
)
def test_other_signs_stay(text: str) -> None:
    assert without_permalinks(text.encode()).decode() == text


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(mode="css", selectors=("main",)),
        Options(mode="xpath", selectors=("//main",)),
        Options(mode="reader"),
        Options(mode="landmarks"),
        Options(mode="everything"),
    ],
    ids=lambda options: options.mode,
)
def test_no_way_of_reading_has_them(options: Options) -> None:
    page = (
        f'<html><body><main><h2 id="a">Ferries<a class="headerlink" href="#a">¶</a></h2><p>{SENTENCES}</p>'
        f'<h2 id="b">Boats<a href="#b">#</a></h2><p>{SENTENCES}</p></main></body></html>'
    )
    found = extract_page(page, "https://example.org/a", options).content
    assert found is not None
    assert "¶" not in found.text + found.markup + found.markdown
    assert "Boats" in found.text
    assert "#" not in found.text


@pytest.mark.parametrize("piece", ["<a ", "<a href=#x>#</a>", "<a>></a>", "</</a>", "<a href='#yy'>#</a> y yy id"])
def test_hostile_pages_take_no_time_worth_speaking_of(piece: str) -> None:
    # Linear: 20,000 pieces take a third of a second; anything worse would take minutes.
    without_permalinks(piece.encode() * 20_000)
