"""Alerts: rules that fired, the messages that tell of them, and when they are sent."""
