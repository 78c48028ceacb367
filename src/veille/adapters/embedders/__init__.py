"""Embedders: what turns texts into vectors. One file each."""
