"""Ways in and out for people and programs; no rules of their own."""
