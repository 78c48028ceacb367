"""Which values a source has: a name for each, and how it is found in a document."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from veille.core.values.value import ValueType
from veille.errors import ConfigError

#: Where the value stands in the words around it.
GAP: Final = "{}"
MOST_VALUES: Final = 50
_NAME: Final = re.compile(r"[^\W\d_][\w .-]{0,59}")
#: The ways in which a value can be found.
WAYS: Final = ("selector", "xpath", "path", "near")


class ValueWish(BaseModel):
    """How one value is found: by exactly one of selector, xpath, path and near."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    selector: str = Field("", max_length=500, description="CSS selector of its element; the first match counts.")
    attribute: str = Field("", max_length=100, description="The attribute to read, instead of the element's text.")
    xpath: str = Field("", max_length=500, description="XPath 1.0 of its element, attribute or text.")
    path: str = Field(
        "", max_length=500, description="Dot path in an item of a JSON answer; with `$.` in front, in the whole answer."
    )
    near: str = Field(
        "", max_length=500, description="The words around it, with {} where it stands: `Ships in port: {}`."
    )
    type: ValueType | None = Field(
        None, description="number, price, count, date, availability, version or text; guessed if missing."
    )

    @model_validator(mode="after")
    def _has_one_way(self) -> Self:
        given = [name for name in WAYS if getattr(self, name).strip()]
        if len(given) != 1:
            raise ValueError(f"say how it is found with exactly one of {', '.join(WAYS)}")
        if self.attribute and not self.selector:
            raise ValueError("`attribute` goes with `selector`")
        if self.near and (self.near.count(GAP) > 1 or not re.search(r"\w", self.near.replace(GAP, ""))):
            raise ValueError("`near` has words around one {}, which stands for the value")
        return self

    @field_validator("type", mode="before")
    @classmethod
    def _none_if_empty(cls, value: object) -> object:
        return value or None

    @property
    def way(self) -> str:
        """The name of the field that says how it is found."""
        return next(name for name in WAYS if getattr(self, name))

    @property
    def shown(self) -> str:
        """How it is found, for people: `selector .price`."""
        return f"{self.way} {getattr(self, self.way)!r}"


def wish_of(written: object, plain_way: str) -> object:
    """A definition as it is stored: a plain text says how the value is found, in the usual way of its kind."""
    if not isinstance(written, str):
        return written
    text = written.strip()
    if GAP in text:
        return {"near": text}
    if text.startswith(("//", "(//", "./")) and plain_way == "selector":
        return {"xpath": text}
    return {plain_way: text}


def wishes_of(written: object, plain_way: str) -> Any:
    """All definitions as they are stored; anything that is no mapping is left to the validation."""
    if not isinstance(written, Mapping):
        return written
    return {name: wish_of(wish, plain_way) for name, wish in written.items()}


def refuse_names(wishes: Mapping[str, ValueWish]) -> Mapping[str, ValueWish]:
    """The wishes, or ValueError if one has a name that cannot be used in rules and lists, or if there are too many."""
    if len(wishes) > MOST_VALUES:
        raise ValueError(f"a source has at most {MOST_VALUES} values")
    for name in wishes:
        if not _NAME.fullmatch(name) or name != name.strip():
            raise ValueError(
                f"{name[:80]!r} is no name for a value: it begins with a letter and has up to 60 letters, digits, "
                "spaces, dots, hyphens and underscores"
            )
    return wishes


def refuse_ways(wishes: Mapping[str, ValueWish], ways: frozenset[str], kind: str) -> None:
    """Raise ConfigError if a value is to be found in a way that its kind does not have."""
    for name, wish in wishes.items():
        if wish.way not in ways:
            raise ConfigError(
                f"The value {name!r} cannot be found by {wish.way} in a source of kind {kind}; use "
                f"{' or '.join(one for one in WAYS if one in ways)}.",
                code="bad_value",
            )
