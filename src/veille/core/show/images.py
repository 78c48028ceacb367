"""Images of a page through our own proxy: rewritten in the tree, so that no attribute is mistaken for another."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from urllib.parse import quote, unquote

from selectolax.lexbor import LexborNode

from veille.core.markup_bounds import parsed
from veille.core.urls import join

PROXY_PATH = "/api/proxy-image"

#: Attributes in which pages with lazy loading keep the real address, most common first.
_LAZY_SOURCES = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-hi-res-src")
_LAZY_SETS = ("data-srcset", "data-lazy-srcset")
#: A candidate of a srcset: an address (which may contain commas) and its width or density.
_CANDIDATE = re.compile(r"\s*([^\s,](?:\S*[^\s,])?)(\s+[^,]+)?\s*(?:,|$)")

_MAGIC = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"\x00\x00\x01\x00": "image/x-icon",
}
_PROXIED = re.compile(re.escape(PROXY_PATH) + r"\?url=([^&\"\s]+)(?:&amp;[^\"\s,]*)?")

#: The suffix of a proxied address that proves that we made it, such as `&sig=…`.
Signer = Callable[[str], str]


def image_type(body: bytes) -> str | None:
    """The media type by the bytes themselves, of those that browsers display without running anything."""
    if body[4:12] in {b"ftypavif", b"ftypavis"}:
        return "image/avif"
    if body.startswith(b"RIFF") and body[8:12] == b"WEBP":
        return "image/webp"
    return next((media_type for start, media_type in _MAGIC.items() if body.startswith(start)), None)


def proxied(url: str, sign: Signer) -> str:
    """The address of an image as our proxy serves it."""
    return f"{PROXY_PATH}?url={quote(url, safe='')}{sign(url)}"


def rewrite_images(html: str, base_url: str, sign: Signer) -> str:
    """The HTML with every image (src, srcset, picture, lazy attributes) sent through the proxy; `data:` images stay."""
    tree = parsed(html)
    for node in tree.css("img, picture > source"):
        _rewrite(node, base_url, sign)
    body = tree.body
    return "".join(child.html or "" for child in body.iter(include_text=True)) if body is not None else ""


def signed(html: str, mark: str, sign: Signer) -> str:
    """The HTML with a signature in place of the mark in every image address."""
    marked = re.compile(rf"{re.escape(PROXY_PATH)}\?url=([^&\"\s]+){re.escape(escape(mark))}")
    return marked.sub(lambda found: escape(proxied(unquote(found[1]), sign)), html)


def original_images(html: str) -> str:
    """The HTML with images at their own addresses again, for readers without a proxy."""
    return _PROXIED.sub(lambda match: escape(unquote(match[1])), html)


def _rewrite(node: LexborNode, base_url: str, sign: Signer) -> None:
    attributes = dict(node.attributes)
    source = _first(attributes, _LAZY_SOURCES) or attributes.get("src") or ""
    candidates = _first(attributes, _LAZY_SETS) or attributes.get("srcset") or ""
    for name in (*_LAZY_SOURCES, *_LAZY_SETS):
        if name in attributes:
            del node.attrs[name]
    _set(node, "src", _through(source, base_url, sign))
    _set(node, "srcset", _rewritten_set(candidates, base_url, sign))


def _set(node: LexborNode, name: str, value: str) -> None:
    if value:
        node.attrs[name] = value
    elif name in node.attributes:
        del node.attrs[name]


def _rewritten_set(candidates: str, base_url: str, sign: Signer) -> str:
    found = ((_through(url, base_url, sign), size.rstrip()) for url, size in _CANDIDATE.findall(candidates))
    return ", ".join(url + size for url, size in found if url)


def _through(url: str, base_url: str, sign: Signer) -> str:
    """The proxied address; `data:` images stay, and an invalid address results in an empty string."""
    url = url.strip()
    if url.startswith("data:image/"):
        return url
    target = join(base_url, url) if url else None
    return proxied(target, sign) if target else ""


def _first(attributes: dict[str, str | None], names: tuple[str, ...]) -> str:
    return next((value for name in names if (value := attributes.get(name))), "")
