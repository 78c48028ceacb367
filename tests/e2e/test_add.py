"""`veille add ANYTHING`, `import`, `export` and `discover` as a user types them."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator

import pytest

from command import Cli
from veille.core.dates import iso
from world import Page, Site

LONG = "The ferry to the outer islands leaves at dawn and comes back after dark, every day but Sunday. " * 3


def _front(site: Site) -> None:
    """A front page with a living feed."""
    entry = (
        f"<entry><title>Ferries</title><updated>{iso(time.time_ns() // 1_000_000)}</updated><content>{LONG}</content>"
    )
    atom = f"<feed xmlns='http://www.w3.org/2005/Atom'><title>All</title>{entry}</entry></feed>"
    site["/all.atom"] = Page(atom.encode(), type="application/atom+xml")
    declared = "<link rel=alternate type=application/atom+xml href=/all.atom>"
    site["/"] = f"<html><title>Harbour [bold]News</title>{declared}<main><p>{LONG}</p></main></html>"


@pytest.mark.covers("R-036")
def test_anything_is_shown_before_it_is_added(cli: Cli, site: Site) -> None:
    _front(site)
    shown = cli("add", site.url, "--dry-run")
    assert "Ferries" in shown
    for words in ("feed: The page has 1 feed", "robots.txt allows it", "requests a month", "--kind page"):
        assert words in cli.stderr, words
    data = cli.json("add", site.url, "--dry-run")
    assert (data["added"], data["detected"]["kind"], data["detected"]["found"]) == (False, "feed", 1)
    assert cli.json("sources") == []
    added = cli.json("add", site.url)
    assert (added["kind"], added["name"], added["url"]) == ("feed", "Harbour [bold]News", f"{site.url}/all.atom")
    assert added["detected"]["robots"] == "allowed"
    assert cli.json("run")["runs"][0]["counts"]["new"] == 1
    cli("add", site.url, status=2)
    assert "duplicate_source" in cli.stderr


def test_with_a_kind_nothing_is_asked_of_the_host(cli: Cli, site: Site) -> None:
    _front(site)
    added = cli.json("add", site.url, "--kind", "page")
    assert (added["kind"], added["detected"]) == ("page", None)
    assert cli.json("add", f"{site.url}/all.atom", "--set", "max_entries=5")["kind"] == "feed"
    assert site.seen == []
    looked = cli.json("add", f"{site.url}/", "--kind", "page", "--dry-run")
    assert looked["preview"]["documents"][0]["title"] == "Harbour [bold]News"


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address where nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


def test_what_cannot_be_reached_is_added_all_the_same(cli: Cli, nobody: str) -> None:
    added = cli.json("add", f"{nobody}/news.rss")
    assert (added["kind"], added["detected"]["code"]) == ("feed", "connect")
    cli("add", f"{nobody}/news")
    assert "could not be fetched now" in cli.stderr
    assert "as kind page, every 1h" in cli.stderr
    assert [source["kind"] for source in cli.json("sources")] == ["feed", "page"]
    cli("discover", nobody, status=2)
    assert "connect" in cli.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("add", "nosuchfile.invalid"), "bad_url"),
        (("add", "./no-such-folder/"), "file_refused"),
        (("add", "Who rebuilds the bridge?"), "no_engine"),
        (("add", "Who rebuilds the bridge?", "--channel", "nobody"), "no_engine"),
        (("import", "missing.opml"), "bad_file"),
        (("import", "/"), "bad_file"),
        (("sources", "export", "--opml", "/no/such/folder/list.opml"), "bad_file"),
        (("discover", "http://127.0.0.1:9/"), "refused_port"),
        (("discover", "not a page"), "bad_url"),
    ],
)
def test_bad_input_gives_a_code_and_a_way_out(cli: Cli, arguments: tuple[str, ...], code: str) -> None:
    assert cli(*arguments, "--json", status=2) == ""
    assert json.loads(cli.stderr)["code"] == code


def test_a_question_is_added_with_its_engine(cli: Cli) -> None:
    added = cli.json("add", "Who rebuilds the bridge?", "--channel", "github_search")
    assert (added["kind"], added["interval_ms"]) == ("question", 86_400_000)
    assert cli.json("questions")[0]["config"]["text"] == "Who rebuilds the bridge?"


def test_files_and_folders_are_named_as_in_a_shell(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    (cli.folder / "reports" / "old").mkdir(parents=True)
    (cli.folder / "reports" / "minutes.txt").write_text(LONG)
    (cli.folder / "notes.txt").write_text(f"Notes. {LONG}")
    monkeypatch.setenv("VEILLE_FETCH__FILE_ROOTS", json.dumps([str(cli.folder)]))
    monkeypatch.chdir(cli.folder)
    folder = cli.json("add", "./reports/old/..")
    assert (folder["kind"], folder["url"]) == ("folder", f"file://{cli.folder}/reports/")
    file = cli.json("add", "notes.txt")
    assert (file["kind"], file["detected"]["samples"][0]["text"][:6]) == ("page", "Notes.")
    assert cli.json("run")["runs"][0]["counts"]["new"] == 2
    cli("add", "./missing.txt", status=2)
    assert "file_missing" in cli.stderr


def test_in_a_terminal_the_user_is_asked_first(cli: Cli, site: Site) -> None:
    _front(site)
    for answer, added in (("n", 0), ("y", 1)):
        shown = cli.in_terminal("add", site.url, typed=f"{answer}\n")
        assert "Watch it?" in shown
        assert len(cli.json("sources")) == added


def test_a_list_is_taken_in_and_written_again(cli: Cli) -> None:
    path = cli.folder / "feeds.opml"
    path.write_text(
        '<opml version="2.0"><body><outline text="Sea"><outline type="rss" text="[red]A &amp; B"'
        ' xmlUrl="https://a.example/f"/></outline><outline type="rss" text="Bad" xmlUrl="http://"/>'
        '<outline type="rss" text="Again" xmlUrl="https://a.example/f"/></body></opml>'
    )
    shown = cli("import", str(path), status=1)
    assert "bad_url" in shown
    assert "Watching 1 more source, 1 watched already, 1 cannot be." in cli.stderr
    entries = cli.json("import", str(path), status=1)
    assert [(entry["added"], entry["code"]) for entry in entries] == [
        (False, "duplicate_source"),
        (False, "bad_url"),
        (False, "duplicate_source"),
    ]
    (source,) = cli.json("sources")
    assert (source["name"], source["kind"], source["config"]) == (
        "[red]A & B",
        "feed",
        {"folders": ["Sea"], "tags": ["Sea"]},
    )
    assert cli.json("sources", "export", "--opml", str(cli.folder / "out.opml")) == {
        "file": str(cli.folder / "out.opml"), "feeds": 1, "left_out": 0
    }  # fmt: skip
    assert cli("sources", "export", "--opml", "-") == (cli.folder / "out.opml").read_text()
    again = cli.json("add", str(cli.folder / "out.opml"), "--dossier", _made(cli))
    assert [entry["name"] for entry in again["entries"]] == ["[red]A & B"]


def _made(cli: Cli) -> str:
    cli("dossiers", "add", "other")
    return "other"


def test_a_broken_list_is_read_as_far_as_it_goes_and_what_is_none_is_refused(cli: Cli) -> None:
    (cli.folder / "cut.opml").write_text('<opml><body><outline text=A xmlUrl="https://a.example/f"/><outline te')
    assert [entry["added"] for entry in cli.json("import", str(cli.folder / "cut.opml"))] == [True]
    (cli.folder / "page.opml").write_text("<html><title>Log in</title>")
    cli("import", str(cli.folder / "page.opml"), status=2)
    assert "opml.unknown_format" in cli.stderr


def test_feeds_are_discovered_judged_and_watched(cli: Cli, site: Site) -> None:
    _front(site)
    (found,) = cli.json("discover", site.url)
    assert (found["accepted"], found["language"], found["entries"]) == (True, "en", 1)
    assert "declared by the page" in cli("discover", site.url)
    assert cli.json("discover", site.url, "--language", "fr", status=1)[0]["finding"] == "language"
    for _ in range(2):
        cli("discover", site.url, "--language", "any", "--add")
    assert [source["url"] for source in cli.json("sources")] == [f"{site.url}/all.atom"]
    site["/none"] = "<html><title>Nothing</title></html>"
    cli("discover", f"{site.url}/none", status=1)
    assert "No feed was found" in cli.stderr


def _tea(price: str) -> str:
    parts = f"<h1>Smoked tea</h1><p class=price>{price}</p><p class=stock>14 left</p><p>{LONG}</p>"
    return f"<html><title>Smoked tea</title><main>{parts}</main></html>"


def test_a_short_price_is_watched_by_its_selector_as_typed(cli: Cli, site: Site) -> None:
    site["/tea"] = _tea("12.90 EUR")
    url = f"{site.url}/tea"
    cli("add", url, "--set", "selectors=.price")
    cli("add", url, "--set", "selectors=.stock")
    cli("add", url, "--kind", "page")
    cli("add", url, "--set", "selectors=.price", status=2)
    assert "duplicate_source" in cli.stderr
    cli("run")
    listed = cli.json("changes")["changes"]
    assert [change["change"] for change in listed] == ["new"] * 3
    assert {"12.90 EUR", "14 left"} < {change["excerpt"][0]["text"] for change in listed}
    site["/tea"] = _tea("13.90 EUR")
    cli("run")
    rows = cli("changes", "--wide").splitlines()
    assert sum("[-12.90-]{+13.90+} EUR" in row for row in rows) == 2, rows


def test_selectors_that_find_nothing_are_told(cli: Cli, site: Site) -> None:
    site["/tea"] = _tea("12.90 EUR")
    cli("add", f"{site.url}/tea", "--set", "selectors=.cost")
    shown = cli("run", "--wide")
    assert "1 new" in shown
    assert "Nothing on the page matches .cost" in shown


def test_price_watches_of_changedetection_run(cli: Cli, site: Site) -> None:
    site["/tea"] = _tea("12.90 EUR")
    watches = {
        "a": {"url": f"{site.url}/tea", "include_filters": [".price"], "title": "Tea", "method": "POST", "body": "x"},
        "b": {"url": f"{site.url}/tea", "include_filters": ["//p[@class='stock']"]},
    }
    backup = cli.folder / "url-watches.json"
    backup.write_text(json.dumps({"watching": watches}))
    # What was left out is told of each entry, in full.
    said = " ".join(cli("import", str(backup)).split())
    assert f"In part Tea {site.url}/tea The body of its request was left out" in said
    assert said.count("In part") == 1
    assert "Its method was left out" in said
    cli("run")
    assert {change["excerpt"][0]["text"] for change in cli.json("changes")["changes"]} == {"12.90 EUR", "14 left"}


def test_options_that_are_lists_may_be_given_several_times_and_others_once(cli: Cli, site: Site) -> None:
    def add(*settings: str, status: int = 0) -> None:
        options = [word for setting in settings for word in ("--set", setting)]
        cli("add", f"{site.url}/a", "--kind", "page", *options, status=status)

    for settings, words in {
        ("min_chars=1", "min_chars=2"): "min_chars is given twice",
        ("mode=css", "mode=auto"): "Option mode of a source of kind page is not right: it takes one value, not a list",
        ("selectors=123",): "it should be a text or a list of texts.",
        ("selectors=null",): "it should be a text or a list of texts.",
        ("selectors=.pri[ce",): "'.pri[ce' cannot be read: a ] is missing",
    }.items():
        add(*settings, status=2)
        assert words in cli.stderr
    add("selectors=.b", 'selectors=[".a", ".b"]', "selectors=.b", "folders=Shops")
    assert cli.json("sources")[0]["config"] == {"selectors": [".b", ".a"], "folders": ["Shops"]}
