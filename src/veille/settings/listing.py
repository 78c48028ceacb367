"""All settings in a list: what each is now, where that comes from, and the file that explains them.

settings_now(settings)    every setting with its value, its default and its origin
commented_file()          a settings file in which every line is a comment that shows a default
"""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from veille.configuration import Key, is_secret, table_of
from veille.settings import Settings

_WIDTH = 100
#: As pydantic shows a secret.
_STARS = "**********"
_HEAD = """\
The settings of veille. Everything below is a comment that shows a default; where there is none, an example. Remove \
the # in front of a line to set it. `veille config` shows every setting as it is now, and where it comes from: \
variables, such as VEILLE_FETCH__TIMEOUT_S, win over this file, and options of a command win over variables."""


#: For the file, where there is no default.
_EXAMPLES = {
    "store": "postgresql://veille@db.example.org/veille",
    "vault.key_file": "/etc/veille/key",
    "vault.key": "the output of openssl rand -base64 32",
    "vault.key_command": ["vault", "kv", "get", "-field=key", "secret/veille"],
    "buffer_dir": "/srv/buffer",
    "token": "vk_…",
    "router.token": "a long random word",
    "fetch.url_validator": "rules.addresses:is_allowed",
    "fetch.ca_file": "/etc/ssl/certs/corp.pem",
    "serve.workers": 2,
    "serve.metrics_port": 9420,
    "news.google_service_account_json": "/etc/veille/google.json",
    "news.workbook": "/srv/news.xlsx",
    "news.fulltext_dir": "/srv/articles",
    "alerts.mail.password": "a long secret",
    "alerts.mail.ca_file": "/etc/ssl/certs/corp.pem",
    "meaning.embedders": ["multilingual"],
}


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. `origin` is a file, a variable or the command line; empty if the value is the default."""

    key: str
    value: Any
    default: Any
    origin: str
    about: str


def settings_now(settings: Settings) -> list[Setting]:
    """Every setting, in the order of the reference. Secrets are not shown."""
    values = settings.model_dump(mode="json")
    defaults = Settings().model_dump(mode="json")
    return [
        Setting(
            key=".".join(key),
            value=_hidden(_at(values, key)),
            default=_at(defaults, key),
            origin=settings.origin(*key),
            about=field.description or "",
        )
        for key, field in _fields(Settings)
    ]


def commented_file() -> str:
    """The text of a settings file that sets nothing and explains everything."""
    defaults = Settings().model_dump(mode="json")
    lines, table = list(_comment(_HEAD)), Key()
    for key, field in sorted(_fields(Settings), key=lambda one: one[0][:-1]):
        if key[:-1] != table:
            table = key[:-1]
            lines += ["", "", f"[{'.'.join(table)}]"]
        default = _at(defaults, key)
        shown = _EXAMPLES[".".join(key)] if default is None else default
        lines += ["", *_comment(field.description or ""), f"#{key[-1]} = {toml(shown)}"]
    return "\n".join(lines) + "\n"


def write_file(path: Path) -> None:
    """Write the file in one step, readable by nobody else."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(commented_file(), encoding="utf-8")
    draft.replace(path)


def toml(value: Any) -> str:
    """A value as TOML writes it. JSON's strings, numbers and lists are TOML's, too; tables are not."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {toml(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _hidden(value: Any) -> Any:
    """Without the secrets in tables that anything may be written in, such as the options of sinks."""
    if not isinstance(value, dict):
        return value
    return {name: _STARS if is_secret(name) and one else _hidden(one) for name, one in value.items()}


def _comment(text: str) -> Iterator[str]:
    return (f"# {line}" for line in textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False))


def _fields(model: type[BaseModel], above: Key = ()) -> Iterator[tuple[Key, FieldInfo]]:
    """Every setting that is no table of settings."""
    for name, field in model.model_fields.items():
        if inner := table_of(field):
            yield from _fields(inner, (*above, name))
        else:
            yield (*above, name), field


def _at(tree: Any, key: Key) -> Any:
    for part in key:
        tree = tree[part]
    return tree
