"""The server requires a login, which only a person can provide."""

from __future__ import annotations

from typing import ClassVar

from veille.core.repair import Case, Repair, Rule, broken


class Login(Rule):
    """Marks a source whose server requires authentication."""

    order: ClassVar[int] = 40
    when: ClassVar[str] = "401"
    does: ClassVar[str] = "broken: the credentials are missing, wrong or revoked"

    def propose(self, case: Case) -> Repair | None:
        source = case.source
        if source.error_code != "http.401":
            return None
        return broken("login", source, f"{source.url} was answered with 401 Unauthorized; check its credentials.")
