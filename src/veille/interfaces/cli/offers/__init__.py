"""`veille offers`."""
