"""Handling a request before its route runs: authentication, authorization, parsing and limits."""
