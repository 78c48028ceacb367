"""Content as people and feed readers are shown it."""
