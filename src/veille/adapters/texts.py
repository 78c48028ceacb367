"""Full texts as files in a folder, one sub-folder per day."""

from __future__ import annotations

from pathlib import Path

from veille.adapters.files import replaced
from veille.core.dates import iso
from veille.errors import SinkError


class FolderTexts:
    """The port `Texts`: `2026/11/15/<name>.txt`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, at: int, name: str, text: str) -> str:
        path = self._folder.joinpath(*iso(at)[:10].split("-"), f"{name}.txt")
        content = text.encode()
        try:
            if not path.exists() or path.read_bytes() != content:
                path.parent.mkdir(parents=True, exist_ok=True)
                with replaced(path) as file:
                    file.write(content)
        except OSError as error:
            raise SinkError(
                f"The full text {path} cannot be written ({error.strerror}); make room or check FULLTEXT_DIR, then run "
                "the command again.",
                code="fulltext.write",
            ) from error
        return str(path)
