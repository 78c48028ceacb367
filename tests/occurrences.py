"""Facts for tests of rules, in few words."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from veille.core.values.reading import value_of
from veille.core.values.value import Value, ValueChange, ValueType
from veille.rules import DocumentText, Facts, Occasion, compile_rule

#: Monday, 16 November 2026, 12:00 in UTC.
AT = 1_794_830_400_000


def text_of(text: str, title: str = "", lang: str = "") -> DocumentText:
    return DocumentText(title=title, text=text, lang=lang)


def _text(given: str | DocumentText) -> DocumentText:
    return text_of(given) if isinstance(given, str) else given


def changed(before: str | DocumentText = "Old.", after: str | DocumentText = "New.", **more: Any) -> Facts:
    return Facts(**_change("changed", more), before=_text(before), after=_text(after))


def new(text: str | DocumentText = "New.", **more: Any) -> Facts:
    return Facts(**_change("new", more), after=_text(text))


def first(text: str | DocumentText = "New.", **more: Any) -> Facts:
    return new(text, is_first=True, **more)


def removed(text: str | DocumentText = "Old.", **more: Any) -> Facts:
    return Facts(**_change("removed", more), before=_text(text))


def _change(change: str, more: dict[str, Any]) -> dict[str, Any]:
    return {"occasion": Occasion.CHANGE, "at": AT, "change": change} | more


def moved(name: str, before: str | None, after: str | None, kind: ValueType | None = None) -> ValueChange:
    """A value before and after, read as from a page."""
    return ValueChange(name=name, before=_read(name, before, kind), after=_read(name, after, kind))


def _read(name: str, text: str | None, kind: ValueType | None) -> Value | None:
    return None if text is None else value_of(name, text, kind)


def valued(name: str, before: str | None, after: str | None, kind: ValueType | None = None, **more: Any) -> Facts:
    """A change of a document in which only a value changed."""
    more = {"is_same_text": True, "values": (moved(name, before, after, kind),)} | more
    return changed("The same.", "The same.", **more)


def health(before: str, after: str, **more: Any) -> Facts:
    return Facts(occasion=Occasion.HEALTH, at=AT, source_name="tea", state_before=before, state_after=after, **more)


def silence(ms: int) -> Facts:
    return Facts(occasion=Occasion.SILENCE, at=AT, source_name="tea", silent_ms=ms)


def ran(run: str, *, has_failed: bool, message: str = "") -> Facts:
    return Facts(occasion=Occasion.RUN, at=AT, run=run, has_failed=has_failed, message=message)


def at(local: str, zone: str, fold: int = 0) -> int:
    """A time of day in a time zone, in milliseconds."""
    return int(datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(zone), fold=fold).timestamp() * 1000)


def fires(expression: str, facts: Facts) -> bool:
    return compile_rule(expression).judge(facts) is not None


def found(expression: str, facts: Facts) -> list[str] | None:
    """What the evidence says; None if the rule does not fire."""
    evidence = compile_rule(expression).judge(facts)
    return None if evidence is None else [one.found for one in evidence]
