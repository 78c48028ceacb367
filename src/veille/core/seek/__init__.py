"""What a source used to find, looked for where it may be now: the second level of repair."""
