"""Wires the language model: each use of it has its own sender."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from pydantic import ValidationError

from veille.adapters.sender import DoorSender
from veille.configuration import problem_of
from veille.errors import ConfigError, SettingError
from veille.ports.models import Model
from veille.registry import load
from veille.services.model.consultation import ModelTools

if TYPE_CHECKING:
    from collections.abc import Iterator

    from veille.ports import Clock
    from veille.settings import Settings

MODELS = "veille.adapters.models"
_DAY_MS = 24 * 3_600_000


def model_tools(settings: Settings, clock: Clock) -> ModelTools:
    """How the model of the settings is asked; SettingError if it cannot be used."""
    wanted = settings.model
    try:
        kind = load(MODELS, wanted.kind, Model)
        config = kind.Config.model_validate(wanted.options)
    except ValidationError as error:
        key, problem = problem_of(error, kind.Config)
        place = settings.place("model", "options", *key)
        raise SettingError(f"{place}{problem}", code="bad_option") from error
    except ConfigError as error:
        raise SettingError(f"{settings.place('model', 'kind')}: {error}", code=error.code) from error

    @contextmanager
    def opened() -> Iterator[Model]:
        # Its own sender: threads cannot share one. It opens no connection before something is sent.
        with closing(DoorSender(settings.fetch, clock)) as sender:
            yield kind(config, sender)

    return ModelTools(
        opened=opened,
        tokens_per_day=wanted.tokens_per_day,
        timeout_s=wanted.timeout_s,
        tries=wanted.tries,
        keep_ms=wanted.keep_days * _DAY_MS,
    )
