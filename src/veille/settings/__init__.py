"""Typed settings of the program: a TOML file, then `VEILLE_*` variables, then what the caller passes."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Any

from platformdirs import user_config_path, user_data_path
from pydantic import Field, SecretStr, field_validator

from veille.configuration import Layer, configured, from_file, from_variables, origin_of, place_of
from veille.settings.alerts import AlertSettings, MailSettings
from veille.settings.bodies import BodySettings
from veille.settings.models import NO_MODEL, MeaningSettings, ModelSettings
from veille.settings.sections import (
    NEWS_VARIABLES,
    BridgeSettings,
    FetchSettings,
    LogSettings,
    NewsSettings,
    QuotaSettings,
    RegistrySettings,
    RouterSettings,
    ServeSettings,
    TrackingSettings,
    VaultSettings,
    WorkshopSettings,
)
from veille.settings.values import Amount, Count, Seconds, SettingsTable, Span, host_names

__all__ = [
    "CONFIG_VARIABLE",
    "NEWS_VARIABLES",
    "NO_MODEL",
    "AlertSettings",
    "BodySettings",
    "BridgeSettings",
    "FetchSettings",
    "MailSettings",
    "NewsSettings",
    "QuotaSettings",
    "ServeSettings",
    "Settings",
    "VaultSettings",
    "WorkshopSettings",
    "load_settings",
    "settings_file",
]

_PREFIX = "VEILLE_"
#: The variable with the path of another settings file.
CONFIG_VARIABLE = "VEILLE_CONFIG"
_OTHER_VARIABLES = frozenset({CONFIG_VARIABLE, "VEILLE_FAILPOINT", "VEILLE_PURE", "VEILLE_TRY_SCHEMA"})
_KIND = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
#: Variables that Kubernetes sets in every container for a service called `veille` or `veille-something`.
_OF_KUBERNETES = re.compile(
    r"VEILLE_(?:[A-Z0-9]+_)*(?:SERVICE_(?:HOST|PORT\w*)=.*|PORT_\d+_(?:TCP|UDP)\w*=.*|PORT=(?:tcp|udp)://.*)"
)


class Settings(SettingsTable):
    """Everything an operator can set."""

    data: Path = Field(default_factory=lambda: user_data_path("veille"), description="The data folder.")
    store: SecretStr | None = Field(
        None,
        description="The database that takes the place of the SQLite files in the data folder: "
        "`postgresql://user@host/database`. Needs the extra `postgres`.",
    )
    vault: Annotated[VaultSettings, Field(description="The key of the secrets.")] = VaultSettings()
    bodies: Annotated[BodySettings, Field(description="Where large bytes are kept.")] = BodySettings()
    umask: str = Field(
        "0077",
        pattern=r"^0?[0-7]{3}$",
        description="The umask of new files, in octal: with 0077 nobody else can read the buffer, workbooks and "
        "exports; with 0027 their group can read, with 0007 also write. The data folder is always private.",
    )
    buffer_dir: Path | None = Field(None, description="The folder of the buffer sink; there is none by default.")
    sinks: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="Further sinks by name: `kind` and the options of that kind."
    )
    bridges: dict[str, BridgeSettings] = Field(
        default_factory=dict, description="Outside services by the kind of source they provide: `url` and `token`."
    )
    router: Annotated[RouterSettings, Field(description="A router of outside services.")] = RouterSettings()
    registry: Annotated[RegistrySettings, Field(description="Registries of ready-made sources.")] = RegistrySettings()
    fetch: Annotated[FetchSettings, Field(description="How addresses are fetched.")] = FetchSettings()
    reader_timeout_s: Seconds = Field(15, description="Longest time for a page that a user waits to read.")
    check_s: Seconds = Field(120, description="Longest time for a check that a user started and waits for.")
    calls_per_minute: Count = Field(600, description="Calls of tools and services per minute and token.")
    token: SecretStr | None = Field(None, description="The token that `veille mcp` signs in with.")
    read_hosts: frozenset[str] = Field(
        frozenset(),
        description="Hosts whose pages agents may read, besides those of the sources: `example.org`, `*.example.org`, "
        "`*` for any.",
    )
    searches_kept: int = Field(
        500,
        ge=0,
        le=100_000,
        description="Searches by REST, tools and services kept per dossier. 0: none; stored ones go.",
    )
    workshop: Annotated[WorkshopSettings, Field(description="How answers are read.")] = WorkshopSettings()
    quotas: Annotated[QuotaSettings, Field(description="Limits of each dossier.")] = QuotaSettings()
    sweep_every_s: Span = Field(
        6 * 3600, description="How often failing sources are probed (`veille sweep`). 0: never."
    )
    tracking: Annotated[TrackingSettings, Field(description="Tracking parameters.")] = TrackingSettings()
    log: Annotated[LogSettings, Field(description="The logs of crawlers.")] = LogSettings()
    meaning: Annotated[MeaningSettings, Field(description="Search by meaning.")] = MeaningSettings()
    news: Annotated[NewsSettings, Field(description="News in a spreadsheet.")] = NewsSettings()
    serve: Annotated[ServeSettings, Field(description="The service.")] = ServeSettings()
    alerts: Annotated[AlertSettings, Field(description="Alerts.")] = AlertSettings()
    model: Annotated[ModelSettings, Field(description="The language model.")] = ModelSettings()
    lease_s: Seconds = Field(60, description="How long a worker holds what it claimed, unless it renews the claim.")
    min_free_mb: Amount = Field(200, description="Nothing is fetched while the data folder's disk has less free space.")
    open_dossiers: Count = Field(128, description="Dossiers kept open at once; each takes three file handles.")
    deliver_batch: Count = Field(200, description="Changes delivered to a sink at once.")

    @field_validator("store")
    @classmethod
    def _is_there(cls, address: SecretStr | None) -> SecretStr | None:
        # A variable that is set to nothing, as compose files and unit files do.
        return address if address and address.get_secret_value().strip() else None

    @field_validator("bridges")
    @classmethod
    def _are_kinds(cls, bridges: dict[str, BridgeSettings]) -> dict[str, BridgeSettings]:
        for name in bridges:
            if not _KIND.fullmatch(name):
                raise ValueError(f"{name!r} is no name of a kind of source: letters, digits, - and _, such as tides")
        return bridges

    @field_validator("read_hosts")
    @classmethod
    def _are_hosts(cls, names: frozenset[str]) -> frozenset[str]:
        return host_names(names)

    #: The layers that the settings come from.
    _layers: tuple[Layer, ...] = ()

    def in_folder(self, folder: Path) -> Settings:
        """The same for SQLite files in a folder of their own, with nothing that hands changes on."""
        own: dict[str, Any] = {"data": folder, "store": None, "bodies": BodySettings(), "buffer_dir": None, "sinks": {}}
        return self.model_copy(update=own)

    def place(self, *key: str) -> str:
        """Where a setting is written, for messages about it."""
        return place_of(self._layers, key)

    def origin(self, *key: str) -> str:
        """The file, variable or option that a setting comes from; empty for a default."""
        return origin_of(self._layers, key)


def load_settings(**given: Any) -> Settings:
    """The settings, overridden by what the caller passes; SettingError if one is wrong or unknown."""
    bare = {name.lower(): os.environ[name] for name in NEWS_VARIABLES if os.environ.get(name)}
    layers = [
        Layer({key: value for key, value in given.items() if value is not None}, place="command line"),
        from_variables(Settings, _PREFIX, os.environ, _is_no_setting),
        Layer({"news": bare} if bare else {}, lambda key: key[-1].upper()),
    ]
    layers.append(from_file(settings_file(), is_wanted=bool(os.environ.get(CONFIG_VARIABLE))))
    settings = configured(Settings, layers)
    settings._layers = tuple(layers)  # noqa: SLF001 - our own
    return settings


def settings_file() -> Path:
    """The path of the settings file, whether it exists or not."""
    return Path(os.environ.get(CONFIG_VARIABLE) or user_config_path("veille") / "veille.toml")


def _is_no_setting(name: str, value: str) -> bool:
    """Whether a variable with our prefix is not a setting."""
    return name in _OTHER_VARIABLES or _OF_KUBERNETES.fullmatch(f"{name}={value}") is not None
