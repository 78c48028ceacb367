"""Reading what was stored: documents, search, exports."""
