"""Alerts: changes are judged by rules, and what fires is told through channels."""
