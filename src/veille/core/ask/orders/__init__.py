"""What orders to machines are made of: words of many languages, the rows they stand in, marks and disguises."""
