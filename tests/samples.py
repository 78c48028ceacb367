"""Small values that many tests need, each with the one thing the test is about filled in."""

from __future__ import annotations

from typing import Any

from veille.core.fingerprint import content_hash, url_identity
from veille.core.kinds import Kind
from veille.core.models import Document, Lease, Request, Source
from veille.core.traffic import Failure, Payload

NOW = 1_700_000_000_000

#: Long enough to be compared with other texts.
STORY = "The council voted on Tuesday to rebuild the old harbour bridge, which had been closed since the flood. " * 3

#: What people paste, mistype or try into a search box.
AWKWARD = (
    *("", " ", "\t\n", '"', '""', '"""', "'", "''", "`", "\\", "/", "%", "_", "*", "**", "-", "--", "+", "=", "^", "~"),
    *("(", ")", "()", "((", "[]", "{}", "<>", ":", ";", ",", ".", "…", "&", "|", "||", "!", "?", "#", "@", "$", "\x00"),
    *("OR", "AND", "NOT", "NEAR", "OR OR", "a OR", "OR a", "-OR", "- a", "-a", "--a", "NEAR(a b, 2)", "a AND NOT b"),
    *("C++", "C#", "node.js", ".net", "o'brien", "rock'n'roll", "R&D", "AT&T", "100%", "1,000", "3.14", "a-b", "x_y"),
    *('"open', 'close"', '"a" "b', "pre*", "*fix", "a*b", '"a b"*', "title:a", "text:a", "rowid:1", "search:*", "a:b"),
    *("source:", "source:x", 'source:"', 'source:"a b"', "lang:", "kind:page", "after:", "after:x", "-source:x"),
    *("before:2026-99-99", "after:0000", "after:9999y", "before:9999-12-31", "SOURCE:X", "after:2026-02-30"),
    *("'; DROP TABLE documents; --", "SELECT * FROM search", "<script>alert(1)</script>", "${jndi:x}", "../../etc"),
    *("日本語", "中文搜索", "한국어", "Ελληνικά", "русский", "العربية", "עברית", "हिन्दी", "ไทย", "Straße", "ﬁ"),
    *("İ", "ß", "²", "Ⅷ", "🦊", "👨‍👩‍👧‍👦 family", "e\u0301", "\u200b", "a\u200bb", "\ufeff", "\uffff"),
    *("\ue000x\ue001", "a\ud800b", "caf\udce9", "x" * 10_000, "word " * 2_000, '"' * 10_000, "-" * 10_000),
    *("(" * 5_000, '"' + "many words " * 900 + '"', "a OR " * 2_000, "-word " * 2_000, "pre* " * 2_000),
)  # fmt: skip


def source(url: str = "https://example.org/a", **given: Any) -> Source:
    defaults: dict[str, Any] = {"id": f"source of {url}", "name": url, "kind": "page", "created_at": NOW}
    return Source(url=url, **(defaults | given))


def request(of: Source, url: str = "", purpose: str = "root", **given: Any) -> Request:
    return Kind.request(of, url or of.url, purpose, **given)


def lease(of: Source | None = None, wanted: Request | None = None, **given: Any) -> Lease:
    of = of or source()
    defaults: dict[str, Any] = {"dossier_id": "dossier", "worker": "worker", "epoch": 1}
    defaults |= {"wakes": 0, "until": NOW + 60_000}
    return Lease(source=of, request=wanted or request(of), **(defaults | given))


def document(url: str = "https://example.org/a", text: str = STORY, **given: Any) -> Document:
    defaults: dict[str, Any] = {"title": "A title", "keys": (url_identity(url),), "content_hash": content_hash(text)}
    return Document(url=url, text=text, **(defaults | given))


def payload(body: bytes | str = b"", url: str = "https://example.org/a", **given: Any) -> Payload:
    data = body.encode() if isinstance(body, str) else body
    defaults: dict[str, Any] = {"status": 200, "fetched_at": NOW, "final_url": url, "raw_hash": "raw", "etag": '"1"'}
    return Payload(url=url, body=data, **(defaults | given))


def failure(status: int = 0, code: str = "", **given: Any) -> Failure:
    retryable = status in {0, 429} or status >= 500
    defaults: dict[str, Any] = {"message": "It failed.", "retryable": retryable, "status": status}
    return Failure(code=code or (f"http.{status}" if status else "network"), **(defaults | given))
