"""Backups and zip files."""
