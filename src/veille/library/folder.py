"""An open data folder: its dossiers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from veille.bootstrap import App, open_app
from veille.errors import NotFoundError
from veille.library.arguments import as_folder, as_text, as_texts
from veille.library.dossier import OpenApp, WatchedDossier
from veille.library.later import AsyncDossier

_USUAL = "default"


class DataFolder(AbstractContextManager["DataFolder"]):
    """An open data folder. Other programs may use it at the same time; close it, or use it as a context."""

    def __init__(self, app: App) -> None:
        self._opened = OpenApp(app)

    @property
    def _app(self) -> App:
        return self._opened.app

    def dossier(self, name: str = _USUAL, *, create: bool = True) -> WatchedDossier:
        """The dossier of that name or id; one that does not exist is created, unless told otherwise.

        >>> prices = data.dossier("prices")
        >>> data.dossier("prise", create=False)
        Traceback (most recent call last):
        veille.errors.NotFoundError: There is no dossier called 'prise'; `veille dossiers` lists them.
        """
        try:
            found = self._app.dossier(as_text(name))
        except NotFoundError:
            if not create:
                raise
            found = self._app.create_dossier(name)
        return WatchedDossier(self._opened, found)

    def dossiers(self) -> list[WatchedDossier]:
        """All dossiers.

        >>> data.dossiers()
        [<dossier 'prices'>, <dossier 'shop'>]
        """
        return [WatchedDossier(self._opened, one) for one in self._app.dossiers.all()]

    def embed(self, texts: Sequence[str], **embedder: Any) -> list[list[float]]:
        """The vectors of texts, to ask what a sink stored with the same options of its embedder; needs `vectors`.

        >>> [len(vector) for vector in data.embed(["Wann fährt das Schiff?"], kind="multilingual")]
        [512]
        """
        wanted = as_texts(texts)
        return self._app.embedder(embedder).embed(wanted)

    def close(self) -> None:
        """Close it; the dossiers cannot be used any more."""
        self._opened.close()

    def __exit__(self, *raised: object) -> None:
        self.close()


def open_folder(folder: str | Path | None = None, **settings: Any) -> DataFolder:
    """Open a data folder, creating it if needed; without one, that of the settings (`veille config`).

    Settings can be given by name.

    >>> data = veille.open("/srv/veille", fetch={"timeout_s": 5})
    """
    given = settings if folder is None else {"data": as_folder(folder), **settings}
    return DataFolder(open_app(**given))


class AsyncDataFolder:
    """As `DataFolder`, with methods to await."""

    def __init__(self, folder: DataFolder) -> None:
        self._folder = folder

    async def dossier(self, name: str = _USUAL, *, create: bool = True) -> AsyncDossier:
        """The dossier of that name or id; one that does not exist is created, unless told otherwise."""
        return AsyncDossier(await asyncio.to_thread(self._folder.dossier, name, create=create))

    async def dossiers(self) -> list[AsyncDossier]:
        """All dossiers."""
        return [AsyncDossier(one) for one in await asyncio.to_thread(self._folder.dossiers)]

    async def embed(self, texts: Sequence[str], **embedder: Any) -> list[list[float]]:
        """The vectors of texts, to ask what a sink stored."""
        return await asyncio.to_thread(self._folder.embed, texts, **embedder)


@asynccontextmanager
async def open_async(folder: str | Path | None = None, **settings: Any) -> AsyncIterator[AsyncDataFolder]:
    """`veille.open` for programs with an event loop.

    >>> async def found() -> list[str]:
    ...     async with veille.open_async("/srv/veille") as data:
    ...         prices = await data.dossier("prices")
    ...         return [change.title async for change in prices.all_changes()]
    >>> asyncio.run(found())
    ['Smoked tea', 'Smoked tea']
    """
    opened = await asyncio.to_thread(open_folder, folder, **settings)
    try:
        yield AsyncDataFolder(opened)
    finally:
        await asyncio.to_thread(opened.close)
