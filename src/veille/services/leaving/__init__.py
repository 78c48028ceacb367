"""What leaves: whole exports of dossiers and accounts, and deletion that deletes."""
