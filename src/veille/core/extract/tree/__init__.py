"""The parsed page: walked once, with what is hidden left out and what would hang a parser refused."""
