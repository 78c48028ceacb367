"""The key of the secrets as an operator gives it to several machines: in a file, in the settings, or by a command."""

from __future__ import annotations

import base64
import binascii
import os
import re
import stat
import subprocess
from typing import TYPE_CHECKING

from veille.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from veille.settings import VaultSettings

KEY_BYTES = 32
_HEX = re.compile(rb"[0-9a-fA-F]{64}")
#: A keeper of secrets on the network may be slow; a start that waits longer helps nobody.
_COMMAND_S = 30
_MOST_BYTES = 1000


def given_key(settings: VaultSettings) -> bytes | None:
    """The key of the settings; None if they give none. Its value is in no message."""
    if settings.key is not None:
        return _decoded(settings.key.get_secret_value().encode(), "vault.key: this is")
    if settings.key_file is not None:
        return _decoded(_read(settings.key_file), f"vault.key_file: in {settings.key_file} is")
    if settings.key_command is not None:
        return _decoded(_printed(settings.key_command), "vault.key_command: what it prints is")
    return None


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            # A group may read it: that is how secrets are mounted into containers.
            if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o007:
                raise ConfigError(
                    f"vault.key_file: everybody may read {path}: run `chmod 640` on it.", code="vault.key_open"
                )
            return file.read(_MOST_BYTES)
    except OSError as error:
        raise ConfigError(f"vault.key_file: {path} cannot be read ({error.strerror}).", code="vault.no_key") from error


def _printed(command: tuple[str, ...]) -> bytes:
    try:
        done = subprocess.run(  # noqa: S603 - the operator's own command, without a shell
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_COMMAND_S, check=True
        )
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip()[-200:]
        text = f"vault.key_command: it ended with status {error.returncode}: {said or 'it said nothing'}."
        raise ConfigError(text, code="vault.no_key") from None
    except subprocess.TimeoutExpired:
        text = f"vault.key_command: it did not end within {_COMMAND_S} seconds."
        raise ConfigError(text, code="vault.no_key") from None
    except OSError as error:
        said = error.strerror or error
        raise ConfigError(f"vault.key_command: {command[0]} cannot be run ({said}).", code="vault.no_key") from error
    return done.stdout


def _decoded(raw: bytes, where: str) -> bytes:
    """32 bytes as they are, in base64, or as 64 hexadecimal digits."""
    if len(raw) == KEY_BYTES:
        return raw
    text = raw.strip()
    if _HEX.fullmatch(text):
        return bytes.fromhex(text.decode())
    try:
        key = base64.b64decode(text, validate=True)
    except binascii.Error:
        key = b""
    if len(key) != KEY_BYTES:
        raise ConfigError(
            f"{where} no key: 32 bytes, or these in base64 (`openssl rand -base64 32`).", code="vault.bad_key"
        )
    return key
