"""One JSON object per line, UTF-8."""

from __future__ import annotations

from collections.abc import Sequence

from veille.core.outgoing.export_record import Exported, json_line
from veille.ports import Export


class JsonLines(Export):
    """JSON lines for programs."""

    def write(self, documents: Sequence[Exported]) -> None:
        self.out.writelines(json_line(document.record) for document in documents)
