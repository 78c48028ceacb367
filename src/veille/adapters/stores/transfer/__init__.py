"""Rows of one store taken to another: for moves, and for backups of a store that has no files."""
