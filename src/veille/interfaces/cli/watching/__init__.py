"""Sources: found, previewed, added, mended."""
