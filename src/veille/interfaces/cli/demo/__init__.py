"""`veille demo`."""
