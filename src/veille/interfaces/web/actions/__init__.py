"""What page handlers use: rendering, counts, and background work that continues after the response."""
