"""Replies that arrive in parts: events as servers send them, and the whole items of a list that is still being written.

Parts may end anywhere: in a line, a sign, a number.
"""

from __future__ import annotations

import json
import re
from typing import Final

from veille.core.prompting.replies import MAX_REPLY

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
#: What stands between the items of a list.
_BETWEEN: Final = " \t\r\n,"
#: An item of a list that is longer is not waited for.
_LONGEST_ITEM: Final = 20_000


class ServerEvents:
    """Reads server-sent events (`text/event-stream`) as they arrive.

    One whose end is missing is not told, as the standard has it.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[str] = []

    def feed(self, part: bytes) -> list[str]:
        """The data of the events that are whole now."""
        self._rest += part
        # A carriage return at the end may be half of a line end.
        held = self._rest.endswith(b"\r")
        *lines, self._rest = _LINE_END.split(self._rest[:-1] if held else self._rest)
        self._rest += b"\r" if held else b""
        return [data for line in lines if (data := self._read(line)) is not None]

    def _read(self, line: bytes) -> str | None:
        if line:
            # Lines are decoded whole: a part may end in a sign.
            name, _, value = line.decode(errors="replace").removeprefix("\ufeff").partition(":")
            if name == "data":
                self._data.append(value.removeprefix(" "))
            return None
        data, self._data = self._data, []
        return "\n".join(data) if data else None


class GrowingList:
    """Finds the items of a list in a JSON text that is still being written: `{"sentences": [{…}, {…}, …`.

    What it finds is provisional: only the whole text shows whether it can be used (`read_reply`).
    """

    def __init__(self, name: str) -> None:
        # Within a string of JSON the quotation marks would be escaped.
        self._begin = re.compile(rf'"{re.escape(name)}"\s*:\s*\[')
        self._text = ""
        self._length = 0
        self._is_in_it = self._is_over = False

    def feed(self, part: str) -> list[object]:
        """The items that are whole now, and were not before."""
        self._text += part
        self._length += len(part)
        if self._length > MAX_REPLY:
            self._is_over = True
        # Only a bracket ends an item, or begins the list.
        if self._is_over or not ("}" in part or "[" in part):
            return []
        if not self._is_in_it:
            begin = self._begin.search(self._text)
            if begin is None:
                return []
            self._is_in_it, self._text = True, self._text[begin.end() :]
        return self._items()

    def _items(self) -> list[object]:
        found = []
        self._text = self._text.lstrip(_BETWEEN)
        while self._text.startswith("{"):
            try:
                item, end = json.JSONDecoder().raw_decode(self._text)
            except (ValueError, RecursionError):
                break
            found.append(item)
            self._text = self._text[end:].lstrip(_BETWEEN)
        # Something else, such as the end of the list, ends what can be told of it.
        self._is_over = len(self._text) > _LONGEST_ITEM or self._text[:1] not in {"", "{"}
        return found
