"""The JSON services of the small web: a paged list of ships, a search engine, and two bridge services."""

from __future__ import annotations

import json
from base64 import b64encode
from importlib.resources import files
from urllib.parse import parse_qs

PAGE_SIZE = 2

SHIPS = (
    ("Aurora", "Timber from the north, two days in port."),
    ("Petrel", "Mail and eleven passengers, on to the islands tonight."),
    ("Selkie", "Empty, here for repairs to her rudder."),
)
LATE_SHIP = ("Tern", "Lemons, late by a week because of the fog.")

ARCHIVE: dict[str, tuple[str, ...]] = {
    "/archive/1893": (
        "The winter of the whales, 1893",
        "Seven whales were driven in by the ice and stayed until the thaw; they ate, it was said, all the fish.",
        "The parish fed its poor on what the whales left, and painted one of them above the church door in thanks.",
    ),
}
LATE_ARCHIVE: dict[str, tuple[str, ...]] = {
    "/archive/1911": (
        "A whale at the tramway's opening, 1911",
        "The first tram was held up for an hour by a crowd that came to see a young whale under the harbour bridge.",
        "It left with the tide; the crowd stayed for the brass band, and the tram went home empty.",
    ),
}


#: What the camera on the lighthouse shows, one after the other: a file in `pictures/` (drawn by
#: `docs/demo_pictures.py`), and what is to be seen on it.
VIEWS = (
    ("harbour-1", "Two ships lie in the harbour, the tide is going out, and the lamp is dark."),
    ("harbour-2", "Three ships lie in the harbour, the tide is in, and the lamp is lit."),
    ("harbour-3", "One ship lies in the harbour, the tide is going out, and the lamp is dark."),
    ("harbour-4", "No ship lies in the harbour, the tide is out, and the lamp is lit."),
)


def service_answer(url: str, path: str, *, is_later: bool, level: str, view: int) -> bytes | None:
    """The current JSON answer of a service for a path; None if the path belongs to no service."""
    path, _, query = path.partition("?")
    asked = {name: values[0] for name, values in parse_qs(query).items()}
    value: object
    if path == "/api/ships":
        value = {"ships": _ships(int(asked.get("page", 1)), is_later=is_later)}
    elif path == "/find":
        pages = archive(is_later=is_later).items()
        value = {"hits": [{"title": title, "url": url + at, "text": first} for at, (title, first, *_) in pages]}
    elif path == "/gauge_fetch":
        content = f"The gauge at the old weir shows {level}."
        value = {"extractions": [{"id": "weir", "title": "Water level", "content": content, "url": "gauge://weir"}]}
    elif path == "/camera_fetch":
        value = {"extractions": [_seen(*VIEWS[view % len(VIEWS)])]}
    else:
        return None
    return json.dumps(value).encode()


GUIDE: dict[str, tuple[str, ...]] = {
    "/guide/": ("A guide to the estuary", "Begin at the lighthouse, and take the ferry back before dark."),
    "/guide/walks": ("Walks", "The path along the old weir takes two hours at low tide; at high tide, do not take it."),
    "/guide/birds": ("Birds", "Terns nest on the sand bank from May to July, and the bank is closed to walkers then."),
}
MINUTES = {
    "january.md": "# Minutes of January\n\nThe harbour board chose grey paint for the bridge after long talks.\n",
    "february.md": "# Minutes of February\n\nThe grey paint is sold out. The harbour board will meet again in March.\n",
}


def _seen(name: str, content: str) -> dict[str, str]:
    picture = files(__package__ or "").joinpath("pictures", f"{name}.webp").read_bytes()
    return {"id": "harbour", "title": "Harbour camera", "content": content, "picture": b64encode(picture).decode()}


def archive(*, is_later: bool) -> dict[str, tuple[str, ...]]:
    """The pages that the search engine knows, by path."""
    return ARCHIVE | (LATE_ARCHIVE if is_later else {})


def _ships(page: int, *, is_later: bool) -> list[dict[str, str]]:
    ships = (*SHIPS, LATE_SHIP) if is_later else SHIPS
    return [{"name": name, "cargo": cargo} for name, cargo in ships[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]]
