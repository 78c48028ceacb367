"""Which tables leave with an export, under which name, and without which columns; the others with the reason."""

from __future__ import annotations

from typing import NamedTuple

_MADE_AGAIN = "made again from what is here"
_AT_WORK = "work in progress of this installation"


class LeavingTable(NamedTuple):
    """A table that leaves as one file of JSON lines."""

    file: str
    #: Columns that stay: secrets and their hashes, and contents that leave in another way.
    without: frozenset[str] = frozenset()
    #: The column that names a person, by id or by login.
    person: str = ""
    #: Whether its rows are that person's, not the dossier's.
    is_personal: bool = False


def _table(file: str, without: str = "", person: str = "", *, is_personal: bool = False) -> LeavingTable:
    return LeavingTable(file, frozenset(without.split()), person, is_personal)


#: Tables of a dossier. `revisions`, `raw_answers` and `pictures` have readers of their own, for their contents.
DOSSIER: dict[str, LeavingTable] = {
    "sources": _table("sources", "key"),
    "source_tags": _table("source_tags"),
    "documents": _table("documents", "beside"),
    "document_tags": _table("document_tags"),
    "identities": _table("identities"),
    "sightings": _table("sightings"),
    "views": _table("views"),
    "revisions": _table("revisions", "text html delta"),
    "archived_revisions": _table("archived_revisions"),
    "raw_answers": _table("answers", "facts"),
    "raw_revisions": _table("answer_revisions"),
    "pictures": _table("pictures", "data segment start length"),
    "revision_pictures": _table("revision_pictures"),
    "failed_steps": _table("failed_steps", "data"),
    "value_points": _table("values"),
    "outbox": _table("changes"),
    "hidden_changes": _table("hidden_changes"),
    "rules": _table("rules", person="user_id"),
    "channels": _table("channels", "key_id secrets", person="user_id"),
    "alerts": _table("alerts"),
    "messages": _table("messages"),
    "tellings": _table("tellings"),
    "happenings": _table("happenings"),
    "saved_searches": _table("saved_searches"),
    "search_alerts": _table("search_alerts"),
    "search_log": _table("search_log"),
    "analyses": _table("analyses"),
    "document_labels": _table("document_labels"),
    "document_links": _table("document_links"),
    "stories": _table("stories"),
    "story_documents": _table("story_documents", "signature"),
    "quirks": _table("quirks"),
    "repairs": _table("repairs"),
    "runs": _table("runs"),
    "run_items": _table("run_items"),
    "run_tallies": _table("run_tallies"),
    "days": _table("days"),
    "source_days": _table("source_days"),
    "engines": _table("engines"),
    "secrets": _table("secrets", "key_id value"),
    "options": _table("options"),
    "shares": _table("shares", "hash", person="made_by"),
    "trashed_setups": _table("trashed_setups", "rows"),
    "crawl_configs": _table("crawl_configs", person="set_by"),
    "crawls": _table("crawls", person="launched_by"),
    "handovers": _table("deliveries"),
    "cursors": _table("delivery_cursors", "owner until"),
    "sink_finds": _table("sink_finds"),
    "model_answers": _table("model_answers"),
    "model_answer_documents": _table("model_answer_documents"),
    "model_days": _table("model_days"),
    "news_feeds": _table("news_feeds"),
    "news_rows": _table("news_rows"),
    "news_runs": _table("news_runs"),
    "reader_content": _table("reader_content"),
    "reader_pages": _table("reader_pages"),
    "embedders": _table("embedders"),
    "marks": _table("marks", person="user_id", is_personal=True),
    "visits": _table("visits", person="user_id", is_personal=True),
    "search_looks": _table("search_looks", person="user_id", is_personal=True),
    "imports": _table("imports", person="user_id", is_personal=True),
}
#: Tables of the catalog that are about a person, with the column that names them.
ACCOUNT: dict[str, LeavingTable] = {
    "users": _table("account", "password_hash", person="id"),
    "sessions": _table("sessions", "digest", person="user_id"),
    "tokens": _table("tokens", "digest", person="user_id"),
    "members": _table("roles", person="user_id"),
    "audit": _table("audit", person="user_id"),
    "schedules": _table("schedules", person="set_by"),
}
#: Tables that stay, and why.
STAYS: dict[str, str] = {
    "requests": _AT_WORK,
    "patterns": _AT_WORK,
    "notices": _AT_WORK,
    "first_pictures": _AT_WORK,
    "news_entries": _AT_WORK,
    "news_books": _AT_WORK,
    "news_written": _AT_WORK,
    "uncut": _AT_WORK,
    "to_embed": _AT_WORK,
    "bodies": _MADE_AGAIN,
    "pieces": _MADE_AGAIN,
    "vectors": _MADE_AGAIN,
    "vector_bits": _MADE_AGAIN,
    "former_pieces": _MADE_AGAIN,
    "former_vectors": _MADE_AGAIN,
    "story_marks": _MADE_AGAIN,
    "raw_bodies": "as files, in bodies/",
    "logins": "secrets",
    "app_passwords": "secrets",
    "links": "secrets",
    "login_tries": "hashes of what was typed, kept for a day",
    "dossiers": "in dossier.jsonl",
    "hosts": "shared by all dossiers",
    "duties": _AT_WORK,
    "alert_times": _AT_WORK,
    "last_sweep": _AT_WORK,
    "offers": "the operator's",
    "reader_names": "numbers for reader apps",
    "reader_ranges": "numbers for reader apps",
}
#: Columns that hold JSON.
JSON_COLUMNS = frozenset(
    "config rhythm meta facts told entries counts scope actions options record quirks notice detail scopes dossiers "
    "networks answer before after proof languages deliveries".split()
)
