"""Whatever a way in lets through can be backed up and restored; what cannot be watched comes in by none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import hypothesis
import pytest
from hypothesis import strategies as st

import veille
from archives import restored
from command import Cli
from people import Clock
from samples import NOW
from service import Client, Here
from veille.bootstrap.backups import back_up
from veille.errors import ConfigError, VeilleError
from veille.services.watching.sources import SourceEdit, Wish
from veille.settings import FetchSettings

ROOT = Path("/srv/documents")
FETCH = FetchSettings.model_validate({"allow_networks": ["10.0.0.0/8"], "file_roots": [str(ROOT)], "host_delay_ms": 0})

_TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
_ODD = st.one_of(
    st.builds(
        "{}{}{}/{}".format,
        st.sampled_from(["http", "https", "htps", "HTTP", "ftp", "file", "gopher", "question", ""]),
        st.sampled_from(["://", ":/", ":", "//", ":///"]),
        st.sampled_from(["example.org", "10.1.2.3", "127.0.0.1", "localhost", "db", "bücher.example", "[::1]", ""]),
        _TEXT,
    ),
    st.builds("{}/{}".format, st.sampled_from([str(ROOT), "/etc", "/srv/documents2", f"file://{ROOT}", "."]), _TEXT),
    _TEXT,
)
_WORD = st.text("abcäж1-_.~%/?=&#;${}", min_size=1, max_size=12)


def _wishes(kinds: list[str], urls: st.SearchStrategy[str], *configs: dict[str, object]) -> st.SearchStrategy[Wish]:
    """Wishes that are mostly good: nine in ten parts are."""

    def mostly(good: st.SearchStrategy[str], bad: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.integers(0, 9).flatmap(lambda number: good if number else bad)

    return st.builds(
        Wish,
        url=mostly(urls, _ODD),
        kind=st.sampled_from(kinds),
        name=mostly(st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=20), _TEXT),
        interval_ms=st.sampled_from([60_000, 3_600_000, 7 * 86_400_000] * 3 + [0, 8 * 86_400_000]),
        cron=st.sampled_from(["", "0 6 * * 1-5"] * 5 + ["nonsense", "0 0 30 2 *"]),
        adaptive=st.booleans(),
        config=st.sampled_from([*configs * 9, {"colour": "red"}]),
    )


_WEB = st.builds(
    "{}/{}".format, st.sampled_from(["https://example.org", "http://10.1.2.3:8080", "HTTPS://Ü.example"]), _WORD
)
_COMMON = {"headers": {"Accept": "text/html"}, "tags": ["a"], "folders": ["x", "ü"], "delay_s": 1.5, "robots": False}
_ANY = st.one_of(
    _wishes(["", "page", "feed", "site", "api"], _WEB, {}, _COMMON, {"ignore": ["Views:*"], "render": True}),
    _wishes(["page"], _WEB, {"selectors": [".price"], "mode": "css"}, {"min_chars": 5}),
    _wishes(["site"], _WEB, {"include": ["re:^/a"], "max_pages": 5}, {"exclude": ["/b*"]}),
    _wishes(["feed"], _WEB, {"follow_links": True}),
    _wishes(["folder"], st.builds(f"{ROOT}/{{}}".format, _WORD), {}, {"types": ["pdf"]}),
    _wishes(["page", "feed"], st.builds(f"file://{ROOT}/{{}}".format, _WORD), {}),
    _wishes(["socmed"], st.one_of(_WEB, _TEXT), {}),
)


@hypothesis.settings(max_examples=12)
@hypothesis.given(st.lists(_ANY, min_size=30, max_size=60))
def test_whatever_is_let_in_is_restored_and_goes_on(wishes: list[Wish]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        bridges = {"socmed": {"url": "http://127.0.0.1:9/socmed_fetch"}}
        with veille.open_app(data=folder / "old", clock=Clock(), fetch=FETCH, bridges=bridges) as app:
            dossier_id = app.create_dossier("one").id
            taken = [one for one in app.sources.add_many(dossier_id, wishes) if not isinstance(one, ConfigError)]
            for source, other in zip(taken, wishes, strict=False):
                with_it = SourceEdit(
                    url=other.url, name=other.name or None, options=other.config, cron=other.cron or None
                )
                try:
                    app.sources.edit(dossier_id, source.id, with_it)
                except ConfigError:
                    continue
            hypothesis.assume(taken)
            before = {one.id: one for one in app.sources.all(dossier_id)}
            back_up(app.settings, folder / "backup.zip", NOW)
        done = restored(folder / "backup.zip", folder / "new", FETCH, bridges=bridges)
        assert done.paused == ()
        with veille.open_app(data=folder / "new", fetch=FETCH, bridges=bridges) as app:
            assert {one.id: one for one in app.sources.all(dossier_id)} == before


#: What cannot be watched, and a part of what is said about it.
REFUSED = {
    "htps://example.org/news": "Did you mean https://example.org/news?",
    "htp:/example.org": "Did you mean http://example.org?",
    "gopher://example.org/": "",
    "http://192.168.1.1/": "",
    "/etc/": "",
}


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Here, Client, str, str]]:
    with Here(tmp_path_factory.mktemp("office"), fetch=FETCH) as office:
        ann = office.robot("ann@example.org", is_admin=True)
        dossier_id = ann.post("/api/dossiers", {"name": "anns"}, 201)["id"]
        source_id = office.watch(dossier_id, "https://good.example.org/", kind="page")
        yield office, ann, dossier_id, source_id


def _rest(office: Here, ann: Client, dossier_id: str, source_id: str, url: str) -> str:
    del office, source_id
    answer = ann.ask("POST", f"/api/dossiers/{dossier_id}/sources", {"name": "x", "url": url})
    assert 400 <= answer.status < 500
    return str(answer.json["error"])


def _rest_edit(office: Here, ann: Client, dossier_id: str, source_id: str, url: str) -> str:
    del office
    answer = ann.ask("PUT", f"/api/dossiers/{dossier_id}/sources/{source_id}", {"url": url})
    assert 400 <= answer.status < 500
    return str(answer.json["error"])


def _service(office: Here, ann: Client, dossier_id: str, source_id: str, url: str) -> str:
    del office, source_id
    given = {"dossier_id": dossier_id, "name": "x", "url": url}
    answer = ann.ask("POST", "/connectivity/veille_add_source", given)
    assert answer.status >= 400
    return answer.body.decode()


def _offer(office: Here, ann: Client, dossier_id: str, source_id: str, url: str) -> str:
    del office, dossier_id, source_id
    answer = ann.ask("POST", "/api/admin/source-registry", {"name": "x", "url": url, "category": "tech"})
    assert 400 <= answer.status < 500, answer.body
    return str(answer.json["error"])


def _opml(office: Here, ann: Client, dossier_id: str, source_id: str, url: str) -> str:
    del office, source_id
    list_ = f'<opml><body><outline type="rss" xmlUrl="{url}"/></body></opml>'
    headers = {"Content-Type": "text/x-opml"}
    (taken,) = ann.ask("POST", f"/api/dossiers/{dossier_id}/opml", list_.encode(), headers).json
    assert taken["code"]
    return str(taken["message"])


def _library(office: Here, ann: Client, dossier_id: str, source_id: str, url: str) -> str:
    del ann, source_id
    with office.program() as app, pytest.raises(VeilleError) as caught:
        app.sources.add(dossier_id, Wish(url=url, kind="folder" if url.startswith("/") else "page"))
    return str(caught.value)


DOORS: dict[str, Callable[[Here, Client, str, str, str], str]] = {
    "REST": _rest,
    "REST, edited": _rest_edit,
    "a service": _service,
    "an offer": _offer,
    "OPML": _opml,
    "Python": _library,
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("url", REFUSED)
def test_what_cannot_be_watched_comes_in_by_no_door(scene: tuple[Here, Client, str, str], door: str, url: str) -> None:
    office, ann, dossier_id, source_id = scene
    said = DOORS[door](office, ann, dossier_id, source_id, url)
    assert REFUSED[url] in said
    assert [one["url"] for one in ann.get(f"/api/dossiers/{dossier_id}/sources")] == ["https://good.example.org"]


def test_a_backup_made_where_more_was_allowed_is_restored_with_the_rest_paused(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    cli("add", "http://127.0.0.1:8000/", "--kind", "page", "--name", "Here")
    cli("add", "https://example.org/", "--kind", "page", "--name", "There")
    cli("backup", str(tmp_path / "b.zip"))
    elsewhere = Cli(tmp_path / "elsewhere", VEILLE_FETCH__ALLOW_NETWORKS="[]")
    done = elsewhere.json("restore", str(tmp_path / "b.zip"), status=1)
    ((paused, line),) = zip(done["paused"], elsewhere.stderr.splitlines(), strict=True)
    assert (paused["source"], paused["code"], done["sources"]) == ("Here", "unsafe_address", 2)
    assert "Paused Here in default" in line
    shown = {one["name"]: one for one in elsewhere.json("sources")}
    assert (shown["Here"]["enabled"], shown["There"]["enabled"]) == (False, True)
    elsewhere("sources", "resume", "Here", "--json", status=2)
    assert json.loads(elsewhere.stderr)["code"] == "unsafe_address"
    allowed = Cli(tmp_path / "elsewhere")
    allowed("sources", "resume", "Here")
    assert {one["enabled"] for one in allowed.json("sources")} == {True}
