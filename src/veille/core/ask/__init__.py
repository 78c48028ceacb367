"""Questions and their answers: what is asked and when, which sentences answer it, and citations that are checked."""
