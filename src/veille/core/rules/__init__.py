"""Rules: an expression over changes, values and sources, and when it holds. Pure: facts in, evidence out."""
