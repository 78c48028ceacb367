"""The program as a user starts it: a subprocess, real files, a real server on loopback."""

from __future__ import annotations

import itertools
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import veille
from command import Cli
from samples import STORY
from world import Page, Site

LONG = "The ferry to the outer islands leaves at dawn and comes back after dark, every day but Sunday. " * 3

AWKWARD = [
    *('C++ node.js o\'brien " "" - -- -foo -data --foo OR AND NOT NEAR( * a* ( ) a:b:c ^a title:x {a b} +a % 5%').split(
        " "
    ),
    *('😀|a OR|OR a|source:|lang:|after:xx|after:2026-13-45|kind:"|-source:x|"unclosed phrase|a + b|e-mail|').split(
        "|"
    ),
    *("日本語|עברית|Ελληνικά|العربية|'; DROP TABLE documents; --|\\|\t|<script>alert(1)</script>").split("|"),
    "word " * 2000,
    "\x01\x02",
    "'" * 500,
]


@pytest.mark.covers("R-001", "R-083", "R-084", "R-085", "R-217", "R-233")
def test_a_page_and_a_feed_flow_from_an_address_to_a_search_hit(cli: Cli, site: Site) -> None:
    site.article("/ferry", "The ferry", LONG)
    site.feed("/news.rss", [("/one", "First entry", "<p>Lobsters were seen</p>"), ("/two", "Second", "Nothing")])
    assert cli.json("add", f"{site.url}/ferry")["kind"] == "page"
    assert cli.json("add", f"{site.url}/news.rss", "--every", "15m")["kind"] == "feed"
    run = cli.json("run")
    assert run["runs"][0]["counts"]["new"] == 3
    assert run["deliveries"][0]["delivered"] == 3
    (hit,) = cli.json("search", "lobster*")
    assert hit["title"] == "First entry"
    assert "<mark>Lobsters</mark>" in hit["snippet"]
    assert "ferry to the outer islands" in cli.process("show", f"{site.url}/ferry")
    assert [event["change"] for event in cli.json("changes")["changes"]] == ["new", "new", "new"]
    assert {source["state"] for source in cli.json("sources")} == {"ok"}
    assert cli.json("doctor")["healthy"] is True


def test_a_second_run_over_an_unchanged_world_finds_nothing_and_asks_only_for_news(cli: Cli, site: Site) -> None:
    site.article("/ferry", "The ferry", LONG)
    site.article("/entry", "An entry", LONG.replace("ferry", "tram"))
    site.feed("/news.rss", [("/entry", "An entry", "Short")])
    cli("add", f"{site.url}/ferry")
    cli("add", f"{site.url}/news.rss", "--set", "follow_links=true")
    cli("run")
    site.seen.clear()
    again = cli.json("run")
    counts = again["runs"][0]["counts"]
    assert (counts["new"], counts["changed"], counts["removed"], counts["error"]) == (0, 0, 0, 0)
    assert counts["same"] == 2
    assert sum(delivery["delivered"] for delivery in again["deliveries"]) == 0
    assert site.seen
    assert all(request.conditional and request.status == 304 for request in site.seen)


def test_failures_are_reported_with_exit_status_1_and_lose_nothing(cli: Cli, site: Site) -> None:
    site.article("/here", "Here", LONG)
    cli("add", f"{site.url}/here")
    cli("add", f"{site.url}/missing")
    report = cli.process("run", status=1)
    assert "failed" in report
    assert "http.404" in report
    assert cli.json("search", "ferry")[0]["title"] == "Here"


def test_a_change_can_be_read_as_a_diff(cli: Cli, site: Site) -> None:
    site.article("/price", "Price", f"{LONG}\nIt costs 12 crowns.")
    cli("add", f"{site.url}/price")
    cli("run")
    site.article("/price", "Price", f"{LONG}\nIt costs 14 crowns.")
    assert cli.json("run")["runs"][0]["counts"]["changed"] == 1
    shown = cli("show", f"{site.url}/price", "--diff")
    assert "-It costs 12 crowns." in shown
    assert "+It costs 14 crowns." in shown
    assert [revision["n"] for revision in cli.json("show", f"{site.url}/price", "--history")] == [2, 1]


def test_revisions_are_compared_word_by_word(cli: Cli, site: Site) -> None:
    site.article("/price", "Price", LONG + "The price is 10 euros.")
    cli("add", f"{site.url}/price")
    cli("run")
    assert "one_revision" in _refused(cli, "diff", f"{site.url}/price")
    site.article("/price", "Price", LONG + "The price is 12 euros.")
    cli("run")
    assert "The price is [-10-]{+12+} euros." in " ".join(cli("diff", f"{site.url}/price").split())
    assert "\x1b" not in cli.process("diff", f"{site.url}/price"), "no colours where there is no terminal"
    told = cli.json("diff", f"{site.url}/price", "--from", "1", "--to", "2")
    assert (told["from"], told["to"]) == (1, 2)
    changed = [edit for edit in told["edits"] if edit["kind"] != "equal"]
    assert changed == [{"kind": "delete", "text": "10"}, {"kind": "insert", "text": "12"}]
    back = cli.json("diff", f"{site.url}/price", "--from", "2", "--to", "1")["edits"]
    assert {"kind": "insert", "text": "10"} in back
    assert "@@" in cli("diff", f"{site.url}/price", "--patch")
    assert "no_document" in _refused(cli, "diff", f"{site.url}/price", "--to", "3")


@pytest.mark.covers("R-242")
def test_documents_that_tell_the_same_are_shown_as_a_story(cli: Cli, site: Site) -> None:
    told = " ".join(f"Word {n} of the tale of island {n * 37 % 101}." for n in range(60))
    site.article("/one", "In the morning paper", told)
    site.article("/two", "In the evening paper", told.replace("Word 7", "Line seven").replace("Word 30", "Line thirty"))
    site.article("/three", "Something else", LONG)
    for path in ("one", "two", "three"):
        cli("add", f"{site.url}/{path}")
    cli("run")
    (story,) = cli.json("stories")
    assert {one["title"] for one in story["documents"]} == {"In the morning paper", "In the evening paper"}
    assert story["id"] in cli("stories")
    shown = cli("show", f"{site.url}/one")
    assert "The same story:" in shown
    assert "In the evening paper" in shown
    assert cli.json("show", f"{site.url}/two")["story"]["id"] == story["id"]
    assert cli.json("show", f"{site.url}/three")["story"] is None


@pytest.mark.covers("R-131")
def test_a_document_is_cut_into_chunks(cli: Cli, site: Site) -> None:
    site.article("/handbook", "Handbook", LONG * 20)
    cli("add", f"{site.url}/handbook")
    cli("run")
    chunks = cli.json("chunks", f"{site.url}/handbook")
    assert [chunk["chunk_index"] for chunk in chunks] == list(range(len(chunks)))
    assert len(chunks) > 1
    assert {chunk["source_type"] for chunk in chunks} == {"html"}
    assert len(cli.json("chunks", f"{site.url}/handbook", "--size", "100", "--overlap", "10")) > len(chunks)
    assert "outer islands" in cli("chunks", f"{site.url}/handbook")
    assert "bad_chunks" in _refused(cli, "chunks", f"{site.url}/handbook", "--overlap", "500")


def _refused(cli: Cli, *arguments: str) -> str:
    cli(*arguments, status=2)
    return cli.stderr


def test_sources_can_be_paused_resumed_and_deleted(cli: Cli, site: Site) -> None:
    site.article("/a", "A page", LONG)
    cli("add", f"{site.url}/a", "--name", "A")
    cli("sources", "pause", "A")
    assert cli.json("run")["runs"] == []
    cli("sources", "resume", "A")
    assert cli.json("run")["runs"][0]["counts"]["new"] == 1
    cli("sources", "delete", "A", "--yes")
    assert cli.json("search", "ferry") == []
    assert cli.json("sources") == []
    cli("sources", "restore", "B", status=2)
    cli("sources", "restore", "A")
    assert len(cli.json("search", "ferry")) == 1
    cli("sources", "delete", "A", "--yes", "--for-good")
    assert cli.json("sources") == []
    cli("sources", "restore", "A", status=2)


def test_work_drains_what_is_due_and_delivers_it(cli: Cli, site: Site) -> None:
    site.article("/a", "A page", LONG)
    cli("add", f"{site.url}/a")
    done = cli.json("work", "--drain")
    assert done["runs"][0]["counts"]["new"] == 1
    assert len(list((cli.folder / "buffer" / "pending").glob("*.md"))) == 1
    assert cli.json("deliver")[0]["pending"] == 0


def test_any_text_can_be_searched_for(cli: Cli, site: Site) -> None:
    site.article("/a", "C++ and node.js, said O'Brien", LONG)
    cli("add", f"{site.url}/a")
    cli("run")
    for text in AWKWARD:
        if text == "OR" or not any(map(str.isalnum, text)):
            cli("search", "--json", text, status=2)
            assert json.loads(cli.stderr)["code"] == "no_query", text
        else:
            assert isinstance(json.loads(cli("search", "--json", text)), list), text
    assert cli.json("search", "o'brien")
    assert cli.json("search", "C++")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("add", "ferries"), "bad_url"),
        (("add", "no address at all"), "no_engine"),
        (("add", "http://db/", "--kind", "page"), "unsafe_address"),
        (("add", "http://10.0.0.1/", "--kind", "feed"), "unsafe_address"),
        (("add", "https://example.org/", "--kind", "telegram"), "unknown_extension"),
        (("add", "https://example.org/", "--every", "often"), "bad_interval"),
        (("add", "https://example.org/", "--every", "1s"), "bad_interval"),
        (("add", "https://example.org/", "--set", "colour=red"), "bad_option"),
        (("sources", "pause", "nothing"), "no_source"),
        (("search", "x", "--dossier", "nowhere"), "no_dossier"),
        (("show", "ffff"), "no_document"),
    ],
)
def test_bad_input_gives_a_code_a_way_out_and_exit_status_2(cli: Cli, arguments: tuple[str, ...], code: str) -> None:
    assert cli(*arguments, "--json", status=2) == ""
    error = json.loads(cli.stderr)
    assert error["code"] == code
    assert len(error["error"]) > 20


def test_a_data_folder_that_holds_something_else_is_left_alone(cli: Cli) -> None:
    folder = cli.folder / "data"
    folder.mkdir()
    catalog = folder / "catalog.db"
    catalog.write_text("This is a letter to my aunt, not a database. " * 50)
    cli("search", "aunt", "--json", status=78)
    assert json.loads(cli.stderr)["code"] == "store.not_a_database"
    assert catalog.read_text().startswith("This is a letter")


def test_a_run_tells_what_changed(cli: Cli, site: Site) -> None:
    site.article("/tea", "Tea", "The price of the tea is 12 crowns, and it is in stock until the ferry comes back.")
    cli("add", f"{site.url}/tea", "--kind", "page", "--name", "tea", "--set", "look_twice=false")
    assert "The price of the tea is 12 crowns" in cli("run")
    site.article("/tea", "Tea", "The price of the tea is 14 crowns, and it is in stock until the ferry comes back.")
    assert "The price of the tea is [-12-]{+14+} crowns" in cli("run")


@pytest.mark.parametrize("harm", ["no database", "of another version"])
def test_one_broken_dossier_is_told_of_and_stops_no_other(cli: Cli, site: Site, harm: str) -> None:
    site.article("/a", "A page", LONG)
    cli("dossiers", "add", "bad")
    (broken,) = (cli.folder / "data" / "dossiers").rglob("*.db")
    cli("add", f"{site.url}/a")
    if harm == "no database":
        broken.write_bytes(b"no longer a database " * 500)
    else:
        with closing(sqlite3.connect(broken)) as other:
            other.executescript("UPDATE origin SET schema = 'other', veille = '0.0.7'")
    assert cli.json("run", status=1)["runs"][0]["counts"]["new"] == 1
    assert "Left out bad" in cli.stderr
    assert len(cli.json("search", "ferry", status=1)) == 1
    cli.json("work", "--drain", status=1)
    assert cli.json("doctor", status=1)["healthy"] is False
    assert cli.json("backup", str(cli.folder / "b.zip"), status=1)["left_out"][0]["dossier"] == "bad"
    cli("search", "ferry", "--dossier", "bad", status=78)
    (line,) = cli.stderr.splitlines()
    assert str(broken) in line
    assert ("0.0.7" in line) == (harm == "of another version")


def test_a_folder_of_another_version_is_one_line_for_every_command(cli: Cli) -> None:
    cli("dossiers", "add", "news")
    with closing(sqlite3.connect(cli.folder / "data" / "catalog.db")) as other:
        other.executescript("UPDATE origin SET schema = 'other', veille = '0.0.7'")
    for command in ("sources", "serve --port 0", "doctor", "run", "work", "backup b.zip", "users", "search x", "mcp"):
        cli(*command.split(), status=78)
        (line,) = cli.stderr.splitlines()
        assert "catalog.db was written by another veille (0.0.7)" in line
        assert line.endswith("[store.other]")


def test_credentials_are_never_shown(cli: Cli) -> None:
    headers = '{"Authorization": "Bearer s3cret", "X-Token": "s3cret", "Accept": "text/html", "X-Key": "${secret:KEY}"}'
    added = cli.json("add", "https://example.org/", "--set", f"headers={headers}")
    assert added["config"]["headers"] == {
        "Authorization": "***", "X-Token": "***", "Accept": "text/html", "X-Key": "${secret:KEY}"
    }  # fmt: skip
    assert "s3cret" not in cli("sources", "--json") + cli("sources")
    cli("add", "https://bob:s3cret@example.org/", "--json", status=2)
    assert "s3cret" not in cli.stderr


def test_a_setting_that_cannot_be_read_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VEILLE_FETCH__ALLOW_HOSTS", "nope")
    cli("dossiers", "--json", status=78)
    assert json.loads(cli.stderr)["code"] == "bad_setting"


def test_options_before_the_command_are_options_too(cli: Cli) -> None:
    elsewhere = cli.folder / "elsewhere"
    assert json.loads(cli("--data", str(elsewhere), "--json", "dossiers")) == []
    assert (elsewhere / "catalog.db").exists()


@pytest.mark.timeout(60)
def test_the_demo_shows_new_changed_removed_and_failed_items_and_a_highlighted_hit(cli: Cli) -> None:
    folder = cli.folder / "data"
    shown = cli.process("demo")
    for word in ("Ships in port", "Q: Where were whales seen?", "Water level", "A guide", "Minutes"):
        assert shown.count(word) >= 2, word
    for word in ("new", "changed", "removed", "failed", "«whales»", "buffer/pending", "veille add"):
        assert word in shown, word
    assert list(folder.glob("buffer/pending/*.md"))
    cli("--data", str(folder), "dossiers", "delete", "demo", "--yes")
    assert list(folder.glob("buffer/*/*")) == []
    elsewhere = cli.folder / "elsewhere"
    cli.process("--data", str(elsewhere), "demo", "--no-serve")
    assert list(elsewhere.glob("buffer/pending/*.md")), "what the command line says wins"


def test_a_terminal_is_shown_the_newest_changes_and_programs_the_oldest(cli: Cli, site: Site) -> None:
    site.feed("/f.rss", [(f"/{n}", f"Entry {n} of many", f"{n} {LONG}") for n in range(5)])
    cli("add", f"{site.url}/f.rss")
    cli("run")
    titles = [one["title"] for one in cli.json("changes")["changes"]]
    shown = cli.in_terminal("changes", "--limit", "2", typed="")
    assert [title in shown for title in titles] == [False, False, False, True, True]
    assert "Older ones: --limit NUMBER. Continue with --since" in shown
    assert "Older ones" not in cli.in_terminal("changes", typed="")
    assert [one["title"] for one in cli.json("changes", "--limit", "2")["changes"]] == titles[:2]
    assert titles[1] in cli("changes", "--limit", "2"), "a pipe goes on from a cursor, and begins with the oldest"
    since = cli.in_terminal("changes", "--since", "1", "--limit", "1", typed="")
    assert titles[1] in since


def test_changes_of_several_dossiers_are_one_list_by_time(cli: Cli, site: Site) -> None:
    for name in ("alpha", "beta"):
        cli("dossiers", "add", name)
    for n, name in enumerate(("beta", "alpha", "beta", "alpha")):
        site[f"/{n}"] = f"<title>Page {n}</title><main><p>{n} {LONG}</p></main>"
        cli("add", f"{site.url}/{n}", "--kind", "page", "--dossier", name)
        cli("run", "--due")
    found = cli.json("changes")
    assert [one["title"] for one in found["changes"]] == ["Page 0", "Page 1", "Page 2", "Page 3"]
    first = cli.json("changes", "--limit", "3")
    assert [one["title"] for one in first["changes"]] == ["Page 0", "Page 1", "Page 2"]
    rest = cli.json("changes", "--since", first["cursor"])
    assert [one["title"] for one in rest["changes"]] == ["Page 3"]
    assert rest["cursor"] == found["cursor"]
    shown = cli.in_terminal("changes", "--limit", "2", typed="")
    assert [f"Page {n}" in shown for n in range(4)] == [False, False, True, True]
    assert "Older ones: --limit NUMBER" in shown
    for span in ("1h", "15min", "1 day"):
        assert cli.json("changes", "--since", span) == found
    assert cli.json("changes", "--since", "0s")["changes"] == []


def test_a_terminal_tells_old_words_from_new_ones_without_colours(tmp_path: Path, site: Site) -> None:
    cli = Cli(tmp_path, NO_COLOR="1")
    for price in ("12.50", "13.90"):
        site["/tea"] = Page(f"<title>Tea</title><main><p>Tea costs {price} crowns today.</p><p>{LONG}</p>".encode())
        if price == "12.50":
            cli("add", f"{site.url}/tea", "--kind", "page")
        cli("run")
    assert "Tea costs 12.50 → 13.90 crowns" in cli.in_terminal("diff", f"{site.url}/tea", typed="")
    assert "Tea costs [-12.50-]{+13.90+} crowns" in cli("diff", f"{site.url}/tea")


def test_every_command_has_help_with_an_example(cli: Cli) -> None:
    for command in (
        "add",
        "import",
        "export",
        "discover",
        "sources",
        "run",
        "work",
        "deliver",
        "search",
        "show",
        "changes",
        "deliveries",
        "export",
        "dossiers",
        "doctor",
        "demo",
        "questions",
        "engines",
        "catalogue",
    ):
        assert "Example" in cli(command, "--help"), command


def test_it_tells_its_version(cli: Cli) -> None:
    assert cli("--version") == f"veille {veille.__version__}\n"


def test_why_a_page_cannot_be_read_is_said_in_whole_sentences(cli: Cli) -> None:
    said = cli("read", "http://127.0.0.1:1/", status=1) + cli.stderr
    assert "cannot be read: " in said
    assert said.rstrip().endswith(".")
    assert ".." not in said


def test_a_page_that_cannot_be_read_keeps_its_last_content(cli: Cli, site: Site) -> None:
    site.feed("/f.rss", [("/one", "An entry about ferries", LONG)])
    cli("add", f"{site.url}/f.rss")
    cli("run")
    site["/f.rss"] = Page(b"<html><title>Maintenance</title>", type="text/html")
    report = cli.json("run", status=1)
    assert report["runs"][0]["items"][0]["code"] == "feed.unknown_format"
    assert cli.json("search", "ferries")


@pytest.mark.covers("R-087", "R-021")
def test_an_api_is_added_read_and_its_mistakes_are_explained(cli: Cli, site: Site) -> None:
    site.json("/api", {"data": [{"key": 1, "head": "Lobsters", "words": LONG}]})
    fields = '{"id": "key", "title": "head", "text": "words"}'
    added = cli.json("add", f"{site.url}/api", "-k", "api", "-s", "result_path=data", "-s", f"fields={fields}")
    assert (added["kind"], added["config"]["fields"]["id"]) == ("api", "key")
    assert cli.json("run")["runs"][0]["counts"]["new"] == 1
    assert [hit["title"] for hit in cli.json("search", "lobsters")] == ["Lobsters"]
    cli("add", f"{site.url}/api?wrong", "-k", "api", "-s", "result_path=dat", status=0)
    site.json("/api?wrong", {"data": []})
    failed = cli.json("run", f"{site.url}/api?wrong", status=1)
    (item,) = failed["runs"][0]["items"]
    assert (item["code"], "Lists stand at: data" in item["message"]) == ("api.path", True)
    cli("add", f"{site.url}/other", "-k", "api", "-s", 'paging={"by": "cursor"}', status=2)
    assert "bad_option" in cli.stderr
    cli("add", f"{site.url}/other", "-k", "nothing", status=2)
    assert "unknown_extension" in cli.stderr


@pytest.mark.covers("R-030", "R-031", "R-096", "R-097")
def test_the_catalogue_engines_and_questions_from_the_command_line(cli: Cli, site: Site) -> None:
    entries = cli.json("catalogue")
    assert {"tech", "legal-fr", "opendata", "academic", "news-fr"} == {entry["category"] for entry in entries}
    assert [one["added"] for one in cli.json("catalogue", "add", "academic")] == [True, True]
    assert [one["added"] for one in cli.json("catalogue", "add", "academic")] == [False, False]
    cli("catalogue", "add", "sports", status=2)
    assert "no_category" in cli.stderr
    (cli.folder / "own.json").write_text(
        json.dumps({"id": "own", "url_template": f"{site.url}/find?q={{query}}", "headers": {"X-Key": "in clear"}})
    )
    shown = cli.json("engines", "add", str(cli.folder / "own.json"))
    assert shown["headers"] == {"X-Key": "***"}
    # What was shown is sent back with a change, and the key is still there when the engine is asked.
    (cli.folder / "own.json").write_text(json.dumps(shown | {"name": "Our own"}))
    assert cli.json("engines", "add", str(cli.folder / "own.json"))["name"] == "Our own"
    states = {engine["id"]: engine["enabled"] for engine in cli.json("engines")}
    assert (states["own"], states["brave_api"], states["ddg_html"]) == (True, True, False)
    assert cli.json("engines", "enable", "ddg_html")["enabled"] is True
    assert cli.json("engines", "disable", "ddg_html")["enabled"] is False
    site.json("/find?q=old%20ferry", [{"title": "Ferry", "url": f"{site.url}/ferry", "text": LONG}])
    asked = ("questions", "add", "Where is the ferry?", "--keywords", "old ferry", "-c", "own", "--snippets")
    question = cli.json(*asked)
    assert (question["kind"], question["config"]["text"]) == ("question", "Where is the ferry?")
    assert "in clear" not in json.dumps([question, *cli.json("questions"), *cli.json("sources")])
    cli("run", "Q: Where is the ferry?")
    (point,) = cli.json("questions", "series", "Where is the ferry?")
    assert (point["found"], point["new"], point["failed"]) == (1, 1, 0)
    assert site.seen[-1].headers["X-Key"] == "in clear"
    assert "Ferry" in cli("search", "islands")
    for command, code in (
        (asked, "duplicate_source"),
        (("questions", "add", "Else?"), "no_engine"),
        (("questions", "add", "Else?", "-c", "scholar"), "engine_off"),
        (("questions", "series", "Nobody asked"), "no_source"),
        (("engines", "delete", "brave_api"), "no_engine"),
        (("engines", "add", str(cli.folder / "missing.json")), "bad_engine"),
    ):
        cli(*command, status=2)
        assert code in cli.stderr
    assert cli.json("engines", "delete", "own")["status"] == "deleted"


@pytest.mark.covers("R-041", "R-050")
def test_a_site_is_previewed_without_being_kept_and_then_watched(cli: Cli, site: Site) -> None:
    links = "".join(f"<a href='/p{number}'>{number}</a>" for number in range(6))
    site["/"] = f"<html><title>Ferries</title><body><main><p>{LONG}</p></main>{links}</body></html>"
    for number in range(6):
        site.article(f"/p{number}", f"Page {number}", f"Page {number}. {LONG}")
    options = ("--kind", "site", "--set", "exclude=*/p0")
    found = cli.json("preview", site.url, *options)
    assert len(found["documents"]) == 6
    assert found["waiting"] == 0
    cli("preview", site.url, *options, "--pages", "1")
    assert "next: " in cli.stderr
    assert cli.json("sources") == []
    cli("add", site.url, *options)
    (report,) = cli.json("run")["runs"]
    assert report["counts"]["new"] == 6
    assert "bad_option" in _told(cli, "add", f"{site.url}/x", "--kind", "site", "--set", "include=re:(", status=2)


@pytest.mark.covers("R-041")
def test_a_preview_and_the_doctor_say_how_much_of_a_page_was_read_and_what_to_do(cli: Cli, site: Site) -> None:
    lost = "".join(f"<p>{number}. {LONG}</p>" for number in range(4))
    site["/whole"] = f"<title>Whole</title><main><h1>Ferries</h1><p>{LONG}</p></main>"
    site["/part"] = f"<title>Part</title><main><p>Part. {LONG}</p><div class=sphinxsidebar>{lost}</div></main>"
    site["/chosen"] = f"<title>Chosen</title><main><p>Chosen. {LONG}</p><div class=sphinxsidebar>{lost}</div></main>"
    assert cli.json("preview", f"{site.url}/whole")["documents"][0]["quality"] == 1.0
    assert 0.15 < cli.json("preview", f"{site.url}/part")["documents"][0]["quality"] < 0.25
    assert cli.json("preview", f"{site.url}/part", "--set", "mode=everything")["documents"][0]["quality"] == 1.0
    assert "20 %" in cli("preview", f"{site.url}/part")
    assert "mode=reader" in cli("preview", f"{site.url}/part")
    assert cli.json("add", f"{site.url}/part", "--dry-run")["detected"]["samples"][0]["quality"] < 0.25
    cli("add", f"{site.url}/whole", "--yes")
    cli("add", f"{site.url}/part", "--kind", "page", "--name", "Half read")
    cli("add", f"{site.url}/chosen", "--kind", "page", "--set", "mode=css", "--set", 'selectors=["p"]')
    cli("run")
    report = cli.json("doctor")
    (found,) = report["dossiers"][0]["barely_read"]
    assert (found["source_name"], found["url"], found["pages"]) == ("Half read", f"{site.url}/part", 1)
    assert "selector" in found["advice"]
    # For some pages little is right: it is said, but nothing is wrong with the data.
    assert report["healthy"] is True
    cli("doctor")
    assert "Half read: of" in cli.stderr


def _told(cli: Cli, *arguments: str, status: int) -> str:
    cli(*arguments, status=status)
    return cli.stderr


@pytest.mark.covers("R-070")
def test_what_changes_on_every_load_is_listed_and_can_be_forgotten(cli: Cli, site: Site) -> None:
    loads = itertools.count()

    class Counting(dict[str, Page]):
        def get(self, path: str, missing: Any = None) -> Page:
            del path, missing
            return Page(f"<main><p>{LONG}</p><p>Views so far: {next(loads)}</p></main>".encode(), validates=False)

    site.pages = Counting()
    url = f"{site.url}/a"
    cli("add", url, "--kind", "page")
    cli("run")
    assert cli.json("quirks", url)["quirks"] == []
    assert cli.json("run")["runs"][0]["counts"]["changed"] == 0
    (quirk,) = cli.json("quirks", url)["quirks"]
    assert (quirk["line"], quirk["proofs"]) == (["Views", "so", "far:", None], 1)
    assert "Views so far: …" in cli("quirks", url)
    assert "1 forgotten" in _told(cli, "quirks", url, "--forget", status=0)
    assert cli.json("quirks", url)["quirks"] == []
    cli("quirks", "https://nowhere.example", status=2)
    assert "no_document" in cli.stderr


def test_a_source_is_named_where_several_dossiers_are_and_not_all_have_it(cli: Cli, site: Site) -> None:
    for name in ("tea", "coffee"):
        site.article(f"/{name}", name, f"{LONG}All about {name}.")
        cli("dossiers", "add", name)
        cli("add", f"{site.url}/{name}", "--kind", "page", "--name", name, "--dossier", name)
    assert [run["counts"]["new"] for run in cli.json("run", "tea")["runs"]] == [1]
    assert "coffee" not in cli("changes")
    cli("run", "tea", "coffee")
    for words in ("analyse --source tea", "digest --source tea", "retention run --source tea"):
        found = cli.json(*words.split())
        assert [one["dossier"] for one in (found["dossiers"] if isinstance(found, dict) else found)] == ["tea"], words
    cli("run", "tea", "cocoa", status=2)
    assert "no_source" in cli.stderr


def test_a_search_without_words_is_refused_and_a_mistyped_one_is_corrected(cli: Cli, site: Site) -> None:
    site.article("/a", "Harbour", f"The harbour ferry sails. {STORY}")
    cli("add", f"{site.url}/a")
    cli("run")
    for nothing in ("", "???", " - "):
        cli("search", nothing, "--json", status=2)
        assert json.loads(cli.stderr)["code"] == "no_query", nothing
    assert len(cli.json("search", "lang:en OR lang:de")) == 1, "a filter is enough"
    cli.json("search", "fery")
    assert json.loads(cli.stderr) == {"suggestion": "ferry"}
    cli.json("search", "ferry")
    assert not cli.stderr
