"""Nested lists as lines of text in Markdown style."""

from __future__ import annotations

#: Deeper lists are shown at this depth.
_MAX_DEPTH = 12


class Outline:
    """Collects the items of a list in order; numbers count per list and restart under each new parent."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._counts: dict[tuple[int, str], int] = {}

    def add(self, text: str, depth: int, numbered: str = "") -> None:
        """Add an item at a depth (0 is the outermost); `numbered` names its numbered list, if any."""
        depth = min(depth, _MAX_DEPTH)
        for key in [key for key in self._counts if key[0] > depth]:
            del self._counts[key]
        mark = "-"
        if numbered:
            self._counts[depth, numbered] = self._counts.get((depth, numbered), 0) + 1
            mark = f"{self._counts[depth, numbered]}."
        self._lines.append(f"{'   ' * depth}{mark} {text}")

    def taken(self) -> str:
        """Return and clear the collected lines; numbers continue, as in a list interrupted by a paragraph."""
        lines, self._lines = self._lines, []
        return "\n".join(lines)
