"""Main-content extraction for callers that want the text and nothing else."""

from __future__ import annotations

from veille.core.extract import best_candidate


def text(html: bytes | str, url: str = "") -> str:
    return best_candidate(html, url)
