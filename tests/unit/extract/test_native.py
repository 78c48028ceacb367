from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from twins import assert_twins_agree
from veille.core.extract import extract_page
from veille.core.extract.tree.compiled import COMPILED, native
from veille.core.extract.tree.walk import walk

ROOT = Path(__file__).parents[3]
NATIVE = "veille.core._native"
built = pytest.mark.skipif(not COMPILED, reason="nothing is compiled here")

TAGS = (
    "div p li ul ol table tr td th pre code span a b img br hr h1 h2 article main section nav footer header aside svg "
    "script style template noscript math custom-box blockquote button details summary figure select title "
    "foreignObject time meta form"
).split()
ATTRIBUTES = (
    'class="post-content nav"', 'class="Line code-line"', 'class="L12"', 'class="accordion panel"', 'class="é\u2003ad"',
    'id="commentList"', 'id="S:1a"', "hidden", 'aria-hidden="true"', 'role="tabpanel"', 'style="display : NONE"',
    'style="opacity:0"', 'style="opacity:0.5;color:red"', 'style="font-size:0px"', 'style="left:-9999px"',
    'style="vi\u017fibility:hidden"', 'style="visibility:hidden;transform:none"', 'href="/a?b=1&amp;c"',
    'href="https://example.org/ü"', 'href=" java\tscript:x"', 'href="mailto:a@b.example"', 'src="/i.png"',
    'data-src="//cdn.example/i.png"', 'srcset="a.png 1x, b.png 2x"', 'title="&quot;quoted&quot;"', "colspan=2",
    "lang=de", 'datetime="2026-01-01"', 'type="Application/LD+json"', "xlink:href=x", "class", 'data-lang="rust"',
    'dir="rtl"', 'src="data:image/gif;base64,R0"', 'src=""', "srcset", 'data-srcset="/c.png 400w,d.png"',
    "itemscope", 'itemtype="https://schema.org/Product x/T"', 'itemprop="name price"', 'itemprop=""', 'content="12"',
    'srcset="/a.png 1x, https://cdn.example/b\'?c&d 2.5x"', 'srcset=" ,/a.png,/b.png 300w,"', 'srcset="/a.png x 2x"',
    'alt="no src"', 'src="/ a.png\t"', 'href="/\\a"', 'href="/"', 'class="language-python"', 'data-original="i.png"',
)  # fmt: skip
TEXTS = (
    "A sentence of more than a dozen words, with commas, so that it counts as good text in a block.", "word", " ",
    "\n\t", "\u00a0", "zero\u200bwidth \u202ereversed", "$ 12.99 only", "12 EUR", "GBP", "٣ €", "&lt;&amp;&#0;", "\x00",
    "\x1c\x1f", "two  spaces", "line\r\nend", "\U000e0041tag", "日本語。", "“quoted”", "\ufeff", "",
)  # fmt: skip
OPENING = st.tuples(st.sampled_from(TAGS), st.lists(st.sampled_from(ATTRIBUTES), max_size=3)).map(
    lambda found: f"<{' '.join([found[0], *found[1]])}>"
)
CLOSING = st.sampled_from(TAGS).map("</{}>".format)
PIECES = st.one_of(OPENING, CLOSING, st.sampled_from(TEXTS), st.text(max_size=20))


@built
@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=60).map("".join))
def test_any_page_is_read_the_same_by_both(html: str) -> None:
    assert_twins_agree(html.encode("utf-8", "replace"))


@built
@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(OPENING.map(str.encode), st.binary(max_size=12)), max_size=40).map(b"".join))
def test_any_bytes_are_read_the_same_by_both(data: bytes) -> None:
    assert_twins_agree(data)


@built
@pytest.mark.covers("R-237")
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<",
        b"<div>" * 10_000 + b"deep",  # of 100,000 the parser would not make a tree within a minute
        b"<b>" * 2_000 + b"<p>text" * 200,
        b"<pre>" + b"<span class=line>" * 20_000 + b"x",
        b"<table><tr>" + b"<td>" * 20_000 + b"last",
        b"<p " + b" ".join(b"a%d=%d" % (number, number) for number in range(3_000)) + b">text",
        b"<p class='" + b"word " * 100_000 + b"'>" + b"text " * 20,
        b"<p>" + b"x" * 10_000_000,
        b"<p>" + "\u200b ".encode() * 200_000,
        b"<p style='" + b"left:" * 100_000 + b"'>text",
        b"".join(b"<div class=c%d><c-%d>t</c-%d></div>" % (n, n, n) for n in range(5_000)),
        b"\xff\xfe" * 50_000,
        b"<p class='\xe2\x82'>one</p><p class='\xff\xff'>two</p><p>\xe2\x82<b>\xac</b>" * 50,
    ],
    ids=range(14),
)
def test_hostile_pages_are_read_the_same_by_both(data: bytes) -> None:
    assert_twins_agree(data)


def _reading(html: str) -> Any:
    root = LexborHTMLParser(html).root
    assert root is not None
    return walk(root).compiled


@built
def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="address"):
        native.walk(0, False)  # noqa: FBT003
    with pytest.raises(TypeError):
        native.walk("body", False)  # type: ignore[arg-type] # noqa: FBT003
    rows, words, keep = np.empty((115, 1), np.float32), np.empty(1), np.ones(1, dtype=bool)
    empty, one = _reading(""), _reading("<p>text</p>")
    for reading, title, numbers in ((empty, -1, 34), (one, 1, 34), (one, -2, 34), (one, -1, 33)):
        with pytest.raises(ValueError, match="of no page"):
            native.columns(reading, title, (0,) * numbers, str, rows, words)
    with pytest.raises(TypeError):
        native.columns(None, -1, (0,) * 34, str, rows, words)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="cannot create"):
        native.Reading()
    for kept in (b"", b"\1\1"):
        with pytest.raises(ValueError, match="as many"):
            native.render(one, kept, "", "")
    with pytest.raises(ValueError, match="as many"):
        native.in_container(one, np.empty(2), keep, rows, (0, 1, 2))
    with pytest.raises(ValueError, match="as many"):
        native.in_container(one, words, keep, rows, (0, 1, 115))
    with pytest.raises(ValueError, match="as many"):
        native.core(one, np.empty(2), keep, 0.9)
    with pytest.raises(ValueError, match="as many"):
        native.link_lists(one, rows[0], np.empty(2), keep, keep)
    with pytest.raises(OverflowError):
        one.sizes(-1)
    with pytest.raises(ValueError, match="as many"):
        native.choose(np.empty(2, np.float32), words, 1.0, keep)
    with pytest.raises(ValueError, match="of no page"):
        native.furniture(one, rows, (0, 1, 2, 3, 115), words, "", keep)
    with pytest.raises(ValueError, match="of no page"):
        native.pager(one, rows[0], np.empty(2), str, keep)


@built
def test_a_model_of_other_sizes_is_refused() -> None:
    numbers, amounts = np.zeros(5, np.int32), np.zeros(5, np.float32)
    with pytest.raises(ValueError, match="no model"):
        native.model(
            (numbers, amounts) * 2 + (numbers, amounts, numbers, numbers, amounts, amounts, amounts), 0, 42, 9, 9
        )
    with pytest.raises(ValueError, match="eleven"):
        native.model((), 0, 42, 9, 9)


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, env=os.environ | environment, check=False
    )


PAGE = """
import json, sys
from veille.core.extract import extract_page
from veille.core.extract.tree.compiled import COMPILED
found = extract_page(sys.argv[1], "https://example.org/")
links = [link.url for link in found.metadata.links]
print(json.dumps([COMPILED, found.content.text, found.content.markup, found.quality, links]))
"""


def test_without_the_compiled_code_a_page_is_read_the_same() -> None:
    html = "<h1>Tide</h1>" + "<p class=body>The tide comes in, <a href=/t>slowly</a>, as it has always done.</p>" * 9
    done = run("-c", PAGE, html, VEILLE_PURE="1")
    assert not done.stderr
    found = extract_page(html, "https://example.org/")
    assert found.content is not None
    links = [link.url for link in found.metadata.links]
    expected = [False, found.content.text, found.content.markup, found.quality, links]
    assert json.loads(done.stdout) == expected


@pytest.mark.skipif(
    (find_spec(NATIVE) is None or "VEILLE_PURE" in os.environ) and not os.environ.get("CI"),
    reason="nothing is compiled here",
)
def test_what_was_built_is_used() -> None:
    """In CI something always is: this is what fails there when the tests of compiled code are skipped."""
    assert COMPILED


OTHER = """
import sys, types, numpy, importlib.util
from numpy._core import _multiarray_umath as library
other = types.ModuleType("selectolax.lexbor")
other.__file__ = library.__file__
sys.modules["selectolax.lexbor"] = other
spec = importlib.util.spec_from_file_location("_native", sys.argv[1])
try:
    importlib.util.module_from_spec(spec).bind()
except ImportError as error:
    print(error)
"""


@built
def test_a_parser_that_lacks_a_function_is_left_alone() -> None:
    done = run("-c", OTHER, native.__file__)
    assert done.stdout.startswith("selectolax does not offer lxb_"), done.stderr


@pytest.mark.timeout(120)
def test_the_package_builds_without_a_compiler(tmp_path: Path) -> None:
    """With one, it does so in tests/integration/test_wheels.py."""
    place = ("--build-lib", str(tmp_path / "lib"), "--build-temp", str(tmp_path / "temp"))
    done = run("setup.py", "-q", "build_ext", *place, CC="/bin/false")
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.glob("lib/**/_native*"))


@built
def test_an_attribute_of_another_namespace_is_not_taken_for_its_namesake() -> None:
    assert_twins_agree(b'<svg xlink:href=x href="https://example.org/u"><a xlink:href=y href=z>t</a></svg>')


@built
def test_names_in_capitals_leave_the_bytes_of_python_alone() -> None:
    """Python shares bytes of one letter: lowering a name in place once changed them for the whole process."""
    native.overfull(b"<A><B></B></A>" * 3, 1, 1000, frozenset())
    assert [bytes([letter]).decode() for letter in b"AB"] == ["A", "B"]
