"""The functional core, without I/O: bytes and facts in, decisions out."""
