"""Takes the steps of a visit on a page, one after the other; the first that fails ends the visit with a picture."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from veille.adapters.fetch._shots import window_png
from veille.core.browsing.consent import BUTTONS, LABELS
from veille.core.outcomes import failure
from veille.errors import VeilleError

if TYPE_CHECKING:
    from veille.core.browsing.steps import BrowserStep
    from veille.core.browsing.visit import PageVisit
    from veille.core.traffic import Failure

#: The longest time for one step, also as a share of the visit's time; and what is left of it for the picture of a
#: failure; in seconds.
_STEP_S = 10.0
_STEP_SHARE = 1 / 3
_PICTURE_S = 3.0
#: How long after a click a page may begin to load another one, and how long that may take before the next step.
_BEGIN_S = 0.15
_LOAD_S = 5.0
#: How long to look for a consent banner, and how often.
_BANNER_S = 3.0
_LOOK_S = 0.3
_SCROLLS = {
    "down": "window.scrollBy(0, window.innerHeight)",
    "up": "window.scrollBy(0, -window.innerHeight)",
    "bottom": "window.scrollTo(0, document.documentElement.scrollHeight)",
    "top": "window.scrollTo(0, 0)",
}
_LABELS = re.compile(r"^\s*(?:" + "|".join(map(re.escape, LABELS)) + r")\s*[.!»→]?\s*$", re.IGNORECASE)


class _StepError(Exception):
    """Why a step failed, in words of ours: those of the browser's driver may have what was typed in them."""

    def __init__(self, detail: str, code: str = "step_failed") -> None:
        super().__init__(detail)
        self.code = code


class Walk:
    """The steps of one visit. `page` is where they end: a click may have opened another window."""

    def __init__(self, page: Any, visit: PageVisit, seconds: float) -> None:
        self.page = page
        self._visit = visit
        self._loop = asyncio.get_running_loop()
        self._most = min(_STEP_S, seconds * _STEP_SHARE)
        self._end = self._loop.time() + seconds - _PICTURE_S

    async def take(self) -> Failure | None:
        """Take all steps; returns why one failed."""
        steps = self._visit.steps
        for number, step in enumerate(steps, 1):
            try:
                await self._one(step)
            except _StepError as error:
                what = f"step {number} of {len(steps)} ({step.line}): {error}"
                found = failure(error.code, what)
                object.__setattr__(found, "picture", await window_png(self.page, self._visit))
                return found
        return None

    async def _one(self, step: BrowserStep) -> None:
        from playwright.async_api import Error  # noqa: PLC0415 - an extra
        from playwright.async_api import TimeoutError as Late  # noqa: PLC0415 - an extra

        seconds = min(self._most, self._end - self._loop.time())
        if seconds <= 0:
            raise _StepError("the visit took too long; fetch.timeout_s sets the limit")
        try:
            async with asyncio.timeout(max(seconds, step.seconds) + 1):
                await getattr(self, f"_{step.do}")(step, seconds * 1000)
        except (Late, TimeoutError):
            raise _StepError(await self._why(step, seconds)) from None
        except VeilleError as error:
            raise _StepError(str(error).rstrip("."), error.code) from None
        except Error as error:
            raise _StepError(_in_short(error)) from None
        self.page = self.page.context.pages[-1]

    async def _why(self, step: BrowserStep, seconds: float) -> str:
        """Why nothing came of a step in its time."""
        if not step.target or step.do == "open":
            return f"nothing came of it in {seconds:.0f} s"
        count = await self._all(step.target).count()
        if not count:
            return f"there was no such element in {seconds:.0f} s"
        return f"the element is there, but could not be used in {seconds:.0f} s: it is hidden, covered or disabled"

    def _all(self, target: str) -> Any:
        if target.startswith("text="):
            words = target.removeprefix("text=").strip()
            # What can be pressed comes before text that says the same.
            buttons = self.page.get_by_role("button", name=words).or_(self.page.get_by_role("link", name=words))
            return buttons.or_(self.page.get_by_text(words)).filter(visible=True)
        if target.startswith("label="):
            return self.page.get_by_label(target.removeprefix("label=").strip())
        return self.page.locator(f"css={target}")

    def _element(self, target: str) -> Any:
        return self._all(target).first

    async def _open(self, step: BrowserStep, most: float) -> None:
        answer = await self.page.goto(urljoin(self.page.url, step.target), wait_until="domcontentloaded", timeout=most)
        if answer is not None and not answer.ok:
            raise _StepError(f"the page answers with status {answer.status}")

    async def _click(self, step: BrowserStep, most: float) -> None:
        found = self._element(step.target)
        if step.target.startswith("text="):
            words = step.target.removeprefix("text=").strip()
            await found.wait_for(timeout=most)
            for role in ("button", "link"):
                pressed = self.page.get_by_role(role, name=words).filter(visible=True)
                if await pressed.count():
                    found = pressed.first
                    break
        await found.click(timeout=most)
        await self._loaded()

    async def _type(self, step: BrowserStep, most: float) -> None:
        element = self._element(step.target)
        await element.wait_for(timeout=most)
        # Looked up for the address that the page has now: a secret goes to the hosts it is bound to and to no others.
        await element.fill(self._visit.typed(step.text, self.page.url), timeout=most)

    async def _choose(self, step: BrowserStep, most: float) -> None:
        element = self._element(step.target)
        await element.wait_for(timeout=most)
        if await element.evaluate("one => one.tagName") == "SELECT":
            labels = await element.evaluate("one => [...one.options].map(one => one.label.trim())")
            chosen = {"label": step.text} if step.text in labels else {"value": step.text}
            await element.select_option(**chosen, timeout=most)
        else:
            is_on = step.text.lower() not in {"no", "off", "false"}
            await element.set_checked(is_on, timeout=most)
        await self._loaded()

    async def _wait(self, step: BrowserStep, most: float) -> None:
        if not step.target:
            if step.seconds > self._end - self._loop.time():
                raise _StepError("the visit took too long; fetch.timeout_s sets the limit")
            await asyncio.sleep(step.seconds)
            return
        await self._element(step.target).wait_for(timeout=most)

    async def _scroll(self, step: BrowserStep, most: float) -> None:
        if step.target in _SCROLLS:
            await self.page.evaluate(_SCROLLS[step.target])
        else:
            await self._element(step.target).scroll_into_view_if_needed(timeout=most)
        await asyncio.sleep(_LOOK_S)

    async def _press(self, step: BrowserStep, most: float) -> None:
        if step.target:
            await self._element(step.target).press(step.text, timeout=most)
        else:
            await self.page.keyboard.press(step.text)
        await self._loaded()

    async def _accept(self, step: BrowserStep, most: float) -> None:
        """Press the button of the consent banner, if there is one: it may not come at every visit."""
        del step
        end = self._loop.time() + min(_BANNER_S, most / 1000)
        while self._loop.time() < end:
            for frame in self.page.frames:
                button = await _banner_button(frame)
                if button is not None:
                    await button.click(timeout=2000)
                    await self._loaded()
                    return
            await asyncio.sleep(_LOOK_S)

    async def _loaded(self) -> None:
        """Wait for the page that a click may have opened."""
        from playwright.async_api import Error  # noqa: PLC0415 - an extra

        await asyncio.sleep(_BEGIN_S)
        page = self.page.context.pages[-1]
        try:
            await page.wait_for_load_state("load", timeout=_LOAD_S * 1000)
        except Error:
            return


async def _banner_button(frame: Any) -> Any:
    """The visible button of a consent banner in a frame; None if there is none."""
    from playwright.async_api import Error  # noqa: PLC0415 - an extra

    try:
        known = frame.locator(", ".join(BUTTONS)).filter(visible=True)
        if await known.count():
            return known.first
        named = frame.get_by_role("button", name=_LABELS).or_(frame.get_by_role("link", name=_LABELS))
        named = named.filter(visible=True)
        return named.first if await named.count() else None
    except Error:  # the frame is gone, or was never allowed to load
        return None


def _in_short(error: Any) -> str:
    """The reason of the browser in words of ours, without what it was about to do."""
    code = re.search(r"net::ERR_([A-Z_]+)", str(error))
    if code:
        return f"the page could not be opened ({code[1].replace('_', ' ').lower()})"
    if "did not find some options" in str(error) or "Not a checkbox" in str(error):
        return "there is no such choice"
    if "not an <input>" in str(error):
        return "nothing can be typed there"
    return "the browser could not do it"
