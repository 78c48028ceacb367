from __future__ import annotations

from collections.abc import Iterator

import pytest

from reading_apps import Desk, reading_desk
from service import Here


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    """One service for all tests of a module, which work in dossiers of their own."""
    with Here(tmp_path_factory.mktemp("office")) as running:
        yield running


@pytest.fixture(scope="module")
def desk(office: Here) -> Iterator[Desk]:
    with reading_desk(office) as made:
        yield made
