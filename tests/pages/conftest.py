from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from browsing import chromium, visitor
from service import Here

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    """One service for all tests of a module, which work in dossiers of their own."""
    with Here(tmp_path_factory.mktemp("office")) as running:
        yield running


@pytest.fixture
def page(browser: Browser, office: Here) -> Iterator[Page]:
    """A page of somebody who is logged in and manages the instance."""
    with visitor(browser, office) as opened:
        yield opened
