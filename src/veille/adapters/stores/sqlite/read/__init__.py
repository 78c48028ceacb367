"""What a dossier holds, read by its ports."""
