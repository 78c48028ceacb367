"""Content as HTML, Markdown and plain text."""
