"""Answers that are kept as they came, and reading them again."""

from __future__ import annotations

from pydantic import Field

from veille.core.models import KeepRaw
from veille.core.reread.judged import RereadOutcome
from veille.interfaces.web._routes import Caller, Routes, within
from veille.interfaces.web.views.shapes import ID, Body, RestView, example
from veille.services.reading.reread import RereadReport, RereadWish

routes = Routes("rereading")

#: Answers that one request reads again: a few seconds.
_MOST = 500


class DossierOptions(RestView):
    """The options of a dossier: the defaults of its sources."""

    model_config = example(keep_raw="last")

    keep_raw: KeepRaw


class NewDossierOptions(Body):
    """Options to set."""

    keep_raw: KeepRaw = Field(description="Which answers are kept as they came.", examples=["last"])


class WantedReread(Body):
    """What to read again."""

    source: str = Field("", max_length=4096, description="Only this source: its id, name or address.")
    since: int = Field(0, ge=0, le=2**53, description="Only answers fetched at this time or later.")
    dry_run: bool = Field(default=False, description="Only say what would change.")
    limit: int = Field(100, ge=1, le=_MOST, description="The most answers of this request.")


class RereadLine(RestView):
    """A revision that reading its answer again changes, or could not."""

    model_config = example(document_id=ID, rev_n=3, outcome="changed", fields=["text"], words_added=120)

    document_id: str
    rev_n: int
    url: str
    title: str
    outcome: RereadOutcome
    code: str = ""
    message: str = ""
    fields: list[str]
    words_added: int
    words_removed: int


class RereadView(RestView):
    """What was read again by this request; `waiting` revisions are left for the next."""

    model_config = example(reader="1.0.0+3f99ced80311", same=66, changed=34, failed=0, waiting=900)

    reader: str
    same: int
    changed: int
    failed: int
    waiting: int
    documents: list[RereadLine]

    @classmethod
    def of(cls, report: RereadReport) -> RereadView:
        """The view of a report."""
        lines = [
            RereadLine.showing(one, document_id=one.kept.document_id, rev_n=one.kept.n, fields=list(one.fields))
            for one in report.lines
        ]
        counts = {outcome.value: report.counts[outcome] for outcome in RereadOutcome}
        return cls(reader=report.reader, waiting=report.progress.get("waiting", 0), documents=lines, **counts)


@routes.get("/api/dossiers/{dossier_id}/options", auth=within("read"))
def _get_options(call: Caller) -> DossierOptions:
    """The options of the dossier."""
    return DossierOptions(keep_raw=call.services.raw_answers.keep_raw(call.dossier.id))


@routes.put("/api/dossiers/{dossier_id}/options", auth=within("admin"))
def _put_options(call: Caller, body: NewDossierOptions) -> DossierOptions:
    """Set the options of the dossier; answers that are no longer kept are deleted."""
    call.access.log("dossier.options", call.dossier.id, keep_raw=body.keep_raw)
    return DossierOptions(keep_raw=call.services.raw_answers.set_keep_raw(call.dossier.id, body.keep_raw))


@routes.post("/api/dossiers/{dossier_id}/reread", auth=within("write"), asks_outside=True)
def _reread(call: Caller, body: WantedReread) -> RereadView:
    """Read kept answers again with today's extractor; repeat it until nothing is waiting. No sink is told."""
    wish = RereadWish(source=body.source, since=body.since, dry_run=body.dry_run, limit=body.limit)
    if not body.dry_run:
        call.access.log("reread", call.dossier.id, source=body.source, since=body.since)
    return RereadView.of(call.app.rereading(call.access).reread(call.dossier.id, wish))
