"""Forms generated from option models: a field with help for each option; what is sent is validated by the model."""

from __future__ import annotations

import json
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from veille.core.http.credentials import hidden
from veille.core.kinds._options import OneOf
from veille.core.models import Json
from veille.core.pick.part import PagePart
from veille.errors import ConfigError, plain_words
from veille.interfaces.operations._limits import json_object

Widget = Literal["text", "number", "check", "maybe", "choice", "lines", "json"]

#: The option whose values may be credentials.
_HEADERS = "headers"
#: The field for options that only an outside service knows.
OTHERS = "other_options"
#: Messages for people, by pydantic's error types.
_PLAIN = {
    "int_parsing": "Write a whole number.",
    "int_from_float": "Write a whole number.",
    "int_parsing_size": "That number is too large.",
    "float_parsing": "Write a number.",
    "finite_number": "Write a number.",
    "greater_than": "It must be more than {gt}.",
    "greater_than_equal": "It must be at least {ge}.",
    "less_than": "It must be less than {lt}.",
    "less_than_equal": "It must be at most {le}.",
    "literal_error": "It must be {expected}.",
    "string_type": "Write a text.",
    "string_too_short": "Write at least {min_length} characters.",
    "string_too_long": "Write at most {max_length} characters.",
    "too_long": "There may be {max_length} at most.",
    "dict_type": "Write an object: {{ … }}.",
    "bool_parsing": "Write true or false.",
    "bool_type": "Write true or false.",
    "missing": "This is missing.",
    "extra_forbidden": "There is no such option.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a form."""

    name: str
    label: str
    widget: Widget
    help: str = ""
    value: str = ""
    choices: tuple[str, ...] = ()
    problem: str = ""
    #: Whether it differs from its default.
    is_set: bool = False

    @property
    def rows(self) -> int:
        return min(12, max(3, self.value.count("\n") + 2))


@dataclass(slots=True)
class Filled:
    """A form that was sent: options that differ from their defaults, and problems by field ("": the whole form)."""

    options: Json = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)


def fields_of(model: type[BaseModel], config: Json) -> list[Field]:
    """The fields of a form, filled with these options."""
    made = [
        replace(_field(name, info, config.get(name, _default(info))), is_set=name in config)
        for name, info in model.model_fields.items()
        if not _is_pointed(info)
    ]
    return [*made, *_others(model, config)]


def refilled(fields: list[Field], form: Mapping[str, str], problems: Mapping[str, str]) -> list[Field]:
    """The fields as they were sent, with the problem of each."""
    return [replace(one, value=form.get(one.name, ""), problem=problems.get(one.name, "")) for one in fields]


def read(model: type[BaseModel], form: Mapping[str, str], config: Json) -> Filled:
    """Parse and validate a form. Values equal to the default are left out, so that a new default applies to them."""
    filled = Filled()
    # What is pointed at is no field: it stays as it is.
    raw: Json = {
        name: config[name] for name, info in model.model_fields.items() if _is_pointed(info) and name in config
    }
    for one in fields_of(model, config):
        try:
            value = _value(one, form.get(one.name, ""))
            if value is not None:
                raw |= value if one.name == OTHERS else {one.name: value}
        except ConfigError as error:
            filled.problems[one.name] = str(error)
    if not filled.problems:
        _check(model, raw, filled)
    return filled


def _check(model: type[BaseModel], raw: Json, filled: Filled) -> None:
    try:
        checked = model.model_validate(raw).model_dump(mode="json", exclude_unset=True)
    except ValidationError as error:
        for one in error.errors():
            name = str(one["loc"][0]) if one["loc"] else ""
            place = ".".join(map(str, one["loc"][1:]))
            said = _in_plain_words(one)
            filled.problems.setdefault(name, f"{place}: {said}" if place else said)
        return
    usual = {name: _plain(_default(info)) for name, info in model.model_fields.items()}
    filled.options = {name: value for name, value in checked.items() if name not in usual or value != usual[name]}


def _in_plain_words(error: ErrorDetails) -> str:
    """A validation error in words for non-programmers."""
    said = _PLAIN.get(error["type"])
    if said is None:
        return plain_words(error["msg"])
    return said.format_map(error.get("ctx", {}))


def _value(one: Field, text: str) -> Any:
    """The value of a field's text; None when the text is empty."""
    text = text.replace("\r\n", "\n")
    if one.widget == "check":
        return bool(text)
    if one.widget == "lines":
        return [line.strip() for line in text.split("\n") if line.strip()]
    if not text.strip():
        return None
    if one.widget == "maybe":
        return text == "yes"
    if one.widget == "json":
        is_text = one.name == "body" and not text.lstrip().startswith(("{", "["))
        return text if is_text else json_object(text, "This", "bad_option")
    return text.strip()


def _field(name: str, info: FieldInfo, value: Any) -> Field:
    named = next((one.names() for one in info.metadata if isinstance(one, OneOf)), ())
    widget: Widget = "choice" if named else _widget(info.annotation)
    written = _written(name, value, widget)
    choices = tuple(map(str, named or get_args(info.annotation))) if widget == "choice" else ()
    # A value that is no longer offered stays a choice here: sending an unedited form must change nothing.
    return Field(
        name=name,
        label=info.title or name.replace("_", " ").capitalize(),
        widget=widget,
        help=info.description or "",
        value=written,
        choices=choices if written in choices or widget != "choice" else (*choices, written),
    )


def _is_pointed(info: FieldInfo) -> bool:
    """Whether an option is a list of parts of a page, which nobody writes by hand."""
    return get_origin(info.annotation) is tuple and get_args(info.annotation)[0] is PagePart


def _widget(annotation: Any) -> Widget:
    inner = [one for one in get_args(annotation) if one is not types.NoneType]
    is_union = get_origin(annotation) in {Union, types.UnionType}
    if annotation is bool:
        return "check"
    if is_union and inner == [bool]:
        return "maybe"
    if get_origin(annotation) is Literal:
        return "choice"
    if annotation in {int, float} or (is_union and inner == [int]):
        return "number"
    if annotation is str:
        return "text"
    return "lines" if get_origin(annotation) is tuple else "json"


def _written(name: str, value: Any, widget: Widget) -> str:
    """A value as text in a form field."""
    value = _plain(value)
    if name == _HEADERS and value:
        value = hidden(value)
    if isinstance(value, bool):
        no = "no" if widget == "maybe" else ""
        return "yes" if value else no
    if value is None or value == {}:
        return ""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "\n".join(value)
    return json.dumps(value, indent=2, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


def _others(model: type[BaseModel], config: Json) -> Iterator[Field]:
    if model.model_config.get("extra") == "allow":
        others = {name: value for name, value in config.items() if name not in model.model_fields}
        text = "Further options of the outside service, as JSON."
        yield Field(name=OTHERS, label="Other options", widget="json", help=text, value=_written("", others, "json"))


def _default(info: FieldInfo) -> Any:
    return None if info.is_required() else info.get_default(call_default_factory=True, validated_data={})


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_unset=True)
    return list(value) if isinstance(value, tuple | set | frozenset) else value
