"""One JSON object per line, UTF-8."""

from __future__ import annotations

from collections.abc import Sequence

from veille.core.exchange import Record, json_line
from veille.ports import Export


class JsonLines(Export):
    """For programs."""

    def write(self, records: Sequence[Record]) -> None:
        self.out.writelines(map(json_line, records))
