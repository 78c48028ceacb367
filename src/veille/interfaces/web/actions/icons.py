"""Icons of sites on pages: what is there is shown, what is missing is fetched after the page."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from veille.errors import ThrottledError
from veille.interfaces.web.views.pieces import with_icons

if TYPE_CHECKING:
    from veille.interfaces.web.requests.calls import Call
    from veille.services.reading.favicons import FaviconService

#: Icons that one page may have fetched.
_OF_ONE_PAGE = 10
#: The same icon is not asked for again before so long, whatever came of it; and so many are remembered.
_AGAIN_S, _MOST = 3600.0, 5000
#: For so long an icon that was missing is believed to be missing.
_LOOK_S = 30.0


class SiteIcons:
    """Which icons were asked for lately, of all pages."""

    def __init__(self) -> None:
        self._asked: dict[str, float] = {}
        #: Names of icons that are there, and when others were last looked for: pages need not look again at once.
        self._there: set[str] = set()
        self._missed: dict[str, float] = {}

    @contextmanager
    def shown(self, favicons: FaviconService, send: Callable[[Callable[[Call], None]], None]) -> Iterator[None]:
        """Pages that are rendered meanwhile show icons; afterwards `send` runs what fetches the missing ones."""
        wanted: dict[str, tuple[str, str]] = {}
        known: dict[str, str] = {}
        now = time.monotonic()

        def icon(dossier_id: str, url: str) -> str:
            name = favicons.name(dossier_id, url)
            if name and name not in known:
                if name not in self._there and now - self._missed.get(name, -_LOOK_S) >= _LOOK_S:
                    self._look(favicons, name, now)
                    if name in self._missed and favicons.is_due(name):
                        wanted[name] = (dossier_id, url)
                known[name] = f"/d/{dossier_id}/icons/{name}" if name in self._there else ""
            return known.get(name, "")

        with with_icons(icon):
            yield
        self._fetch(wanted, send)

    def _look(self, favicons: FaviconService, name: str, now: float) -> None:
        if favicons.read(name):
            self._there.add(name)
            self._missed.pop(name, None)
        else:
            self._missed[name] = now

    def _fetch(self, wanted: dict[str, tuple[str, str]], send: Callable[[Callable[[Call], None]], None]) -> None:
        now = time.monotonic()
        if len(self._missed) + len(self._there) > _MOST:
            self._asked, self._there, self._missed = {}, set(), {}
        names = [name for name in wanted if now - self._asked.get(name, -_AGAIN_S) >= _AGAIN_S][:_OF_ONE_PAGE]
        if not names:
            return
        self._asked |= dict.fromkeys(names, now)

        def fetch(later: Call) -> None:
            for name in names:
                later.app.favicons.fetch(*wanted[name])
                self._look(later.app.favicons, name, time.monotonic())

        try:
            send(fetch)
        except ThrottledError:
            # They are asked for again by a later page.
            for name in names:
                self._asked.pop(name, None)
