"""The full-text index of a dossier in PostgreSQL: segments of postings, written with a batch and merged beside."""
