from __future__ import annotations

from pathlib import Path

import pytest

from veille.core.extract.output.html import clean_html
from veille.core.extract.output.markdown import to_markdown

CASES = sorted((Path(__file__).parents[2] / "cases" / "markdown").iterdir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_html_becomes_the_expected_markdown(case: Path) -> None:
    html = clean_html((case / "input.html").read_text(), "https://example.org/a/")
    assert to_markdown(html) == (case / "expected.md").read_text()
