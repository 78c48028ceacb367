"""Readability's rules."""
