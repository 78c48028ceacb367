"""The processes of a service: `run`, `work`, `deliver` and `serve`."""
