"""A world in which what the documentation names is there: its addresses, files, sources, people and rules."""

from __future__ import annotations

import base64
import io
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import zipfile
from email.message import Message
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from command import run_here
from documents import case_bytes
from telling import Mailbox
from veille.interfaces.cli import main as start_veille
from veille.interfaces.cli import meri as start_meri
from world import Asked, Page, Site

_PROGRAMS = {"veille": start_veille, "meri": start_meri}
#: Of the registry `community`.
_KEY = Ed25519PrivateKey.generate()
ROOT = Path(__file__).parents[1]

#: Hosts of the documentation: the first is the site, the others are folders of it.
_HOST = "example.org"
_HOSTS = r"(?:[\w-]+\.)*(?:example\.(?:org|com|net)|example|feeds\.bbci\.co\.uk)"
_ADDRESS = re.compile(rf"https?://({_HOSTS})(?=[/'\"]|$)")
_BARE = re.compile(rf"^{_HOSTS}(?=/|$)")
_FOLDERS = re.compile(r"^/(srv|mnt|var|tmp)/")


class Town(Site):
    """A site that answers every address of the documentation by its looks; each `day` prices are lower."""

    def __init__(self) -> None:
        super().__init__()
        self.day = 0
        self.json("/services", json.loads(_blocks("write-a-bridge", "json")[-1]))
        self["/gazette/search?words=harbour%20painting"] = "<div class=hit><h3><a href=/picture/1>One</a></h3></div>"
        self.made["/hook"] = lambda _: Page(b"{}")
        self.made["/find"] = lambda asked: _json({"results": self._results(asked)})
        self.made["/api/notices"] = lambda _: _json({"data": {"items": [{"id": 7, "headline": "Works", "body": {}}]}})
        self.made["/api/log"] = lambda _: _json({"entries": [{"id": 1, "title": "A line"}], "next": None})
        self.made["/api/graphql"] = lambda _: _json({"data": {"notices": [{"id": 9, "title": "A notice"}]}})

    def page(self, path: str, body: bytes, headers: Message) -> Page:
        plain = path.partition("?")[0]
        if plain in self.made or path in self.pages:
            return super().page(path, body, headers)
        if plain in {"/robots.txt", "/sitemap.xml", "/favicon.ico"}:
            return Page(b"Not here", status=404, validates=False)
        if plain.endswith((".rss", ".xml", "/feed")):
            return Page(self._feed(plain).encode(), type="application/rss+xml")
        if plain.endswith(".pdf"):
            return Page(case_bytes("report-pdf"), type="application/pdf")
        return Page(self._article(plain).encode())

    def _results(self, asked: Asked) -> list[dict[str, str]]:
        found = [{"name": f"Picture {n}", "extract": "Oil", "link": f"{self.url}/picture/{n}"} for n in (1, 2)]
        return found if asked.query.get("page", "1") == "1" else []

    def _feed(self, path: str) -> str:
        items = "".join(
            f"<item><link>{self.url}{path}/{number}</link><title>News {number} of {path}</title>"
            f"<pubDate>{formatdate()}</pubDate><description>{_sentences(f'{path} {number}')}</description></item>"
            for number in (1, 2)
        )
        return (
            f"<rss version='2.0'><channel><title>Example News</title><link>{self.url}</link>"
            f"<language>en</language>{items}</channel></rss>"
        )

    def _article(self, path: str) -> str:
        price, name = 99 - self.day, path.strip("/") or "home"
        feed = "<link rel=alternate type=application/rss+xml title=News href=/news.rss>" if name == "home" else ""
        return (
            f"<html lang=en><head><title>About {name}</title>{feed}</head><body><main><article><h1>About {name}</h1>"
            f"<p>{_sentences(name)}</p><p>{_sentences(f'the people of {name}')}</p>"
            f"<p>On day {self.day} the tariff of {name} is <b class=price>{price}.50 EUR</b>.</p>"
            f"<p>Ships in port: {price}</p><p>Weight: 100 g</p><p>Bags in the box: 20</p><p class=stock>{price}</p>"
            f"<div class=price-list><p>{_sentences(f'the prices of {name}')}</p></div>"
            f"</article></main><a href='/'>Home</a><a href='/about'>About</a></body></html>"
        )


def here(host: str, site: Site) -> str:
    """The address of a host of the documentation."""
    return site.url if host == _HOST else f"{site.url}/{host}"


def _blocks(page: str, language: str) -> list[str]:
    text = (ROOT / "docs" / "howto" / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def _json(value: object) -> Page:
    return Page(json.dumps(value).encode(), type="application/json")


def _sentences(name: str) -> str:
    """A text long enough to be compared with others, and like none of another name."""
    words = [name, *re.findall(r"\w+", name)]
    return " ".join(
        f"The council of {word} met for the {number}th time, and {word} number {number} was closed by the flood."
        for number, word in enumerate(words * 3, 1)
    )


#: What is in the world at first, besides the files; `--dossier` is left out where it is `default`.
WORLD = """
veille dossiers add default competitors regulation press prices archive history news
veille secrets set API_KEY --host example.org
veille add https://example.org/news.rss --kind feed --name 'Example News'
veille add https://example.org/tea --kind page --name tea --set tags=shops
veille values add tea price --selector .price
veille values add tea weight --near 'Weight: {}'
veille add https://example.org/prices --kind page --name 'Tea price' --set mode=css --set 'selectors=["article"]'
veille add https://example.org/harbour --kind page --name harbour
veille add https://example.org/story --kind page --name 'The Herald'
veille add https://example.org/handbook --kind page
veille add https://example.org/news --kind page
veille add https://example.org/old --kind page --name Ferry
veille add https://example.org/news.rss --kind feed --name 'Example News' --dossier competitors
veille add https://example.org/prices --kind page --name 'Price list' --dossier competitors
veille add https://example.org/harbour --kind page --name 'Ships in port' --dossier prices
veille add https://example.org/tea --kind page --name tea --dossier prices
veille add https://example.org/story --kind page --name 'The Herald' --dossier press
veille add https://example.org/news.rss --kind feed --name 'Example News' --dossier news
veille channels add me anna@example.org
veille channels add team anna@example.org
veille channels add operators anna@example.org
veille channels add desk https://example.org/hook
veille rules add 'price falls' --source tea --tell me
veille engines add my-engine.json
veille offers engines add my-engine.json
veille engines add my-engine.json --dossier competitors
veille questions add 'LLM inference' --channel my-engine
veille offers sources add https://example.org/feed --name Example --category tech
veille users add ada@example.org --name Ada
veille members add ada@example.org --role editor --dossier competitors
veille tokens add reporting --user ada@example.org --scope read
veille crawler config set crawler.yaml
"""


class Place:
    """A folder in which somebody types commands of the documentation."""

    def __init__(self, folder: Path, site: Town, mailbox: Mailbox) -> None:
        self.folder, self.site, self.mailbox = folder, site, mailbox
        #: What the documentation makes up, such as ids, and what it is here.
        self.instead: dict[str, str] = {}

    def copy(self, folder: Path, *, empty: bool = False) -> Place:
        """The same elsewhere; empty is without data."""
        left_out = shutil.ignore_patterns("present", "in_hand", *(("data", "state") if empty else ()))
        copied = Place(shutil.copytree(self.folder, folder, ignore=left_out), self.site, self.mailbox)
        copied.instead = self.instead
        return copied

    def __call__(self, words: list[str]) -> tuple[object, str, str]:
        """Type a command: its status, and what it says and complains of. A day goes by before sources are checked."""
        self.site.day += words[1:2] == ["run"]
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            patch.setattr(tempfile, "tempdir", str(self.folder / "tmp"))
            # A password, a secret, or the address of a channel.
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{self.site.url}/hook\n".encode())))
            typed = [one for word in words for one in self._expanded(word)]
            return run_here(_PROGRAMS[typed[0]], typed, self.environment)

    def type(self, lines: str) -> None:
        """Type commands that have to succeed."""
        for line in filter(None, lines.splitlines()):
            status, out, errors = self(shlex.split(line))
            assert status == 0, (line, status, out, errors)

    def json(self, line: str) -> Any:
        status, out, errors = self([*shlex.split(line), "--json"])
        assert status == 0, (line, status, out, errors)
        return json.loads(out)

    def _expanded(self, word: str) -> list[str]:
        """The word with the places of this world, and the files that it stands for."""
        if "@" not in word:
            word = _ADDRESS.sub(lambda found: here(found[1], self.site), self.instead.get(word, word))
            word = _BARE.sub(self.site.url.removeprefix("http://"), word)
            word = _FOLDERS.sub(rf"{self.folder}/\1/", word)
        files = sorted(map(str, self.folder.glob(word))) if re.match(r"[^/].*\*", word) else []
        return files or [word]

    @property
    def environment(self) -> dict[str, str]:
        mail = {"HOST": "127.0.0.1", "PORT": str(self.mailbox.port), "SECURITY": "none", "SENDER": "veille@example.org"}
        return {
            **os.environ,
            # `veille config init` writes there.
            "HOME": str(self.folder),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "VEILLE_DATA": str(self.folder / "data"),
            "VEILLE_BUFFER_DIR": str(self.folder / "buffer"),
            "VEILLE_FETCH__HOST_DELAY_MS": "0",
            "VEILLE_FETCH__ALLOW_NETWORKS": '["127.0.0.0/8"]',
            "VEILLE_FETCH__FILE_ROOTS": json.dumps([str(self.folder / "srv")]),
            "VEILLE_REGISTRY__KEYS": json.dumps({"community": base64.b64encode(_public(_KEY)).decode()}),
            "VEILLE_SINKS__AUDIT": json.dumps({"kind": "webhook", "url": f"{self.site.url}/hook", "secret": "s" * 32}),
            "VEILLE_ROUTER__URL": f"{self.site.url}/services",
            "VEILLE_ROUTER__TOKEN": "a long random word",
            **{f"VEILLE_ALERTS__MAIL__{name}": value for name, value in mail.items()},
        }


def _public(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def build(folder: Path, site: Town, mailbox: Mailbox) -> Place:
    """The world, after four days."""
    folder.mkdir()
    place = Place(folder, site, mailbox)
    _write_files(folder, site)
    place.type(WORLD)
    # The first row of `veille changes` is a document that has revisions to compare.
    place.type("veille run 'Price list' --dossier competitors")
    for _ in range(4):
        place.type("veille run")
        site["/old"] = Page(b"", status=308, headers={"Location": "/new"})
    place.type("veille warc export --out crawl.warc.gz --dossier default")
    for copy in ("city.warc.gz", "2019/may.warc.gz"):
        shutil.copy(folder / "crawl.warc.gz", folder / copy)
    place.type("veille backup veille.zip")
    document = place.json("veille show https://example.org/prices")["document_id"]
    place.instead = {
        "01a1dd": document,
        "01a1dd3b": document,
        "8f0c2f31a7d4": place.json("veille repairs")[0]["id"],
        "mfrggzdfmztwq2lk": place.json("veille tokens list --user ada@example.org")[0]["id"],
        "$CURSOR": (cursor := place.json("veille export --out all.jsonl")["cursor"]),
        "120": cursor,
        "12": "1",
    }
    return place


def _write_files(folder: Path, site: Site) -> None:
    """The files that the commands are given."""
    engine = {
        "id": "my-engine",
        "url_template": f"{site.url}/find?q={{query}}",
        "result_path": "results",
        "rate_limit_ms": 0,
    }
    engine |= {"fields": {"title": "name", "text": "extract", "url": "link"}}
    (folder / "my-engine.json").write_text(json.dumps(engine))
    for record in _blocks("ask-a-question", "json"):
        engine = json.loads(record.replace("https://example.org", site.url)) | {"rate_limit_ms": 0}
        (folder / f"{engine['id']}.json").write_text(json.dumps(engine))
    opml = (
        f'<opml><body><outline text="Press"><outline text="Example News" xmlUrl="{site.url}/a.rss"/></outline>'
        "</body></opml>"
    )
    for name in ("feeds.opml", "subscriptions.opml"):
        (folder / name).write_text(opml)
    with zipfile.ZipFile(folder / "changedetection-backup.zip", "w") as backup:
        watches = {"watching": {"1": {"url": f"{site.url}/tea", "title": "Tea"}}, "settings": {"application": {}}}
        backup.writestr("url-watches.json", json.dumps(watches))
    connector = {"id": 1, "name": "Docs", "source": "web", "refresh_freq": 86400}
    connector["connector_specific_config"] = {"base_url": f"{site.url}/docs", "web_connector_type": "single"}
    (folder / "connectors.json").write_text(json.dumps([connector]))
    (folder / "start_urls.txt").write_text(f"{site.url}/a\n{site.url}/b\n")
    (folder / "items.jsonl").write_text(json.dumps({"url": f"{site.url}/c", "title": "C"}) + "\n")
    entry = {"category": "harbour", "name": "Ferries", "url": "https://ferries.example/feed", "kind": "feed"}
    index = {"format": 1, "name": "community", "number": 7, "sources": [entry], "engines": []}
    (folder / "index.json").write_text(json.dumps(index))
    (folder / "index.json.sig").write_bytes(_KEY.sign((folder / "index.json").read_bytes()))
    crawler = {"seeds": [f"{site.url}/"], "retry_wait_s": 0, "max_depth": 3}
    for name in ("crawler.yaml", "crawler.json"):
        (folder / name).write_text(json.dumps(crawler))
    (folder / "addresses.tsv").write_text("id\texpect\tfamily\turl\n1\tdeny\tipv4\thttp://10.0.0.1/\n")
    for name in ("srv/documents/reports", "srv/documents/letters", "mnt/backups", "var/lib", "tmp", "2019"):
        (folder / name).mkdir(parents=True)
    (folder / "srv/documents/reports/may.md").write_text(f"# May\n\n{_sentences('May')}\n")
