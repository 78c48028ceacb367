"""Typed settings of the program: a TOML file, then `VEILLE_*` variables, then what the caller passes.

Every field carries the help text that the reference and the interfaces show.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_config_path, user_data_path
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ImportString,
    IPvAnyNetwork,
    SecretStr,
    StringConstraints,
    field_validator,
)

from veille.configuration import Layer, configured, from_file, from_variables, place_of

_PREFIX = "VEILLE_"
#: The variable with the path of another settings file.
CONFIG_VARIABLE = "VEILLE_CONFIG"
_OTHER_VARIABLES = frozenset({CONFIG_VARIABLE, "VEILLE_FAILPOINT", "VEILLE_PURE"})
#: Variables that Kubernetes sets in every container for a service called `veille` or `veille-something`.
_OF_KUBERNETES = re.compile(
    r"VEILLE_(?:[A-Z0-9]+_)*(?:SERVICE_(?:HOST|PORT\w*)=.*|PORT_\d+_(?:TCP|UDP)\w*=.*|PORT=(?:tcp|udp)://.*)"
)

#: A web address.
_WEB = r"^https?://[^\s/?#]+\S*$"
#: The longest time that can be set, in seconds.
_YEAR_S = 366 * 86_400


class _Section(BaseModel):
    """Unknown keys, infinity and NaN are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class FetchSettings(_Section):
    """How addresses are fetched."""

    user_agent: str = Field(
        "veille/0.1 (+https://pypi.org/project/veille)",
        pattern=r"^[^\x00-\x1f\x7f]+$",
        description="How we introduce ourselves.",
    )
    timeout_s: float = Field(
        30, gt=0, le=_YEAR_S, description="Longest time for one address, from name look-up to last byte."
    )
    max_bytes: int = Field(10 * 1024 * 1024, gt=0, description="Larger answers are refused, never cut.")
    concurrency: int = Field(64, gt=0, description="Addresses fetched at once by one worker.")
    host_concurrency: int = Field(2, gt=0, description="Connections to one host at once.")
    host_delay_ms: int = Field(
        1000, ge=0, le=_YEAR_S * 1000, description="Shortest pause between two requests to one host."
    )
    max_delay_ms: int = Field(
        60_000, ge=0, le=_YEAR_S * 1000, description="The longest Crawl-delay of a robots.txt that is kept."
    )
    robots: bool = Field(
        default=True, description="Obey robots.txt for followed links and sites; a source may say otherwise."
    )
    min_rate: int = Field(1024, ge=0, description="Answers slower than this many bytes per second are given up.")
    min_rate_grace_s: float = Field(10, ge=0, le=_YEAR_S, description="How long an answer may be slower than that.")
    retries: int = Field(1, ge=0, description="Quick second tries after a broken connection, within the same time.")
    retry_budget: float = Field(0.1, ge=0, le=1, description="Second tries, as a share of all requests, never more.")
    allow_hosts: frozenset[str] = Field(
        frozenset(), description="Names that may have private addresses: `wiki.corp.example`, `*.corp.example`."
    )
    allow_networks: tuple[IPvAnyNetwork, ...] = Field(
        (), description="Private networks that may be reached, such as 10.1.0.0/16. Default: none."
    )
    url_validator: ImportString[Callable[[str], bool]] | None = Field(
        None,
        description="A function of your own, as `package.module:name`: it is given every address before it is added or "
        "asked, and what it does not say True to is refused. It cannot allow what is refused anyway.",
    )
    nat64_prefixes: tuple[IPvAnyNetwork, ...] = Field((), description="NAT64 prefixes of this network (RFC 6052).")
    allow_env: dict[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description="Environment variables that headers and bodies may name as `${NAME}`, each with the hosts it may "
        'be sent to: `{BRAVE_API_KEY = ["api.search.brave.com"]}`. Default: none.',
    )
    file_roots: tuple[Path, ...] = Field((), description="Folders whose files may be watched. Default: none.")
    ca_file: Path | None = Field(None, description="Further trusted certificates (PEM), for intranets with their own.")
    browser_path: Path = Field(Path("/usr/bin/chromium"), description="The Chromium that renders JavaScript pages.")
    browser_pages: int = Field(2, gt=0, description="Pages rendered at once.")
    browser_memory_mb: int = Field(1024, gt=0, description="Memory the browser may take before it is restarted.")


class BridgeSettings(_Section):
    """An outside service that fetches for us, for the sources of its kind."""

    url: str = Field(
        pattern=_WEB, description="Its address, such as http://127.0.0.1:9000/socmed_fetch; it may be private."
    )
    token: SecretStr | None = Field(None, description="Sent to it as a bearer token.")

    @field_validator("url")
    @classmethod
    def _is_spelled_out(cls, url: str) -> str:
        if "${" in url:
            raise ValueError("`${…}` is not expanded here; set the address by a variable, VEILLE_BRIDGES__<NAME>__URL")
        return url


class WorkshopSettings(_Section):
    """How everything that was fetched is read: isolated, in a child process."""

    children: int = Field(1, gt=0, description="Child processes of one process; each starts when it is needed.")
    timeout_s: float = Field(
        10, gt=0, le=_YEAR_S, description="Longest time to read one page, feed or document; then the child is killed."
    )
    memory_mb: int = Field(1024, ge=256, description="Most memory of a child.")
    jobs: int = Field(10_000, gt=0, description="Answers a child reads before a fresh one takes its place.")


class QuotaSettings(_Section):
    """The limits of one dossier."""

    sources: int = Field(1000, gt=0, description="Most sources of a dossier.")
    requests_per_day: int = Field(
        0,
        ge=0,
        description="Most requests of a dossier from midnight to midnight (UTC); the rest waits. 0: any number.",
    )
    bytes_per_day: int = Field(
        0,
        ge=0,
        description="Most bytes that a dossier's requests bring in that time, as they come over the wire. What is "
        "under way when they are used up still comes in; the rest waits. 0: any number.",
    )
    stored_mb: float = Field(
        0,
        ge=0,
        description="How much a dossier may keep: at that size nothing more is fetched for it until something is "
        "deleted. 0: any number.",
    )


class LogSettings(_Section):
    """The logs of crawlers: one JSON object per line, in the folder `logs` of the data folder."""

    level: Literal["info", "warn", "error"] = Field("info", description="This level and above is logged.")
    max_mb: float = Field(10, gt=0, description="A larger log file is set aside and a new one begun.")
    keep: int = Field(5, ge=0, description="Log files that were set aside and are kept.")


class ServeSettings(_Section):
    """The service: where it listens, and its workers."""

    host: str = Field("127.0.0.1", description="The address to listen on. Others than loopback need a password set.")
    port: int = Field(8420, ge=0, le=65535, description="The port to listen on; 0 takes a free one.")
    workers: int | None = Field(None, ge=0, le=256, description="Worker processes. Default: one a core.")
    public_url: str = Field(
        "",
        pattern=f"^$|{_WEB}",
        description="How browsers reach it, such as https://veille.example.org; no other name is answered to.",
    )
    trusted_proxies: tuple[IPvAnyNetwork, ...] = Field(
        (), description="Proxies whose X-Forwarded-For and X-Forwarded-Proto are believed, such as 127.0.0.1/32."
    )
    insecure_local: bool = Field(
        default=False,
        description="Let browsers on this machine in without a password, as the first user; not once somebody has one.",
    )
    metrics_port: int | None = Field(
        None, ge=0, le=65535, description="A port on loopback for /metrics without a token; none by default."
    )
    max_body_bytes: int = Field(1024 * 1024, gt=0, description="Larger request bodies are refused.")
    max_list_bytes: int = Field(10 * 1024 * 1024, gt=0, description="The same for lists of feeds that are taken in.")
    images_per_minute: int = Field(600, gt=0, description="Images of one dossier's pages that are fetched a minute.")
    requests: int = Field(
        16, gt=0, description="Requests worked on at once, a quarter of them such as ask other sites."
    )
    connections: int = Field(
        1000, gt=0, description="Open connections; beyond that, the one that has said nothing for longest is closed."
    )
    connections_per_address: int = Field(
        200, gt=0, description="The same for one address, or one IPv6 network of 64 bits; not for trusted_proxies."
    )
    header_s: float = Field(10, gt=0, le=_YEAR_S, description="Longest time for the head of a request to come in.")
    idle_s: float = Field(
        30, gt=0, le=_YEAR_S, description="Longest silence within a request that comes in, or an answer that is taken."
    )
    grace_s: float = Field(
        20, ge=0, le=_YEAR_S, description="How long workers may take to give back what they hold when the service ends."
    )
    stalled_s: float = Field(
        30,
        ge=1,
        le=_YEAR_S,
        description="A worker or web process that shows no sign of life for so long is killed and replaced.",
    )


#: The name of a query parameter, or a prefix followed by `*`.
_Parameter = Annotated[str, StringConstraints(pattern=r"^[^\s*&=#?]+\*?$", max_length=100)]


class TrackingSettings(_Section):
    """Query parameters that are not part of an address. Documents read before keep their identity."""

    add: tuple[_Parameter, ...] = Field(
        (), max_length=1000, description="Further ones that only say how a reader came: `ref`, `cmp_*`."
    )
    keep: tuple[_Parameter, ...] = Field(
        (), max_length=1000, description="Those of the built-in table that tell pages apart after all: `spm`, `pk_*`."
    )


class NewsSettings(_Section):
    """News in a spreadsheet. The variables in NewsPipeline's manual are also read under their bare names."""

    spreadsheet_id: str = Field("", description="The Google spreadsheet, by the id in its address.")
    spreadsheet_title: str = Field(
        "NewsPipeline",
        min_length=1,
        max_length=100,
        pattern=r"^[^/\\:*?\"<>|\x00-\x1f]+$",
        description="The name of the workbook; without Google, the file of this name (.xlsx) in the data folder.",
    )
    google_service_account_json: Path | None = Field(None, description="The key file of the Google service account.")
    spreadsheet_share_with: str = Field(
        "", description="The Google address of whoever may edit a spreadsheet that had to be made."
    )
    google_api_url: str = Field(
        "", pattern=f"^$|{_WEB}", description="Another address for Google's API, such as a test server's."
    )
    workbook: Path | None = Field(None, description="Another place for the local workbook, such as news.xlsx.")
    fulltext_dir: Path | None = Field(
        None, description="The folder for full texts. Default: `articles` in the data folder."
    )
    fresh_days_limit: int = Field(7, gt=0, description="A feed without an entry this young is not registered.")
    languages: tuple[str, ...] = Field(("en",), description="The languages a feed may have; empty for any.")
    max_items_per_feed_per_poll: int = Field(20, gt=0, le=10_000, description="New articles from one feed in a poll.")
    pending_batch_size: int = Field(100, gt=0, description="Articles fetched in one `veille news work`.")
    clean_text_sheets_limit: int = Field(
        20_000, gt=0, le=32_000, description="Longer texts are cut in the workbook, and only there."
    )


#: The variables in NewsPipeline's manual; only these are read under their bare names.
NEWS_VARIABLES = (
    "SPREADSHEET_ID SPREADSHEET_TITLE GOOGLE_SERVICE_ACCOUNT_JSON FULLTEXT_DIR FRESH_DAYS_LIMIT "
    "MAX_ITEMS_PER_FEED_PER_POLL PENDING_BATCH_SIZE CLEAN_TEXT_SHEETS_LIMIT"
).split()


class Settings(_Section):
    """Everything an operator can set."""

    data: Path = Field(default_factory=lambda: user_data_path("veille"), description="The data folder.")
    umask: str = Field(
        "0077",
        pattern=r"^0?[0-7]{3}$",
        description="The rights that new files lack, in octal: 0077 lets nobody else read the buffer, workbooks and "
        "exports, 0027 lets their group read them, 0007 also move them. The data folder is never anybody else's.",
    )
    buffer_dir: Path | None = Field(None, description="Where the buffer sink puts its files; without it there is none.")
    sinks: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="Further sinks by name: `kind` and the options of that kind."
    )
    bridges: dict[str, BridgeSettings] = Field(
        default_factory=dict, description="Outside services by the kind they bring: `url` and `token`."
    )
    fetch: Annotated[FetchSettings, Field(description="How the outside is approached.")] = FetchSettings()
    reader_timeout_s: float = Field(
        15, gt=0, le=_YEAR_S, description="Longest time for a page that somebody waits to read."
    )
    check_s: float = Field(
        120, gt=0, le=_YEAR_S, description="Longest time for a source that somebody wants looked at now."
    )
    calls_per_minute: int = Field(600, gt=0, description="Calls of tools and services a minute, for each token.")
    token: SecretStr | None = Field(None, description="The token that `veille mcp` comes in with.")
    read_hosts: frozenset[str] = Field(
        frozenset(),
        description="Hosts whose pages agents may read beside those of the sources: `example.org`, `*.example.org`, "
        "or `*` for any.",
    )
    searches_kept: int = Field(
        500,
        ge=0,
        le=100_000,
        description="Searches by REST, tools and services that each dossier remembers. 0: none, and those it has go.",
    )
    workshop: Annotated[WorkshopSettings, Field(description="How answers are read.")] = WorkshopSettings()
    quotas: Annotated[QuotaSettings, Field(description="What one dossier may have.")] = QuotaSettings()
    sweep_every_s: float = Field(
        6 * 3600,
        ge=0,
        le=_YEAR_S,
        description="How often a worker asks after sources that fail (`veille sweep`). 0: never.",
    )
    tracking: Annotated[TrackingSettings, Field(description="Which query parameters are no part of an address.")] = (
        TrackingSettings()
    )
    log: Annotated[LogSettings, Field(description="The logs of crawlers.")] = LogSettings()
    news: Annotated[NewsSettings, Field(description="News in a spreadsheet.")] = NewsSettings()
    serve: Annotated[ServeSettings, Field(description="The service.")] = ServeSettings()
    lease_s: float = Field(
        60, gt=0, le=_YEAR_S, description="How long a worker owns what it claimed without saying so again."
    )
    min_free_mb: int = Field(
        200, ge=0, description="Nothing new is fetched while the disk of the data folder has less room than this."
    )
    open_dossiers: int = Field(128, gt=0, description="Dossier files kept open at once; each takes three handles.")
    deliver_batch: int = Field(200, gt=0, description="Changes handed to a sink in one go.")

    #: The layers that the settings come from.
    _layers: tuple[Layer, ...] = ()

    def place(self, *key: str) -> str:
        """Where a setting is written, for messages about it."""
        return place_of(self._layers, key)


def load_settings(**given: Any) -> Settings:
    """The settings, overridden by what the caller passes; SettingError if one is wrong or unknown."""
    bare = {name.lower(): os.environ[name] for name in NEWS_VARIABLES if os.environ.get(name)}
    layers = [
        Layer({key: value for key, value in given.items() if value is not None}),
        from_variables(Settings, _PREFIX, os.environ, _is_no_setting),
        Layer({"news": bare} if bare else {}, lambda key: key[-1].upper()),
    ]
    named = os.environ.get(CONFIG_VARIABLE)
    layers.append(from_file(Path(named) if named else _config_file(), is_wanted=bool(named)))
    settings = configured(Settings, layers)
    settings._layers = tuple(layers)  # noqa: SLF001 - our own
    return settings


def _config_file() -> Path:
    """The default path of the settings file."""
    return user_config_path("veille") / "veille.toml"


def _is_no_setting(name: str, value: str) -> bool:
    """Whether a variable with our prefix is not a setting."""
    return name in _OTHER_VARIABLES or _OF_KUBERNETES.fullmatch(f"{name}={value}") is not None
