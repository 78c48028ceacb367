"""A document with a user's marks, as lists of items begin."""

from __future__ import annotations

from typing import NamedTuple


class MarkedDocument(NamedTuple):
    """A document by its last change that is to be read, and what a user did with it."""

    seq: int
    at: int
    document_id: str
    source_id: str
    is_unread: bool
    is_kept: bool
