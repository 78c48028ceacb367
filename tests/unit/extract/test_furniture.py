from __future__ import annotations

import numpy as np
import pytest

from veille.core.extract import Options, Page
from veille.core.extract.judge.features import features, plain_features
from veille.core.extract.judge.furniture import without_furniture

SENTENCE = "The harbour bridge, closed since the flood in spring, opens again, and the ferries go back to their piers"
BODY = "".join(f"<p>Part {number}. {SENTENCE}.</p>" for number in range(15))


def remains(body: str, kind: str = "") -> list[str]:
    """The blocks that are left when the model would keep all of them, without those of BODY."""
    page = Page(f"<html><body>{body}</body></html>", "https://example.org/", Options())
    columns = features(page.reading, page.facts)
    kept = without_furniture(page.reading, columns, np.ones(len(columns.words), dtype=bool), kind)
    texts = [block[1] for block, taken in zip(page.reading.blocks, kept, strict=True) if taken]
    return [text for text in texts if not text.startswith("Part ")]


COMMENTS = f'<section class="comments"><p>I remember it, {SENTENCE}.</p></section>'


@pytest.mark.covers("R-117")
@pytest.mark.parametrize(
    "furniture",
    [
        COMMENTS,
        "<h1>Bridge opens</h1>",
        "<figure><img src=a.png><figcaption>The bridge at dawn</figcaption></figure>",
        "<aside><p>What else happened today</p></aside>",
        "<noscript>&lt;img src=count.gif&gt;</noscript>",
    ],
)
def test_what_stands_around_a_long_text_goes(furniture: str) -> None:
    assert remains(f"<article>{furniture}{BODY}</article>") == []


def test_paragraphs_of_an_article_that_only_lead_elsewhere_go() -> None:
    page = f'<article>{BODY}<p><a href="/ferries">Read more: ferries are late</a></p></article>'
    assert remains(page, "article") == []
    assert len(remains(page, "listing")) == 1


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        (COMMENTS * 3, ""),
        (f"<article>{BODY}</article>{COMMENTS}", "forum"),
        (f"<article>{BODY}<aside>Note this well</aside></article>", "documentation"),
        ("<h1>Bridge opens</h1><p>Soon.</p>", ""),
        (f"<h1>A mug with a bridge</h1>{BODY}", "product"),
        ("<figure><figcaption>The bridge at dawn</figcaption></figure><p>Photos</p>", ""),
        ('<div class="related"><p>All the texts of this page</p></div>', ""),
        ("<noscript><p>This works without scripts</p></noscript>", ""),
        (f'<article>{BODY}<h2 id="the-more-the-merrier">The more the merrier</h2></article>', ""),
        ("<pre>a = first(one, two, three) or last(four, five, six)</pre>" * 2, ""),
    ],
)
def test_where_it_is_the_text_it_stays(page: str, kind: str) -> None:
    assert remains(page, kind) != []


def test_a_text_that_the_page_holds_twice_is_taken_once() -> None:
    assert remains(f"<div><p>{SENTENCE}</p></div>{BODY}<div><p>{SENTENCE}</p></div>") == [SENTENCE]


def test_lines_that_a_text_repeats_in_one_place_stay() -> None:
    chorus = f"<p>{SENTENCE}</p>"
    assert remains(f"<div>{chorus}<p>And so on.</p>{chorus}</div>") == [SENTENCE, "And so on.", SENTENCE]


def test_code_is_kept_with_all_its_lines() -> None:
    page = Page("<pre><div>first()</div><div>}</div></pre><p>Text.</p>", "https://example.org/", Options())
    columns = features(page.reading, page.facts)
    assert without_furniture(page.reading, columns, np.array([True, False, False]), "").tolist() == [True, True, False]


def test_texts_without_spaces_have_words() -> None:
    page = Page("<p>港の橋は、春の洪水から閉じていたが、今日また開いた。</p>", "https://example.org/", Options())
    columns = plain_features(page.reading, page.facts)
    assert columns.words.tolist() == [12]
    assert features(page.reading, page.facts).varying.tolist() == columns.varying.tolist()
