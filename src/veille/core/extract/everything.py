"""The last resort: everything in the body that is not plainly around the content."""

from __future__ import annotations

from veille.core.extract import Candidate, Page, Strategy


class Everything(Strategy):
    """The whole body."""

    def candidate(self, page: Page) -> Candidate | None:
        body = page.tree.body
        return Candidate(nodes=(body,), score=0.1, reasons=("nothing better was found",)) if body is not None else None
