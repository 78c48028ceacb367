"""The secrets of a dossier, for its owners: values can be written, never read."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from pydantic import Field, SecretStr

from veille.interfaces.web._routes import Caller, Routes, within
from veille.interfaces.web.views.shapes import Body, Done, RestView, example

routes = Routes("secrets")

_SECRETS = "/api/dossiers/{dossier_id}/secrets"

Name = Annotated[str, Path(max_length=100, description="What sources call it: ${secret:NAME}.")]


class SecretView(RestView):
    """A secret, without its value."""

    model_config = example(name="API_KEY", hosts=["api.example.org"])

    name: str
    hosts: list[str] = Field(description="The only hosts it may be sent to.")


class NewSecret(Body):
    """A secret value, and the hosts it may be sent to."""

    value: SecretStr = Field(max_length=10_000, examples=["correct horse"])
    hosts: list[str] = Field(
        max_length=100,
        description="`api.example.org`, `api.example.org:8443` or `*.example.org`; at least one.",
        examples=[["api.example.org"]],
    )


@routes.get(_SECRETS, auth=within("admin"))
def _list_secrets(call: Caller) -> list[SecretView]:
    """The secrets of the dossier, by name."""
    found = call.app.secrets.all(call.access, call.dossier.id)
    return [SecretView(name=name, hosts=list(hosts)) for name, hosts in found.items()]


@routes.put(f"{_SECRETS}/{{name}}", auth=within("admin"))
def _put_secret(call: Caller, name: Name, body: NewSecret) -> SecretView:
    """Store a value, encrypted, for these hosts; replaces the secret of that name."""
    bound = call.app.secrets.put(call.access, call.dossier.id, name, body.value.get_secret_value(), body.hosts)
    return SecretView(name=name, hosts=list(bound))


@routes.delete(f"{_SECRETS}/{{name}}", auth=within("admin"))
def _delete_secret(call: Caller, name: Name) -> Done:
    """Delete a secret."""
    call.app.secrets.delete(call.access, call.dossier.id, name)
    return Done(status="deleted")
