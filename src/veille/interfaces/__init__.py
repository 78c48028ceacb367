"""Interfaces for people and programs; they contain no rules of their own."""
