"""One write transaction of a dossier."""
