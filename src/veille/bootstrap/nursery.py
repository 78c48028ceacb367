"""The nursery: one process from which the children of a whole service are forked."""

from __future__ import annotations

from veille.adapters.workshop._starter import PROGRAM as NURSERY
from veille.adapters.workshop._starter import nursery_ends, nursery_environment, use_nursery

__all__ = ["NURSERY", "nursery_ends", "nursery_environment", "use_nursery"]
