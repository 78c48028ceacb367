"""Full-text search: the indexes, written and asked."""
