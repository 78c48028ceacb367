"""Ways to retrieve, one file per scheme. Bootstrap takes the door, which finds them by name."""

from veille.adapters.fetch._door import Door

__all__ = ["Door"]
