"""Alerts, the rules that make them, and the channels that tell them."""
