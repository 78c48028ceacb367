"""Public API of main-content extraction: `text` for the text of a page, `extract_page` for everything."""

from __future__ import annotations

from veille.core.extract import Content, Extracted, Metadata, Options, extract_page, extract_text

__all__ = ["Content", "Extracted", "Metadata", "Options", "extract_page", "text"]


def text(html: bytes | str, url: str = "") -> str:
    """The text of the page's main content; empty if there is none."""
    return extract_text(html, url)
