"""What office files have in common: zip archives of XML, with texts, tables, sheets and slides."""
