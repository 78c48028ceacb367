"""Access control: accounts, roles, tokens, passwords."""
