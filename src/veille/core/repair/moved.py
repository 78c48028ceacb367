"""The address redirects permanently: the target is watched from now on."""

from __future__ import annotations

from veille.core.repair import Case, Repair, RepairRule

#: One permanent redirect may be a mistake that is soon corrected.
PROOFS = 2


class Moved(RepairRule):
    """Rewrites an address that redirects permanently. Temporary redirects are followed and change nothing."""

    order = 10
    when = "301 or 308 to the same address at two checks in a row, and what is there can be read"
    does = (
        "watches the new address; 302 and 307 never do that, nor do logins and front pages; a source with credentials "
        "is not moved to another host, that is only proposed"
    )

    def propose(self, case: Case) -> Repair | None:
        source = case.source
        if not source.moved_to or source.moved_seen < PROOFS or source.error_code:
            return None
        proof = f"The last {source.moved_seen} checks of {source.url} were sent on to {source.moved_to} for good."
        return case.repair("moved", {"url": source.moved_to}, proof)
