"""How values are bound and read: with fixed types, so that a statement is planned the same whatever it is given."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg.adapt import AdaptersMap, Buffer, Dumper
from psycopg.pq import Format
from psycopg.types.numeric import Int8BinaryDumper, NumericBinaryLoader

from veille.core.archive.portable import portable_text

_TEXT_OID = psycopg.adapters.types["text"].oid
_INT8_OID = psycopg.adapters.types["int8"].oid
_FLOAT8_OID = psycopg.adapters.types["float8"].oid
_BYTEA_OID = psycopg.adapters.types["bytea"].oid


class _Text(Dumper):
    oid = _TEXT_OID
    format = Format.BINARY

    def dump(self, obj: str) -> Buffer:
        text = portable_text(obj)
        try:
            return text.encode()
        except UnicodeEncodeError:
            return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace").encode()


class _Truth(Dumper):
    """Truths are 0 and 1, as SQLite has them."""

    oid = _INT8_OID
    format = Format.BINARY

    def dump(self, obj: bool) -> Buffer:  # noqa: FBT001 - the signature is psycopg's
        return int(obj).to_bytes(8, "big")


class _Number(NumericBinaryLoader):
    """A sum of integers is an integer."""

    def load(self, data: Buffer) -> int | float:  # type: ignore[override]
        number: Decimal = super().load(data)
        return int(number) if number == number.to_integral_value() else float(number)


class Bigints(NamedTuple):
    """Many numbers, bound as an array."""

    of: npt.NDArray[np.int64]


class Reals(NamedTuple):
    """The same for numbers with fractions."""

    of: npt.NDArray[np.float64]


class _Array(Dumper):
    """Each number with its length before it, as PostgreSQL has arrays; psycopg would take them one by one."""

    format = Format.BINARY
    of: str

    def dump(self, obj: Bigints | Reals) -> Buffer:
        values = np.empty(len(obj.of), [("size", ">i4"), ("value", f">{self.of}")])
        values["size"], values["value"] = 8, obj.of
        element = _INT8_OID if self.of == "i8" else _FLOAT8_OID
        if not len(values):
            return struct.pack("!iii", 0, 0, element)
        return struct.pack("!iiiii", 1, 0, element, len(values), 1) + values.tobytes()


class _Bigints(_Array):
    oid = psycopg.adapters.types["int8"].array_oid
    of = "i8"


class _Reals(_Array):
    oid = psycopg.adapters.types["float8"].array_oid
    of = "f8"


class Blobs(NamedTuple):
    """Many values of bytes, bound as an array."""

    of: Sequence[bytes]


class _Blobs(Dumper):
    """Each with its length before it."""

    oid = psycopg.adapters.types["bytea"].array_oid
    format = Format.BINARY

    def dump(self, obj: Blobs) -> Buffer:
        if not obj.of:
            return struct.pack("!iii", 0, 0, _BYTEA_OID)
        sizes = np.fromiter(map(len, obj.of), ">i4", len(obj.of)).tobytes()
        parts = [sizes[at : at + 4] for at in range(0, len(sizes), 4)]
        head = struct.pack("!iiiii", 1, 0, _BYTEA_OID, len(obj.of), 1)
        return head + b"".join(chain.from_iterable(zip(parts, obj.of, strict=True)))


@cache
def adapters() -> AdaptersMap:
    """Of all connections."""
    of = AdaptersMap(psycopg.adapters)
    of.register_dumper(str, _Text)
    of.register_dumper(int, Int8BinaryDumper)
    of.register_dumper(bool, _Truth)
    of.register_dumper(Bigints, _Bigints)
    of.register_dumper(Reals, _Reals)
    of.register_dumper(Blobs, _Blobs)
    of.register_loader("numeric", _Number)
    return of
