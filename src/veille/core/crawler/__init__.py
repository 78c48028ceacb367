"""The intranet crawler, as values: its configuration, runs, reports, messages and schedule."""
