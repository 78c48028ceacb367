"""Which blocks of a page are its content: features, decision trees, and the choice of blocks."""
