"""Commands for sources: discover, preview, add, repair."""
