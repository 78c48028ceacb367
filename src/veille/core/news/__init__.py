"""News in a spreadsheet: the sheets, and what stands in their rows."""
