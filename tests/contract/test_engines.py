from __future__ import annotations

import pytest

from desk import Desk
from samples import NOW
from veille.errors import ConfigError


def test_a_deleted_engine_is_restored_as_it_was_unless_its_id_is_taken(desk: Desk) -> None:
    with desk.open() as opened:
        trash = opened.trashed_setups
        for name in ("old", "new"):
            opened.engines.put("b", {"name": name}, NOW)
            trash.put("engine", "b", NOW + 1)
        # Of an id, the last one that was deleted is in the trash.
        assert [(one.kind, one.name) for one in trash.all(9)] == [("engine", "b")]
        opened.engines.put("b", {"name": "other"}, NOW + 2)
        with pytest.raises(ConfigError) as taken:
            trash.restore("engine", "b", NOW + 3)
        assert taken.value.code == "engine_exists"
        trash.put("engine", "b", NOW + 4)
        assert opened.engines.all() == {}
        trash.restore("engine", "b", NOW + 5)
        assert opened.engines.all() == {"b": {"name": "other"}}
        assert trash.all(9) == []


def test_engines_are_kept_by_id_until_they_are_deleted(desk: Desk) -> None:
    with desk.open() as opened:
        engines = opened.engines
        assert engines.all() == {}
        engines.put("b", {"name": "old"}, NOW)
        engines.put("a", {"name": "Ü", "more": [1, None]}, NOW)
        engines.put("b", {"name": "new"}, NOW + 1)
        assert list(engines.all().items()) == [("a", {"name": "Ü", "more": [1, None]}), ("b", {"name": "new"})]
        opened.trashed_setups.put("engine", "b", NOW + 2)
        assert list(engines.all()) == ["a"]
