"""What documents are about, and which of them are popular."""
