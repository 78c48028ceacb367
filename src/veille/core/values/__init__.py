"""Values: numbers, prices, dates, states and versions that are read from documents, and followed over time."""
