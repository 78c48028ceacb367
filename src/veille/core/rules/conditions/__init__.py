"""Conditions of rules, one file each: a phrase, what it asks, and what it finds."""
