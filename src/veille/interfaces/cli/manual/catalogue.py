"""All commands as data. `docs/generate.py` writes them to commands.json, so that help needs to load none of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

FILE = Path(__file__).with_name("commands.json")
_HELP = "--help"


class Spot(NamedTuple):
    """How far a command line goes: the command it names, and the words after it."""

    path: tuple[str, ...]
    node: dict[str, Any]
    #: Words that are no options.
    given: tuple[str, ...] = ()
    #: An option whose value comes next.
    open_option: dict[str, Any] | None = None
    wants_help: bool = False
    #: Nothing after this is an option.
    is_closed: bool = False


def load() -> dict[str, Any]:
    """The program `veille` with all its commands."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def program(name: str) -> dict[str, Any]:
    """`veille`, or `meri`, which has the crawler only."""
    root = load()
    if name != "meri":
        return root
    return root | {"groups": {"Commands": ["crawler"]}, "commands": {"crawler": root["commands"]["crawler"]}}


def walk(path: tuple[str, ...], node: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """A command and all below it, in the order of their names."""
    yield path, node
    for name, inner in sorted(node.get("commands", {}).items()):
        yield from walk((*path, name), inner)


def follow(name: str, root: dict[str, Any], words: Sequence[str]) -> Spot | None:
    """Where the words lead; None if one of them is an unknown option or command."""
    spot: Spot | None = Spot((name,), root)
    for word in words:
        if spot is None or spot.wants_help:
            break
        spot = _next(spot, word)
    return spot


def _next(spot: Spot, word: str) -> Spot | None:
    if spot.open_option is not None:
        return spot._replace(open_option=None)
    if word == "--" and not spot.is_closed:
        return spot._replace(is_closed=True)
    if word == _HELP and not spot.is_closed:
        return spot._replace(wants_help=True)
    if word.startswith("-") and word != "-" and not spot.is_closed:
        return _option(spot, word)
    inner = spot.node.get("commands")
    if inner is None:
        return spot._replace(given=(*spot.given, word))
    return Spot((*spot.path, word), inner[word]) if word in inner else None


def _option(spot: Spot, word: str) -> Spot | None:
    known = {name: one for one in spot.node["options"] for name in one["names"]}
    if word.startswith("--"):
        name, equals, _ = word.partition("=")
        one = known.get(name)
        return one and spot._replace(open_option=one if one["value"] and not equals else None)
    for place, letter in enumerate(word[1:], start=2):
        one = known.get(f"-{letter}")
        if one is None:
            return None
        if one["value"]:
            return spot._replace(open_option=None if word[place:] else one)
    return spot
