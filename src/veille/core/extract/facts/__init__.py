"""Facts about a page: titles, dates, authors, structured data."""
