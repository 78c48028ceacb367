"""What a terminal shows: coloured text, tables that fit it, and the numbers of the rows of the last list."""
