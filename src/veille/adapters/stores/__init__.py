"""Stores, one package each; all pass the same contract tests."""
