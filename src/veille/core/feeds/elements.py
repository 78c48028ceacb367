"""Every element that has a meaning, by its name with the standard prefix: `dc_creator`."""

from __future__ import annotations

from veille.core.feeds.facts import FACT_LEAVES, FACTS
from veille.core.feeds.handlers import Leaf, Pair
from veille.core.feeds.people import PEOPLE, PEOPLE_LEAVES
from veille.core.feeds.structure import STRUCTURE
from veille.core.feeds.texts import TEXT_LEAVES, TEXTS

#: What each does at its beginning and at its end.
ELEMENTS: dict[str, Pair] = {**STRUCTURE, **TEXTS, **FACTS, **PEOPLE}

#: A short way for elements that are many and have no children: the whole text at once.
LEAVES: dict[str, Leaf] = {**TEXT_LEAVES, **FACT_LEAVES, **PEOPLE_LEAVES}
