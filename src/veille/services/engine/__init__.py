"""The engine: the loop of a worker, and its background threads."""
