"""Parts of pages that a user pointed at: what they are known by, and how they are found again."""
