"""The operator's language model, asked within the budget of a dossier."""
