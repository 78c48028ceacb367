"""Sinks: adapters that receive the changes. One module each."""
