"""Embedders turn texts into vectors. One module each."""
