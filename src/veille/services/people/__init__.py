"""Accounts, members, tokens."""
