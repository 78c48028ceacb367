"""Rules, channels, and what fired."""
