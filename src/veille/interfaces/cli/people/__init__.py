"""Users, members, tokens, dossiers and secrets."""
