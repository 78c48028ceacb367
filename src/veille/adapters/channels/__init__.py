"""Channels: how people are told of alerts; one file per kind."""
