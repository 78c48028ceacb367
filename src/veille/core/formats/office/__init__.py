"""Common code of office files: zip archives of XML, with texts, tables, sheets and slides."""
