"""The conditions of rules, one module each; the registry finds them by name."""
