"""Commands on files of archives."""
