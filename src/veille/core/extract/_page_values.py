"""The values of a page: what its owner's selectors find, and what it says of its own offer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from veille.core.extract._page import Page
from veille.core.extract._types import Metadata, Options
from veille.core.extract.rules.css import matches, refuse_unreadable_css
from veille.core.pick.shapes import shape_of
from veille.core.values.offers import offered
from veille.core.values.reading import value_of
from veille.core.values.value import Value, ValueType
from veille.core.values.wishes import ValueWish
from veille.errors import ConfigError, ReadError

#: Attributes that hold the value of an element without text.
_STATED = ("content", "value", "datetime", "title", "aria-label", "alt")
#: The metas that name a price.
_METAS = ("product:price:", "og:price:", "product:availability", "og:availability")
#: What a part is called that was pointed at, by what it looks like; both are types of values.
_POINTED: Final = {"price": "price", "number": "number"}
_FEW_WORDS: Final = 4


def page_values(page: Page, metadata: Metadata, text: str) -> tuple[Value, ...]:
    """Each value once: what is watched and what the source defines take the place of what the page offers."""
    options = page.options
    offered_ones = (*_offered(page, metadata), *_pointed(options, metadata.lang, text)) if options.offers else ()
    found = {one.name: one for one in offered_ones}
    for name, wish in options.values.items():
        if wish.selector or wish.xpath:
            # If it is not found, the page's own offer is not what was meant.
            found.pop(name, None)
            value = _first_value(name, wish, page, metadata.lang)
            if value is not None:
                found[name] = value
    return tuple(found.values())


def refuse_unreadable_values(wishes: Mapping[str, ValueWish]) -> None:
    """Raise ConfigError if a selector cannot be read. XPath is only compiled: some would not terminate."""
    for name, wish in wishes.items():
        try:
            if wish.selector:
                refuse_unreadable_css(wish.selector)
            elif wish.xpath:
                _xpath(wish.xpath)
        except ReadError as error:
            raise ConfigError(f"The value {name!r}: {error}", code=error.code) from error


def _offered(page: Page, metadata: Metadata) -> tuple[Value, ...]:
    metas: dict[str, list[str]] = {}
    for attributes, _ in page.marked["meta"]:
        name = attributes.get("property") or ""
        if name.startswith(_METAS):
            metas.setdefault(name, []).append(attributes.get("content") or "")
    if not metas and not any("offers" in item for item in page.items):
        return ()
    return offered(page.items, metadata.canonical_url or page.url, metadata.title, metas)


def _pointed(options: Options, lang: str, text: str) -> Iterator[Value]:
    """The price or the number that the one part is which is watched."""
    named = _POINTED.get(options.parts[0].shape) if len(options.parts) == 1 else None
    # A sentence with a number in it is watched as the sentence that it is.
    if named is not None and shape_of(text) == options.parts[0].shape and len(text.split()) <= _FEW_WORDS:
        value = value_of(named, text, ValueType(named), lang=lang)
        if value is not None:
            yield value


def _first_value(name: str, wish: ValueWish, page: Page, lang: str) -> Value | None:
    """The value of the first match that has one."""
    texts = _by_css(wish, page) if wish.selector else _by_xpath(wish.xpath, page)
    return next((value for text in texts if (value := value_of(name, text, wish.type, lang=lang))), None)


def _by_css(wish: ValueWish, page: Page) -> Iterator[str]:
    for node in matches(page.tree, wish.selector):
        attributes = node.attributes
        if wish.attribute:
            yield attributes.get(wish.attribute) or ""
            continue
        yield node.text(separator=" ") or next((said for key in _STATED if (said := attributes.get(key))), "")


def _xpath(expression: str) -> Any:
    from veille.core.extract.selectors import compiled_xpath  # noqa: PLC0415 - lxml is slow to import

    return compiled_xpath(expression)


def _by_xpath(expression: str, page: Page) -> Iterator[str]:
    from veille.core.extract.selectors import xpath_texts  # noqa: PLC0415 - lxml is slow to import

    yield from xpath_texts(expression, page)
