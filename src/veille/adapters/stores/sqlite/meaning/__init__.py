"""Search by meaning: the pieces of texts, their vectors, and what is near."""
