from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from veille.core.extract._walk import Mark

def setup(
    kinds: dict[str, int],
    all_kinds: dict[str, int],
    words: dict[str, int],
    least_text: Callable[[dict[str, str | None]], int],
    lined: Callable[[str], object],
    /,
) -> None: ...
def walk(
    address: int, everything: bool, trace: list[Mark] | None, /
) -> tuple[list[tuple[int, int, int, int, int]], list[int], list[tuple[int, str, int, int, int, int]], int]: ...
def columns(
    blocks: list[tuple[int, str, int, int, int, int]],
    boxes: list[tuple[int, int, int, int, int]],
    ends: list[int],
    hidden: int,
    numbers: tuple[int, ...],
    find_price: Callable[[str], object],
    rows: NDArray[np.float32],
    words: NDArray[np.float64],
    /,
) -> list[float]: ...
def long_tags(data: bytes, most: int, length: int, /) -> list[int] | None: ...
def find(address: int, wanted: tuple[tuple[str, str, str], ...], /) -> list[tuple[str, dict[str, str | None], str]]: ...
