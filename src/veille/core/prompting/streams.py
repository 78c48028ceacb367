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
#: The name and what stands between it and its list.
_LONGEST_BEGIN: Final = 200
#: An item of a list that is longer is not waited for.
_LONGEST_ITEM: Final = 20_000


class ServerEvents:
    """Reads server-sent events (`text/event-stream`) as they arrive.

    One whose end is missing is not told, as the standard has it.
    """

    def __init__(self) -> None:
        self._rest = bytearray()
        self._data: list[str] = []

    def feed(self, part: bytes) -> list[str]:
        """The data of the events that are whole now."""
        had_return = self._rest.endswith(b"\r")
        self._rest += part
        if not (had_return or b"\n" in part or b"\r" in part):
            # A line without an end is not read again with each of its parts.
            return []
        # A carriage return at the end may be half of a line end.
        held = b"\r" if self._rest.endswith(b"\r") else b""
        *lines, rest = _LINE_END.split(bytes(self._rest).removesuffix(held))
        self._rest = bytearray(rest + held)
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
        if self._is_over:
            return []
        if not self._is_in_it:
            begin = self._begin.search(self._text)
            self._text = self._text[begin.end() :] if begin else self._text[-_LONGEST_BEGIN:]
            self._is_in_it = begin is not None
        # Only a bracket ends an item.
        return self._items() if self._is_in_it and "}" in part else []

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
