"""Train the two models that judge blocks, and write `blocks.json` and `sequence.npz` of `veille.core.extract`.

    python bench/train_blocks.py FOLDER            # score by folds, then the models from all pages
    python bench/train_blocks.py FOLDER --folds 0  # only the models

Needs the extra `train` (catboost, rapidfuzz, torch). A block's label is the share of its words that people kept: words
are aligned with the reference text in order, and, where the order differs, by runs of four words. Where only some
passages are known, as in `segments`, only their blocks count. Pages weigh the same whatever their length; folds never
split a site, so the printed scores are for sites the models have not seen.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from catboost import CatBoostClassifier, Pool
from rapidfuzz.distance import LCSseq

from block_net import Trained
from veille.core.extract import Options, Page
from veille.core.extract.judge.announced import Announced
from veille.core.extract.judge.features import FIXED, VARYING, FeatureColumns, features
from veille.core.extract.judge.furniture import without_furniture
from veille.core.extract.judge.model import choose, likely
from veille.core.extract.judge.parts import without_byline
from veille.core.extract.output.render import render
from veille.core.extract.tree.walk import FlatTree
from words_too_many import too_many

TARGET = pathlib.Path(__file__).parent.parent / "src/veille/core/extract/judge"
WORD = re.compile(r"\w+")
# Depth and number of trees: 4 to 8 and 150 to 600 all scored within 0.004 of each other, so the small model was taken.
# Seeds move the score of a page type by 0.005 on the fifth of the pages that has floors, and nothing on average.
PARAMETERS = {
    "depth": 5, "iterations": 200, "learning_rate": 0.1, "rsm": 0.3, "l2_leaf_reg": 6, "border_count": 64,
    "loss_function": "CrossEntropy", "random_seed": 7, "verbose": False, "thread_count": 2,
}  # fmt: skip
#: What a page of a set weighs. Readability's own output is a good but not a human reference; news pages are few.
WEIGHTS = {"readability": 0.5, "fundus": 3.0}
#: What a known passage of `segments` weighs; a page of the other sets weighs about 100.
PASSAGE = 12.0
#: An unwanted passage in more blocks than this says nothing.
MOST_PLACES = 3
SETS = ("wcxb", "wcxb-rest", "readability", "fundus", "segments")


@dataclass
class Example:
    """One page: its features, its labels and what a good extraction of it is."""

    source: str
    page: dict[str, Any]
    site: str
    reading: FlatTree
    columns: FeatureColumns
    announced: Announced
    guess: str
    may_be_manual: bool
    matrix: Any
    label: Any
    words: Any
    #: The weights of blocks where only some are known.
    known: Any
    #: What was extracted from it last.
    text: str = ""

    def block_weights(self) -> Any:
        """What each block weighs in training."""
        if self.known is not None:
            return self.known * PASSAGE
        kept = max(float((self.label * self.words).sum()), 30.0)
        return WEIGHTS.get(self.source, 1.0) * self.words / (kept + 0.25 * self.words.sum()) * 100

    def extracted(self, share: Any) -> str:
        """The text that the strategy `density` would take."""
        keep, _quality = choose(share, self.columns.words)
        kept = without_furniture(self.reading, self.columns, keep, self.guess, is_manual=self.may_be_manual)
        if self.guess == "article":
            kept = without_byline(self.reading, self.columns, self.announced, kept)
        return render(self.reading, kept.tolist())


def main() -> None:
    """Score by folds, then train on everything and write the models."""
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("data", type=pathlib.Path)
    cli.add_argument("--folds", type=int, default=3)
    args = cli.parse_args()
    # The sets, and how each is scored, are the evaluation's own.
    sys.path.insert(0, str(args.data.resolve().parent.parent / "eval"))
    examples = list(read_all())
    if args.folds:
        score_folds(examples, args.folds)
    trees, net = fit(examples), Trained(examples)
    trees.save_model("/tmp/blocks.catboost.json", format="json")  # noqa: S108 - read back on the next line
    (TARGET / "blocks.json").write_text(compact(json.loads(pathlib.Path("/tmp/blocks.catboost.json").read_text())))  # noqa: S108
    net.save(TARGET / "sequence.npz")
    sizes = {name: (TARGET / name).stat().st_size for name in ("blocks.json", "sequence.npz")}
    print(f"{len(examples)} pages, bytes: {sizes}")


def read_all() -> Iterator[Example]:
    """Features and labels of every page that has text."""
    from score_extraction import pages

    for name in SETS:
        for page in pages(name):
            example = read(name, page)
            if example:
                yield example


def read(source: str, page: dict[str, Any]) -> Example | None:
    """Features and labels of one page, or nothing when it has no text."""
    parsed = Page(page["html"], page["url"], Options())
    blocks = parsed.reading.blocks
    if not blocks:
        return None
    columns = features(parsed.reading, parsed.facts, parsed.announced)
    texts, known = [block[1] for block in blocks], None
    if "gold" in page:
        label, words = labels(texts, page["gold"])
    else:
        label, known = passages(texts, page["with"], page["without"])
        words = columns.words
    return Example(
        source=source, page={name: value for name, value in page.items() if name != "html"}, site=site_of(page),
        reading=parsed.reading, columns=columns, announced=parsed.announced, guess=parsed.article_type,
        may_be_manual=parsed.may_be_manual, matrix=_matrix(columns), label=label, words=words, known=known,
    )  # fmt: skip


def site_of(page: dict[str, Any]) -> str:
    """The registered name of its host, roughly; Readability's pages share a host, and are a site each."""
    host = urlsplit(page["url"]).netloc
    parts = (page["id"] if host in ("", "fakehost") else host).split(".")
    return ".".join(parts[-3:] if len(parts) > 2 and len(parts[-2]) <= 3 else parts[-2:])


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


def passages(texts: list[str], wanted: list[str], unwanted: list[str]) -> tuple[Any, Any]:
    """The label of each block that holds a known passage, and its weight: that of a passage is shared by its places."""
    flat = [" ".join(text.split()) for text in texts]
    label, known = np.zeros(len(texts)), np.zeros(len(texts))
    for passage, value in [*((passage, 0.0) for passage in unwanted), *((passage, 1.0) for passage in wanted)]:
        found = [number for number, text in enumerate(flat) if " ".join(passage.split()) in text]
        # A word like "Contact" is in many blocks, and unwanted in one of them.
        if value or len(found) <= MOST_PLACES:
            label[found], known[found] = value, 1 / max(len(found), 1)
    return label, known


def fit(examples: list[Example]) -> CatBoostClassifier:
    """Trees for the given pages."""
    weights = np.concatenate([example.block_weights() for example in examples])
    matrix, label = (np.concatenate([getattr(page, name) for page in examples]) for name in ("matrix", "label"))
    known = weights > 0
    return CatBoostClassifier(**PARAMETERS).fit(Pool(matrix[known], np.clip(label[known], 0, 1), weight=weights[known]))


def score_folds(examples: list[Example], folds: int) -> None:
    """Print the scores on sites the models have not seen: trees alone, the net alone, both."""
    from score_extraction import measure, total

    of_site = [zlib.crc32(example.site.encode()) % folds for example in examples]
    judged: dict[str, list[tuple[Example, Any]]] = defaultdict(list)
    for fold in range(folds):
        seen = [example for example, number in zip(examples, of_site, strict=True) if number != fold]
        trees, net = fit(seen), Trained(seen)
        for example, number in zip(examples, of_site, strict=True):
            if number == fold:
                raw = trees.predict(example.matrix, prediction_type="RawFormulaVal")
                odds = net.log_odds(example.columns)
                judged["trees"].append((example, 1 / (1 + np.exp(-raw))))
                judged["net"].append((example, 1 / (1 + np.exp(-odds))))
                judged["both"].append((example, likely(raw, odds)))
    for model, pages in judged.items():
        rows: dict[str, list[Any]] = defaultdict(list)
        kinds: dict[str, list[float]] = defaultdict(list)
        for example, share in pages:
            example.text = example.extracted(share)
            found = measure(example.source, example.page, example.text)
            rows[example.source].append((0, 0, *found[:3], 0, 0, found[3]))
            if example.source.startswith("wcxb"):
                kinds[example.page["type"]].append(found[2])
        places = sum((too_many(one.page["gold"], one.text) for one, _ in pages if one.source == "fundus"), Counter())
        scores = {name: "P {:.4f} R {:.4f} F1 {:.4f}".format(*total(name, found)) for name, found in rows.items()}
        print(
            model,
            scores,
            dict(places),
            {kind: round(float(np.mean(values)), 4) for kind, values in sorted(kinds.items())},
            flush=True,
        )


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
