"""The order of things: what the program does, step by step, through the ports."""
