"""Public API of main-content extraction: `text` for the text of a page, `extract_page` for everything."""

from __future__ import annotations

from veille.core.extract import Content, Extracted, Metadata, Options, extract_page, extract_text

# With this module, not with the first page, comes what the latter would load: numpy and the model.
extract_text("<p>A page.")

__all__ = ["Content", "Extracted", "Metadata", "Options", "extract_page", "text"]


def text(html: bytes | str, url: str = "") -> str:
    """The text of the page's main content; empty if there is none."""
    return extract_text(html, url)
