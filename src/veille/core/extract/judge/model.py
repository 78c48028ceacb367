"""The block model: how likely each block is to be content, by decision trees and a net, and which ones to keep.

All nodes on one level of a tree ask the same question, so a tree is a short list of questions and a table of answers,
and all trees are evaluated for all blocks in a handful of array operations. The trees are in `blocks.json`;
`bench/train_blocks.py` trains them, and documents the data. The net is in `sequence.py`.
"""

from __future__ import annotations

import json
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from veille.core.extract.judge.features import FIXED, VARYING, Array, FeatureColumns
from veille.core.extract.judge.sequence import MOST_KINDS, compiled_net, log_odds
from veille.core.extract.tree.compiled import COMPILED, native
from veille.errors import ConfigError

if TYPE_CHECKING:
    from typing_extensions import CapsuleType

# The best expected F1 keeps every block likelier than half of that F1; a threshold a tenth higher cost nothing on any
# page type of the wcxb sample and gained on articles, forums and readability pages (0.8501 -> 0.8504, unseen sites).
_CAUTION: Final = 1.1


@dataclass(frozen=True, slots=True)
class _Trees:
    bias: float
    depth: int
    #: Every question once, first those about blocks, then those about the page: the column, and its threshold.
    varying: Array
    varying_border: Array
    fixed: Array
    fixed_border: Array
    #: For each level of each tree, level by level, the number of its question.
    asked: Array
    #: The offset of each tree's answers in `answers`.
    start: Array
    answers: Array


def likelihood(columns: FeatureColumns) -> Array:
    """For each block the expected share of its words that is content, 0 to 1."""
    if not COMPILED:
        return plain_likelihood(columns)
    found = np.empty(len(columns.words), dtype=np.float32)
    native.likelihood(_compiled(), columns.varying, columns.fixed, found)
    return found


def plain_likelihood(columns: FeatureColumns) -> Array:
    """The same with numpy: the reference for the compiled code, but for rounding."""
    return likely(_tree_odds(columns), log_odds(columns))


def likely(trees: Array, net: Array) -> Array:
    """What both models say, as a share: they err on different blocks, so their mean errs less than either."""
    found: Array = 1 / (1 + np.exp(-(trees + net) / 2))
    return found


def _tree_odds(columns: FeatureColumns) -> Array:
    trees = _trees()
    width, split = len(columns.words), len(trees.varying)
    yes = np.empty((split + len(trees.fixed), width), dtype=bool)
    np.greater(columns.varying.take(trees.varying, axis=0), trees.varying_border, out=yes[:split])
    yes[split:] = (columns.fixed[trees.fixed] > trees.fixed_border)[:, None]
    over = yes.view(np.uint8).take(trees.asked, axis=0).reshape(trees.depth, -1, width)
    # The index of an answer fits in eight bits; whole rows of bytes are added at memory speed.
    number = over[-1]
    for level in range(trees.depth - 2, -1, -1):
        number += number
        number += over[level]
    odds: Array = trees.answers.take(number + trees.start).sum(axis=0) + trees.bias
    return odds


def choose(share: Array, words: Array) -> tuple[Array, float]:
    """Which blocks to keep for the best expected F1, and that F1: the quality of the result."""
    if not COMPILED:
        return plain_choose(share, words)
    keep = np.empty(len(words), dtype=bool)
    return keep, native.choose(share, words, _CAUTION, keep)


def plain_choose(share: Array, words: Array) -> tuple[Array, float]:
    """The same with numpy: the reference for the compiled code, but for rounding."""
    order = np.argsort(-share, kind="stable")
    mass = share * words
    kept = np.cumsum(words[order])
    score = 2 * np.cumsum(mass[order]) / np.maximum(kept + mass.sum(), 1e-9)
    best = float(score.max())
    keep: Array = share >= min(best / 2 * _CAUTION, float(share.max()))
    return keep, best


@cache
def _compiled() -> CapsuleType:
    """Both models for the compiled code."""
    trees, net = _trees(), compiled_net()
    questions = (trees.varying, trees.varying_border.ravel(), trees.fixed, trees.fixed_border, trees.asked)
    arrays = (*questions, trees.answers, *net)
    return native.model(tuple(map(_narrow, arrays)), trees.bias, MOST_KINDS, len(VARYING), len(FIXED))


def _narrow(array: Array) -> Array:
    return np.ascontiguousarray(array, dtype=np.float32 if array.dtype.kind == "f" else np.int32)


@cache
def _trees() -> _Trees:
    # Package data, like code: read once, when the first page is extracted.
    data = json.loads(pkgutil.get_data(__package__, "blocks.json") or b"{}")
    columns = (*VARYING, *FIXED)
    if sorted(data["features"]) != sorted(columns):
        raise ConfigError("blocks.json was made for other features; run bench/train_blocks.py.", code="bad_model")
    count, depth = len(data["answers"]), data["depth"]
    place = [columns.index(name) for name in data["features"]]
    pairs = [(place[number], border) for number, border in zip(data["asked"], data["border"], strict=True)]
    questions = sorted(set(pairs))
    number_of = {question: number for number, question in enumerate(questions)}
    column, border = np.array([pair[0] for pair in questions]), np.array([pair[1] for pair in questions], np.float32)
    split = int(np.count_nonzero(column < len(VARYING)))
    return _Trees(
        bias=data["bias"],
        depth=depth,
        varying=column[:split],
        varying_border=border[:split, None],
        fixed=column[split:] - len(VARYING),
        fixed_border=border[split:],
        asked=np.array([number_of[pair] for pair in pairs]).reshape(count, depth).T.ravel(),
        start=(np.arange(count, dtype=np.min_scalar_type(-count * 2**depth)) * 2**depth)[:, None],
        answers=np.array(data["answers"], dtype=np.float32).ravel(),
    )
