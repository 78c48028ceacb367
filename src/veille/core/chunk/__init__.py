"""Texts split: into chunks along their outline, and into pieces at sentence ends."""
