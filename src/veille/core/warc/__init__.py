"""WARC files (ISO 28500) as values: captures of crawls, and revisions that were written by us."""
