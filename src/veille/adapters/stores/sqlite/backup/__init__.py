"""Copies of the files, and their inspection."""
