"""Channels: the ways in which people are told. One module each."""
