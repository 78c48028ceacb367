"""Sources that are added in the same millisecond."""

from __future__ import annotations

from pathlib import Path

import pytest

from samples import NOW
from veille import App
from veille.errors import ConfigError
from veille.services.watching.sources import Wish
from veille.settings import Settings

URL = "https://example.org/prices"


def test_parts_of_a_page_and_a_page_that_was_just_removed_are_added_in_one_moment(tmp_path: Path) -> None:
    with App(Settings(data=tmp_path, min_free_mb=0), lambda: NOW) as app:
        dossier_id = app.create_dossier("prices").id
        wishes = [Wish(url=URL, kind="page", config=config) for config in (None, *_parts("#first", "#second"))]
        added = [app.sources.add(dossier_id, wish) for wish in wishes]
        assert len({source.id for source in added}) == len(wishes)
        with pytest.raises(ConfigError, match="watched already"):
            app.sources.add(dossier_id, wishes[-1])
        app.sources.delete(dossier_id, added[0].id)
        assert app.sources.add(dossier_id, wishes[0]).id not in {source.id for source in added}


def _parts(*selectors: str) -> list[dict[str, object]]:
    return [{"selectors": selector} for selector in selectors]
