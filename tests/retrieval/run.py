"""Measure how well search finds what questions ask for: `python tests/retrieval/run.py --sizes 10000 100000`."""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from retrieval import pages
from retrieval.sets import LANGUAGES, PARAPHRASED, QuestionSet, empty_share, made, ndcg
from veille.bootstrap import App, open_app
from veille.core.search.question import SearchMode
from veille.search import rank
from veille.services.reading.filling import fill

#: The ways of ranking that are measured; all but the first need the extra `vectors`.
MODES: tuple[SearchMode, ...] = ("words", "meaning", "both")
_VOCABULARY = 60_000
_SUFFIXES = ("", "", "", "s", "ing", "ed", "ation")


def main() -> int:
    """Print a table of scores, and one of times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "--first", type=int, default=1, help="the first seed: 5 and later were not used to choose anything"
    )
    parser.add_argument("--sets", nargs="*", choices=("worlds", "pages"), default=("worlds", "pages"))
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--paraphrased", type=float, default=PARAPHRASED, help="share of words that documents replace")
    parser.add_argument("--modes", nargs="*", choices=MODES, default=["words"])
    parser.add_argument("--languages", nargs="*", choices=LANGUAGES, default=LANGUAGES)
    parser.add_argument("--sizes", type=int, nargs="*", default=[])
    given = parser.parse_args()
    given.seeds = range(given.first, given.first + given.seeds)
    if "worlds" in given.sets:
        print(f"nDCG@10 over {len(given.seeds)} sets of {given.documents} documents and 60 questions per language")
        print("language  mode     nDCG@10  empty  mistyped  corrected")
        for lang in given.languages:
            for mode in given.modes:
                print(f"{lang:8}  {mode:7}  {_scores(lang, mode, given)}", flush=True)
    if "pages" in given.sets and len(given.modes) == len(MODES):
        print(
            f"\nnDCG@10 of pages that say it in other words, {len(given.seeds)} sets of 200 pages and 60 questions each"
        )
        print("language  words  meaning   both  gained over the better one  empty")
        for lang in given.languages:
            print(f"{lang:8}  {_gained(lang, given.seeds)}", flush=True)
    for size in given.sizes:
        _time(size)
    return 0


def _gained(lang: str, seeds: Sequence[int]) -> str:
    sets = [pages.made(lang, seed) for seed in seeds]
    ranked = {mode: [rank(one.documents, one.questions, mode) for one in sets] for mode in MODES}
    words, meaning, both = (
        statistics.mean(ndcg(found, one.answers) for found, one in zip(ranked[mode], sets, strict=True))
        for mode in MODES
    )
    empty = statistics.mean(map(empty_share, ranked["both"]))
    return f"{words:5.3f}  {meaning:7.3f}  {both:5.3f}  {both - max(words, meaning):+26.3f}  {empty:5.1%}"


def _scores(lang: str, mode: SearchMode, given: argparse.Namespace) -> str:
    plain, empty, mistyped, mended = [], [], [], []
    for seed in given.seeds:
        one = made(lang, seed, given.documents, paraphrased=given.paraphrased)
        ranked = rank(one.documents, one.questions, mode)
        plain.append(ndcg(ranked, one.answers))
        empty.append(empty_share(ranked))
        typed = made(lang, seed, given.documents, mistyped=0.3, paraphrased=given.paraphrased)
        mistyped.append(ndcg(rank(typed.documents, typed.questions, mode), typed.answers))
        mended.append(ndcg(rank(typed.documents, corrected(typed), mode), typed.answers))
    means = [statistics.mean(some) for some in (plain, empty, mistyped, mended)]
    return f"{means[0]:7.3f}  {means[1]:5.1%}  {means[2]:8.3f}  {means[3]:9.3f}"


def corrected(one: QuestionSet) -> dict[str, str]:
    """The questions of a set with the corrections that are offered for them."""
    with TemporaryDirectory() as folder, open_app(data=Path(folder)) as app:
        dossier = app.create_dossier("typed").id
        with app.dossiers.open(dossier) as store:
            fill(store, dossier, (row[1:] for row in one.documents), app.clock())
        return {
            name: app.searches.suggestion([dossier], question) or question for name, question in one.questions.items()
        }


def _time(size: int) -> None:
    """Print how long searches take over so many documents of 100 to 700 words, and what a document costs."""
    rng = random.Random(size)
    words = [_word(rng) for _ in range(_VOCABULARY)]
    weights = list(accumulate(1 / (at + 2.7) for at in range(_VOCABULARY)))

    def some(number: int) -> str:
        return " ".join(rng.choices(words, cum_weights=weights, k=number))

    def texts() -> Iterator[tuple[str, str, str]]:
        for _ in range(size):
            yield some(8), some(rng.randint(100, 700)), "en"

    with TemporaryDirectory() as folder, open_app(data=Path(folder)) as app:
        dossier = app.create_dossier("many").id
        began = time.process_time()
        with app.dossiers.open(dossier) as store:
            fill(store, dossier, texts(), app.clock())
        spent = (time.process_time() - began) * 1000 / size
        print(f"\n{size} documents, {spent:.2f} ms of CPU each to keep (generated, arranged in stories, indexed)")
        for name, number in (("question of 8 words", 8), ("question of 15", 15), ("two words", 2), ("one word", 1)):
            print(f"  {name:20} {_spent(app, dossier, [some(number) for _ in range(40)])}", flush=True)
        print(f"  memory at most       {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def _spent(app: App, dossier: str, questions: list[str]) -> str:
    times = []
    for question in questions:
        began = time.process_time()
        app.searches.ranked([dossier], question)
        times.append((time.process_time() - began) * 1000)
    times.sort()
    return f"p50 {statistics.median(times):6.1f} ms  p95 {times[int(0.95 * len(times)) - 1]:6.1f} ms of CPU"


def _word(rng: random.Random) -> str:
    syllables = (rng.choice("bcdfghlmnprst") + rng.choice("aeiou") for _ in range(rng.choice((1, 2, 2, 3, 3, 4))))
    return "".join(syllables) + rng.choice(_SUFFIXES)


if __name__ == "__main__":
    sys.exit(main())
