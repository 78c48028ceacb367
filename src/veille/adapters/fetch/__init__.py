"""Retrieval, one file per scheme."""
