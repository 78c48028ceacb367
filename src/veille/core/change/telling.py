"""What a change says at first sight, made from the contents before and after: once, when it is decided.

Everything is bounded, for texts come from sites: of long texts only the part around the first difference is compared.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from veille.core.change.metadata_changes import DATES, VALUES, values_in
from veille.core.compare.excerpt import below_title, excerpt
from veille.core.dates import iso
from veille.core.models import Document, Known
from veille.core.told import EditKind, TextEdit, ToldChange, ToldValue
from veille.core.values.value import Value, ValueType

#: Letters of a lead, and of the excerpt of one property.
LEAD: Final = 200
_PROPERTY: Final = 120
#: Letters of both texts that are compared word by word: a few milliseconds, whatever they are.
_COMPARED: Final = 24_000
#: Letters of texts that are compared by line first; of longer ones only the part at the first difference is compared.
_BY_LINE: Final = 2_000_000
#: Letters of texts whose paragraphs are counted.
_COUNTED: Final = 1_000_000
_CHUNK: Final = 4096
#: Letters before the first difference that belong to its context.
_CONTEXT: Final = 400
#: Values and properties that are told.
_MOST: Final = 3
#: Of a list: the fewest lines, the longest line, the most lines that are compared, and the names that are told.
_LIST_LINES, _LINE, _LINES, _NAMES = 4, 80, 2000, 4
#: The most pairs of items that are compared, and the share of items among the lines of a list.
_PAIRS, _SHARE = 400, 0.7
_BULLET: Final = re.compile(r"^(?:[-*•]|\d{1,3}[.)])\s+")
#: How a text begins that is one item of a list.
_ITEM: Final = ("- ", "* ", "• ")
#: What stands between a title and what is said of it, in one line; or nothing.
_BETWEEN: Final = ("", *":|·–—")  # noqa: RUF001 - dashes as people write them
_NUMERIC: Final = frozenset({ValueType.NUMBER, ValueType.PRICE, ValueType.COUNT})
_GONE_FOR_GOOD: Final = 410


def tell_new(document: Document) -> ToldChange:
    """A new document: its summary, else its first sentences."""
    (text,) = below_title(document.title, document.text[: 4 * LEAD + len(document.title)])
    lead = document.summary.strip() or _beside_title(document.title, text)
    return ToldChange(excerpt=excerpt("", lead, letters=LEAD))


def _beside_title(title: str, text: str) -> str:
    """The text of an item of a list, without its bullet and the title that its line begins with."""
    is_item = text[:2] in _ITEM and not any(f"\n{sign}" in text for sign in _ITEM)
    line = text[2:].lstrip() if is_item else text
    rest = line.removeprefix(title.strip())
    is_titled = bool(title.strip()) and rest != line and not rest[:1].isalnum()
    # In a sentence, the title is a part of it: "Tea is a drink".
    return rest.lstrip(" \t\n:|,;·–—-") if is_titled and (is_item or rest.lstrip()[:1] in _BETWEEN) else line  # noqa: RUF001


def tell_change(title: str, text: str, document: Document, known: Known | None = None) -> ToldChange:
    """A new text: the words struck and added, the values that changed, and how many paragraphs.

    `known` is given if its metadata is the document's as this source read it before.
    """
    values = _values(values_in(known.facts), document.values) if known is not None else ()
    hints = [one.after for one in values]
    # A row has the title already: words around a change are not its heading once more.
    before, after = below_title(document.title, text, document.text)
    edits = _in_list(text, document.text) or excerpt(*_near_difference(before, after), hints=hints)
    # A row has the new title anyway, so the old one is told only if nothing else is.
    edits = edits or excerpt(title, document.title)
    if values and not _shows(edits, values[0]):
        edits = (*_value_edits(values), *((TextEdit(EditKind.EQUAL, " · "), *edits) if edits else ()))
    changed, of = _paragraphs(text, document.text)
    return ToldChange(excerpt=edits, paragraphs_changed=changed, paragraphs=of, values=values)


def tell_metadata(names: Sequence[str], known: Known, document: Document, summary: str) -> ToldChange:
    """Other metadata: the old and the new one, word by word. `summary` is the whole summary that is stored."""
    old: dict[str, Any] = json.loads(known.facts) if known.facts else {}
    values = _values(values_in(known.facts), document.values) if VALUES in names else ()
    edits = list(_value_edits(values))
    # Dates follow other changes: alone they are told, beside others not.
    named = [name for name in names if name != VALUES]
    for name in [name for name in named if name not in DATES][:_MOST] or ([] if values else named[:_MOST]):
        before = summary if name == "summary" and summary else _as_text(name, old.get(name))
        found = excerpt(*_near_difference(before, _as_text(name, _property(name, document))), letters=_PROPERTY)
        if not before and found:
            found = (TextEdit(EditKind.INSERT, found[0].text),)
        if found:
            gap = " · " if edits else ""
            edits += [TextEdit(EditKind.EQUAL, f"{gap}{name.removesuffix('_at').replace('_', ' ')}: "), *found]
    return ToldChange(excerpt=tuple(edits), values=values)


def tell_removed(code: str, status: int, message: str, seen_at: int | None) -> ToldChange:
    """A document that is gone: why, and when it was last seen."""
    if status == _GONE_FOR_GOOD:
        reason = "taken down for good (410); last text kept"
    elif code == "unlisted":
        reason = "no longer in the listing; last text kept"
    elif code == "moved":
        reason = message.rstrip(".")[:_PROPERTY]
    else:
        reason = f"no longer there ({status or code}); last text kept"
    return ToldChange(reason=reason, seen_at=seen_at)


def _near_difference(old: str, new: str) -> tuple[str, str]:
    """The texts; of long ones the lines that differ, and of these the part around the first difference."""
    if len(old) + len(new) <= _COMPARED or not old or not new:
        return old, new
    if len(old) + len(new) <= _BY_LINE:
        before, after = old.splitlines(), new.splitlines()
        old, new = ("\n\n".join(_beyond(*pair)) for pair in ((before, after), (after, before)))
    at = 0
    while old[at : at + _CHUNK] == new[at : at + _CHUNK] and at < len(new):
        at += _CHUNK
    parts = zip(old[at : at + _CHUNK], new[at : at + _CHUNK], strict=False)
    at += next((place for place, (a, b) in enumerate(parts) if a != b), 0)
    start = max(0, at - _CONTEXT)
    # From a word on, so that no half of one is taken for a change.
    start = old.find(" ", start, at) + 1 or start if start else 0
    end = start + _COMPARED // 2
    return old[start:end], new[start:end]


def _paragraphs(old: str, new: str) -> tuple[int, int]:
    """How many paragraphs changed, and how many there are."""
    if len(old) + len(new) > _COUNTED:
        return 0, 0
    before, after = (Counter(" ".join(part.split()) for part in text.split("\n\n")) for text in (old, new))
    changed = max((after - before).total(), (before - after).total())
    return changed, max(before.total(), after.total())


def _in_list(old: str, new: str) -> tuple[TextEdit, ...]:
    """What arrived in a list and what left it; empty if the texts are no lists, or their items changed in place."""
    if len(old) + len(new) > _LINES * _LINE:
        return ()
    before, after = (list(filter(None, map(str.strip, text.splitlines()))) for text in (old, new))
    come, gone = _beyond(after, before), _beyond(before, after)
    rest = len(after) - len(come)
    if min(len(before), len(after)) < _LIST_LINES or rest < max(len(come), len(gone)) or not (come or gone):
        return ()
    if not all(map(_is_item, (*come, *gone))) or sum(map(_is_item, after)) < _SHARE * len(after):
        return ()
    if len(come) * len(gone) > _PAIRS or any(_is_same_item(a, b) for a in come for b in gone):
        return ()
    parts = [*_named(come, EditKind.INSERT, "arrived")]
    others = [*_named(gone, EditKind.DELETE, "left")]
    return (*parts, *([TextEdit(EditKind.EQUAL, " · ")] if parts and others else ()), *others)


def _is_same_item(a: str, b: str) -> bool:
    """Whether an item changed in place: half of its words stayed."""
    some, others = (set(_BULLET.sub("", line).casefold().split()) for line in (a, b))
    return 2 * len(some & others) >= min(len(some), len(others))


def _beyond(lines: Sequence[str], others: Sequence[str]) -> list[str]:
    return list((Counter(lines) - Counter(others)).elements())


def _is_item(line: str) -> bool:
    return len(line) <= _LINE and (bool(_BULLET.match(line)) or line[-1] not in ".!?:;,")


def _named(lines: Sequence[str], kind: EditKind, verb: str) -> Iterator[TextEdit]:
    for line in lines[:_NAMES]:
        yield TextEdit(kind, _BULLET.sub("", line))
        yield TextEdit(EditKind.EQUAL, " ")
    if lines:
        more = f"and {len(lines) - _NAMES} more " if len(lines) > _NAMES else ""
        yield TextEdit(EditKind.EQUAL, f"{more}{verb}")


def _values(before: Mapping[str, str], after: Sequence[Value]) -> tuple[ToldValue, ...]:
    """The values that changed, numbers first."""
    changed = [one for one in after if before.get(one.name) not in {None, one.text} and not _is_hash(before[one.name])]
    changed.sort(key=lambda one: one.type not in _NUMERIC)
    return tuple(
        ToldValue(
            name=one.name,
            before=before[one.name],
            after=one.text[:_PROPERTY],
            percent=_percent(before[one.name], one) if one.type in _NUMERIC else None,
        )
        for one in changed[:_MOST]
    )


def _percent(before: str, after: Value) -> float | None:
    """By how much a number rose, if both have the same unit."""
    number, _, unit = before.partition(" ")
    try:
        old = Decimal(number)
    except InvalidOperation:
        return None
    if unit != after.unit or after.exact is None or not old or not old.is_finite():
        return None
    return round(float((after.exact - old) / abs(old) * 100), 1)


def _is_hash(text: str) -> bool:
    return text.startswith("#")


def _shows(edits: Sequence[TextEdit], value: ToldValue) -> bool:
    """Whether a value, however it is written there, is among what was added."""
    added = "".join(edit.text for edit in edits if edit.kind is EditKind.INSERT)
    wanted = "".join(filter(str.isdigit, value.after)).strip("0")
    if not wanted:
        return value.after.casefold() in added.casefold()
    return wanted in "".join(filter(str.isdigit, added))


def _value_edits(values: Sequence[ToldValue]) -> Iterator[TextEdit]:
    for place, one in enumerate(values):
        yield TextEdit(EditKind.EQUAL, f"{' · ' if place else ''}{one.name} ")
        yield TextEdit(EditKind.DELETE, one.before)
        yield TextEdit(EditKind.INSERT, one.after)


def _property(name: str, document: Document) -> object:
    return document.lang if name == "language" else getattr(document, name, None) or document.meta.get(name)


def _as_text(name: str, value: object) -> str:
    if value is None or (isinstance(value, str) and _is_hash(value)):
        return ""
    if name in DATES and isinstance(value, int):
        return iso(value)
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
