"""Request and response models that several routes share; each with an example, for the reference and for tests."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from veille.core.text import storable
from veille.interfaces.operations import shapes


def example(**values: Any) -> ConfigDict:
    """Model config with an example of the model."""
    return ConfigDict(json_schema_extra={"examples": [values]})


ID = "01a1dd3b-7c00-7000-8000-000000000001"


class RestView(shapes.JsonView):
    """Base class of the responses of the REST API."""


class Problem(RestView):
    """What went wrong: a text for people, and a stable code for programs."""

    model_config = example(error="non authentifie", code="login")

    error: str
    code: str


class Done(RestView):
    """The result of an action."""

    model_config = example(status="ok")

    status: Literal["ok", "deleted", "fetched", "reset", "updated", "ended", "revoked"]


class Made(RestView):
    """What was created."""

    model_config = example(id=ID, name="Example")

    id: str
    name: str


class Updated(RestView):
    """What was updated."""

    model_config = example(id=ID, status="updated")

    id: str
    status: Literal["updated"] = "updated"


class Body(BaseModel):
    """Base class of request bodies; unknown fields are refused, so that a typo is noticed."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _storable(cls, sent: Any) -> Any:
        return storable(sent)


class DeletionReport(RestView):
    """What was deleted, and what of it is left elsewhere."""

    model_config = example(status="deleted", left=["Messages that were sent by team cannot be recalled."])

    status: str
    left: list[str] = Field([], description="What could not be recalled or deleted, in words.")
