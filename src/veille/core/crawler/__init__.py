"""The crawler of an intranet, as values: its configuration, runs, reports, messages and schedule."""
