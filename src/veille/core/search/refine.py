"""A search made narrower or wider: by what its hits have in common, and by changing a filter in its text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from veille.core.schedule import DAY
from veille.core.search.answers import Hit, Labels
from veille.core.search.query import Query, filters_of

#: How many values of each facet are shown.
_VALUES = 8
_AGES = (("1d", 1, "last day"), ("7d", 7, "last week"), ("30d", 30, "last month"), ("1y", 365, "last year"))
#: A shorter word is the prefix of too many others.
_SHORTEST = 2


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value by which hits can be narrowed, and how many have it."""

    label: str
    count: int
    #: The text of the search with this filter, or without it if it is already chosen.
    text: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Facet:
    """A property by which hits can be narrowed."""

    name: str
    label: str
    choices: tuple[FacetValue, ...]


def facets(
    text: str, query: Query, hits: Sequence[Hit], now: int, labels: Mapping[tuple[str, str], Labels]
) -> list[Facet]:
    """The facets of the hits of a search: sources, kinds, languages, topics, tags, ages; the most frequent first.

    `labels` are by dossier and document.
    """
    known = [labels[key] for hit in hits if (key := (hit.dossier_id, hit.document_id)) in labels]
    names = {hit.source_id: hit.source_name for hit in hits}
    counted = (
        ("source", "Source", query.sources, _sources(hits, names)),
        ("kind", "Kind", query.kinds, Counter(hit.kind for hit in hits)),
        ("lang", "Language", query.langs, Counter(hit.lang for hit in hits if hit.lang)),
        ("topic", "Topic", query.topics, Counter(topic for one in known for topic in one.topics if '"' not in topic)),
        ("tag", "Tag", query.tags, Counter(tag for one in known for tag in one.tags if '"' not in tag)),
    )
    found = []
    for name, label, chosen, counts in counted:
        rows = [(value, names.get(value, "").strip() or value, count) for value, count in counts.most_common(_VALUES)]
        found.append(_facet(text, name, label, chosen, rows))
    chosen = tuple(value.lower() for _, _, value in filters_of(text, "after"))
    ages = [(value, label, sum(hit.dated_at >= now - days * DAY for hit in hits)) for value, days, label in _AGES]
    found.append(
        _facet(text, "after", "Date", chosen, [age for age in ages if age[0] in chosen or 0 < age[2] < len(hits)])
    )
    return [facet for facet in found if facet.choices]


def _sources(hits: Sequence[Hit], names: Mapping[str, str]) -> Counter[str]:
    """How many hits each source has, by the value that names it in a search.

    That is its name, unless it has a quote, is empty or is not unique.
    """
    alike = Counter(names.values())
    values = {
        source_id: name if '"' not in name and name.strip() and alike[name] == 1 else source_id
        for source_id, name in names.items()
    }
    return Counter(values[hit.source_id] for hit in hits)


def _facet(text: str, name: str, label: str, chosen: Iterable[str], rows: Iterable[tuple[str, str, int]]) -> Facet:
    """A facet with these rows of value, label and count."""
    taken, bare = {value.lower() for value in chosen}, without_filter(text, name)
    values = []
    for value, shown, count in rows:
        is_chosen = value.lower() in taken
        other = bare if is_chosen else _filtered(bare, name, value)
        values.append(FacetValue(shown, count, other, is_chosen))
    return Facet(name, label, tuple(values))


def with_filter(text: str, name: str, value: str) -> str:
    """The text with this filter, replacing the previous one.

    >>> with_filter("whales lang:fr", "lang", "en"), with_filter("whales", "source", "The Times")
    ('whales lang:en', 'whales source:"The Times"')
    """
    return _filtered(without_filter(text, name), name, value)


def _filtered(text: str, name: str, value: str) -> str:
    written = value if value and not any(sign.isspace() for sign in value) else f'"{value}"'
    return f"{text} {name}:{written}".strip()


def without_filter(text: str, name: str) -> str:
    """The text without these filters.

    >>> without_filter("whales source:times -source:x lang:fr", "source")
    'whales -source:x lang:fr'
    """
    for start, end, _ in reversed(filters_of(text, name)):
        text = f"{text[:start]} {text[end:]}"
    return " ".join(text.split())


def loosened(query: Query) -> Query | None:
    """The query with its last word as a prefix, as while somebody types; None if it is one already."""
    if not query.groups:
        return None
    *others, last = query.groups[-1]
    if last.prefix or len(last.text) < _SHORTEST or not last.text[-1].isalnum():
        return None
    return replace(query, groups=(*query.groups[:-1], (*others, replace(last, prefix=True))))
