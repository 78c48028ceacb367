"""`veille crawler`."""
