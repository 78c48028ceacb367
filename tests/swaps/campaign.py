"""Crawl manuals, swap them for their next version, crawl again; compare what was told with what was edited."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from swaps.manual import Manual
from swaps.styles import STYLES, Release, contents, releases
from veille.core.compare.diff import compared, unified
from veille.core.models import Change
from watching import Watch
from world import Site

#: How much of a manual is really edited from one version to the next.
EDITED = 0.05


@dataclass
class Report:
    """What was told of the pages of a manual, and what was not."""

    style: str
    seed: int
    pages: int
    edited: int = 0
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    #: Pages that were told as changed without a difference to show.
    empty: list[str] = field(default_factory=list)
    #: What was told without an edit.
    differences: dict[str, list[str]] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def recall(self) -> float:
        return 1 - len(self.missed) / max(self.edited, 1)

    @property
    def false_alarms(self) -> float:
        return len(self.wrong) / max(self.pages - self.edited, 1)

    @property
    def is_good(self) -> bool:
        return not self.missed and self.false_alarms <= 0.01 and not self.empty

    def text(self) -> str:
        figures = (
            f"{self.style:8} seed {self.seed}: {self.pages} pages, {self.edited} edited, recall {self.recall:.3f}, "
            f"false alarms {self.false_alarms:.2%}, {len(self.empty)} empty differences, {self.seconds:.1f} s"
        )
        return "\n".join(
            [
                figures,
                *(f"  missed {path}" for path in self.missed[:5]),
                *(f"  wrong {path}: {self.differences[path]}" for path in self.wrong[:5]),
            ]
        )


def swap(folder: Path, style: str, pages: int, seed: int) -> Report:
    """One manual, watched over the coming of a new version."""
    started = time.monotonic()
    manual, (former, latest) = Manual(pages, seed), releases(seed)
    report = Report(style=style, seed=seed, pages=pages)
    with Site() as site, Watch(site, folder) as watch:
        _publish(site, manual, style, former)
        watch.add("/index.html", kind="site", max_pages=pages * 2)
        watch.run()
        edited = manual.edit(EDITED)
        _publish(site, manual, style, latest)
        watch.turn()
        with watch.app.dossiers.open(watch.dossier_id) as store:
            events = [event for event in store.outbox.events(limit=1_000_000) if event.change is Change.CHANGED]
            told = {event.url.removeprefix(site.url): event for event in events}
            for path, event in told.items():
                newer = store.records.revision(event.document_id)
                shown = unified(*compared(store.records.revision(event.document_id, newer.n - 1), newer), context=0)
                report.empty += [] if shown else [path]
                if path not in edited:
                    report.differences[path] = shown[-3:]
    told.pop("/index.html", None)
    report.edited = len(edited)
    report.missed, report.wrong = sorted(edited - told.keys()), sorted(told.keys() - edited)
    report.seconds = time.monotonic() - started
    return report


def _publish(site: Site, manual: Manual, style: str, release: Release) -> None:
    site["/index.html"] = contents(manual, release)
    for chapter in manual.chapters:
        site[chapter.path] = STYLES[style](manual, chapter, release)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=3, help="how many manuals of each style")
    parser.add_argument("--seed", type=int, default=None, help="the first seed; repeats an earlier campaign")
    parser.add_argument("--style", choices=sorted(STYLES), default=None)
    options = parser.parse_args(arguments)
    first = options.seed if options.seed is not None else random.SystemRandom().getrandbits(24)
    bad = 0
    for seed in range(first, first + options.seeds):
        for style in [options.style] if options.style else STYLES:
            with tempfile.TemporaryDirectory() as folder:
                report = swap(Path(folder), style, options.pages, seed)
            bad += not report.is_good
            sys.stdout.write(report.text() + "\n")
    return 1 if bad else 0
