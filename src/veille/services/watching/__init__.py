"""Sources: added, fetched, read, repaired, delivered."""
