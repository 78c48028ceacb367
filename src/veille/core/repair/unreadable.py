"""There is an answer, but the kind of the source can no longer read it."""

from __future__ import annotations

from veille.core.repair import Case, Repair, RepairRule

#: A maintenance page in place of a feed is gone at the next check.
PROOFS = 2
#: Codes of answers that cannot be read; see `docs/reference/errors.md`.
CODES = frozenset(
    "api.field api.malformed api.not_json api.path bad_selector bridge.reply corrupt feed.hostile feed.malformed "
    "feed.unknown_format hostile needs_password no_match sitemap.malformed sitemap.unknown_format unsupported".split()
)


class Unreadable(RepairRule):
    """Marks a source whose answers can no longer be read."""

    order = 60
    when = "an answer that cannot be read (broken feed, no JSON, wrong path …), twice in a row"
    does = "broken"

    def propose(self, case: Case) -> Repair | None:
        source = case.source
        if source.error_code not in CODES or source.failures < PROOFS:
            return None
        proof = f"The last {source.failures} answers could not be read: {source.error}"
        return case.broken("unreadable", proof)
