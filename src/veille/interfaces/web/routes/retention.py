"""How long revisions are kept: the rule of a dossier, and carrying it out."""

from __future__ import annotations

from pydantic import Field

from veille.core.schedule import SECOND
from veille.interfaces.web._routes import Caller, Routes, within
from veille.interfaces.web.views.shapes import ID, Body, RestView, example
from veille.services.reading.retention import RetentionReport

routes = Routes("retention")

#: How long one request works; the next one goes on.
_LONGEST_MS = 20 * SECOND


class RetentionRule(Body):
    """How long the revisions of sources are kept that have no rule of their own."""

    rule: str = Field(
        max_length=300, description="`all`, or clauses separated by commas.", examples=["daily after 30d, last 200"]
    )


class RetentionRuleView(RestView):
    """The rule of a dossier."""

    model_config = example(rule="daily after 30d, archive after 1y")

    rule: str


class WantedRetention(Body):
    """What to carry out."""

    source: str = Field("", max_length=4096, description="Only this source: its id, name or address.")
    dry_run: bool = Field(default=False, description="Only say what would be done.")


class SettledView(RestView):
    """What was done with a document; the numbers are those of revisions."""

    model_config = example(document_id=ID, archived=[4, 5], removed=[1, 2, 3])

    document_id: str
    title: str
    url: str
    archived: list[int]
    removed: list[int]
    is_deleted: bool


class RetentionView(RestView):
    """What this request did; if it was `stopped`, repeat it."""

    model_config = example(archived=2, removed=3, deleted=0, stopped=False)

    archived: int
    removed: int
    deleted: int
    stopped: bool
    documents: list[SettledView]

    @classmethod
    def of(cls, report: RetentionReport) -> RetentionView:
        """The view of a report."""
        counts = {name: report.counts[name] for name in ("archived", "removed", "deleted")}
        documents = [
            SettledView.showing(one, archived=list(one.archived), removed=list(one.removed)) for one in report.documents
        ]
        return cls(**counts, stopped=report.is_stopped, documents=documents)


@routes.get("/api/dossiers/{dossier_id}/retention", auth=within("read"))
def _get_rule(call: Caller) -> RetentionRuleView:
    """How long revisions are kept."""
    return RetentionRuleView(rule=call.services.retention.rule(call.dossier.id))


@routes.put("/api/dossiers/{dossier_id}/retention", auth=within("admin"))
def _put_rule(call: Caller, body: RetentionRule) -> RetentionRuleView:
    """Set how long revisions are kept; it is carried out every six hours, or by a run."""
    rule = call.services.retention.set_rule(call.dossier.id, body.rule)
    call.access.log("dossier.options", call.dossier.id, retention=rule)
    return RetentionRuleView(rule=rule)


@routes.post("/api/dossiers/{dossier_id}/retention/run", auth=within("admin"))
def _run(call: Caller, body: WantedRetention) -> RetentionView:
    """Carry out the rules now: archive and remove revisions, delete documents that are long gone."""
    if not body.dry_run:
        call.access.log("retention.run", call.dossier.id, source=body.source)
    end = call.services.clock() + _LONGEST_MS
    report = call.services.retention.run(
        call.dossier.id, body.source, dry_run=body.dry_run, stop=lambda: call.services.clock() > end
    )
    return RetentionView.of(report)
