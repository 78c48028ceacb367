"""The language model, and search by meaning."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from veille.settings.values import Amount, Seconds, SettingsTable

#: The kind of model where there is none.
NO_MODEL = "none"


class ModelSettings(SettingsTable):
    """The language model that answers questions and writes summaries. Without one, rules do what they can."""

    kind: str = Field(NO_MODEL, description="The model, by the name of its kind; `none`: there is none.")
    options: dict[str, Any] = Field(default_factory=dict, description="The options of that kind.")
    tokens_per_day: Amount = Field(
        200_000, description="Most tokens that the model may use for a dossier per day (UTC). 0: no limit."
    )
    timeout_s: Seconds = Field(60, description="Longest time for one answer of the model, with all tries.")
    tries: int = Field(3, ge=1, le=10, description="How often a call that failed is made.")
    keep_days: Amount = Field(30, description="How long answers of the model are kept; 0: they are asked for anew.")


class MeaningSettings(SettingsTable):
    """Search by meaning: texts that say the same in other words, or in another language."""

    embedders: tuple[str, ...] | None = Field(
        None,
        description="The embedders of all dossiers, such as `multilingual` and `english`; these need the extra "
        "`vectors`. Empty: none. Default: as each dossier says (`veille vectors on`).",
    )
    options: dict[str, dict[str, Any]] = Field(
        default_factory=dict,
        description="Further embedders, and options, by the name of the embedder: `kind` and the options of that kind.",
    )
