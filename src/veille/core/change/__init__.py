"""From an answer to a decision: what is new, changed, moved or gone, and when to check again."""
