"""A request before it is answered: who asks, what for, and whether it may."""
