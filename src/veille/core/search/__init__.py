"""Queries, their results and snippets."""
