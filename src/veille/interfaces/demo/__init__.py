"""The demo: a small web on loopback, watched before and after it changes."""
