"""Who something is and whether it changed: the three hashes, and ids that repeat when the work is repeated."""

from __future__ import annotations

import hashlib
import uuid

from veille.core.text import flat
from veille.core.urls import url_key


def raw_hash(body: bytes) -> str:
    """Of the bytes as they came: equal bytes need no second look."""
    return hashlib.sha256(body).hexdigest()


def content_hash(text: str) -> str:
    """Of the normalised text: the truth about change."""
    return hashlib.sha256(flat(text).encode()).hexdigest()


def url_hash(url: str) -> str:
    """Of the dedup key of an address."""
    return hashlib.sha256(url_key(url).encode()).hexdigest()


def url_identity(url: str) -> str:
    """The identity key that an address gives, the same for every source."""
    return f"url:{url_hash(url)}"


def claim_of(key: str) -> str:
    """The key of whatever says that its home is at another key."""
    return f"claim:{key}"


def guid_identity(source_id: str, guid: str) -> str:
    """The identity key that a publisher's own id gives; such ids are unique within their source only."""
    return f"guid:{source_id}:{hashlib.sha256(guid.encode()).hexdigest()}"


def request_id(source_id: str, purpose: str, url: str) -> str:
    """The same request has the same id, so saving it twice changes nothing."""
    return hashlib.sha256(f"{source_id}\n{purpose}\n{url}".encode()).hexdigest()[:32]


def uuid7(at: int, *parts: str) -> str:
    """A UUID v7, sorted by time; its random bits come from `parts`, so that a repeat gives the same id."""
    seed = hashlib.sha256("\n".join(parts).encode()).digest()
    value = (at & 0xFFFF_FFFF_FFFF) << 80 | int.from_bytes(seed[:10], "big")
    value = value & ~(0xF << 76) | 7 << 76
    value = value & ~(0x3 << 62) | 2 << 62
    return str(uuid.UUID(int=value))
