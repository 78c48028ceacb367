"""What the service tells by itself: counts and live updates."""
