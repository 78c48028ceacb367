"""Spreadsheets that people read."""
