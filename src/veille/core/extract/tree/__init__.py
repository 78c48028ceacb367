"""The parsed page: walked once, without hidden elements; input that would hang a parser is rejected."""
