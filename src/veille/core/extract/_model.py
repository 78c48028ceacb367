"""The block model: how likely each block is to be content, from an ensemble of small symmetric decision trees.

All nodes of one level of a tree ask the same question, so a tree is a short list of questions and a table of answers,
and all trees answer for all blocks in a handful of array operations. `blocks.json` holds them; `bench/train_blocks.py`
makes it, and says from what.
"""

from __future__ import annotations

import json
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from veille.errors import ConfigError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from veille.core.extract._features import Rows

    Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class _Trees:
    names: list[str]
    bias: float
    depth: int
    #: For each level of each tree, level by level: the feature asked and the border it is compared with.
    asked: Array
    border: Array
    #: Where the answers of each tree start in `answers`.
    start: Array
    answers: Array


def likelihood(rows: Rows, width: int) -> Array:
    """For each of `width` blocks the share of its words expected to be content, 0 to 1."""
    trees = _trees()
    if rows.names != trees.names:
        raise ConfigError("blocks.json was made for other features; run bench/train_blocks.py.", code="bad_model")
    matrix = rows.matrix(width)
    over = (matrix[trees.asked] > trees.border).view(np.uint8).reshape(trees.depth, -1, width)
    # Eight bits hold the number of an answer; whole rows of bytes are added at memory speed.
    number = over[-1].copy()
    for level in range(trees.depth - 2, -1, -1):
        number += number
        number += over[level]
    raw = trees.answers.take(number + trees.start).sum(axis=0) + trees.bias
    likely: Array = 1 / (1 + np.exp(-raw))
    return likely


@cache
def _trees() -> _Trees:
    # Package data, like code: read once when the first page is extracted.
    data = json.loads(pkgutil.get_data(__package__, "blocks.json") or b"{}")
    count, depth = len(data["answers"]), data["depth"]
    asked = np.array(data["asked"]).reshape(count, depth).T.ravel()
    border = np.array(data["border"], dtype=np.float32).reshape(count, depth).T.ravel()[:, None]
    return _Trees(
        names=data["features"],
        bias=data["bias"],
        depth=depth,
        asked=asked,
        border=border,
        start=(np.arange(count, dtype=np.int32) * 2**depth)[:, None],
        answers=np.array(data["answers"], dtype=np.float32).ravel(),
    )
