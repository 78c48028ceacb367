"""What a document is about (summary, names, keywords, topics, tone), by rules or a model; and how popular it is."""
