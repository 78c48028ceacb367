"""Train the block model of `veille.core.extract` and write `blocks.json`.

    python bench/train_blocks.py ../shared/data/extraction            # score by folds, then the model from all pages
    python bench/train_blocks.py ../shared/data/extraction --folds 0  # only the model

Needs the extra `bench` (catboost, rapidfuzz). A block's label is the share of its words that people kept: words are
aligned with the reference text in order, and, where the order differs, by runs of four words. Pages weigh the same
whatever their length; folds never split a site, so the printed score is for sites the model has not seen.
"""

from __future__ import annotations

import argparse
import json
import lzma
import pathlib
import re
import zlib
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from catboost import CatBoostClassifier, Pool
from rapidfuzz.distance import LCSseq

from veille.core.extract import Options, Page
from veille.core.extract.judge.features import FIXED, VARYING, FeatureColumns, features
from veille.core.extract.judge.furniture import without_furniture
from veille.core.extract.judge.model import choose
from veille.core.extract.tree.walk import FlatTree

TARGET = pathlib.Path(__file__).parent.parent / "src/veille/core/extract/judge/blocks.json"
WORD = re.compile(r"\w+")
# Depth and number of trees: 4 to 8 and 150 to 600 all scored within 0.004 of each other, so the small model was taken.
# Seeds move the score of a page type by 0.005 on the fifth of the pages that has floors, and nothing on average.
PARAMETERS = {
    "depth": 5, "iterations": 200, "learning_rate": 0.1, "rsm": 0.3, "l2_leaf_reg": 6, "border_count": 64,
    "loss_function": "CrossEntropy", "random_seed": 7, "verbose": False, "thread_count": 1,
}  # fmt: skip
#: Readability's own output is a good but not a human reference: its pages count half.
READABILITY_WEIGHT = 0.5


@dataclass
class Example:
    """One page: its features, its labels and what a good extraction of it is."""

    kind: str
    site: str
    gold: str
    reading: FlatTree
    columns: FeatureColumns
    guess: str
    may_be_manual: bool
    matrix: Any
    label: Any
    words: Any
    weight: float

    def extracted(self, likely: Any) -> str:
        """The text that the strategy `density` would take."""
        keep, _quality = choose(likely, self.columns.words)
        kept = without_furniture(self.reading, self.columns, keep, self.guess, is_manual=self.may_be_manual)
        return " ".join(block[1] for block, taken in zip(self.reading.blocks, kept, strict=True) if taken)


def main() -> None:
    """Score by folds, then train on everything and write the model."""
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("data", type=pathlib.Path)
    cli.add_argument("--folds", type=int, default=3)
    args = cli.parse_args()
    examples = [example for page in pages(args.data) if (example := read(page))]
    if args.folds:
        score_folds(examples, args.folds)
    model = fit(examples)
    model.save_model("/tmp/blocks.catboost.json", format="json")  # noqa: S108 - read back on the next line
    TARGET.write_text(compact(json.loads(pathlib.Path("/tmp/blocks.catboost.json").read_text())))  # noqa: S108
    print(f"{len(examples)} pages, {TARGET.stat().st_size:,} bytes")


def pages(folder: pathlib.Path) -> list[dict[str, str]]:
    """Every page with a reference text."""
    found = []
    for name in ("wcxb-dev-sample.jsonl.xz", "readability-pages.jsonl.xz"):
        with lzma.open(folder / name, "rt", encoding="utf8") as lines:
            for line in lines:
                page = json.loads(line)
                page.setdefault("gold", re.sub(r"<[^>]+>", " ", page.get("expected_html", "")))
                page.setdefault("type", "readability")
                found.append(page)
    return found


def read(page: dict[str, str]) -> Example | None:
    """Features and labels of one page, or nothing when it has no text."""
    parsed = Page(page["html"], page["url"], Options())
    blocks = parsed.reading.blocks
    if not blocks:
        return None
    columns = features(parsed.reading, parsed.facts)
    label, words = labels([block[1] for block in blocks], page["gold"])
    host = urlsplit(page["url"]).netloc or page["id"]
    return Example(
        kind=page["type"], site=".".join(host.split(".")[-2:]), gold=page["gold"], reading=parsed.reading,
        columns=columns, guess=parsed.article_type, may_be_manual=parsed.may_be_manual, matrix=_matrix(columns),
        label=label, words=words,
        weight=READABILITY_WEIGHT if page["type"] == "readability" else 1.0,
    )  # fmt: skip


def _matrix(columns: FeatureColumns) -> Any:
    """Everything, one row per block: VARYING, then FIXED."""
    wide = np.broadcast_to(columns.fixed[:, None], (len(FIXED), len(columns.words)))
    return np.concatenate((columns.varying, wide)).T


def labels(texts: list[str], gold: str) -> tuple[Any, Any]:
    """For each text the share of its words that the reference holds, and how many words it has."""
    number: dict[str, int] = {}
    per_text = [[number.setdefault(word, len(number)) for word in WORD.findall(text.lower())] for text in texts]
    have = [word for words in per_text for word in words]
    want = [number.setdefault(word, len(number)) for word in WORD.findall(gold.lower())]
    owner = np.repeat(np.arange(len(texts)), [len(words) for words in per_text])
    count = np.array([len(words) for words in per_text], dtype=float)
    aligned = np.zeros(len(have))
    for kind, start, end, _from, _to in LCSseq.opcodes(have, want):
        if kind == "equal":
            aligned[start:end] = 1
    runs = {tuple(want[at : at + 4]) for at in range(len(want) - 3)}
    in_run = np.zeros(len(have))
    for at in range(len(have) - 3):
        if tuple(have[at : at + 4]) in runs:
            in_run[at : at + 4] = 1
    share = np.bincount(owner, aligned, len(texts)) / np.maximum(count, 1)
    run_share = np.bincount(owner, in_run, len(texts)) / np.maximum(count, 1)
    # A few aligned words in a long text are luck; a short text must match whole.
    label = np.where(count >= 4, np.maximum(np.where(share > 0.7, share, 0), run_share), share > 0.99)
    return label, count


def fit(examples: list[Example]) -> CatBoostClassifier:
    """A model of the given pages."""
    weights = []
    for example in examples:
        kept = max(float((example.label * example.words).sum()), 30.0)
        weights.append(example.weight * example.words / (kept + 0.25 * example.words.sum()) * 100)
    pool = Pool(
        np.concatenate([example.matrix for example in examples]),
        np.clip(np.concatenate([example.label for example in examples]), 0, 1),
        weight=np.concatenate(weights),
    )
    return CatBoostClassifier(**PARAMETERS).fit(pool)


def score_folds(examples: list[Example], folds: int) -> None:
    """Print the score on sites the model has not seen."""
    scores = defaultdict(list)
    for fold in range(folds):
        unseen = [example for example in examples if zlib.crc32(example.site.encode()) % folds == fold]
        model = fit([example for example in examples if zlib.crc32(example.site.encode()) % folds != fold])
        for example in unseen:
            likely = 1 / (1 + np.exp(-model.predict(example.matrix, prediction_type="RawFormulaVal")))
            scores[example.kind].append(f1(example.gold, example.extracted(likely)))
    every = [score for kind, values in scores.items() if kind != "readability" for score in values]
    print(
        f"unseen sites: {np.mean(every):.4f}", {kind: round(float(np.mean(v)), 4) for kind, v in sorted(scores.items())}
    )


def f1(gold: str, text: str) -> float:
    """Bag-of-words F1."""
    want, got = Counter(WORD.findall(gold.lower())), Counter(WORD.findall(text.lower()))
    common = (want & got).total()
    return 2 * common / (want.total() + got.total()) if common else 0.0


def compact(model: dict[str, Any]) -> str:
    """The trees as plain lists, rounded: the fourth decimal never changed a choice."""
    scale, bias = model["scale_and_bias"]
    trees = model["oblivious_trees"]
    return json.dumps(
        {
            "made_by": "bench/train_blocks.py",
            "depth": PARAMETERS["depth"],
            "bias": round(bias[0] if isinstance(bias, list) else bias, 5),
            "features": [*VARYING, *FIXED],
            "asked": [split["float_feature_index"] for tree in trees for split in tree["splits"]],
            "border": [float(f"{split['border']:.7g}") for tree in trees for split in tree["splits"]],
            "answers": [[round(value * scale, 4) for value in tree["leaf_values"]] for tree in trees],
        },
        separators=(",", ":"),
    )


if __name__ == "__main__":
    main()
