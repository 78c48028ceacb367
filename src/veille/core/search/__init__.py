"""Queries, their answers and snippets."""
