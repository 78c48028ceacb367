"""Identity and change: the three hashes, identity keys, and deterministic ids."""

from __future__ import annotations

import hashlib
import uuid

from veille.core.text import flat
from veille.core.urls import url_key


def raw_hash(body: bytes) -> str:
    """Hash of the bytes as received: equal bytes need no further processing."""
    return hashlib.sha256(body).hexdigest()


def content_hash(text: str) -> str:
    """Hash of the normalised text: it decides whether a document changed."""
    return hashlib.sha256(flat(text).encode()).hexdigest()


def url_identity(url: str) -> str:
    """The identity key of an address, the same for every source."""
    return f"url:{hashlib.sha256(url_key(url).encode()).hexdigest()}"


def claim_of(key: str) -> str:
    """The key for documents that claim to have another key."""
    return f"claim:{key}"


def guid_identity(source_id: str, guid: str) -> str:
    """The identity key of a publisher's id; such ids are unique only within their source."""
    return f"guid:{source_id}:{hashlib.sha256(guid.encode()).hexdigest()}"


def part_identity(source_id: str, key: str) -> str:
    """The identity key of a part of a page: another source may watch another part of it."""
    return f"part:{source_id}:{key}"


def watcher_of(key: str) -> str:
    """The source that watches the part which an identity key names; empty for every other key."""
    return key.split(":", 2)[1] if key.startswith("part:") else ""


def request_id(source_id: str, purpose: str, url: str) -> str:
    """Deterministic id of a request, so that saving it twice is idempotent."""
    return hashlib.sha256(f"{source_id}\n{purpose}\n{url}".encode()).hexdigest()[:32]


def uuid7(at: int, *parts: str) -> str:
    """A UUID v7, sorted by time; its random bits are derived from `parts`, so that a repeat gives the same id."""
    seed = hashlib.sha256("\n".join(parts).encode()).digest()
    value = (at & 0xFFFF_FFFF_FFFF) << 80 | int.from_bytes(seed[:10], "big")
    value = value & ~(0xF << 76) | 7 << 76
    value = value & ~(0x3 << 62) | 2 << 62
    return str(uuid.UUID(int=value))
