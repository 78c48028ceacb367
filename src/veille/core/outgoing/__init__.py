"""What sinks and exports are given, and how far each has come."""
