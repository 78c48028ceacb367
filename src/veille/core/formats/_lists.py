"""Nested lists as lines of text, the way Markdown writes them."""

from __future__ import annotations

#: Deeper lists are drawn at this depth.
_MAX_DEPTH = 12


class Outline:
    """Collects the items of a list in order; numbers run per list and start again under each new parent."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._counts: dict[tuple[int, str], int] = {}

    def add(self, text: str, depth: int, numbered: str = "") -> None:
        """An item at a depth (0 is the outermost); `numbered` names the numbered list it belongs to, if any."""
        depth = min(depth, _MAX_DEPTH)
        for key in [key for key in self._counts if key[0] > depth]:
            del self._counts[key]
        mark = "-"
        if numbered:
            self._counts[depth, numbered] = self._counts.get((depth, numbered), 0) + 1
            mark = f"{self._counts[depth, numbered]}."
        self._lines.append(f"{'   ' * depth}{mark} {text}")

    def taken(self) -> str:
        """Everything so far as lines, and begin anew; numbers go on, as lists do after a paragraph between items."""
        lines, self._lines = self._lines, []
        return "\n".join(lines)
