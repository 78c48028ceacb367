"""The text of an article is its body; what belongs to it and is not in it can be had apart, or in it on request."""

from __future__ import annotations

from typing import Final

import pytest

from veille.core.extract.judge.announced import Apart
from veille.errors import ConfigError
from veille.extract import Options, extract_page

_SENTENCES: Final = [
    f"The council decided on Tuesday, after {number} hours of debate, that the old bridge will be repaired at last, "
    "and that the ferry will carry people, bicycles and carts across the water until the work is done."
    for number in range(3, 12)
]
_BODY: Final = "".join(f"<p>{sentence}</p>" for sentence in _SENTENCES)
ARTICLE: Final = f"""<html><head><title>Bridge to be repaired | Daily</title>
<meta property="og:type" content="article"><meta property="og:title" content="Bridge to be repaired"></head><body>
<nav><a href="/">Home</a> <a href="/news">News</a></nav>
<main><article><h1>Bridge to be repaired</h1><div class="byline meta">By Anna Berg, 3 May 2026</div>
<figure><img src="bridge.jpg"><figcaption>The bridge in winter. Photo: J. Stone</figcaption></figure>{_BODY}</article>
<div class="related"><h3>More from the region</h3><ul><li><a href="/a">A mill burns down at night</a></li>
<li><a href="/b">Herons return to the lake</a></li></ul></div>
<section id="comments" class="comments"><h3>2 comments</h3><div class="comment"><p>About time, I would say, it has been
closed for years and nobody cared.</p></div>
<div class="comment"><p>And who will pay for the ferry in winter?</p></div></section>
</main><footer>Imprint</footer></body></html>"""
SAID: Final[dict[Apart, str]] = {
    "headline": "Bridge to be repaired",
    "byline": "By Anna Berg",
    "captions": "The bridge in winter",
    "related": "Herons return to the lake",
    "comments": "who will pay for the ferry",
}


def test_the_text_is_the_body_alone() -> None:
    content = extract_page(ARTICLE, "https://daily.example/2026/05/03/bridge").content
    assert content is not None
    assert all(sentence in content.text for sentence in _SENTENCES)
    assert not [name for name, words in SAID.items() if words in content.text]


@pytest.mark.parametrize("name", SAID)
def test_what_is_not_in_the_text_is_kept_apart(name: Apart) -> None:
    content = extract_page(ARTICLE, "https://daily.example/2026/05/03/bridge").content
    assert content is not None
    assert SAID[name] in content.parts[name]


@pytest.mark.parametrize("name", SAID)
def test_on_request_it_is_in_the_text_where_it_stands(name: Apart) -> None:
    options = Options(with_parts=(name,))
    content = extract_page(ARTICLE, "https://daily.example/2026/05/03/bridge", options).content
    assert content is not None
    assert SAID[name] in content.text
    assert SAID[name] in content.html
    assert name not in content.parts
    is_before = name in ("headline", "byline", "captions")
    assert (content.text.index(SAID[name]) < content.text.index(_SENTENCES[0])) == is_before
    assert not [other for other, words in SAID.items() if other != name and words in content.text]


def test_metadata_has_the_headline_the_authors_and_the_date() -> None:
    found = extract_page(ARTICLE, "https://daily.example/2026/05/03/bridge").metadata
    assert (found.title, found.authors) == ("Bridge to be repaired", ("Anna Berg",))
    assert found.published_at is not None


def test_a_part_that_does_not_exist_is_refused_by_its_name() -> None:
    with pytest.raises(ConfigError, match=r"no part 'coments' of a page; there are: .*comments") as refused:
        Options(with_parts=("coments",))  # type: ignore[arg-type]
    assert refused.value.code == "bad_option"
