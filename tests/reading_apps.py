"""Reader apps of people, and what they read: the same two dossiers, each as another person (marks are a person's)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from service import Answer, Client, Here
from veille.core.access.access import Role
from world import Site

READ, STARRED, ALL, UNREAD = (
    f"user/-/state/com.google/{name}" for name in ("read", "starred", "reading-list", "kept-unread")
)
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
FEED = [
    (f"/{name}", f"On {name}", f"<p>All about {name}.</p><script>alert(1)</script>") for name in ("tea", "rain", "bees")
]


@dataclass
class App:
    """An app of a person, who has a browser as well."""

    url: str
    login: str
    password: str
    browser: Client
    dossiers: tuple[str, ...]
    client: Client = field(init=False)

    def __post_init__(self) -> None:
        self.client = Client(self.url, {"Authorization": f"GoogleLogin auth={self.password}"})

    def get(self, path: str, **query: Any) -> Any:
        answer = self.client.ask("GET", f"/reader/api/0/{path}?{urlencode(query | {'output': 'json'}, doseq=True)}")
        assert answer.status == 200, answer.body
        return answer.json

    def post(self, path: str, **form: Any) -> Answer:
        return self.client.ask("POST", f"/reader/api/0/{path}", urlencode(form, doseq=True).encode(), FORM)

    def edit(self, **form: Any) -> None:
        answer = self.post("edit-tag", **form)
        assert (answer.status, answer.body) == (200, b"OK")

    def ids(self, **query: Any) -> list[str]:
        return [one["id"] for one in self.get("stream/items/ids", **({"s": ALL, "n": 1000} | query))["itemRefs"]]

    def contents(self, ids: list[str]) -> list[dict[str, Any]]:
        answer = self.post("stream/items/contents?output=json", i=ids)
        assert answer.status == 200, answer.body
        found: list[dict[str, Any]] = answer.json["items"]
        return found

    def titles(self, **query: Any) -> list[str]:
        return [one["title"] for one in self.contents(self.ids(**query))]

    def item(self, title: str) -> str:
        return next(number for number in self.ids() if self.contents([number])[0]["title"] == title)

    def feed(self, title: str) -> str:
        return next(str(one["id"]) for one in self.get("subscription/list")["subscriptions"] if one["title"] == title)

    def unread(self) -> int:
        counts: dict[str, int] = {one["id"]: one["count"] for one in self.get("unread-count")["unreadcounts"]}
        return counts.get(ALL, 0)

    def unread_on_pages(self) -> int:
        """What the rail of every page counts."""
        html = self.browser.ask("GET", "/", headers={"Accept": "text/html"}).body.decode()
        found = re.search(r"Changes</span>\s*<span class=\"count\" title=\"unread\">(\d+)", html)
        return int(found[1]) if found else 0

    def kept_on_pages(self) -> set[str]:
        html = self.browser.ask("GET", "/kept", headers={"Accept": "text/html"}).body.decode()
        return {title for title in ("On tea", "On rain", "On bees", "Prices") if title in html}

    def fever(self, question: str, **form: Any) -> Any:
        key = hashlib.md5(f"{self.login}:{self.password}".encode(), usedforsecurity=False).hexdigest()
        sent = urlencode({"api_key": key} | form).encode()
        answer = Client(self.url).ask("POST", f"/fever/?api&{question}", sent, FORM)
        assert answer.status == 200, answer.body
        assert (answer.json["api_version"], answer.json["auth"]) == (3, 1)
        return answer.json


@dataclass
class Desk:
    """A service with two dossiers: a feed of three entries, and a page."""

    office: Here
    site: Site
    dossiers: tuple[str, str]
    people: int = 0

    def app(self, *scopes: str, role: Role = Role.READER) -> App:
        """The app of a new person, who has read nothing yet."""
        self.people += 1
        email = f"reader{self.people}@example.org"
        browser = self.office.person(email)
        with self.office.program() as program:
            accounts = program.accounts
            for dossier_id in self.dossiers:
                accounts.members.add(accounts.local(), dossier_id, email, role)
            _, password = accounts.tokens.add_app_password(accounts.local(), "phone", scopes or ("read",), user=email)
        return App(self.office.url, email, password, browser, self.dossiers)


@contextmanager
def reading_desk(office: Here) -> Iterator[Desk]:
    """Both dossiers, checked once."""
    with Site() as site:
        site.feed("/feed", FEED)
        site.article("/prices", "Prices", "Tea costs 12.50 today.\nThere is a lot of fine tea in this shop.")
        site.article("/later", "Later", "Something that somebody adds with an app, and which is long enough.")
        news, shop = (office.dossier(name) for name in ("News", "Shop"))
        feed = {"tags": ["Daily"], "follow_links": False}
        office.watch(news, f"{site.url}/feed", kind="feed", name="Feed", config=feed)
        office.watch(shop, f"{site.url}/prices", kind="page", name="Prices")
        for dossier_id in (news, shop):
            office.look(dossier_id)
        yield Desk(office, site, (news, shop))
