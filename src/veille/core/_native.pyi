from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from veille.core.extract.tree.walk import Mark

Attributes: TypeAlias = dict[str, str | None]

INTERFACE: int

def bind() -> None: ...
def setup(
    kinds: dict[str, int],
    all_kinds: dict[str, int],
    words: dict[str, int],
    least_text: Callable[[Attributes], int],
    lined: Callable[[str], object],
    /,
) -> None: ...
def walk(
    address: int, everything: bool, /
) -> tuple[
    list[tuple[int, int, int, int, int]], list[int], list[tuple[int, str, int, int, int, int]], int, list[int]
]: ...
def columns(
    blocks: list[tuple[int, str, int, int, int, int]],
    boxes: list[tuple[int, int, int, int, int]],
    ends: list[int],
    looks: list[int],
    hidden: int,
    title: int,
    numbers: tuple[int, ...],
    find_price: Callable[[str], object],
    rows: NDArray[np.float32],
    words: NDArray[np.float64],
    /,
) -> list[float]: ...
def long_tags(data: bytes, most: int, length: int, /) -> list[int] | None: ...
def overloaded(data: bytes, at: int, most: int, /) -> bool: ...
def overfull(data: bytes, most: int, deepest: int, flat: frozenset[bytes], /) -> bool: ...
def sign_ends(data: bytes, signs: bytes, /) -> list[int]: ...
def find(
    address: int, wanted: tuple[tuple[str, str, str, bool], ...], noted: tuple[tuple[str, str], ...], /
) -> tuple[list[tuple[str, Attributes, str]], list[tuple[str, str]]]: ...
def links(address: int, home: str, rooted: bool, /) -> list[tuple[str, str | None, str]]: ...
def plain(text: str, /) -> bool: ...
def joined(text: str, /) -> str: ...
def words(text: str, /) -> int: ...
def has_kind(text: str, kinds: NDArray[np.uint8], kind: int, /) -> bool: ...
def sample(text: str, kinds: NDArray[np.uint8], fewest: int, /) -> bytes | None: ...
def markup_setup(
    tags: dict[str, int],
    bare: dict[str, int],
    attributes: dict[str, int],
    inlines: dict[str, int],
    code: Callable[[list[tuple[str, Attributes]], Attributes, list[Mark]], str],
    /,
) -> None: ...
def markup(
    address: int,
    everything: bool,
    kept: bytes,
    harmless: Callable[[str], str],
    image: Callable[[Attributes], str],
    /,
) -> str: ...
