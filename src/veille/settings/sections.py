"""The tables of the settings. Every field carries the help text that the reference and the interfaces show."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    Field,
    ImportString,
    SecretStr,
    StringConstraints,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)

from veille.settings.values import (
    NO_OR_WEB,
    WEB,
    YEAR_S,
    Amount,
    Count,
    Networks,
    Pause,
    Seconds,
    SettingsTable,
    Span,
    WebAddress,
    host_names,
)

#: Of a public key of Ed25519.
_KEY_BYTES = 32
_Port = Annotated[int, Field(ge=0, le=65535)]
_IPV4 = 4
#: RFC 6052.
_NAT64_LENGTHS = frozenset({32, 40, 48, 56, 64, 96})


class FetchSettings(SettingsTable):
    """How addresses are fetched."""

    user_agent: str = Field(
        "veille/1.0 (+https://pypi.org/project/veille)",
        pattern=r"^[^\x00-\x1f\x7f]+$",
        description="The user agent that is sent.",
    )
    timeout_s: Seconds = Field(30, description="Longest time for one address, from name look-up to last byte.")
    max_bytes: Count = Field(10 * 1024 * 1024, description="Larger answers are refused, never cut.")
    concurrency: Count = Field(64, description="Addresses fetched at once by one worker.")
    host_concurrency: Count = Field(2, description="Connections to one host at once.")
    host_delay_ms: Pause = Field(1000, description="Shortest pause between two requests to one host, in milliseconds.")
    max_delay_ms: Pause = Field(60_000, description="The longest Crawl-delay of a robots.txt that is obeyed.")
    robots: bool = Field(default=True, description="Obey robots.txt for followed links and sites; sources may differ.")
    min_rate: Amount = Field(1024, description="Answers slower than this many bytes per second are given up.")
    min_rate_grace_s: Span = Field(10, description="How long an answer may be slower than that.")
    retries: Amount = Field(1, description="Immediate retries after a broken connection, within the same time.")
    retry_budget: float = Field(0.1, ge=0, le=1, description="Most retries, as a share of all requests.")
    allow_hosts: frozenset[str] = Field(
        frozenset(), description="Names that may have private addresses: `wiki.corp.example`, `*.corp.example`."
    )
    allow_networks: Networks = Field((), description="Private networks that may be reached, such as 10.1.0.0/16.")
    url_validator: ImportString[Callable[[str], bool]] | None = Field(
        None,
        description="Your own check, as `package.module:name`: a function that gets every address before it is added "
        "or fetched. Unless it returns True, the address is refused. It cannot allow what is refused anyway.",
    )
    nat64_prefixes: Networks = Field((), description="NAT64 prefixes of this network (RFC 6052).")
    allow_env: dict[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description="Environment variables that headers and bodies may name as `${NAME}`, each with the hosts it may "
        'be sent to: `{BRAVE_API_KEY = ["api.search.brave.com"]}`. Default: none.',
    )
    file_roots: tuple[Path, ...] = Field((), description="Folders whose files may be watched. Default: none.")
    ca_file: Path | None = Field(None, description="Further trusted certificates (PEM), for intranets with their own.")
    browser_path: Path = Field(Path("/usr/bin/chromium"), description="The Chromium that renders JavaScript pages.")
    browser_pages: Count = Field(2, description="Pages rendered at once.")
    browser_memory_mb: Count = Field(1024, description="Memory the browser may take before it is restarted.")

    @field_validator("allow_hosts")
    @classmethod
    def _are_hosts(cls, names: frozenset[str]) -> frozenset[str]:
        return host_names(names)

    @field_validator("url_validator", mode="wrap")
    @classmethod
    def _is_imported(cls, name: object, imported: ValidatorFunctionWrapHandler) -> object:
        try:
            return imported(name)
        except ValueError:
            raise
        except Exception as error:
            # The operator's own module is run, and may fail in any way.
            raise ValueError(f"it cannot be imported ({type(error).__name__}: {error})") from error

    @field_validator("nat64_prefixes")
    @classmethod
    def _are_prefixes(cls, prefixes: Networks) -> Networks:
        for one in prefixes:
            if one.version == _IPV4 or one.prefixlen not in _NAT64_LENGTHS:
                raise ValueError(f"{one} is no NAT64 prefix: these are IPv6 networks of /32, /40, /48, /56, /64 or /96")
        return prefixes


class VaultSettings(SettingsTable):
    """The key of the secrets. One of these at most; none: `secrets.key` in the data folder."""

    key_file: Path | None = Field(None, description="A file with the key: 32 bytes, or these in base64.")
    key: SecretStr | None = Field(
        None,
        description="The key itself, in base64; best as the variable `VEILLE_VAULT__KEY`.",
    )
    key_command: tuple[str, ...] | None = Field(
        None,
        min_length=1,
        description='A command that prints the key: `["vault", "kv", "get", "-field=key", "secret/veille"]`. It is run '
        "without a shell, when a program first needs the key.",
    )

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if len(self.given) > 1:
            raise ValueError(f"{' and '.join(f'`{name}`' for name in self.given)} are set: keep one of them")
        return self

    @property
    def given(self) -> tuple[str, ...]:
        """The names of those that are set."""
        named = {"key_file": self.key_file, "key": self.key, "key_command": self.key_command}
        return tuple(name for name, one in named.items() if one is not None)

    @property
    def is_given(self) -> bool:
        """Whether one of them is set."""
        return bool(self.given)


class BridgeSettings(SettingsTable):
    """An outside service that fetches for us, for the sources of its kind."""

    url: WebAddress = Field(
        pattern=WEB, description="Its address, such as http://127.0.0.1:9000/socmed_fetch; it may be private."
    )
    token: SecretStr | None = Field(None, description="Sent to it as a bearer token.")

    @field_validator("url")
    @classmethod
    def _is_spelled_out(cls, url: str) -> str:
        if "${" in url:
            raise ValueError("`${…}` is not expanded here; set the address by a variable, VEILLE_BRIDGES__<NAME>__URL")
        return url


class RouterSettings(SettingsTable):
    """A router that says which outside services there are."""

    url: WebAddress = Field(
        "",
        pattern=NO_OR_WEB,
        description="Where it lists its services, such as http://127.0.0.1:9000/services; it may be private. Each "
        "`<kind>_fetch` is a kind of source. Empty: there is none.",
    )
    token: SecretStr | None = Field(None, description="Sent to it, and to its services, as a bearer token.")
    every_s: Span = Field(60, description="How often it is asked what is new. 0: only at start.")


class RegistrySettings(SettingsTable):
    """Whom to trust for ready-made sources and engines (`veille offers pull`)."""

    keys: dict[str, str] = Field(
        default_factory=dict,
        description="The public keys of registries by their names: Ed25519, 32 bytes in base64.",
    )

    @field_validator("keys")
    @classmethod
    def _are_keys(cls, keys: dict[str, str]) -> dict[str, str]:
        for name, key in keys.items():
            try:
                length = len(base64.b64decode(key.encode(), validate=True))
            except binascii.Error:
                length = 0
            if length != _KEY_BYTES:
                raise ValueError(f"the key of {name!r} is not {_KEY_BYTES} bytes in base64")
        return keys


class WorkshopSettings(SettingsTable):
    """How everything that was fetched is read: isolated, in a child process."""

    children: Count = Field(1, description="Child processes of one process; each starts when it is needed.")
    timeout_s: Seconds = Field(10, description="Longest time to read one answer; then the child is killed.")
    memory_mb: int = Field(1024, ge=256, description="Memory limit of a child.")
    jobs: Count = Field(10_000, description="Answers that a child reads before it is replaced.")
    ocr_timeout_s: Seconds = Field(
        240, description="Longest time to read one answer where text in pictures is recognised (`ocr` of a source)."
    )
    ocr_memory_mb: int = Field(1536, ge=256, description="Memory limit of a child that recognises text in pictures.")

    def for_long_tasks(self) -> WorkshopSettings:
        """The limits of the one child of a process that recognises text in pictures."""
        limits = {"children": 1, "timeout_s": self.ocr_timeout_s, "memory_mb": self.ocr_memory_mb}
        return self.model_copy(update=limits)

    def for_foreign_code(self) -> WorkshopSettings:
        """The limits of the one child of a process that runs apprise: other settings make it another child."""
        return self.model_copy(update={"children": 1, "jobs": min(self.jobs, 1000), "timeout_s": self.timeout_s + 5})


class QuotaSettings(SettingsTable):
    """The limits of one dossier."""

    sources: Count = Field(1000, description="Most sources of a dossier.")
    requests_per_day: Amount = Field(
        0, description="Most requests of a dossier per day (UTC); the rest waits for the next. 0: no limit."
    )
    bytes_per_day: Amount = Field(
        0,
        description="Most bytes received for a dossier per day (UTC); requests in progress are finished, the rest "
        "waits for the next day. 0: no limit.",
    )
    stored_mb: float = Field(
        0,
        ge=0,
        description="Most megabytes that a dossier stores; nothing is fetched beyond that until something is deleted. "
        "0: no limit.",
    )


class LogSettings(SettingsTable):
    """The logs of crawlers: one JSON object per line, in the folder `logs` of the data folder."""

    level: Literal["info", "warn", "error"] = Field("info", description="This level and above is logged.")
    max_mb: float = Field(10, gt=0, description="A log file is rotated at this size.")
    keep: Amount = Field(5, description="Rotated log files that are kept.")


class ServeSettings(SettingsTable):
    """The service: where it listens, and its workers."""

    host: str = Field(
        "127.0.0.1",
        pattern=r"^[^\s/@]+$",
        description="The address to listen on. Others than loopback need a password set.",
    )
    port: _Port = Field(8420, description="The port to listen on; 0 takes a free one.")
    workers: int | None = Field(None, ge=0, le=256, description="Worker processes. Default: one a core.")
    public_url: WebAddress = Field(
        "",
        pattern=NO_OR_WEB,
        description="The address for browsers: https://veille.example.org; other names are refused.",
    )
    trusted_proxies: Networks = Field(
        (), description="Proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted, such as 127.0.0.1/32."
    )
    insecure_local: bool = Field(
        default=False, description="Sign in browsers on this machine as the first user, until a password is set."
    )
    metrics_port: _Port | None = Field(None, description="A loopback port for /metrics without a token.")
    max_body_bytes: Count = Field(1024 * 1024, description="Larger request bodies are refused.")
    max_list_bytes: Count = Field(10 * 1024 * 1024, description="The same for imported lists of feeds.")
    images_per_minute: Count = Field(600, description="Images fetched per minute for the pages of one dossier.")
    requests: Count = Field(16, description="Requests handled at once; at most a quarter may fetch from other sites.")
    connections: Count = Field(1000, description="Open connections; beyond that, the longest idle one is closed.")
    connections_per_address: Count = Field(
        200, description="The same for one address or one IPv6 /64 network; not for trusted_proxies."
    )
    header_s: Seconds = Field(10, description="Longest time to receive the headers of a request.")
    idle_s: Seconds = Field(30, description="Longest pause while a request is received or an answer is sent.")
    grace_s: Span = Field(20, description="How long workers may take to return their work when the service ends.")
    stalled_s: float = Field(
        30,
        ge=1,
        le=YEAR_S,
        description="A worker or web process without a heartbeat for so long is killed and replaced.",
    )

    @field_validator("public_url")
    @classmethod
    def _is_whole_host(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc:
            raise ValueError("this must be the address of a host alone: https://veille.example.org, without a path")
        return url

    @model_validator(mode="after")
    def _ports_differ(self) -> Self:
        if self.port and self.port == self.metrics_port:
            raise ValueError(f"`port` and `metrics_port` are both {self.port}: give one of them another")
        return self


#: The name of a query parameter, or a prefix followed by `*`.
_Parameter = Annotated[str, StringConstraints(pattern=r"^[^\s*&=#?]+\*?$", max_length=100)]


class TrackingSettings(SettingsTable):
    """Query parameters that do not select the page. Stored documents keep their identity."""

    add: tuple[_Parameter, ...] = Field((), max_length=1000, description="Further tracking parameters: `ref`, `cmp_*`.")
    keep: tuple[_Parameter, ...] = Field(
        (), max_length=1000, description="Built-in ones that select the page on your sites: `spm`, `pk_*`."
    )

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if both := sorted(set(self.add) & set(self.keep)):
            raise ValueError(f"`add` and `keep` both have {both[0]!r}: take it out of one of them")
        return self


class NewsSettings(SettingsTable):
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
    spreadsheet_share_with: str = Field("", description="The Google account that may edit a newly created spreadsheet.")
    google_api_url: WebAddress = Field(
        "", pattern=NO_OR_WEB, description="Another address for Google's API, for tests."
    )
    workbook: Path | None = Field(None, description="Another place for the local workbook, such as news.xlsx.")
    fulltext_dir: Path | None = Field(
        None, description="Folder for full texts. Default: `articles` in the data folder."
    )
    fresh_days_limit: Count = Field(7, description="A feed without an entry this young is not registered.")
    languages: tuple[str, ...] = Field(("en",), description="The languages a feed may have; empty for any.")
    max_items_per_feed_per_poll: int = Field(20, gt=0, le=10_000, description="New articles from one feed in a poll.")
    pending_batch_size: Count = Field(100, description="Articles fetched in one `veille news work`.")
    clean_text_sheets_limit: int = Field(
        20_000, gt=0, le=32_000, description="Longer texts are cut in the workbook, and only there."
    )


#: The variables in NewsPipeline's manual; only these are read under their bare names.
NEWS_VARIABLES = (
    "SPREADSHEET_ID SPREADSHEET_TITLE GOOGLE_SERVICE_ACCOUNT_JSON FULLTEXT_DIR FRESH_DAYS_LIMIT "
    "MAX_ITEMS_PER_FEED_PER_POLL PENDING_BATCH_SIZE CLEAN_TEXT_SHEETS_LIMIT"
).split()
