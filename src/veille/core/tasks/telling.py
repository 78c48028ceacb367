"""Make messages: by templates of users, and by plugins of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from veille.core.alerts.replay import ServiceAnswer, ServiceStep, run_service
from veille.core.models import Json
from veille.core.tasks import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderTemplate(Task[str]):
    """Render a template of a user with plain values."""

    template: str
    values: Json

    def run(self, body: bytes) -> str:
        # Loaded by those who use templates only.
        from veille.core.alerts.templates import rendered  # noqa: PLC0415

        del body
        return rendered(self.template, self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunService(Task[ServiceStep]):
    """Run a plugin of apprise up to its next request."""

    is_foreign: ClassVar[bool] = True

    url: str
    title: str = ""
    text: str = ""
    answers: tuple[ServiceAnswer, ...] = ()

    def run(self, body: bytes) -> ServiceStep:
        del body
        return run_service(self.url, self.title, self.text, self.answers)
