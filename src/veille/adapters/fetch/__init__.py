"""Retrievers, one module per scheme. Bootstrap uses the door, which finds them by name."""

from veille.adapters.fetch._door import Door
from veille.adapters.fetch._policy import policy_of
from veille.adapters.fetch._retriever import judge

__all__ = ["Door", "judge", "policy_of"]
