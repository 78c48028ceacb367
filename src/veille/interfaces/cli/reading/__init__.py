"""Commands that answer from documents."""
