"""The server requires a login, which only a person can provide."""

from __future__ import annotations

from veille.core.repair import Case, Repair, RepairRule


class LoginNeeded(RepairRule):
    """Marks a source whose server requires authentication."""

    order = 40
    when = "401"
    does = "broken: the credentials are missing, wrong or revoked"

    def propose(self, case: Case) -> Repair | None:
        source = case.source
        if source.error_code != "http.401":
            return None
        return case.broken("login", f"{source.url} was answered with 401 Unauthorized; check its credentials.")
