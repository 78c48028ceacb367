"""Finds the route of a request at once: asking hundreds, one after the other, takes longer than many an answer."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from starlette.routing import BaseRoute, Match, Route

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import Receive, Scope, Send

    from veille.interfaces.web._routes import Routes

#: Which parts of a path are fixed: 0, 1 and 3 of `/d/{dossier_id}/sources`.
_Fixed = tuple[int, ...]


class Switchboard(BaseRoute):
    """One route that stands for many. They are filed by the number of parts of their paths, and by the fixed parts."""

    def __init__(self, topics: Iterable[Routes]) -> None:
        self.topics = list(topics)
        self.routes = [route for topic in self.topics for route in topic.router.routes if isinstance(route, Route)]
        self._shapes: dict[int, set[_Fixed]] = defaultdict(set)
        self._filed: dict[tuple[int, _Fixed, tuple[str, ...]], list[tuple[int, Route]]] = defaultdict(list)
        for number, route in enumerate(self.routes):
            if ":path}" in route.path:
                raise TypeError(f"{route.path}: its parts cannot be counted, so it needs a place of its own.")
            parts = route.path.split("/")
            fixed = tuple(at for at, part in enumerate(parts) if "{" not in part)
            self._shapes[len(parts)].add(fixed)
            self._filed[len(parts), fixed, tuple(parts[at] for at in fixed)].append((number, route))

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """The first route of the path and method, else the first of the path alone, which answers 405."""
        partly: tuple[Match, Scope] = (Match.NONE, {})
        for route in self._candidates(scope["path"]) if scope["type"] == "http" else ():
            match, found = route.matches(scope)
            if match is Match.FULL:
                return match, {**found, "route": route}
            if match is Match.PARTIAL and partly[0] is Match.NONE:
                partly = match, {**found, "route": route}
        return partly

    def _candidates(self, path: str) -> list[Route]:
        """The routes whose fixed parts the path has, in the order of their registration."""
        parts = path.split("/")
        found: list[tuple[int, Route]] = []
        for fixed in self._shapes.get(len(parts), ()):
            found += self._filed.get((len(parts), fixed, tuple(parts[at] for at in fixed)), ())
        return [route for _, route in sorted(found, key=lambda one: one[0])]

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await scope["route"].handle(scope, receive, send)
