"""Typed configuration of the program: a TOML file, then `VEILLE_*` variables, then what the caller passes.

Every field carries the help text that the reference and the interfaces show.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from platformdirs import user_config_path, user_data_path
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from veille.errors import ConfigError

CONFIG_FILE = user_config_path("veille") / "veille.toml"


class FetchSettings(BaseModel):
    """How the outside is approached."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    user_agent: str = Field("veille/0.1 (+https://pypi.org/project/veille)", description="How we introduce ourselves.")
    timeout_s: float = Field(30, gt=0, description="Longest time for one address, from name look-up to last byte.")
    max_bytes: int = Field(10 * 1024 * 1024, gt=0, description="Larger answers are refused, never cut.")
    concurrency: int = Field(64, gt=0, description="Addresses fetched at once by one worker.")
    host_concurrency: int = Field(2, gt=0, description="Connections to one host at once.")
    host_delay_ms: int = Field(1000, ge=0, description="Shortest pause between two requests to one host.")


class WorkshopSettings(BaseModel):
    """How documents and hostile-looking pages are read: apart, in a child process."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    children: int = Field(1, gt=0, description="Child processes of one worker; the first starts when it is needed.")
    timeout_s: float = Field(20, gt=0, description="Longest time to read one document; then the child is killed.")
    memory_mb: int = Field(1024, ge=256, description="Most memory of a child.")
    jobs: int = Field(200, gt=0, description="Documents a child reads before a fresh one takes its place.")


class Settings(BaseSettings):
    """Everything an operator can set."""

    model_config = SettingsConfigDict(
        env_prefix="VEILLE_", env_nested_delimiter="__", extra="ignore", frozen=True, toml_file=CONFIG_FILE
    )

    data: Path = Field(default_factory=lambda: user_data_path("veille"), description="The data folder.")
    buffer_dir: Path | None = Field(None, description="Where the buffer sink puts its files; without it there is none.")
    sinks: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="Further sinks by name: `kind` and the options of that kind."
    )
    fetch: Annotated[FetchSettings, Field(description="How the outside is approached.")] = FetchSettings()
    workshop: Annotated[WorkshopSettings, Field(description="How documents are read.")] = WorkshopSettings()
    lease_s: float = Field(60, gt=0, description="How long a worker owns what it claimed without saying so again.")
    open_dossiers: int = Field(128, gt=0, description="Dossier files kept open at once; each takes three handles.")
    deliver_batch: int = Field(200, gt=0, description="Changes handed to a sink in one go.")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the signature is pydantic's
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Caller first, then the environment, then the file."""
        return (init_settings, env_settings, TomlConfigSettingsSource(settings_cls))


def load_settings(**given: Any) -> Settings:
    """The settings, with what the caller gives on top; a wrong value is a ConfigError that names the key."""
    try:
        return Settings(**{key: value for key, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise ConfigError(
            f"The setting {key} is not right: {first['msg']} (found {first['input']!r}).", code="bad_setting"
        ) from error
