"""Configuration of the crawler: read from YAML or JSON, validated, and turned into a source of kind `site`."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Iterator
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field, ValidationError, model_validator

from veille.core.http.secrets import NAME
from veille.core.kinds._options import Patterns, Several
from veille.core.kinds.site import SiteKind
from veille.core.models import Json, Request, Source, StrictModel
from veille.core.schedule import duration_ms
from veille.core.tasks.crawling import FindRequest
from veille.core.urls import canonical, host_of
from veille.errors import ConfigError, VeilleError, plain_words

HTML = "html"
#: The one source of a crawler's dossier.
NAME_OF_SOURCE = "crawler"
FILE_TYPES = (HTML, "docx", "xlsx", "pdf")
#: Metadata that sinks store about an item by default, and what else they can store.
_METADATA = (
    "source_url parent_url source_type title language version_hint content_hash last_modified crawl_timestamp tags"
).split()
_MORE_METADATA = ["content_length", "domain", "authors", "summary"]

_MB = 1024 * 1024
_SECRET = re.compile(r"(?:.*_)?(?:token|secret|password|api_?key|credentials)|headers", re.IGNORECASE)
_HOST = re.compile(r"(?:\*\.)?[\w-]+(?:\.[\w-]+)*(?::\d{1,5})?|\[[0-9a-f:.]+\](?::\d{1,5})?")


def _seconds(value: object) -> object:
    """A number of seconds, or a duration such as 90m."""
    if isinstance(value, str) and not value.strip().isdigit():
        return duration_ms(value) / 1000
    return value


def _address(text: str) -> str:
    try:
        url = canonical(text)
    except VeilleError as error:
        raise ValueError(str(error)) from error
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"{text!r} is no address of a web site; write it in full, such as https://wiki.example.org")
    return url


def _hosts(texts: tuple[str, ...]) -> tuple[str, ...]:
    if not texts:
        raise ValueError("the list is empty; name a host, or leave the key out to use those of the seeds")
    for text in texts:
        if not _HOST.fullmatch(text.strip().lower()):
            raise ValueError(
                f"{text!r} is no host; write it as wiki.example.org, *.example.org or wiki.example.org:8080"
            )
    return tuple(text.strip().lower() for text in texts)


def _file_types(found: tuple[str, ...]) -> tuple[str, ...]:
    return _all_of(tuple(dict.fromkeys(name.lower().lstrip(".") for name in found)), FILE_TYPES)


def _metadata(found: tuple[str, ...]) -> tuple[str, ...]:
    return _all_of(found, (*_METADATA, *_MORE_METADATA))


def _all_of(found: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    unknown = [name for name in found if name not in known]
    if unknown or not found:
        said = f"{unknown[0]!r} is not supported; there are" if unknown else "name one at least of"
        raise ValueError(f"{said} {', '.join(known)}")
    return found


class CrawlAuth(StrictModel):
    """How the crawler logs in. The credentials themselves are never part of the configuration."""

    type: Literal["none", "bearer", "basic", "header"] = Field("none", description="How they are sent.")
    credentials_ref: str = Field("", description="`secret:NAME` of the vault, or `env:NAME` that the operator allows.")
    header: str = Field("Authorization", description="The header, for type `header`.")

    @model_validator(mode="after")
    def _is_complete(self) -> CrawlAuth:
        place, _, name = self.credentials_ref.partition(":")
        if self.type != "none" and (place not in {"secret", "env"} or not NAME.fullmatch(name)):
            raise ValueError("`credentials_ref` must be secret:NAME or env:NAME; the value itself does not belong here")
        return self

    def headers(self) -> dict[str, str]:
        """The headers to send, with a reference in place of the credentials."""
        if self.type == "none":
            return {}
        place, _, name = self.credentials_ref.partition(":")
        reference = f"${{secret:{name}}}" if place == "secret" else f"${{{name}}}"
        if self.type == "header":
            return {self.header: reference}
        return {"Authorization": f"{self.type.capitalize()} {reference}"}


class CrawlConfig(StrictModel):
    """All options of the crawler."""

    seeds: Annotated[tuple[Annotated[str, AfterValidator(_address)], ...], Field(min_length=1)] = Field(
        description="Addresses to start from."
    )
    hosts: Annotated[Several, AfterValidator(_hosts)] = Field(
        (),
        validation_alias=AliasChoices("hosts", "allowed_domains"),
        description="Hosts that may be crawled (`allowed_domains` is the same); by default those of the seeds.",
    )
    topics: Several = Field((), description="What the content is about; passed on as tags.")
    include: Patterns = Field((), description="Only such addresses: */policies/*, or re: and an expression.")
    exclude: Patterns = Field((), description="Never such addresses.")
    max_depth: int = Field(25, ge=0, le=10_000, description="Links from a seed to the farthest page.")
    max_pages: int = Field(10_000, gt=0, le=10_000_000, description="Pages and documents in all.")
    max_runtime: Annotated[float, BeforeValidator(_seconds)] = Field(
        0, ge=0, description="Longest run, in seconds or as 90m, 2h; the rest waits for the next. 0: no limit."
    )
    max_file_mb: float = Field(10, gt=0, description="Larger files are skipped and reported, never cut.")
    rate_limit_rps: float = Field(
        0, ge=0, le=1000, description="Most requests per second to a host; 0: by `fetch.host_delay_ms`."
    )
    concurrency: int = Field(2, gt=0, le=64, description="Connections to one host at once.")
    timeout_s: float = Field(30, gt=0, description="Longest time for one address.")
    retry_wait_s: float = Field(60, ge=0, description="How long a run waits for retries of temporary failures.")
    user_agent: str = Field("", description="The user agent; by default the program's own.")
    render: bool = Field(default=False, description="Render pages in a browser first (extra `browser`).")
    file_types: Annotated[Several, AfterValidator(_file_types)] = Field(
        FILE_TYPES, description="What is stored: html, docx, xlsx, pdf."
    )
    auth: CrawlAuth = Field(default=CrawlAuth(), description="How to log in.")
    chunk_size: int = Field(512, ge=32, le=8192, description="Words per chunk, for sinks that store chunks.")
    chunk_overlap: int = Field(64, ge=0, description="Words repeated from the chunk before.")
    metadata: Annotated[Several, AfterValidator(_metadata)] = Field(
        tuple(_METADATA), description=f"What sinks store besides the text; also: {', '.join(_MORE_METADATA)}."
    )
    sinks: dict[str, Json] = Field(
        default_factory=dict, description="Sinks by name: `kind` and the options of the sink."
    )
    chroma: Json | None = Field(None, description="Short for a sink called `chroma`: its options.")
    messages: Literal["en", "es"] = Field("en", description="The language of the standard messages.")

    @model_validator(mode="after")
    def _is_of_one_piece(self) -> CrawlConfig:
        if self.chunk_overlap * 2 > self.chunk_size:
            raise ValueError("`chunk_overlap` must be half of `chunk_size` at most")
        if self.chroma is not None and "chroma" in self.sinks:
            raise ValueError("`chroma` and `sinks.chroma` are the same sink; keep one of them")
        for name in _secrets_in(self.all_sinks):
            raise ValueError(
                f"`{name}` is a secret, and this configuration is shown to whoever asks; name the whole sink in the "
                "operator's settings instead, which crawls hand on to, too"
            )
        return self

    @property
    def all_sinks(self) -> dict[str, Json]:
        """The sinks with their options, including the short form `chroma`."""
        short = {"chroma": {"kind": "chroma", **self.chroma}} if self.chroma is not None else {}
        return {**self.sinks, **short}

    @property
    def max_bytes(self) -> int:
        return round(self.max_file_mb * _MB)

    def site_options(self) -> Json:
        """The options of the source of kind `site` that is crawled."""
        same = self.model_dump(mode="json", include={"include", "exclude", "max_depth", "max_pages"})
        given = {
            "seeds": list(self.seeds[1:]),
            "hosts": list(self.hosts or dict.fromkeys(map(host_of, self.seeds))),
            "attachments": [name for name in self.file_types if name != HTML],
            "keep_pages": HTML in self.file_types,
            "delay_s": 1 / self.rate_limit_rps if self.rate_limit_rps else 0,
        }
        optional = {"render": self.render, "user_agent": self.user_agent, "headers": self.auth.headers()}
        return same | given | {name: value for name, value in optional.items() if value}


def parse_config(text: str, name: str = "the configuration") -> CrawlConfig:
    """Parse a configuration in YAML or JSON; ConfigError that names the key and what is allowed."""
    try:
        found = json.loads(text, object_pairs_hook=_once) if text.lstrip().startswith("{") else yaml.load(text, _Loader)  # noqa: S506 - a safe one
    except (ValueError, yaml.YAMLError) as error:
        said = str(error).replace("\n", " ")
        raise ConfigError(f"{name} is neither YAML nor JSON: {said}", code="bad_crawl_config") from error
    return check_config(found, name)


def check_config(found: object, name: str = "the configuration") -> CrawlConfig:
    """Validate these values as a configuration."""
    if not isinstance(found, dict):
        raise ConfigError(
            f"{name} must be keys and values, such as `seeds: [https://wiki.example.org]`.", code="bad_crawl_config"
        )
    if {"hosts", "allowed_domains"} <= found.keys():
        raise _wrong("allowed_domains", "it is the same as `hosts`; keep one of them")
    try:
        config = CrawlConfig.model_validate(found)
        starts_of(config, _source_for(config))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "configuration"
        said = plain_words(first["msg"])
        if first["type"] == "extra_forbidden":
            said = f"there is no such key. Keys: {', '.join(CrawlConfig.model_fields)}"
        raise _wrong(key, said) from error
    return config


def _source_for(config: CrawlConfig) -> Source:
    """A temporary source for validation."""
    return Source(id="", name=NAME_OF_SOURCE, kind="site", url=config.seeds[0])


def starts_of(config: CrawlConfig, source: Source) -> list[Request]:
    """The requests that every run starts with; ConfigError if a seed is on none of the hosts."""
    return list(SiteKind(SiteKind.Config.model_validate(config.site_options())).start(source))


def request_for(config: CrawlConfig, url: str, source: Source | None = None) -> FindRequest:
    """The task that finds the request for one address; it fails if the configuration does not cover the address."""
    return FindRequest(config=config.site_options(), source=source or _source_for(config), url=url)


def shown(config: CrawlConfig) -> Json:
    """The values that were set, in the order of the keys, without defaults."""
    return config.model_dump(mode="json", exclude_defaults=True)


def _once(pairs: Iterable[tuple[object, object]]) -> dict[object, object]:
    """Build a dict from pairs; ConfigError for a duplicate key, of which one value would be ignored silently."""
    found: dict[object, object] = {}
    for key, value in pairs:
        if key in found:
            raise _wrong(str(key), "it is given twice; keep one of them")
        found[key] = value
    return found


class _Loader(yaml.SafeLoader):
    """Refuses duplicate keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - as in the base
        _once((key.value, value) for key, value in node.value if isinstance(key, yaml.ScalarNode))
        return super().construct_mapping(node, deep=deep)


def _secrets_in(options: object) -> Iterator[str]:
    """The names of options that look like secrets, at any depth."""
    for name, value in options.items() if isinstance(options, dict) else ():
        if value and _SECRET.fullmatch(str(name)):
            yield str(name)
        yield from _secrets_in(value)


def _wrong(key: str, said: str) -> ConfigError:
    return ConfigError(f"Key `{key}` of the crawler's configuration is not right: {said}.", code="bad_crawl_config")
