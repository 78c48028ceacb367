"""Registries on disk: an index with its Ed25519 signature beside it, or a folder (a Git checkout) of records."""

from __future__ import annotations

import base64
import binascii
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from veille.core.discover.registry_index import RegistryIndex, collected, index_of, parsed
from veille.core.models import Json
from veille.errors import ConfigError

_MOST_BYTES = 20 * 1024 * 1024
_MOST_RECORD = 200_000
_MOST_FILES = 5000
_SIGNATURE = 64


def registry_at(path: Path, keys: Mapping[str, str]) -> RegistryIndex:
    """The registry at a path. A file has to be signed with the key of its name; a folder is trusted as it is."""
    if path.is_dir():
        name = path.resolve().name.lower()
        return collected(name, 0, list(_records(path / "sources")), list(_records(path / "engines")))
    body = _bytes(path, _MOST_BYTES)
    # Nothing of it is parsed before somebody vouches for it.
    signer = _signer(body, _signature(path), keys)
    index = index_of(body)
    if index.name != signer:
        raise ConfigError(
            f"Nothing is taken from the registry: it calls itself {index.name}, but {signer} signed it.",
            code="registry.unknown_key",
        )
    return index


def _signer(body: bytes, signature: bytes, keys: Mapping[str, str]) -> str:
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - slow to import
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415 - likewise

    if not keys:
        raise ConfigError(
            'The settings trust no registry: add its public key, [registry.keys] NAME = "…".',
            code="registry.unknown_key",
        )
    for name, key in keys.items():
        try:
            Ed25519PublicKey.from_public_bytes(base64.b64decode(key, validate=True)).verify(signature, body)
        except InvalidSignature:
            continue
        return name
    raise ConfigError(
        "Nothing is taken from the registry: no key in [registry.keys] signed it, or it was changed.",
        code="registry.signature",
    )


def _signature(path: Path) -> bytes:
    beside = path.with_name(f"{path.name}.sig")
    if not beside.exists():
        raise ConfigError(
            f"Nothing is taken from the registry: it has no signature ({beside}).", code="registry.signature"
        )
    given = _bytes(beside, 1000)
    if len(given) == _SIGNATURE:
        return given
    try:
        return base64.b64decode(given.strip(), validate=True)
    except binascii.Error:
        return b""


def _records(folder: Path) -> Iterator[Json]:
    if not folder.is_dir():
        return
    files = sorted(folder.glob("*.json"))
    if len(files) > _MOST_FILES:
        raise ConfigError(f"{folder} has more than {_MOST_FILES} files.", code="registry.format")
    for path in files:
        yield parsed(_bytes(path, _MOST_RECORD), path.name)


def _bytes(path: Path, most: int) -> bytes:
    """The bytes of an ordinary file; a link is not followed, as it may lead out of the checkout."""
    try:
        facts = path.lstat()
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > most:
            raise ConfigError(f"{path} is no ordinary file of at most {most} bytes.", code="registry.format")
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror}).", code="registry.format") from error
