"""Typed configuration from several places; errors name the place where the wrong value is written.

    from_file(path, …)                          a TOML file
    from_variables(model, prefix, variables)    `PREFIX_FETCH__TIMEOUT_S` is the key `fetch.timeout_s`
    configured(model, layers)                   the model; the first layer with a key wins
    place_of(layers, key)                       where a key is written, for messages about it
    origin_of(layers, key)                      the same, for a list of all keys

Every problem, including an unknown key or variable, is a SettingError of one line.
"""

from __future__ import annotations

import inspect
import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, TypeGuard, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, SecretStr, ValidationError
from pydantic.fields import FieldInfo

from veille.errors import SettingError, did_you_mean, plain_words

_Model = TypeVar("_Model", bound=BaseModel)
#: The parts of a dotted key.
Key = tuple[str, ...]

#: Plain wording for pydantic's errors that use Python terms.
_WORDS = {
    "missing": "this must be given",
    "model_type": "this must be a table",
    "model_attributes_type": "this must be a table",
    "dict_type": "this must be a table",
    "path_type": "this must be a path",
    "tuple_type": "this must be a list",
    "frozen_set_type": "this must be a list",
}
#: By the ends of keys.
_UNITS = {"_s": "seconds", "_ms": "milliseconds", "_mb": "megabytes", "_bytes": "bytes", "_days": "days"}
#: Tables that are named when several have the key.
_MOST_TABLES = 5
#: Types that are written as JSON in a variable.
_NESTED = frozenset({dict, frozenset, list, set, tuple})
_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SECRET = re.compile(r"secret|token|password|key|headers", re.IGNORECASE)
_NEWLINE = b"\n"
_LARGEST = 10**15
#: Bytes of a file of settings.
_MOST_BYTES = 10 * 1024 * 1024
#: A part of a key that TOML writes without quotes.
_BARE = re.compile(r"[A-Za-z0-9_-]+")
#: Longer values are not shown.
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Layer:
    """The settings of one place: a tree of keys, how to name a key of that place in messages, and the place itself.

    Where no place is given, as for a variable, the name of the key says it.
    """

    tree: Mapping[str, Any]
    called: Callable[[Key], str] = field(default=lambda key: f"The setting {dotted(key)}")
    place: str = ""


def dotted(key: Key) -> str:
    """A key as TOML writes it: `fetch.timeout_s`, `sinks."my desk"`."""
    return ".".join(part if _BARE.fullmatch(part) else json.dumps(part, ensure_ascii=False) for part in key)


def from_file(path: Path, *, is_wanted: bool) -> Layer:
    """The keys of a TOML file; it may be missing unless `is_wanted`."""
    # Unlike Path.exists, this is False for a folder of another user that we may not read.
    if not is_wanted and not os.path.exists(path):  # noqa: PTH110 - see above
        return Layer({})
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a path that no path can be
        said = getattr(error, "strerror", None) or error
        raise SettingError(
            f"{path}: the settings cannot be read ({said}); check the path and its rights.", code="bad_config"
        ) from error
    if len(data) > _MOST_BYTES:
        raise SettingError(f"{path}: this is no file of settings: it has over {_MOST_BYTES} bytes.", code="bad_config")
    return Layer(_parsed(data, path), lambda key: f"{path}: {dotted(key)}", str(path))


def _parsed(data: bytes, path: Path) -> dict[str, Any]:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SettingError(f"{path}:1:1: this is UTF-16; save the file as UTF-8.", code="bad_config")
    try:
        import tomllib  # noqa: PLC0415 - many programs have no file

        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(_NEWLINE, 0, error.start) + 1
        column = error.start - data.rfind(_NEWLINE, 0, error.start)
        raise SettingError(
            f"{path}:{line}:{column}: this is no UTF-8; save the file as UTF-8.", code="bad_config"
        ) from error
    except (ValueError, RecursionError) as error:  # ValueError: also for a number with thousands of digits
        end = f"at line {data.count(_NEWLINE) + 1}, column {len(data) - data.rfind(_NEWLINE)}"
        said = str(error).replace("at end of document", end)
        place = _PLACE.search(said)
        at = f"{path}:{place[1]}:{place[2]}" if place else f"{path}"
        raise SettingError(f"{at}: this is no TOML: {_PLACE.sub('', said)}.", code="bad_config") from error


def from_variables(
    model: type[BaseModel], prefix: str, variables: Mapping[str, str], others: Callable[[str, str], bool]
) -> Layer:
    """The variables with the prefix, in any case; those for which `others` is true are known, but not settings."""
    names: dict[Key, str] = {}
    tree: dict[str, Any] = {}
    ours = [name for name in variables if name.upper().startswith(prefix) and not others(name, variables[name])]
    for name in sorted(ours, key=lambda name: (name.count("__"), name)):
        key = tuple(name[len(prefix) :].lower().split("__"))
        names[key] = name
        tree = _merged(_nested(key, _value(model, prefix, key, name, variables[name])), tree)

    def called(key: Key) -> str:
        if key in names:
            return names[key]
        # One of its parent tables is written as JSON.
        around = (names[key[:length]] for length in range(len(key) - 1, 0, -1) if key[:length] in names)
        found = next(around, None)
        return f"{found}: {dotted(key)}" if found else prefix + "__".join(key).upper()

    return Layer(tree, called)


def _value(model: type[BaseModel], prefix: str, key: Key, name: str, text: str) -> Any:
    """The value of a variable: parsed as JSON where the type needs it, else the text."""
    kind = _type_of(model, key)
    if kind is None:
        known = [prefix + "__".join(one).upper() for one in keys_of(model)]
        raise SettingError(f"{name} is no setting.{did_you_mean(name.upper(), known)}")
    if kind in {str, SecretStr}:
        return text
    if not text:
        raise SettingError(f"{name} is empty: give it a value, or unset it.")
    if kind is not Any and get_origin(kind) not in _NESTED and not _is_table(kind):
        return text
    try:
        found = json.loads(text)
        return found if kind is not Any or isinstance(found, dict | list) else text
    except (ValueError, RecursionError) as error:
        if kind is Any:
            return text
        example = '{"name": …}' if get_origin(kind) is dict or _is_table(kind) else '["one", "two"]'
        raise SettingError(f"{name} is no JSON ({error}): write it as {example}.") from error


def _type_of(kind: Any, key: Key) -> Any:
    """The bare type of a key in a table of this type; None if there is no such key."""
    if not key:
        return kind
    if _is_table(kind):
        found = kind.model_fields.get(key[0])
        return _type_of(_bare(found.annotation), key[1:]) if found else None
    if get_origin(kind) is dict:
        return _type_of(get_args(kind)[1], key[1:])
    return Any if kind is Any else None


def _bare(kind: Any) -> Any:
    """`int` for `Annotated[int | None, …]`; a Literal counts as `str`."""
    if get_origin(kind) is Annotated:
        return _bare(get_args(kind)[0])
    if get_origin(kind) in {Union, UnionType}:
        return _bare(next(one for one in get_args(kind) if one is not NoneType))
    return str if str(kind).startswith("typing.Literal") else kind


def _is_table(kind: Any) -> TypeGuard[type[BaseModel]]:
    return inspect.isclass(kind) and issubclass(kind, BaseModel)


def table_of(field: FieldInfo) -> type[BaseModel] | None:
    """The model of a table of settings; None for a plain value."""
    kind = _bare(field.annotation)
    return kind if _is_table(kind) else None


def keys_of(model: type[BaseModel]) -> Iterator[Key]:
    """Every key, including those of tables."""
    for name, one in model.model_fields.items():
        yield (name,)
        if inner := table_of(one):
            yield from ((name, *rest) for rest in keys_of(inner))


def configured(model: type[_Model], layers: Sequence[Layer]) -> _Model:
    """The model from all layers merged."""
    tree: dict[str, Any] = {}
    for layer in layers:
        _check_values(model, layer)
        tree = _merged(tree, layer.tree)
    try:
        return model.model_validate(tree)
    except ValidationError as error:
        key, problem = problem_of(error, model)
        raise SettingError(f"{place_of(layers, key)}{problem}") from error


def place_of(layers: Sequence[Layer], key: Key) -> str:
    """Where a key is written; for a missing one, where the table is that should have it."""
    for length in range(len(key), 0, -1):
        for layer in layers:
            if _has(layer.tree, key[:length]):
                return layer.called(key)
    return Layer({}).called(key)


def origin_of(layers: Sequence[Layer], key: Key) -> str:
    """The file or variable that gives a key its value; empty if none does."""
    found = next((layer for layer in layers if _has(layer.tree, key)), None)
    return (found.place or found.called(key)) if found else ""


def problem_of(error: ValidationError, model: type[BaseModel], hidden: Collection[str] = ()) -> tuple[Key, str]:
    """The wrong key and its problem; a mistyped key comes first, because it may be why another one is missing.

    What was given for a `hidden` key is not shown.
    """
    errors = error.errors(include_url=False)
    wrong = next((one for one in errors if one["type"] == "extra_forbidden"), errors[0])
    key = tuple(map(str, wrong["loc"]))
    if wrong["type"] == "extra_forbidden":
        return key, f" is no setting.{_likely(model, key)}"
    found = wrong["input"]
    is_hidden = is_secret(".".join(key)) or (key and key[0] in hidden)
    is_shown = isinstance(found, str | int | float) and not is_hidden and len(str(found)) <= _SHOWN
    said = _WORDS.get(wrong["type"]) or _unit(key, wrong["type"]) or _description(model, key, wrong["type"])
    said = said or str(wrong["msg"])
    said = plain_words(said)
    return key, f": {said[:1].lower()}{said[1:]}{f' (found {found!r})' if is_shown else ''}."


def is_secret(name: str) -> bool:
    """Whether a key is called like a secret."""
    return bool(_SECRET.search(name))


def _unit(key: Key, problem: str) -> str:
    """In which unit a number has to be, where something like `30s` was written."""
    unit = next((unit for end, unit in _UNITS.items() if key and key[-1].endswith(end)), "")
    return f"this must be a number, in {unit}" if unit and problem in {"float_parsing", "int_parsing"} else ""


def _description(model: type[BaseModel], key: Key, problem: str) -> str:
    """The description of a setting, for a pattern that means nothing to a user."""
    table = _type_of(model, key[:-1])
    field = table.model_fields.get(key[-1]) if _is_table(table) and problem == "string_pattern_mismatch" else None
    return f"this must be: {field.description}" if field else ""


def _likely(model: type[BaseModel], key: Key) -> str:
    """The key that may be meant: the same name in other tables, or a similar spelling."""
    known = list(keys_of(model))
    elsewhere = [".".join(one) for one in known if one[-1] == key[-1].lower()]
    if elsewhere:
        *others, last = elsewhere[:_MOST_TABLES]
        return f" Did you mean {', '.join(others)}{' or ' if others else ''}{last}?"
    table = _type_of(model, key[:-1])
    beside = [".".join((*key[:-1], name)) for name in table.model_fields] if _is_table(table) else []
    written = ".".join(key)
    return did_you_mean(written, beside or map(".".join, known))


def _check_values(model: type[BaseModel], layer: Layer) -> None:
    """Refuse what pydantic would take.

    That is: no path (it takes the current folder), booleans for numbers (it takes True as 1), and numbers too large for
    the database.
    """
    for key, value in _leaves(layer.tree):
        kind = _type_of(model, key)
        paths = [value] if kind is Path else value if Path in get_args(kind) and isinstance(value, list) else []
        for path in paths:
            if isinstance(path, str) and not _is_path(path):
                raise SettingError(f"{layer.called(key)}: this must be a path (found {path!r}).")
        is_number = isinstance(value, int | float) and kind in {int, float}
        if is_number and (isinstance(value, bool) or value > _LARGEST):
            raise SettingError(f"{layer.called(key)}: this must be a number of at most {_LARGEST} (found {value!r}).")


def _is_path(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # of a variable with bytes that are no UTF-8
        return False
    return bool(text.strip()) and not _CONTROL.search(text)


def _leaves(tree: Mapping[str, Any], above: Key = ()) -> Iterator[tuple[Key, Any]]:
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*above, name))
        else:
            yield (*above, name), value


def _has(tree: Any, key: Key) -> bool:
    """Whether a tree has the key, or a plain value in place of one of its tables."""
    for part in key:
        if not isinstance(tree, Mapping):
            return True
        if part not in tree:
            return False
        tree = tree[part]
    return True


def _nested(key: Key, value: Any) -> dict[str, Any]:
    return {key[0]: _nested(key[1:], value) if key[1:] else value}


def _merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Both trees; where they differ, the first wins."""
    both = dict(second)
    for name, value in first.items():
        below = both.get(name)
        both[name] = _merged(value, below) if isinstance(value, dict) and isinstance(below, dict) else value
    return both
