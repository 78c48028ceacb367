"""What the reference says of the workbook is complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from veille.core.news.sheets import SHEETS, Sheet
from veille.settings import NEWS_VARIABLES, NewsSettings

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.covers("R-010", "R-011", "R-012", "R-013")
@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_every_column_is_documented_in_its_order(sheet: Sheet) -> None:
    page = (DOCS / "reference" / "news.md").read_text()
    section = page.partition(f"## `{sheet.name}`\n")[2].partition("\n## ")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == sheet.columns


@pytest.mark.covers("R-028")
def test_every_variable_of_the_manual_is_a_setting_and_in_the_how_to() -> None:
    page = (DOCS / "howto" / "news-in-a-spreadsheet.md").read_text()
    for variable in NEWS_VARIABLES:
        assert variable.lower() in NewsSettings.model_fields
        assert f"`{variable}`" in page or f"{variable}=" in page
