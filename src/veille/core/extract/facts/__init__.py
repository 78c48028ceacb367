"""What a page says about itself: titles, dates, authors, structured data."""
