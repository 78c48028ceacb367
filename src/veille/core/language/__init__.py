"""Languages, near-duplicates and stories."""
