"""Ways to retrieve, one file per scheme. Bootstrap takes the door, which finds them by name."""

from veille.adapters.fetch._door import Door
from veille.adapters.fetch._policy import policy_of

__all__ = ["Door", "policy_of"]
