"""Source kinds: pure generators that turn a payload into documents and further requests. One file each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_core import ErrorDetails

from veille.core.archive.retention import retention
from veille.core.browsing.steps import BrowserStep
from veille.core.browsing.visit import PictureWish
from veille.core.feed_hints import Rhythm
from veille.core.fingerprint import request_id
from veille.core.http.credentials import same_origin
from veille.core.kinds._options import Lines, Several
from veille.core.models import Budget, Document, Json, Listing, Notice, Request, Source, StrictModel
from veille.core.text import storable
from veille.core.traffic import Payload
from veille.core.urls import canonical
from veille.core.values.wishes import ValueWish, refuse_names, refuse_ways, wishes_of
from veille.errors import ConfigError, did_you_mean, plain_words
from veille.registry import is_known, load, names

PACKAGE = "veille.core.kinds"
#: The kind of every source whose kind is an outside service.
BRIDGE = "bridge"
#: The types of pydantic's errors about options that are no lists.
_SINGLE = frozenset({"string_type", "bool_type", "int_type", "float_type", "literal_error"})


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpCall:
    """How to send a request. Header values may still contain references to secrets."""

    method: Literal["GET", "POST"] = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    #: The references in the configured body: text that an answer or a question adds to it is never expanded.
    body_references: frozenset[str] = frozenset()
    render: bool = False
    #: What a browser does on the page before it is read, and the picture it takes.
    steps: tuple[BrowserStep, ...] = ()
    picture: PictureWish | None = None
    #: Whether robots.txt applies, unless the source decides otherwise.
    robots: bool = True
    #: Minimum time until the next request to this host.
    delay_ms: int = 0
    #: The name of the service to send it to, instead of the request's own address.
    service: str = ""


#: What a kind can read from a payload.
Finding = Document | Request | Listing | Notice | Rhythm


class KindConfig(StrictModel):
    """Options of a source; a kind adds fields, each with a description that interfaces show."""

    headers: dict[str, str] = Field(
        default_factory=dict,
        description="Headers sent to this source's own site, and to no other. Values may name secrets that are bound "
        "to it: ${secret:NAME}.",
    )
    user_agent: str = Field("", description="Another user agent than the program's own.")
    rotate_agent: bool = Field(
        default=True,
        title="Try a browser's user agent if ours is refused",
        description="If our user agent is refused (403), use a browser's that is accepted, where robots.txt allows it; "
        "otherwise this is only proposed.",
    )
    robots: bool | None = Field(
        None, title="Obey robots.txt", description="Whether robots.txt is obeyed; by default for followed links only."
    )
    robots_reason: str = Field("", title="Reason", description="Why robots.txt is not obeyed, for those who ask later.")
    render: bool = Field(
        default=False, title="Use a browser", description="Render pages in a browser (needs the extra `browser`)."
    )
    ignore: Lines = Field(
        (),
        max_length=50,
        title="Lines to ignore",
        description="Changes of such lines do not count: `Views:*`, `*advert*`.",
    )
    guard: bool = Field(
        default=True,
        title="Keep the content when a login or error page comes instead",
        description="Keep the last content when a page looks like a login, a consent or an error page, or when half of "
        "its text is no longer read though it is still on the page.",
    )
    delay_s: float = Field(
        0,
        ge=0,
        le=86_400,
        title="Pause between requests, in seconds",
        description="Shortest pause between requests to a host; fetch.host_delay_ms is the minimum.",
    )
    keep_raw: Literal["", "none", "last", "all"] = Field(
        "",
        title="Keep answers as they came",
        description="Keep the bytes of answers, so that a better extractor can read them again (`veille reread`): "
        "none, last (the newest of each document) or all (of every revision); empty: as the dossier says.",
    )
    retention: str = Field(
        "",
        title="How long revisions are kept",
        description="A rule such as `last 20`, `monthly after 1y` or `archive after 90d, delete after 5y`; `all` keeps "
        "everything; empty: as the dossier says.",
    )
    values: dict[str, ValueWish] = Field(
        default_factory=dict,
        title="Values to follow",
        description='Numbers, prices, dates or states to follow, by name: `{"price": ".price"}`. Each is a CSS '
        "selector (for an API: a dot path), words with {} where it stands, or an object with selector, attribute, "
        "xpath, path or near, and type: number, price, count, date, availability, version or text.",
    )
    offers: bool = Field(
        default=True,
        title="Read price and availability",
        description="Follow the price and the availability that a product page states in its data, and a price "
        "that was pointed at.",
    )
    folders: Several = Field(
        (), title="Folders in lists", description="Its folder in lists of sources (OPML), the outermost first."
    )
    tags: Several = Field((), description="Its categories in lists of sources (OPML).")

    #: What a plain text means as the definition of a value.
    plain_value: ClassVar[str] = "selector"

    @field_validator("retention")
    @classmethod
    def _is_rule(cls, written: str) -> str:
        try:
            retention(written)
        except ConfigError as error:
            raise ValueError(str(error)) from error
        return written.strip()

    @field_validator("values", mode="before")
    @classmethod
    def _as_wishes(cls, written: object) -> object:
        return wishes_of(written, cls.plain_value)

    @field_validator("values")
    @classmethod
    def _well_named(cls, wishes: dict[str, ValueWish]) -> dict[str, ValueWish]:
        return dict(refuse_names(wishes))


#: Options that were validated of late, as written.
_recent: dict[tuple[type[Kind], str], Kind] = {}
_MOST_RECENT = 100


class Kind(ABC):
    """A type of source, and how its payloads are read. To add one, put one file into `core/kinds`."""

    entry_points: ClassVar[str] = "veille.kinds"
    Config: ClassVar[type[KindConfig]] = KindConfig
    #: Whether redirects to other pages are passed to the kind instead of being followed.
    stays: ClassVar[bool] = False
    #: Whether its address is fetched; if not, it may be any text.
    fetches_address: ClassVar[bool] = True

    def __init__(self, config: KindConfig) -> None:
        self.config = config

    #: The ways in which its values can be found, see `core.values.wishes`.
    value_ways: ClassVar[frozenset[str]] = frozenset({"near"})

    def check(self) -> None:
        """Raise ConfigError if these options can never work; a kind adds to this what its own options need.

        Called when options are set, not when they are loaded: a missing extension may be installed again.
        """
        refuse_ways(self.config.values, self.ways(), type(self).__module__.rpartition(".")[2])

    def ways(self) -> frozenset[str]:
        """The ways in which its values can be found with these options."""
        return self.value_ways

    def start(self, source: Source) -> Iterator[Request]:
        """The requests that are repeated at every check of the source; by default its own address."""
        yield self.request(source, source.url)

    @classmethod
    def address(cls, text: str) -> str:
        """The address to watch, from the user's text."""
        return canonical(text)

    @property
    def budget(self) -> Budget | None:
        """How many requests it may save; None for no limit."""
        return None

    def call(self, source: Source, request: Request) -> HttpCall:
        """How to send a request. Headers that are configured for a site are sent to that site only."""
        headers = self.config.headers
        is_carried = bool(headers) and same_origin(source.url, request.url)
        return HttpCall(
            headers=headers if is_carried else {}, render=self.config.render, robots=request.purpose != "root"
        )

    @abstractmethod
    def read(self, source: Source, request: Request, payload: Payload) -> Iterator[Finding]:
        """Everything in the payload. Raises ReadError if it cannot be parsed."""

    def instead(self, source: Source, request: Request) -> Iterator[Document]:
        """The fallback documents when the request fails; by default none."""
        del source, request
        yield from ()

    @staticmethod
    def request(source: Source, url: str, purpose: str = "root", *, key: str = "", **more: Any) -> Request:
        """A request of this source, with a deterministic id; `more` are further fields of the request.

        With a `key`, all spellings of an address are one request. Only roots are fetched at every check, unless `every`
        says otherwise.
        """
        more.setdefault("every", int(purpose == "root"))
        known = request_id(source.id, purpose, key or url)
        return Request(id=known, source_id=source.id, url=url, purpose=purpose, **more)


def kind_of(name: str, config: Json) -> Kind:
    """The kind of that name with validated options; ConfigError that names the invalid option."""
    kind = load(PACKAGE, name, Kind)
    # All requests of a source have the same options; a kind has no other state.
    written = (kind, repr(config))
    known = _recent.get(written)
    if known is not None:
        return known
    try:
        made = kind(kind.Config.model_validate(storable(config)))
    except ValidationError as error:
        raise ConfigError(_explain(name, error.errors()[0], kind), code="bad_option") from error
    except ValueError as error:
        raise ConfigError(f"The options are not right: {error}.", code="bad_option") from error
    if len(_recent) >= _MOST_RECENT:
        _recent.clear()
    _recent[written] = made
    return made


def kind_of_source(source: Source) -> Kind:
    """The kind of a watched source: a kind without a module is the name of an outside service, see `bridge`."""
    return kind_of(source.kind if is_known(PACKAGE, source.kind, Kind) else BRIDGE, source.config)


def config_type(name: str) -> type[KindConfig]:
    """The options model of a kind."""
    return load(PACKAGE, name if is_known(PACKAGE, name, Kind) else BRIDGE, Kind).Config


def kind_names() -> list[str]:
    """The names of all kinds, without loading any."""
    return names(PACKAGE, Kind)


def _explain(name: str, error: ErrorDetails, kind: type[Kind]) -> str:
    option = ".".join(map(str, error["loc"])) or "config"
    if error["type"] == "extra_forbidden":
        known = ", ".join(kind.Config.model_fields) or "none"
        likely = did_you_mean(option, kind.Config.model_fields)
        return f"A source of kind {name} has no option {option}.{likely} Options: {known}."
    is_list = isinstance(error["input"], list) and error["type"] in _SINGLE
    why = "it takes one value, not a list" if is_list else plain_words(error["msg"])
    return f"Option {option} of a source of kind {name} is not right: {why}."
