"""Train the sequence model of `veille.core.extract`: a small net of convolutions over the blocks of a page.

`bench/train_blocks.py` calls it. Needs the extra `train` (torch), which is never needed to run the net.
"""

from __future__ import annotations

import pathlib
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from veille.core.extract.judge.features import FIXED, VARYING, FeatureColumns
from veille.core.extract.judge.sequence import AMOUNTS, KINDS, MOST_KINDS, REACH, amounts

#: The numbers of one block inside the net. 48 take half as much time again, and gain nothing on unseen sites.
WIDTH = 32
EPOCHS, BATCH, RATE, DROPPED = 14, 16, 4e-3, 0.15
#: A kind is four numbers before the first layer; afterwards both are multiplied out.
KIND_WIDTH = 4
#: Longer pages would fill a batch with nothing but one page.
MOST_BLOCKS = 3000


class Labelled(Protocol):
    """What is learned from: the columns of a page, and for each block its label and its weight."""

    @property
    def columns(self) -> FeatureColumns: ...
    @property
    def label(self) -> Any: ...
    def block_weights(self) -> Any: ...


class Net(nn.Module):
    """The net as it is trained; `sequence.py` computes the same with numpy."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds = nn.ModuleList(nn.Embedding(MOST_KINDS, KIND_WIDTH) for _ in KINDS)
        self.first = nn.Linear(len(AMOUNTS) + len(FIXED) + KIND_WIDTH * len(KINDS), WIDTH)
        self.layers = nn.ModuleList(nn.Conv1d(WIDTH, WIDTH, 3, padding=reach, dilation=reach) for reach in REACH)
        self.last = nn.Linear(2 * WIDTH, 1)
        self.dropped = nn.Dropout(DROPPED)

    def forward(self, values: Any, kinds: Any, present: Any) -> Any:
        """The log odds of each block; `present` is 0 behind the end of a shorter page."""
        known = [table(kinds[..., number]) for number, table in enumerate(self.kinds)]
        begin = self.dropped(torch.relu(self.first(torch.cat([values, *known], -1)))) * present[..., None]
        across = begin.transpose(1, 2)
        for layer in self.layers:
            across = (across + self.dropped(torch.relu(layer(across)))) * present[:, None]
        return self.last(torch.cat([begin, across.transpose(1, 2)], -1))[..., 0]


class Trained:
    """A trained net with the scales of its input."""

    def __init__(self, pages: Sequence[Labelled], seed: int = 0) -> None:
        # Numpy adds float32 in pairs, torch in its own order: the seed makes a run repeatable on one machine only.
        torch.manual_seed(seed)
        rows = np.concatenate([_amount_rows(page.columns) for page in pages[::4]], axis=1)
        fixed = np.stack([page.columns.fixed for page in pages], axis=1)
        (self.mean, self.scale), (self.page_mean, self.page_scale) = _scales(rows), _scales(fixed)
        self.net = Net()
        self._train([page for page in pages if len(page.columns.words) < MOST_BLOCKS], seed)

    def _train(self, pages: list[Labelled], seed: int) -> None:
        rng = np.random.default_rng(seed)
        inputs = [(self._values(page.columns), _kind_rows(page.columns)) for page in pages]
        targets = [(np.clip(page.label, 0, 1), page.block_weights() / 50) for page in pages]
        optimizer = torch.optim.AdamW(self.net.parameters(), lr=RATE, weight_decay=0.02)
        steps = EPOCHS * (len(pages) // BATCH + 1)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
        self.net.train()
        for _ in range(EPOCHS):
            # Pages of like length share a batch.
            order = sorted(rng.permutation(len(pages)), key=lambda number: len(inputs[number][0]) // 60)
            batches = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
            rng.shuffle(batches)
            for batch in batches:
                values, kinds, present = _padded([inputs[number] for number in batch])
                label, weight = _padded_targets([targets[number] for number in batch])
                odds = self.net(values, kinds, present)
                loss = functional.binary_cross_entropy_with_logits(odds, label, reduction="none")
                optimizer.zero_grad()
                ((loss * weight).sum() / len(batch)).backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
                optimizer.step()
                schedule.step()
        self.net.eval()

    def _values(self, columns: FeatureColumns) -> Any:
        own = amounts(columns.varying.take(_ROWS, axis=0), self.mean[:, None], self.scale[:, None]).T
        page = amounts(columns.fixed, self.page_mean, self.page_scale)
        return np.concatenate((own, np.broadcast_to(page, (len(own), len(page)))), axis=1)

    def log_odds(self, columns: FeatureColumns) -> Any:
        """What the net says of each block."""
        with torch.no_grad():
            values, kinds, present = _padded([(self._values(columns), _kind_rows(columns))])
            return self.net(values, kinds, present)[0].numpy().astype(float)

    def save(self, path: pathlib.Path) -> None:
        """Write the weights, as halves: more digits never changed a choice."""
        state = {name: value.detach().numpy() for name, value in self.net.state_dict().items()}
        first = state["first.weight"].T
        of_amounts, of_page, of_kinds = np.split(first, np.cumsum((len(AMOUNTS), len(FIXED))))
        kinds = [state[f"kinds.{number}.weight"] @ part for number, part in enumerate(np.split(of_kinds, len(KINDS)))]
        layers = {}
        for number in range(len(REACH)):
            layers[f"layer{number}"] = np.concatenate(state[f"layers.{number}.weight"].transpose(2, 1, 0))
            layers[f"bias{number}"] = state[f"layers.{number}.bias"]
        begin, end = np.split(state["last.weight"][0], 2)
        weights = {
            "amounts": of_amounts, "page": of_page, "kinds": np.concatenate(kinds), "bias": state["first.bias"],
            "first": begin, "last": end, "out": state["last.bias"][0], **layers,
        }  # fmt: skip
        scales: dict[str, Any] = {
            "mean": self.mean,
            "scale": self.scale,
            "page_mean": self.page_mean,
            "page_scale": self.page_scale,
        }
        halves: dict[str, Any] = {name: np.asarray(value, dtype=np.float16) for name, value in weights.items()}
        np.savez_compressed(path, columns=[*AMOUNTS, *KINDS, *FIXED], **scales, **halves)


_ROWS = np.array([VARYING.index(name) for name in AMOUNTS])
_KINDS = np.array([VARYING.index(name) for name in KINDS])


def _amount_rows(columns: FeatureColumns) -> Any:
    return columns.varying.take(_ROWS, axis=0)


def _kind_rows(columns: FeatureColumns) -> Any:
    return columns.varying.take(_KINDS, axis=0).T.astype(np.int64)


def _scales(rows: Any) -> tuple[Any, Any]:
    """Mean and the inverse of the deviation, in single precision as they are used."""
    logs = np.copysign(np.log(np.abs(rows) + 1), rows)
    return logs.mean(axis=1).astype(np.float32), (1 / (logs.std(axis=1) + 1e-3)).astype(np.float32)


def _padded(pages: list[tuple[Any, Any]]) -> tuple[Any, Any, Any]:
    longest = max(len(values) for values, _ in pages)
    values = np.zeros((len(pages), longest, len(AMOUNTS) + len(FIXED)), dtype=np.float32)
    kinds = np.zeros((len(pages), longest, len(KINDS)), dtype=np.int64)
    present = np.zeros((len(pages), longest), dtype=np.float32)
    for number, (own, own_kinds) in enumerate(pages):
        values[number, : len(own)], kinds[number, : len(own)], present[number, : len(own)] = own, own_kinds, 1
    return torch.from_numpy(values), torch.from_numpy(kinds), torch.from_numpy(present)


def _padded_targets(pages: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    out = np.zeros((2, len(pages), max(len(label) for label, _ in pages)), dtype=np.float32)
    for number, (label, weight) in enumerate(pages):
        out[0, number, : len(label)], out[1, number, : len(label)] = label, weight
    return torch.from_numpy(out[0]), torch.from_numpy(out[1])
