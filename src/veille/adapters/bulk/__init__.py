"""Work on very many rows, beside this process."""
