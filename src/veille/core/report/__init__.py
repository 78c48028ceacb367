"""Statistics, series and states for reports."""
