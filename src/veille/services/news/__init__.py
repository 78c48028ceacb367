"""The news workflow and its workbook."""
