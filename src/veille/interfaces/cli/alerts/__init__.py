"""Commands about rules, channels and alerts."""
