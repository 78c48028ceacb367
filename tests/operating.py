"""Operations as programs call them, without an interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from veille.errors import VeilleError
from veille.interfaces.operations import call, status_of
from watching import Watch

Do = Callable[..., Any]


def doing(watch: Watch) -> Do:
    """Calls operations in the dossier, as the owner of the data."""
    local = watch.app.accounts.local()

    def operation(what: str, **given: Any) -> Any:
        return call(watch.app, local, f"veille_{what}", {"dossier_id": watch.dossier_id} | given)

    return operation


def refused(do: Do, what: str, **given: Any) -> tuple[int, str]:
    """The status and code with which an operation is refused."""
    with pytest.raises(VeilleError) as caught:
        do(what, **given)
    return status_of(caught.value), caught.value.code
