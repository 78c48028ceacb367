"""Pictures of pages, and what of a page must not be kept: fields and words that have secrets in them."""

from __future__ import annotations

import asyncio
import html
import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

from pydantic import TypeAdapter, ValidationError

from veille.core.browsing.steps import BrowserStep
from veille.core.browsing.visit import MOST_BOXES, MOST_HEIGHT, WINDOW, Box, PageVisit, PictureWish, Shot

#: Where a secret stood.
_REDACTED = "***"
#: Shorter values are not looked for: they would be found everywhere.
_LEAST_SECRET = 4
_SHOT_MS = 10_000
#: How long a page may take to be scrolled through, or to name its elements; in seconds.
_PREPARE_S = 6.0
_PASSWORDS = "input[type=password]"
_FIELDS = "input:not([type=submit]):not([type=button]):not([type=checkbox]):not([type=radio]), textarea"
#: The steps that an element may stand for; what is typed or chosen is written by the person.
_OFFERED = re.compile(r"click: .+|type: .+ = |choose: .+ = (?:yes)?")
_BOXES = TypeAdapter(list[Box])
#: Load what is loaded when it comes into view, and go back to the top.
_SCROLL_THROUGH = """async most => {
    const step = window.innerHeight;
    const end = Math.min(document.documentElement.scrollHeight, most);
    for (let y = 0; y < end; y += step) {
        window.scrollTo(0, y);
        await new Promise(done => setTimeout(done, 60));
    }
    window.scrollTo(0, 0);
    await Promise.race([document.fonts.ready, new Promise(done => setTimeout(done, 1500))]);
    const images = [...document.images].filter(one => !one.complete);
    const loaded = images.map(one => new Promise(done => { one.onload = one.onerror = done; }));
    await Promise.race([Promise.all(loaded), new Promise(done => setTimeout(done, 2000))]);
}"""
_SIZE = """() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"""
#: The links, buttons and fields in the window, with a step for each.
_ELEMENTS = (Path(__file__).parent / "_elements.js").read_text(encoding="utf-8")


def redacted(text: str, visit: PageVisit | None) -> str:
    """A text without the secrets of the visit, however they are escaped in it."""
    for value in visit.secrets if visit is not None else ():
        if len(value) >= _LEAST_SECRET:
            forms = {value, html.escape(value), html.escape(value, quote=False), quote(value, safe=""), quote(value)}
            forms |= {quote_plus(value), json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
            for form in sorted(forms, key=len, reverse=True):
                text = text.replace(form, _REDACTED)
    return text


async def window_png(page: Any, visit: PageVisit) -> bytes:
    """The window as it is now, with secrets covered; empty if even that does not work."""
    from playwright.async_api import Error  # noqa: PLC0415 - an extra

    with suppress(Error, TimeoutError):
        async with asyncio.timeout(3):
            return await _taken(page, visit, ())
    return b""


async def shot_of(page: Any, visit: PageVisit) -> Shot | None:
    """What the visit wants to see of the page: the window with its elements, or a picture to be kept."""
    from playwright.async_api import Error  # noqa: PLC0415 - an extra

    if visit.records:
        return Shot(png=await _taken(page, visit, ()), boxes=await _boxes(page))
    if visit.picture is None:
        return None
    with suppress(Error, TimeoutError):
        async with asyncio.timeout(_PREPARE_S):
            await page.evaluate(_SCROLL_THROUGH, MOST_HEIGHT)
    wish = visit.picture
    covered = tuple(page.locator(f"css={one}") for one in wish.covered)
    if wish.selector:
        return Shot(png=await _part(page, visit, wish, covered))
    size = await page.evaluate(_SIZE)
    clip = {"x": 0, "y": 0, "width": WINDOW[0], "height": max(1, min(int(size[1]), MOST_HEIGHT))}
    return Shot(png=await _taken(page, visit, covered, full_page=True, clip=clip))


async def _part(page: Any, visit: PageVisit, wish: PictureWish, covered: tuple[Any, ...]) -> bytes:
    element = page.locator(f"css={wish.selector}").first
    box = await element.bounding_box(timeout=2000)
    if box is None:
        return b""
    scrolled = await page.evaluate("() => [window.scrollX, window.scrollY]")
    x, y = max(0, box["x"] + scrolled[0]), max(0, box["y"] + scrolled[1])
    clip = {"x": x, "y": y, "width": min(box["width"], WINDOW[0]), "height": min(box["height"], MOST_HEIGHT)}
    if clip["width"] < 1 or clip["height"] < 1:
        return b""
    return await _taken(page, visit, covered, full_page=True, clip=clip)


async def _taken(page: Any, visit: PageVisit, covered: tuple[Any, ...], **more: Any) -> bytes:
    masks = [page.locator(_PASSWORDS), *covered]
    if visit.secrets:
        masks += [page.locator(_FIELDS)]
        masks += [page.get_by_text(value) for value in visit.secrets if len(value) >= _LEAST_SECRET]
    taken: bytes = await page.screenshot(
        type="png",
        animations="disabled",
        caret="hide",
        scale="css",
        mask=masks,
        mask_color="#9aa0a6",
        timeout=_SHOT_MS,
        **more,
    )
    return taken


async def _boxes(page: Any) -> tuple[Box, ...]:
    """The elements in the window; whatever the page made of the answer, only valid ones are left."""
    from playwright.async_api import Error  # noqa: PLC0415 - an extra

    try:
        async with asyncio.timeout(_PREPARE_S):
            found = _BOXES.validate_python(await page.evaluate(_ELEMENTS, [MOST_BOXES, *WINDOW]))
    except (Error, TimeoutError, ValidationError):
        return ()
    return tuple(one for one in found[:MOST_BOXES] if _is_usable(one))


def _is_usable(box: Box) -> bool:
    inside = 0 <= box.x < WINDOW[0] and 0 <= box.y < WINDOW[1] and 0 < box.width <= WINDOW[0] and box.height > 0
    if not inside or not box.name.isprintable() or not _OFFERED.fullmatch(box.line):
        return False
    try:
        BrowserStep.model_validate(f"{box.line}${{secret:NAME}}" if box.line.endswith(" = ") else box.line)
    except ValidationError:
        return False
    return True
