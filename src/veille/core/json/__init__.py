"""JSON answers: paths into them, mapping to documents, endpoints and their paging."""
