"""What documents are about, and what speaks for their popularity."""
