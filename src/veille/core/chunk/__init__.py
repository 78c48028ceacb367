"""Texts cut into chunks along their outline."""
