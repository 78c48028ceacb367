"""Histories from and for elsewhere: WARC files become revisions, and revisions become WARC files."""
