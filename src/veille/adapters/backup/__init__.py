"""The files of a backup: packed into one zip, taken out of one with suspicion, and put into a data folder at once."""
