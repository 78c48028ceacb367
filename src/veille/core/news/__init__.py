"""News in a spreadsheet: the sheets, and the contents of their rows."""
