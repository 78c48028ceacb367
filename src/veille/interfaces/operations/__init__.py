"""The operations of the API, defined once for every interface: MCP tools, connectivity services and REST routes.

    call(app, access, name, arguments)   the JSON result of the operation; VeilleError when it fails
    OPERATIONS                           every operation by its name: arguments, result, scope, what it does
    placed(app, kind, url)               the kind and address to watch, if they may be watched
    status_of(error)                     the HTTP status of a failure
    shapes                               the JSON shapes, for interfaces that have the values already

To add an operation, write one function with `@operation` in the module of its topic; it is then a tool, a service and a
page of the reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.errors import NotFoundError
from veille.interfaces.operations import (  # noqa: F401 - to define them
    alerts,
    analyses,
    arranging,
    asking,
    catalogue,
    channels,
    documents,
    questions,
    rules,
    searching,
    sharing,
    sources,
    values,
)
from veille.interfaces.operations._limits import placed
from veille.interfaces.operations._operation import OPERATIONS, Operation
from veille.interfaces.operations._statuses import status_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from veille.bootstrap import App
    from veille.services.people.access import Access

__all__ = ["OPERATIONS", "Operation", "call", "placed", "status_of"]


def call(app: App, access: Access, name: str, arguments: Mapping[str, Any], *, via: str = "") -> Any:
    """Run an operation and return its JSON; with `via`, the name of the interface, reads are in the audit log, too."""
    if name not in OPERATIONS:
        raise NotFoundError(f"There is no operation {name[:100]!r}.", code="no_operation")
    return OPERATIONS[name].call(app, access, arguments, via=via)
