"""What API clients may request: source types, options and addresses."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from veille.core.urls import meant, scheme_of
from veille.errors import ConfigError
from veille.interfaces.operations.shapes import KINDS, TYPES
from veille.services.watching.questions import KIND as QUESTION

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from veille.bootstrap import App
    from veille.core.models import Json

MAX_NAME, MAX_URL, MAX_CONFIG = 512, 4096, 8192
DOCUMENT = "document"
_BUILT_IN = ("web", "rss", "api", DOCUMENT, "crawl")


def kind_named(app: App, source_type: str) -> str:
    """The kind of a source type; empty is `web`. `document` is left to `placed`."""
    known = [*_BUILT_IN, *sorted(app.bridges)]
    if source_type == QUESTION:
        raise ConfigError("A question is asked with veille_add_question.", code="invalid_source")
    if source_type and source_type not in known:
        raise ConfigError(
            f"There is no source type {source_type[:100]!r}; there are: {', '.join(known)}.", code="invalid_source"
        )
    return KINDS.get(source_type or "web", source_type)


def options(config_json: str | None) -> Json | None:
    """The options of a JSON string; None if it is empty."""
    if config_json is None or not config_json.strip():
        return None
    if len(config_json.encode("utf-8", "replace")) > MAX_CONFIG:
        raise ConfigError(f"config_json must have at most {MAX_CONFIG} bytes.", code="invalid_source")
    return json_object(config_json, "config_json", "invalid_source")


def json_object(text: str | bytes, name: str, code: str) -> Json:
    """The JSON object in a string; ConfigError with this code if there is none."""
    found = json_value(text, name, code)
    if not isinstance(found, dict):
        raise ConfigError(f"{name} is no JSON object: {{ … }}.", code=code)
    return found


def json_value(text: str | bytes, name: str, code: str) -> Any:
    """The JSON in a string; ConfigError with this code if it is not JSON."""
    try:
        return json.loads(text, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{name} is no JSON: {error}.", code=code) from error


def _refused(name: str) -> None:
    raise ValueError(f"{name} is no number")


def placed(app: App, kind: str, url: str) -> tuple[str, str]:
    """The kind and the address to watch; ConfigError if that is not allowed."""
    if kind == KINDS[DOCUMENT]:
        return _file(url, app.settings.fetch.file_roots)
    if kind in app.bridges:
        # The service fetches it, and may not even take it as an address.
        return kind, url
    if ":" not in url:
        raise ConfigError(
            f"{url[:120]!r} is not an address; write it in full, such as https://example.org/news.{meant(url)}",
            code="bad_url",
        )
    if scheme_of(url) not in {"http", "https"}:
        raise ConfigError(
            f"{TYPES.get(kind, kind)} sources are watched at http and https addresses only.{meant(url)}",
            code="unsafe_address",
        )
    app.judge(url).enforce()
    return kind, url


def _file(url: str, roots: Sequence[Path]) -> tuple[str, str]:
    """A file or folder below the folders that the operator listed; a relative path starts at the first of them."""
    text = url[len("file://") :].removeprefix("localhost") if url.lower().startswith("file://") else url
    path = unquote(text)
    if "\0" in path or ".." in path.replace("\\", "/").split("/") or (not text.startswith("/") and ":" in text):
        raise ConfigError("This path leaves the folders for documents; write it without `..`.", code="unsafe_address")
    if not roots:
        raise ConfigError("The operator listed no folder for documents (fetch.file_roots).", code="unsafe_address")
    whole = PurePosixPath(path) if path.startswith("/") else PurePosixPath(roots[0]) / path
    if not any(whole.is_relative_to(root) for root in roots):
        raise ConfigError("Documents are watched only in the folders that the operator listed.", code="unsafe_address")
    is_folder = path.endswith("/") or "." not in whole.name
    return ("folder", f"{whole}/") if is_folder else ("page", f"file://{quote(str(whole))}")
