"""Which blocks of a page are its content: features, trees, and the choice between strategies."""
