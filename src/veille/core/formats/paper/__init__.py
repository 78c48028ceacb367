"""Lines and paragraphs from the letters of a printed page."""
