"""Formatting values for pages."""
