"""An operation: its name, arguments, result, required scope, and the function that runs it."""

from __future__ import annotations

import hashlib
import json
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from veille.core.text import storable
from veille.errors import ConfigError, plain_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from veille.bootstrap import App
    from veille.core.access.access import ScopeName
    from veille.core.models import Dossier
    from veille.ports import DossierReader
    from veille.services.container import Services
    from veille.services.people.access import Access


_Work = TypeVar("_Work", bound="Callable[..., Any]")


class Arguments(BaseModel):
    """Arguments of an operation; a subclass adds fields, each with a description that interfaces show."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class InDossier(Arguments):
    """Arguments of an operation in one dossier."""

    dossier_id: str = Field(min_length=1, max_length=200, description="The dossier.")


@dataclass(frozen=True)
class Place:
    """The context of an operation: its dossier, and on whose behalf it runs; nothing else can be reached from here."""

    app: App
    access: Access
    scope: ScopeName
    #: None for an operation without a dossier.
    found: Dossier | None
    #: Closed when the operation is done.
    _opened: ExitStack

    @property
    def dossier_id(self) -> str:
        if self.found is None:
            raise TypeError("This operation has no dossier.")
        return self.found.id

    @cached_property
    def services(self) -> Services:
        return self.app.on_behalf(self.access, self.scope)

    @cached_property
    def reading(self) -> DossierReader:
        """The dossier, for reading."""
        return self._opened.enter_context(self.services.reading(self.dossier_id))


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One operation of the API."""

    name: str
    #: What it does, for people and agents.
    summary: str
    arguments: type[Arguments]
    #: The type of the result: a shape, or a list of one.
    result: Any
    scope: ScopeName
    work: Callable[[Place, Any], Any]
    #: Whether it deletes something.
    destructive: bool = False
    #: Whether the result contains third-party text, which agents must not take for instructions.
    untrusted: bool = False
    #: Whether it waits for other servers.
    asks_outside: bool = False

    @property
    def reads_only(self) -> bool:
        return self.scope == "read"

    @property
    def arguments_schema(self) -> dict[str, Any]:
        return self.arguments.model_json_schema()

    @property
    def result_schema(self) -> dict[str, Any]:
        return _adapter(self.result).json_schema(mode="serialization")

    def call(self, app: App, access: Access, arguments: Mapping[str, Any], *, via: str = "") -> Any:
        """Run it and return its JSON. Changes are in the audit log; with `via`, read operations, too."""
        access.require(self.scope)
        given = self._checked(arguments)
        named = getattr(given, "dossier_id", None)
        found = access.dossier(named, scope=self.scope) if named is not None else None
        if via or not self.reads_only:
            access.log(
                self.name.removeprefix("veille_"), found.id if found else "", via=via, arguments=_digest(arguments)
            )
        with ExitStack() as opened:
            result = self.work(Place(app, access, self.scope, found, opened), given)
        return _adapter(self.result).dump_python(result, mode="json", exclude_none=True)

    def _checked(self, arguments: Mapping[str, Any]) -> Arguments:
        try:
            return self.arguments.model_validate(storable(arguments))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"])) or "the whole"
            raise ConfigError(
                f"invalid arguments: {where}: {plain_words(first['msg'])}", code="invalid_arguments"
            ) from error
        except ValueError as error:
            raise ConfigError(f"invalid arguments: {error}", code="invalid_arguments") from error


#: Every operation by its name, in the order of their definition.
OPERATIONS: dict[str, Operation] = {}


def operation(
    scope: ScopeName, *, destructive: bool = False, untrusted: bool = False, asks_outside: bool = False
) -> Callable[[_Work], _Work]:
    """Make a function `_name(place, arguments)` the operation `veille_name`.

    Its docstring is the summary; its annotations say what it is given and what it returns.
    """

    def define(work: _Work) -> _Work:
        name = f"veille{work.__name__}"
        _, arguments, result = get_type_hints(work).values()
        OPERATIONS[name] = Operation(
            name=name,
            summary=work.__doc__ or "",
            arguments=arguments,
            result=result,
            scope=scope,
            work=work,
            destructive=destructive,
            untrusted=untrusted,
            asks_outside=asks_outside or scope == "fetch",
        )
        return work

    return define


@cache
def _adapter(result: Any) -> TypeAdapter[Any]:
    return TypeAdapter(result)


def _digest(arguments: Mapping[str, Any]) -> str:
    """A hash that is equal for equal arguments, and from which they cannot be read."""
    text = json.dumps(arguments, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
