"""What differs between two revisions, in words, markup and links."""
