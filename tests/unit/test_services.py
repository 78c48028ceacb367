from __future__ import annotations

import ast
from pathlib import Path

import apprise
import pytest
from apprise.manager_plugins import NotificationManager

from veille.core.alerts.services import REFUSED, SERVICES, service_of
from veille.errors import ConfigError

PLUGINS = Path(apprise.__file__).parent / "plugins"
#: What opens connections, runs programs, or reaches into the machine.
REACHING = {
    "asyncio", "ctypes", "dbus", "ftplib", "gi", "gntp", "hid", "imaplib", "multiprocessing", "nntplib", "paho", "pika",
    "poplib", "proton", "slixmpp", "smpplib", "smtplib", "socket", "ssl", "subprocess", "syslog", "telnetlib",
    "urllib3", "win32api", "win32con", "win32gui",
}  # fmt: skip


def _loaded() -> dict[str, str]:
    manager = NotificationManager()
    manager.load_modules()
    return {scheme: manager[scheme].__module__.removeprefix("apprise.plugins.") for scheme in manager.schemas()}


def _files(module: str) -> list[Path]:
    place = PLUGINS / module.partition(".")[0]
    return sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]


def _names(node: ast.AST) -> set[str]:
    """The packages that a statement imports; what is of apprise itself, with a dot before it."""
    if isinstance(node, ast.Import):
        return {name.name.partition(".")[0] for name in node.names}
    if not isinstance(node, ast.ImportFrom):
        return set()
    if not node.level:
        return {(node.module or "").partition(".")[0]}
    if "socket" in (node.module or ""):
        return {"socket"}
    return {f".{name}" for name in ((node.module or "").partition(".")[0], *(one.name for one in node.names))}


def _imports(module: str, seen: set[str]) -> set[str]:
    """All that a plugin imports, also through the plugins it builds on."""
    seen.add(module)
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in _files(module)]
    found = {name for tree in trees for node in ast.walk(tree) for name in _names(node)}
    for other in sorted(found - seen):
        place = PLUGINS / other[1:]
        is_plugin = other[:1] == "." and other not in {".", ".base", ".common"}
        if is_plugin and (place.is_dir() or place.with_suffix(".py").exists()):
            seen.add(other)
            found |= _imports(other[1:], seen)
    return found


# apprise asks for modules that Python is about to drop.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_scheme_of_apprise_is_allowed_or_refused_with_a_reason() -> None:
    loaded = _loaded()
    assert SERVICES.keys() & REFUSED.keys() == set()
    assert SERVICES.keys() | REFUSED.keys() == loaded.keys()
    assert {scheme: loaded[scheme] for scheme in SERVICES} == SERVICES


def test_no_allowed_service_can_do_more_than_http() -> None:
    reaching = {module: _imports(module, set()) & REACHING for module in sorted(set(SERVICES.values()))}
    assert {module: found for module, found in reaching.items() if found} == {}


def test_the_check_finds_those_that_do() -> None:
    assert {"socket"} <= _imports("irc.base", set())
    assert {"smtplib"} <= _imports("deltachat", set())


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("mailto://anna:x@example.org", "service_refused"),
        ("syslog://", "service_refused"),
        ("ntfx://x", "unknown_service"),
        ("/bin/sh", "unknown_service"),
        ("", "unknown_service"),
    ],
)
def test_other_addresses_say_why_not(url: str, code: str) -> None:
    with pytest.raises(ConfigError) as caught:
        service_of(url)
    assert caught.value.code == code
