"""Crawls of intranets."""
