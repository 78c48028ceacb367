"""What people do every day: tags, deleted sources, shared documents."""
