"""Differences between two revisions, in words, markup and links."""
