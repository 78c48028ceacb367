"""What was kept: documents, search, exports."""
