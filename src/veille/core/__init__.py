"""The pure part: bytes and facts in, decisions out."""
