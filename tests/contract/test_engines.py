from __future__ import annotations

from desk import Desk
from samples import NOW


def test_engines_are_kept_by_id_until_they_are_deleted(desk: Desk) -> None:
    with desk.open() as opened:
        engines = opened.engines
        assert engines.all() == {}
        engines.put("b", {"name": "old"}, NOW)
        engines.put("a", {"name": "Ü", "more": [1, None]}, NOW)
        engines.put("b", {"name": "new"}, NOW + 1)
        assert list(engines.all().items()) == [("a", {"name": "Ü", "more": [1, None]}), ("b", {"name": "new"})]
        assert [engines.delete("b"), engines.delete("b")] == [True, False]
        assert list(engines.all()) == ["a"]
