"""Who may do what: accounts, roles, tokens, passwords."""
