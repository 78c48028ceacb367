"""What sinks and exports get, and their cursors and attempts."""
