"""The engine: the loop of a worker, and what runs beside it."""
