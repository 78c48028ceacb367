"""What page handlers use: rendering, and background work that continues after the response."""
