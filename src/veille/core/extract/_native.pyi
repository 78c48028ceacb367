from collections.abc import Callable

from typing_extensions import Buffer

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
    rows: Buffer,
    words: Buffer,
    /,
) -> list[float]: ...
