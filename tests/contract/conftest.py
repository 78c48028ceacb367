from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from contract.stores import STORES
from desk import Desk, Program, Store
from samples import NOW


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened = STORES[request.param](tmp_path)
    yield opened
    opened.close()
    opened.after()


@pytest.fixture
def program(store: Store) -> Program:
    return store.program()


@pytest.fixture
def desk(program: Program) -> Desk:
    return Desk(program, program.dossiers.create("news", NOW).id)
