"""Sections collected in reading order, with nested lists as lines of text in Markdown style."""

from __future__ import annotations

from abc import ABC, abstractmethod

from lxml.etree import _Element

from veille.core.formats._paper import Section
from veille.core.text import flat

#: Deeper lists are shown at this depth.
_MAX_DEPTH = 12


class ListLines:
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


class SectionReader(ABC):
    """Reads the XML of a text into `sections`; base class of the readers of office files and books."""

    def __init__(self) -> None:
        self.sections: list[Section] = []
        self.items = ListLines()
        #: Text boxes of the current paragraph: they are read after it.
        self.boxes: list[_Element] = []

    @abstractmethod
    def read(self, node: _Element) -> None:
        """Add everything under a node."""

    def add(self, kind: str, text: str) -> None:
        """Add a section, unless it is empty."""
        if text:
            self.sections.append(Section(kind=kind, text=text))

    def add_text(self, text: str, level: int = 0) -> None:
        """Add a heading of that level, or a paragraph if it is 0, unless it is blank."""
        if level and text.strip():
            self.sections.append(Section(kind="heading", title=flat(text), level=level))
        elif text.strip():
            self.add("paragraph", text.strip("\n"))

    def close_list(self) -> None:
        """Add the list items collected so far."""
        self.add("list", self.items.taken())

    def read_boxes(self) -> None:
        """Add the text boxes of the paragraph just read."""
        boxes = self.boxes[:]
        self.boxes.clear()
        for box in boxes:
            self.read(box)
