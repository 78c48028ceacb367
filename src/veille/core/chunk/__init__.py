"""Texts split into chunks along their outline."""
