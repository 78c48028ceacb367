"""Analyses documents that are new or changed: by the operator's model within its budget, else by rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from veille.core.analyse.analysis import MOST_CHARS, RULES_VERSION, Analysis, AnalysisSubject, TextFacts, by_rules
from veille.core.analyse.prompt import PROMPT_VERSION, analysis_prompt, believed
from veille.core.analyse.records import RULES, StoredAnalysis
from veille.core.news.labels import category, clean_text
from veille.core.prompting.replies import NoModelAnswer
from veille.errors import ReadError
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from veille.core.analyse.records import AnalysisCounts
    from veille.core.records import Revision
    from veille.ports import Clock, Dossiers, DossierStore
    from veille.services.model.consultation import ModelService

#: Documents that are read, and without a model stored, together.
BATCH: Final = 25
#: A model that failed so often in a row is not asked again in the same run; a document is tried as often.
MOST_FAILURES: Final = 3
#: The code of an answer that the text does not bear out.
UNFOUNDED: Final = "model.unfounded"
#: Failures after which another try may help.
_PASSING: Final = frozenset({"model.budget", "model.failed"})

#: Reads texts in a child process, on behalf of a dossier; ReadError if that fails.
Reads = Callable[[Sequence[AnalysisSubject], str], list[TextFacts]]


@dataclass(slots=True, kw_only=True)
class AnalyseRun:
    """What was analysed: how many documents, how many of them by a model, and why not the others."""

    version: str
    analysed: int = 0
    by_model: int = 0
    #: How often rules took the place of the model, by the reason.
    instead: dict[str, int] = field(default_factory=dict)

    def count(self, made: StoredAnalysis) -> None:
        self.analysed += 1
        self.by_model += made.made_by != RULES
        if made.code:
            self.instead[made.code] = self.instead.get(made.code, 0) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyseWish:
    """Which documents are to be analysed: all that wait, of one source, or some of these."""

    source_id: str = ""
    only: tuple[str, ...] | None = None
    #: 0: all.
    limit: int = 0


EVERYTHING: Final = AnalyseWish()


class AnalyseService:
    """The analyses of the dossiers that the caller may change."""

    def __init__(self, dossiers: Dossiers, models: ModelService, reads: Reads, clock: Clock) -> None:
        self._dossiers = dossiers
        self._models = models
        self._reads = reads
        self._clock = clock

    @property
    def version(self) -> str:
        """The version that documents are analysed by: of the prompt, if there is a model."""
        return PROMPT_VERSION if self._models.is_there else RULES_VERSION

    def is_on(self, dossier_id: str) -> bool:
        """Whether the documents of a dossier are analysed as they come."""
        with self._dossiers.open(dossier_id) as store:
            return store.analyses.is_on()

    def switch(self, dossier_id: str, *, is_on: bool) -> None:
        """Have them analysed as they come, or not; those that wait are analysed after the next check."""
        with self._dossiers.open(dossier_id) as store:
            store.analyses.switch(is_on=is_on)

    def counts(self, dossier_id: str) -> AnalysisCounts:
        """How many documents are analysed, and how many wait."""
        with self._dossiers.open(dossier_id) as store:
            return store.analyses.counts(self.version)

    def run(
        self,
        dossier_id: str,
        wish: AnalyseWish = EVERYTHING,
        *,
        stop: Callable[[], bool] = lambda: False,
        progress: Callable[[AnalyseRun], None] = lambda _: None,
    ) -> AnalyseRun:
        """Analyse what waits. Killed at any time, the next run does the rest."""
        run = AnalyseRun(version=self.version)
        asked = _Asked(self._models, dossier_id) if run.version == PROMPT_VERSION else None
        after = 0
        while not stop() and not (wish.limit and run.analysed >= wish.limit):
            room = min(BATCH, wish.limit - run.analysed) if wish.limit else BATCH
            with self._dossiers.open(dossier_id) as store:
                found = store.analyses.waiting(run.version, after, room, wish.source_id, only=wish.only)
            if not found:
                break
            after = found[-1][0]
            for made in self._made(dossier_id, [revision for _, revision in found], asked, stop):
                for one in made:
                    run.count(one)
                progress(run)
        return run

    def _made(
        self, dossier_id: str, revisions: Sequence[Revision], asked: _Asked | None, stop: Callable[[], bool]
    ) -> Iterator[list[StoredAnalysis]]:
        """Analyse and store: without a model all at once, with one each by itself, for an answer costs something."""
        subjects = list(map(_subject, revisions))
        drafts = self._drafts(dossier_id, subjects)
        if asked is None:
            made = [self._record(one, RULES_VERSION, *draft) for one, draft in zip(revisions, drafts, strict=True)]
            yield self._stored(dossier_id, revisions, made)
            return
        with self._dossiers.open(dossier_id) as store:
            earlier = _earlier(store, revisions)
        for revision, subject, (rules, code) in zip(revisions, subjects, drafts, strict=True):
            before = earlier.get(revision.id)
            if stop():
                return
            if before is not None and not asked.may_ask:
                continue
            one = self._by_model(revision, subject, rules, code, asked, before.attempts if before else 0)
            if before is None or one.code != "model.budget":
                yield self._stored(dossier_id, [revision], [one])

    def _by_model(
        self, revision: Revision, subject: AnalysisSubject, rules: Analysis, code: str, asked: _Asked, attempts: int
    ) -> StoredAnalysis:
        if code:
            return self._record(revision, PROMPT_VERSION, rules, code)
        answer = asked.ask(subject, revision.document_id, rules)
        if not isinstance(answer, NoModelAnswer):
            analysis, model = answer
            return self._record(revision, PROMPT_VERSION, analysis, made_by=model)
        attempts += answer.code != "model.budget"
        is_open = answer.code in _PASSING and attempts < MOST_FAILURES
        return self._record(revision, PROMPT_VERSION, rules, answer.code, attempts=attempts, is_open=is_open)

    def _record(  # noqa: PLR0913 - the fields of a record
        self,
        of: Revision,
        version: str,
        analysis: Analysis,
        code: str = "",
        *,
        made_by: str = RULES,
        attempts: int = 0,
        is_open: bool = False,
    ) -> StoredAnalysis:
        return StoredAnalysis(
            document_id=of.document_id,
            revision_id=of.id,
            content_hash=of.content_hash,
            version=version,
            made_by=made_by,
            made_at=self._clock(),
            analysis=analysis,
            code=code,
            attempts=attempts,
            is_open=is_open,
        )

    def _stored(
        self, dossier_id: str, revisions: Sequence[Revision], made: list[StoredAnalysis]
    ) -> list[StoredAnalysis]:
        links = {one.document_id: [link["url"] for link in one.meta.get("out_links", ())] for one in revisions}
        failpoint("before_analyses")
        with self._dossiers.open(dossier_id) as store:
            store.analyses.put(made, links)
        failpoint("after_analyses")
        return made

    def _drafts(self, dossier_id: str, subjects: Sequence[AnalysisSubject]) -> list[tuple[Analysis, str]]:
        """What the rules say of each text; for one that cannot be read in time, nothing and why."""
        facts = self._facts(dossier_id, subjects)
        words = {word for one in facts if isinstance(one, TextFacts) for it in one.candidates for word in it.words}
        with self._dossiers.open(dossier_id) as store:
            documents, having = store.analyses.words(sorted(words))
        return [
            (by_rules(one, documents, having), "") if isinstance(one, TextFacts) else (Analysis(), one) for one in facts
        ]

    def _facts(self, dossier_id: str, subjects: Sequence[AnalysisSubject]) -> list[TextFacts | str]:
        try:
            return list(self._reads(subjects, dossier_id))
        except ReadError as error:
            if len(subjects) == 1:
                return [error.code]
        # One of them was too much for a child: each is read by itself.
        return [facts for subject in subjects for facts in self._facts(dossier_id, [subject])]


class _Asked:
    """The model during one run: it is not asked any more when the budget is used up or it fails again and again."""

    def __init__(self, models: ModelService, dossier_id: str) -> None:
        self._models = models
        self._dossier_id = dossier_id
        self._failures = 0
        self._last: NoModelAnswer | None = None

    @property
    def may_ask(self) -> bool:
        return self._last is None or (self._last.code != "model.budget" and self._failures < MOST_FAILURES)

    def ask(self, subject: AnalysisSubject, document_id: str, rules: Analysis) -> tuple[Analysis, str] | NoModelAnswer:
        """What the model says and its name, as far as the text bears it out; or why the rules are to be taken."""
        if not self.may_ask and self._last is not None:
            return self._last
        answer = self._models.ask(self._dossier_id, analysis_prompt(subject, document_id))
        if isinstance(answer, NoModelAnswer):
            self._last = answer
            self._failures += 1
            return answer
        self._last, self._failures = None, 0
        analysis = believed(answer.value, subject, rules)
        if analysis is None:
            return NoModelAnswer(code=UNFOUNDED, message="The text does not bear out what the model says of it.")
        return analysis, answer.model


def _subject(revision: Revision) -> AnalysisSubject:
    text = clean_text(revision.text[:MOST_CHARS]) or revision.text
    rubric = category(revision.title, text, str(revision.meta.get("category_guess", "")))
    return AnalysisSubject.of(revision.title, text, revision.lang, revision.meta, rubric if rubric != "other" else "")


def _earlier(store: DossierStore, revisions: Sequence[Revision]) -> dict[str, StoredAnalysis]:
    """What the same prompt gave for these revisions before."""
    found = store.analyses.all_of([one.document_id for one in revisions])
    return {one.revision_id: one for one in found if one.version == PROMPT_VERSION}
