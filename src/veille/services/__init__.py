"""Use cases: what the program does, step by step, through the ports."""
