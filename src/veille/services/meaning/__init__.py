"""Search by meaning: kept up to date, and joined with search by words."""
