"""What speaks for the popularity of documents: who else tells them, who links to them, which rules found them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from veille.adapters.stores.sqlite._part import Part
from veille.adapters.stores.sqlite._rows import TAGGED, as_json
from veille.core.analyse.popularity import Signals
from veille.core.news.labels import site_of

_HEX_DIGITS = 15
_ADDRESS = "url:"


def target_of(identity: str) -> int:
    """The number by which an address is linked to, from its identity key; two addresses share one as good as never."""
    return int(identity.removeprefix(_ADDRESS)[:_HEX_DIGITS], 16)


class SqliteSignals(Part):
    """The port `PopularitySignals`."""

    def of(self, document_ids: Sequence[str]) -> dict[str, Signals]:
        asked = as_json(document_ids)
        rows = self._db.execute(
            "SELECT documents.id, documents.row, documents.url, coalesce(published_at, first_seen_at), story, "
            "(SELECT count(*) - 1 FROM sightings WHERE sightings.document_id = documents.id) "
            "FROM json_each(?) AS asked JOIN documents ON documents.id = asked.value "
            "LEFT JOIN story_documents ON document = documents.row",
            (asked,),
        )
        told = self._told([row[4] for row in rows if row[4] is not None])
        repeated = self._repeated(asked)
        links, rules = self._links(asked), self._rules(asked)
        found = {}
        for document_id, row, url, at, story, listings in rows:
            own = site_of(url)
            members = told.get(story, [])
            others = [other for member, other in members if member != row] + repeated.get(document_id, [])
            outlets = {site_of(other) for other in others} - {own, ""}
            sites = [site_of(other) for other in links.get(document_id, ())]
            foreign = [site for site in sites if site not in {own, ""}]
            found[document_id] = Signals(
                at=at,
                tellers=len(others),
                outlets=tuple(sorted(outlets)),
                listings=max(0, listings),
                is_first=bool(others) and (not members or members[0][0] == row),
                links=len(foreign),
                linking_sites=tuple(sorted(set(foreign))),
                rules=tuple(rules.get(document_id, ())),
            )
        return found

    def recent(self, since: int, limit: int, source_id: str = "", tag: str = "") -> list[str]:
        tagged = TAGGED.format(source="documents.source_id", document="documents.id", tag=":tag")
        return self._db.column(
            "SELECT id FROM documents WHERE changed_at >= :since AND state = 'current' "
            f"AND (:source = '' OR source_id = :source) AND (:tag = '' OR {tagged}) "
            "ORDER BY changed_at DESC, row DESC LIMIT :limit",
            {"since": since, "limit": limit, "source": source_id, "tag": tag},
        )

    def _told(self, stories: Sequence[int]) -> dict[int, list[tuple[int, str]]]:
        """The documents of these stories and their addresses, the first to tell it first."""
        found: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for story, row, url in self._db.execute(
            "SELECT story, documents.row, url FROM json_each(?) AS asked "
            "JOIN stories ON stories.row = asked.value AND stories.documents > 1 "
            "JOIN story_documents ON story = stories.row JOIN documents ON documents.row = document "
            "ORDER BY coalesce(published_at, first_seen_at), documents.row",
            (as_json(set(stories)),),
        ):
            found[story].append((row, url))
        return found

    def _repeated(self, asked: str) -> dict[str, list[str]]:
        """The addresses of documents with the very same text."""
        found: dict[str, list[str]] = defaultdict(list)
        for document_id, url in self._db.execute(
            "SELECT duplicate_of, url FROM json_each(?) AS asked JOIN documents ON duplicate_of = asked.value "
            "WHERE state = 'duplicate'",
            (asked,),
        ):
            found[document_id].append(url)
        return found

    def _links(self, asked: str) -> dict[str, list[str]]:
        """The addresses of the documents that link to each."""
        keys = self._db.execute(
            "SELECT document_id, identities.key FROM json_each(?) AS asked "
            "JOIN identities ON document_id = asked.value "
            "WHERE identities.key LIKE 'url:%'",
            (asked,),
        )
        named = defaultdict(set)
        for document_id, key in keys:
            named[target_of(key)].add(document_id)
        linking = self._db.execute(
            "SELECT target, documents.id, url FROM json_each(?) AS asked JOIN document_links ON target = asked.value "
            "JOIN documents ON documents.row = document WHERE state = 'current'",
            (as_json(named),),
        )
        found: dict[str, dict[str, str]] = defaultdict(dict)
        for target, other, url in linking:
            for document_id in named[target] - {other}:
                found[document_id][other] = url
        return {document_id: list(others.values()) for document_id, others in found.items()}

    def _rules(self, asked: str) -> dict[str, list[tuple[str, int]]]:
        found: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for document_id, name, weight in self._db.execute(
            "SELECT DISTINCT alerts.document_id, rules.name, rules.weight FROM json_each(?) AS asked "
            "JOIN alerts ON alerts.document_id = asked.value JOIN rules ON rules.id = alerts.rule_id "
            "ORDER BY rules.weight DESC, rules.name",
            (asked,),
        ):
            found[document_id].append((name, weight))
        return found
