"""What of a watch of changedetection.io a source does not take over, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from veille.core.models import Json

#: The fields of a watch that have no place in a source of one page, and what to do instead.
_FIELDS: Final = {
    "subtractive_selectors": "What it ignores on the page was left out: point at it as what is to be ignored.",
    "ignore_text": "The text that it ignores was left out: the option `ignore` takes it.",
    "trigger_text": "Its trigger text was left out: make a rule of it.",
    "text_should_not_be_present": "The text that must not be there was left out: make a rule of it.",
    "conditions": "Its conditions were left out: make a rule of them.",
    "extract_text": "The text to extract was left out: follow it as a value.",
    "notification_urls": "Whom it notifies was left out: make a channel.",
    "body": "The body of its request was left out: watch it as an API.",
    "webdriver_js_execute_code": "Its script was left out: steps can click and type.",
    "proxy": "Its proxy was left out.",
}
#: The steps that a watch has without anybody having set them.
_NO_STEPS: Final = frozenset({"", "Choose one", "Goto site"})
_RESTOCK: Final = "restock_diff"
_BROWSERS: Final = ("html_webdriver", "extra_browser_")


def left_out(watch: Json) -> Iterator[str]:
    """A sentence for each setting that is not taken over."""
    yield from (said for name, said in _FIELDS.items() if watch.get(name))
    if str(watch.get("method") or "GET").upper() != "GET":
        yield "Its method was left out, it is asked for with GET: watch it as an API."
    if any(step not in _NO_STEPS for step in _steps(watch.get("browser_steps"))):
        yield "Its browser steps were left out: make them with `steps`."
    if watch.get("processor") == _RESTOCK:
        yield "What it tells of price and stock was left out: a price on the page is followed, rules tell of it."
    if str(watch.get("fetch_backend") or "").startswith(_BROWSERS):
        yield "That a browser fetches it was left out: set `render=true` if scripts fill the page."


def _steps(value: object) -> Iterator[str]:
    listed = value if isinstance(value, list) else []
    return (str(one.get("operation") or "") for one in listed if isinstance(one, dict))
