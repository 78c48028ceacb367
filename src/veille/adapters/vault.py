"""The key of the vaults: values are encrypted with AES-256-GCM under a key in a separate file, or one that is given.

The key is never in a database, so a copied or backed-up dossier reveals nothing. The dossier and the name are bound
into each value: one cannot be passed off as another.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from veille.adapters.given_key import KEY_BYTES, given_key
from veille.errors import ConfigError

if TYPE_CHECKING:
    from veille.settings import VaultSettings

KEY_FILE = "secrets.key"
_NONCE_BYTES = 12


class VaultKey:
    """The key that the settings give, else that of a data folder: created on first use, readable only by its owner."""

    def __init__(self, folder: Path, settings: VaultSettings | None = None) -> None:
        given = given_key(settings) if settings else None
        key = _read_key(_place(folder)) if given is None else given
        self.id = _id(key)
        self._key = key
        self._cipher = AESGCM(key)

    def derived(self, purpose: str) -> bytes:
        """A key for another purpose, from which this one cannot be derived."""
        return hmac.new(self._key, purpose.encode(), hashlib.sha256).digest()

    def sealed(self, value: str, context: str) -> bytes:
        return self.sealed_bytes(value.encode(), context)

    def sealed_bytes(self, value: bytes, context: str) -> bytes:
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, value, context.encode())

    def opened(self, sealed: bytes, context: str) -> str:
        return self.opened_bytes(sealed, context).decode()

    def opened_bytes(self, sealed: bytes, context: str) -> bytes:
        try:
            return self._cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], context.encode())
        except InvalidTag as error:
            raise ConfigError(
                "A secret cannot be opened: it was stored under another key, or was changed. Set it again.",
                code="vault.wrong_key",
            ) from error


def key_id(folder: Path, settings: VaultSettings | None = None) -> str:
    """The id of the existing key; empty if there is none, and none is created."""
    if (settings is not None and settings.is_given) or _place(folder).exists():
        return VaultKey(folder, settings).id
    return ""


def _id(key: bytes) -> str:
    return hashlib.sha256(key).hexdigest()[:16]


def _place(folder: Path) -> Path:
    """Where the service manager provides the key (`LoadCredential=secrets.key:…` of systemd), or the data folder."""
    given = os.environ.get("CREDENTIALS_DIRECTORY")
    handed = Path(given) / KEY_FILE if given else None
    return handed if handed is not None and handed.is_file() else folder / KEY_FILE


def _read_key(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return _new_key(path)
    with os.fdopen(descriptor, "rb") as file:
        if stat.S_IMODE(os.fstat(descriptor).st_mode) & 0o077:
            raise ConfigError(f"Others may read {path}: run `chmod 600` on it.", code="vault.key_open")
        key = file.read()
    if len(key) != KEY_BYTES:
        raise ConfigError(f"{path} is not a key of ours: restore it from a backup.", code="vault.bad_key")
    return key


def _new_key(path: Path) -> bytes:
    key = secrets.token_bytes(KEY_BYTES)
    # Written as a draft and linked into place: two programs that start at once end up with one key.
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(key)
        file.flush()
        os.fsync(descriptor)
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        return _read_key(path)
    finally:
        draft.unlink()
    return key
