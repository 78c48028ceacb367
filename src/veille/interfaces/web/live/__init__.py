"""Counts on every page, and live updates."""
