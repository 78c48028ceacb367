"""The page is now built by scripts: only a browser can read it."""

from __future__ import annotations

from veille.core.repair import Case, Repair, RepairRule

CODES = frozenset({"needs_rendering", "empty_shell"})


class Shell(RepairRule):
    """Only proposes to render the page in a browser: that costs a hundred times as much as a fetch."""

    order = 40
    when = "a page that was readable is an empty JavaScript shell (`needs_rendering`, `empty_shell`)"
    does = "proposes `render=true`; the last content stays"

    def propose(self, case: Case) -> Repair | None:
        source = case.source
        if source.error_code not in CODES or source.config.get("render"):
            return None
        proof = f"{source.url} has no text without its scripts. It needs the extra: pip install 'veille[browser]'."
        change = {"config": {"render": True}}
        return case.repair("shell", change, proof, automatic=False)
