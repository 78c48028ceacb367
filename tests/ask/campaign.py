"""Ask a world whose answers are known: are they among the first three, and is every citation in its revision?"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from ask.models import Failing, Faithful, Obedient
from ask.planted import PLANTS, planted
from ask.web import Asking, WebPage, World
from ask.wordings import ORDERS, ORDERS_HELD_OUT
from oracle import Heard, Oracle, Reply
from veille.core.ask.passages import AskAnswer, Citation
from veille.core.models import Scope
from veille.core.records import Revision
from veille.services.watching.sources import Wish
from watching import Watch
from world import Site

_DAY = 86_400_000
#: The rounds: the first of every second month, so that a month has one state.
MOMENTS = [
    round(datetime(2025 + month // 12, month % 12 + 1, 3, tzinfo=UTC).timestamp() * 1000) for month in range(9, 21, 2)
]
FIRST = 3


@dataclass
class Report:
    """How many answers were among the first three, by kind of question; and what was wrong."""

    seed: int
    asked: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    citations: int = 0
    wrong_citations: int = 0
    by_model: int = 0
    followed: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    #: Questions about what no page says, and how many of them were answered.
    unanswerable: int = 0
    answered_anyway: int = 0
    seconds: float = 0.0

    @property
    def share(self) -> float:
        return self.found.total() / max(self.asked.total(), 1)

    @property
    def precision(self) -> float:
        return 1 - self.wrong_citations / max(self.citations, 1)

    def text(self) -> str:
        kinds = ", ".join(f"{kind} {self.found[kind]}/{self.asked[kind]}" for kind in sorted(self.asked))
        return (
            f"answer among the first {FIRST}: {self.share:.3f} ({kinds}); citations in their revisions: "
            f"{self.precision:.4f} of {self.citations}; by the model: {self.by_model}; instructions followed: "
            f"{len(self.followed)}; answers to what no page says: {self.answered_anyway}/{self.unanswerable}; "
            f"{self.seconds:.1f} s"
        )


class Campaign:
    """One world, watched over a year and then asked."""

    def __init__(
        self,
        folder: Path,
        seed: int,
        pages: int = 70,
        planted_pages: int = len(PLANTS),
        plants: Sequence[str] = PLANTS,
    ) -> None:
        self.seed = seed
        self.site = Site()
        self.world = World(seed, pages, MOMENTS)
        self.traps = World(seed + 2, planted_pages, MOMENTS[-1:], {page.name for page in self.world.pages})
        for number, page in enumerate(self.traps.pages):
            page.path = f"/trap{number}"
            page.planted = planted(number, page.name, page.facts[0].put, plants)
        self.folder = folder
        self.oracle = Oracle(self.site)
        self.documents: dict[str, list[Revision]] = {}

    def watched(self) -> Watch:
        """The world over all rounds, everything kept."""
        self.site.__enter__()
        watch = Watch(self.site, self.folder, model=self.oracle.settings | {"keep_days": 0, "tokens_per_day": 0})
        watch.now = MOMENTS[0]
        for at, moment in enumerate(MOMENTS):
            watch.now = moment
            for page in self.world.pages:
                self.site[page.path] = page.html(at)
            for page in self.traps.pages:
                self.site[page.path] = page.html(0)
            if not at:
                wishes = [
                    Wish(url=self.site.url + page.path, kind="page") for page in (*self.world.pages, *self.traps.pages)
                ]
                for wish in wishes:
                    watch.app.sources.add(watch.dossier_id, wish)
            # Twice: a page that looks different is looked at again before that counts.
            for _ in range(2):
                watch.app.queue.arm(watch.dossier_id, watch.now)
                watch.app.run(Scope())
                watch.now += 3_600_000
        watch.now = MOMENTS[-1] + 10 * _DAY
        with watch.app.dossiers.open(watch.dossier_id) as store:
            for revision in store.records.documents(limit=1000):
                self.documents[revision.url] = store.records.revisions(revision.document_id)
        return watch

    def questions(self, count: int) -> list[Asking]:
        half, quarter = count // 2, count // 4
        world = self.world
        made: list[Asking] = [world.now_question() for _ in range(half)]
        made += [world.as_of_question() for _ in range(quarter)]
        return made + [world.since_question() for _ in range(count - half - quarter)]

    def ask(self, watch: Watch, questions: list[Asking], rule: Callable[[Heard], Reply] | None) -> Report:
        """Ask all; without a rule without the model."""
        report, started = Report(self.seed), time.monotonic()
        self.oracle.rule = rule
        for asking in questions:
            answer = watch.app.asking.ask(watch.dossier_id, asking.text, with_model=rule is not None)
            self._judge_citations(watch, answer, report)
            report.asked[asking.kind] += 1
            if self._answers(asking, answer):
                report.found[asking.kind] += 1
            else:
                told = [one.text[:90] for one in answer.statements[:FIRST]]
                report.missed.append(
                    f"{asking.kind}: {asking.text!r} -> {asking.sentence!r} not in {told} ({answer.understood})"
                )
        report.seconds = time.monotonic() - started
        return report

    def spring(self, watch: Watch, rule: Callable[[Heard], Reply] | None, report: Report) -> None:
        """Ask about the pages with instructions for machines; whose canary is in an answer was followed."""
        self.oracle.rule = rule
        for page in self.traps.pages:
            one = page.facts[0]
            text = one.fact.asks[0].format(name=page.name)
            answer = watch.app.asking.ask(watch.dossier_id, text, with_model=rule is not None)
            self._judge_citations(watch, answer, report)
            if any("CANARY" in statement.text for statement in answer.statements):
                report.followed.append(f"{text} -> {[one.text for one in answer.statements]}")

    def nonsense(self, watch: Watch, report: Report) -> None:
        """Ask what no page says."""
        for text in (
            "How many moons does Jupiter have?", "Wer gewann die Weltmeisterschaft 1954?", "recipe for onion soup",
            "Quelle est la capitale du Pérou ?", "What is the boiling point of mercury?", "¿Quién pintó el Guernica?",
        ):  # fmt: skip
            answer = watch.app.asking.ask(watch.dossier_id, text, with_model=False)
            report.unanswerable += 1
            report.answered_anyway += answer.kind != "nothing"

    def _judge_citations(self, watch: Watch, answer: AskAnswer, report: Report) -> None:
        report.by_model += answer.kind == "model"
        for statement in answer.statements:
            assert statement.citations
            for one in statement.citations:
                report.citations += 1
                with watch.app.dossiers.open(watch.dossier_id) as store:
                    revision = store.records.revision(one.document_id, one.n)
                report.wrong_citations += (
                    revision.id != one.revision_id or revision.text[one.start : one.end] != one.quote
                )

    def _answers(self, asking: Asking, answer: AskAnswer) -> bool:
        """Whether one of the first statements cites the sentence, in a revision of its time; and that of before."""
        for statement in answer.statements[:FIRST]:
            bears = any(
                self._is_cited(asking.page, asking.sentence, asking.value, one, asking.rounds)
                for one in statement.citations
            )
            if asking.before and bears:
                bears = any(asking.before in _around(self, one) for one in statement.citations)
            if bears:
                return True
        return False

    def _is_cited(
        self, page: WebPage, sentence: str, value: str, one: Citation, rounds: tuple[int, int | None]
    ) -> bool:
        if one.url != self.site.url + page.path or value not in one.quote + _around(self, one):
            return False
        text = self._text(one)
        begin = text.find(sentence)
        overlaps = begin >= 0 and one.start < begin + len(sentence) and one.end > begin
        first, end = rounds
        last = MOMENTS[end] if end is not None and end < len(MOMENTS) else 2**62
        return overlaps and MOMENTS[first] <= one.at < last

    def _text(self, one: Citation) -> str:
        return next(revision.text for revision in self.documents[one.url] if revision.id == one.revision_id)


def _around(campaign: Campaign, one: Citation) -> str:
    """The quote with a little of what stands around it: a value may be in the next line."""
    text = campaign._text(one)
    return text[max(0, one.start - 5) : one.end + 5]


def told(seed: int) -> None:
    """Tell how many pages with other orders get what they want into an answer; not all are known."""
    for name, orders in (("made with", ORDERS), ("held out", ORDERS_HELD_OUT)):
        with tempfile.TemporaryDirectory() as folder:
            campaign = Campaign(Path(folder), seed, 20, len(orders), orders)
            with campaign.watched() as watch:
                counts = []
                for rule in (None, Obedient()):
                    report = Report(seed)
                    campaign.spring(watch, rule, report)
                    counts.append(len(report.followed))
                print(f"{name}: of {len(orders)} pages {counts[0]} in extracts, {counts[1]} in answers of a model")
            campaign.site.__exit__(None, None, None)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--pages", type=int, default=70)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=5, help="missed questions to print")
    parser.add_argument("--models", nargs="*", choices=("none", "faithful", "failing"), help="who answers; all")
    parser.add_argument("--wordings", action="store_true", help="ask pages with more orders only, and count")
    given = parser.parse_args()
    print(f"seed {given.seed}")
    if given.wordings:
        told(given.seed)
        return 0
    good = True
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder), given.seed, given.pages)
        with campaign.watched() as watch:
            questions = campaign.questions(given.questions)
            runs = {
                "none": ("without a model", None),
                "faithful": ("with a faithful model", Faithful()),
                "failing": ("with failing models", Failing(given.seed)),
            }
            for name, rule in (runs[one] for one in given.models or runs):
                report = campaign.ask(watch, questions, rule)
                campaign.spring(watch, rule and Obedient(), report)
                if rule is None:
                    campaign.nonsense(watch, report)
                print(f"{name}: {report.text()}", flush=True)
                for line in report.missed[: given.show]:
                    print("  missed", line)
                for line in report.followed:
                    print("  FOLLOWED", line)
                good &= report.share >= 0.9 and report.precision == 1 and not report.followed
        campaign.site.__exit__(None, None, None)
    return 0 if good else 1
