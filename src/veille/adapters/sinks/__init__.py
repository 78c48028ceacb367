"""Sinks: what follows the changes. One file each."""
