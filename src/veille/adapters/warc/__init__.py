"""WARC files: FastWARC reads them, warcio writes them."""
