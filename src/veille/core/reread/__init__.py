"""Answers that are kept as they came, and what reading them again changes."""
