"""The port `WarcFiles`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from veille.adapters.exports import replaced
from veille.adapters.warc.reading import WarcReader
from veille.core.warc.captures import WarcPart

if TYPE_CHECKING:
    from veille.adapters.warc.writing import WarcFile
    from veille.core.warc.captures import WarcItem


class WarcFolder:
    """Files on this machine; no body with more bytes than the limit is read, and no page that is not of the part."""

    def __init__(self, limit: int, part: WarcPart | None = None) -> None:
        self._limit = limit
        self._part = part or WarcPart()

    def read(self, paths: Sequence[Path]) -> Iterator[WarcItem]:
        return WarcReader(paths, self._limit, self._part).items()

    @contextmanager
    def write(self, path: Path) -> Iterator[WarcFile]:
        from veille.adapters.warc.writing import WarcFile  # noqa: PLC0415 - an extra

        with replaced(path) as out:
            yield WarcFile(out, path.name)
