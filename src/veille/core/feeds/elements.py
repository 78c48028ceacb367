"""All elements with a meaning, by name with the standard prefix: `dc_creator`."""

from __future__ import annotations

from veille.core.feeds.facts import FACT_LEAVES, FACTS
from veille.core.feeds.handlers import Leaf, Pair
from veille.core.feeds.people import PEOPLE, PEOPLE_LEAVES
from veille.core.feeds.structure import STRUCTURE
from veille.core.feeds.texts import TEXT_LEAVES, TEXTS

#: The start and end handlers of each element.
ELEMENTS: dict[str, Pair] = {**STRUCTURE, **TEXTS, **FACTS, **PEOPLE}

#: A fast path for frequent elements without children: the whole text at once.
LEAVES: dict[str, Leaf] = {**TEXT_LEAVES, **FACT_LEAVES, **PEOPLE_LEAVES}
