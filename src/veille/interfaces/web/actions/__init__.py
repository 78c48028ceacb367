"""What a page does: it shows, and takes on work that goes on after the answer."""
