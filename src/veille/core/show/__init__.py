"""Content as it is displayed to people and feed readers."""
