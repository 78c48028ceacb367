"""Structured: the body that a page carries as data, for pages whose visible text is built by a script."""

from __future__ import annotations

from html import escape
from typing import Any, ClassVar, Final

from veille.core.extract import Candidate, Page, Strategy
from veille.core.extract.tree.page_data import loads
from veille.core.markup_bounds import SIMPLIFIED, is_too_deep

_BODIES: Final = ("articleBody", "text", "reviewBody", "description")


class Structured(Strategy):
    """Bodies in JSON-LD and microdata, and the posts a Discourse forum preloads. Visible text is preferred."""

    order: ClassVar[int] = 30

    def candidate(self, page: Page) -> Candidate | None:
        html, reason = _preloaded_posts(page), "preloaded posts"
        if not html:
            html, reason = _longest_body(page), "page data"
        reasons = (reason, SIMPLIFIED) if is_too_deep(html) else (reason,)
        return Candidate.of_html(html, page, 0.5, *reasons)


def _longest_body(page: Page) -> str:
    best = ""
    for item in page.items:
        # In microdata any piece of the page may be a `text` or `description`.
        for key in _BODIES if "@origin" not in item else _BODIES[:1]:
            value = item.get(key)
            if isinstance(value, str) and len(value) > len(best):
                best = value
    if "<" in best and ">" in best:
        return best
    return "".join(f"<p>{escape(part)}</p>" for part in best.split("\n") if part.strip())


def _preloaded_posts(page: Page) -> str:
    node = page.tree.css_first("#data-preloaded[data-preloaded]")
    outer = loads(node.attributes.get("data-preloaded") or "") if node is not None else None
    if not isinstance(outer, dict):
        return ""
    out = []
    for key, value in outer.items():
        topic = loads(value) if key.startswith("topic_") and isinstance(value, str) else None
        for post in _posts(topic):
            name = escape(str(post.get("username") or ""))
            out.append(f"<section><p>{name}</p>{post.get('cooked') or ''}</section>")
    return "".join(out)


def _posts(topic: Any) -> list[dict[str, Any]]:
    stream = topic.get("post_stream") if isinstance(topic, dict) else None
    posts = stream.get("posts") if isinstance(stream, dict) else None
    return [post for post in posts if isinstance(post, dict)] if isinstance(posts, list) else []
