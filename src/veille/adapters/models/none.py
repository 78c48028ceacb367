"""No model: questions are answered with the sentences that were found, and summaries are made by rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from veille.core.traffic import Failure
from veille.ports.models import Model

if TYPE_CHECKING:
    from veille.core.prompting.replies import Completion, ModelCall


class NoneModel(Model):
    """Never answers."""

    is_there: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return "none"

    def complete(self, call: ModelCall) -> Completion | Failure:  # noqa: ARG002 - whatever it is
        return Failure(code="model.none", message="No model is set up.", retryable=False)
