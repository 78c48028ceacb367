"""What a page says about itself: title, authors, dates and topics."""
