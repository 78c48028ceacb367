"""The files of a backup: packed into one zip, unpacked with every check, and placed in a data folder at once."""
