"""Rows in a form that every store can hold, and the hash by which two stores are compared."""

from __future__ import annotations

import hashlib
import marshal
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

#: In JSON: NUL, and halves of signs of two units.
_UNSTORABLE = re.compile(r"(?i)(?<!\\)((?:\\\\)*)(?:\\u0000|\\ud[89ab]..(?!\\ud[c-f])|(?<!\\ud[89ab]..)\\ud[c-f]..)")
_REPLACEMENT = "\ufffd"
#: The last format of `marshal` without references, in which equal values are equal bytes.
_FORMAT = 2


class RowDigest(NamedTuple):
    """How many rows a table has, and a hash of them in the order of their key."""

    rows: int
    sha256: str


def portable_text(text: str) -> str:
    r"""The text without what PostgreSQL cannot store, or not read out of JSON: NUL and lone surrogates.

    >>> portable_text("a\0b")
    'a\ufffdb'
    """
    if "\0" in text:
        text = text.replace("\0", _REPLACEMENT)
    if "\\u" in text and text[0] in '[{"':
        text = _UNSTORABLE.sub(r"\1\\ufffd", text)
    return text


def digest(rows: Iterable[tuple[Any, ...]]) -> RowDigest:
    """The digest of rows of integers, floats, texts, bytes and None: the same whichever store they are in.

    >>> digest([(1, "a", None)]) == digest(iter([(1, "a", None)])) != digest([(1, "b", None)])
    True
    """
    count, hashed = 0, hashlib.sha256()
    for row in rows:
        count += 1
        hashed.update(marshal.dumps(tuple(portable_text(one) if type(one) is str else one for one in row), _FORMAT))
    return RowDigest(count, hashed.hexdigest())


def joined(digests: Mapping[str, RowDigest]) -> RowDigest:
    """One digest of several, by their names."""
    whole = "\n".join(f"{name} {one.rows} {one.sha256}" for name, one in sorted(digests.items()))
    return RowDigest(sum(one.rows for one in digests.values()), hashlib.sha256(whole.encode()).hexdigest())
