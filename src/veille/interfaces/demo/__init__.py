"""The demo: a small world on loopback, watched before and after it changes."""
