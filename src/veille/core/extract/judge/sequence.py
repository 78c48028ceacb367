"""The sequence model: how likely each block is to be content in the light of the blocks around it.

A small net of convolutions over the blocks in reading order. The trees judge a block by its columns alone; the net
also sees the columns of its neighbours, up to 16 blocks away, and so finds a box of teasers in the middle of a text.
Its weights are in `sequence.npz`; `bench/block_net.py` trains them.
"""

from __future__ import annotations

import io
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from veille.core.extract.judge.features import FIXED, VARYING, Array, FeatureColumns
from veille.errors import ConfigError

#: Columns that hold the number of a kind, not an amount: each kind has weights of its own.
KINDS: Final = ("tag", "up1_tag", "up4_tag", "head_tag", "end")
#: These are the kinds of other blocks, which the net sees itself.
LEFT_OUT: Final = ("before_tag", "after_tag")
#: The columns that are amounts.
AMOUNTS: Final = tuple(name for name in VARYING if name not in (*KINDS, *LEFT_OUT))
#: Kinds are numbered below this.
MOST_KINDS: Final = 42
#: How far each layer looks to both sides.
REACH: Final = (1, 2, 4, 8, 1)
#: Amounts are cut off at this many deviations from the mean.
FARTHEST: Final = 4.0
#: Multiplications that one thread does: OpenBLAS starts others from about a million.
_ALONE: Final = 1 << 19
_AMOUNT_ROWS: Final = np.array([VARYING.index(name) for name in AMOUNTS])
_KIND_ROWS: Final = np.array([VARYING.index(name) for name in KINDS])
_KIND_STARTS: Final = (np.arange(len(KINDS)) * MOST_KINDS)[:, None]
_EDGE: Final = max(REACH)


@dataclass(frozen=True, slots=True)
class _Net:
    #: Mean and deviation of each amount, of blocks and of pages.
    mean: Array
    scale: Array
    page_mean: Array
    page_scale: Array
    #: The first layer: for amounts of blocks, for those of the page, and one row for each kind.
    amounts: Array
    page: Array
    kinds: Array
    bias: Array
    #: For each layer after it: the weights of the block before, the block itself and the block after, and the bias.
    layers: tuple[tuple[Array, Array], ...]
    #: From the first and the last layer to one number.
    first: Array
    last: Array
    out: float


def amounts(values: Array, mean: Array, scale: Array) -> Array:
    """Amounts of any size as numbers around 0."""
    values = np.copysign(np.log(np.abs(values) + np.float32(1)), values)
    values -= mean
    values *= scale
    return np.clip(values, -FARTHEST, FARTHEST, out=values)


def log_odds(columns: FeatureColumns) -> Array:
    """For each block how likely it is to be content, as the logarithm of the odds."""
    net, count = _net(), len(columns.words)
    page = amounts(columns.fixed, net.page_mean, net.page_scale) @ net.page + net.bias
    begin = _product(amounts(columns.varying.take(_AMOUNT_ROWS, axis=0), net.mean, net.scale).T, net.amounts)
    kinds = columns.varying.take(_KIND_ROWS, axis=0).astype(np.intp) + _KIND_STARTS
    kind_sum = net.kinds.take(kinds[0], axis=0)
    for rows in kinds[1:]:
        kind_sum += net.kinds.take(rows, axis=0)
    begin += kind_sum
    begin += page
    np.maximum(begin, 0, out=begin)
    # The layers read beyond both ends: there is nothing.
    width = begin.shape[1]
    wide = np.zeros((count + 2 * _EDGE, width), dtype=np.float32)
    inner = wide[_EDGE : _EDGE + count]
    inner[:] = begin
    for reach, (weights, bias) in zip(REACH, net.layers, strict=True):
        # What each block says to those after it, to itself and to those before it, in one product.
        said = _product(wide, weights)
        more = said[_EDGE - reach : _EDGE - reach + count, :width] + bias
        more += said[_EDGE : _EDGE + count, width : 2 * width]
        more += said[_EDGE + reach : _EDGE + reach + count, 2 * width :]
        inner += np.maximum(more, 0, out=more)
    odds: Array = begin @ net.first + inner @ net.last + net.out
    return odds


def compiled_net() -> tuple[Array, ...]:
    """For the compiled code: the rows that the net reads, how they are scaled, and all weights in one piece."""
    net = _net()
    scales = np.stack((net.mean.ravel(), net.scale.ravel()), axis=1)
    page_scales = np.stack((net.page_mean, net.page_scale), axis=1)
    width = len(net.bias)
    # Side by side they are used here, one below the other there.
    layers = [
        np.concatenate([weights[:, at : at + width] for at in (0, width, 2 * width)]) for weights, _ in net.layers
    ]
    parts = (
        net.amounts,
        net.page,
        net.kinds,
        net.bias,
        *layers,
        *(bias for _, bias in net.layers),
        net.first,
        net.last,
    )
    weights = np.concatenate([part.ravel() for part in parts] + [np.array([net.out], dtype=np.float32)])
    return _AMOUNT_ROWS, _KIND_ROWS, scales, page_scales, weights


def _product(left: Array, right: Array) -> Array:
    """Their matrix product, in parts so small that no threads are started for them: those cost more than they gain."""
    found = np.empty((len(left), right.shape[1]), dtype=np.float32)
    rows = _ALONE // right.size
    for at in range(0, len(left), rows):
        np.matmul(left[at : at + rows], right, out=found[at : at + rows])
    return found


@cache
def _net() -> _Net:
    # Package data, like code: read once, when the first page is extracted.
    with np.load(io.BytesIO(pkgutil.get_data(__package__, "sequence.npz") or b"")) as data:
        found = {name: data[name] for name in data.files}
    if found.pop("columns").tolist() != [*AMOUNTS, *KINDS, *FIXED]:
        raise ConfigError("sequence.npz was made for other columns; run bench/train_blocks.py.", code="bad_model")
    found = {name: value.astype(np.float32) for name, value in found.items()}
    # The weights of the three blocks are stored one below the other, and used side by side.
    layers = tuple(
        (np.concatenate(np.split(found.pop(f"layer{number}"), 3), axis=1), found.pop(f"bias{number}"))
        for number in range(len(REACH))
    )
    # One number for each row of amounts.
    found["mean"], found["scale"] = found["mean"][:, None], found["scale"][:, None]
    return _Net(layers=layers, out=float(found.pop("out")), **found)
