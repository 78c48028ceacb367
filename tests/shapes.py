"""The shapes that programs rely on: REST, MCP tools, commands, what `--json` prints, and settings.

`python tests/shapes.py` writes them to tests/cases/shapes. Do so only for an intended change, and add it to the
changelog.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
import typer

from command import Cli
from newsroom import article
from people import PASSWORD
from samples import STORY
from veille.interfaces.cli import app
from veille.interfaces.operations import OPERATIONS
from veille.interfaces.web import make_api, openapi
from veille.settings import Settings
from world import Page, Site

FOLDER = Path(__file__).parent / "cases" / "shapes"

#: What is written for people; it may change at any time.
WORDS = {"description", "summary", "title", "example", "examples"}
#: Their keys are names, not words of a schema.
NAMES = {"properties", "$defs", "mapping"}
#: Objects in what is printed whose keys are data.
TABLES = {"by_type", "config", "headers", "others_at_work", "undelivered", "instead"}


def rest() -> Any:
    """The routes and the types of the API."""
    document = openapi(make_api(Settings(data=Path("unused"))))
    routes = {
        f"{method.upper()} {path}": wordless(one) | {"responses": _responses(one["responses"])}
        for path, operations in document["paths"].items()
        for method, one in operations.items()
    }
    types = {f"type {name}": wordless(schema) for name, schema in document["components"]["schemas"].items()}
    return routes | types


def _responses(responses: dict[str, Any]) -> dict[str, str]:
    """The statuses of every answer, together where the answer is the same."""
    found: dict[str, str] = {}
    for status, response in responses.items():
        shape = json.dumps(wordless(response), sort_keys=True)
        found[shape] = f"{found[shape]} {status}" if shape in found else status
    return {statuses: json.loads(shape) for shape, statuses in found.items()}


def tools() -> Any:
    """The operations: each is an MCP tool and a service."""
    return {
        name: {
            "takes": wordless(one.arguments.model_json_schema()),
            "answers": wordless(one.result_schema),
            "scope": one.scope,
            "untrusted": one.untrusted,
        }
        for name, one in OPERATIONS.items()
    }


def commands() -> dict[str, dict[str, str]]:
    """Every command with its arguments and options."""
    return dict(_commands("veille", typer.main.get_command(app)))


def _commands(path: str, command: Any) -> Iterator[tuple[str, dict[str, str]]]:
    shown = [one for one in command.params if not getattr(one, "hidden", False)]
    yield path, {" ".join(one.opts + one.secondary_opts): _option(one) for one in shown}
    for name, inner in sorted(getattr(command, "commands", {}).items()):
        yield from _commands(f"{path} {name}", inner)


def _option(one: Any) -> str:
    words = [one.param_type_name, one.type.name, *getattr(one.type, "choices", ())]
    words += ["required"] if one.required else []
    words += ["many"] if one.nargs != 1 or getattr(one, "multiple", False) else []
    default = getattr(one.default, "value", one.default)
    return " ".join(words) + ("" if default is None or callable(default) else f" = {default!r}")


def settings() -> Any:
    """Every group of settings with their types and defaults."""
    schema = wordless(Settings.model_json_schema())
    return {"Settings": schema["properties"]} | schema["$defs"]


def wordless(schema: Any) -> Any:
    """A schema without what is written for people."""
    if isinstance(schema, list):
        return [wordless(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: wordless(inner) for name, inner in value.items()} if key in NAMES else wordless(value)
        for key, value in schema.items()
        if key not in WORDS
    }


class Printed:
    """Runs commands with `--json` and notes the shape of what they print."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self._cli = Cli(folder, **variables)
        self._known = commands()
        self.shapes: dict[str, Any] = defaultdict(set)

    def __call__(self, *words: str, typed: str = "", status: int = 0) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdin", io.StringIO(typed))
            printed = self._cli(*words, "--json", status=status)
        name = next(
            name for end in range(len(words), 0, -1) if (name := " ".join(["veille", *words[:end]])) in self._known
        )
        lines = printed.splitlines() if name == "veille crawler logs" else [printed]
        for line in lines:
            self.shapes[name].update(_paths(json.loads(line)))
        return json.loads(lines[0])

    def fails(self, *words: str) -> None:
        self._cli(*words, "--json", status=2)
        self.shapes["any command that fails"].update(_paths(json.loads(self._cli.stderr)))

    def file(self, name: str, text: str) -> str:
        path = self._cli.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)


def _paths(value: Any, path: str = "") -> Iterator[str]:
    """Where something is in a JSON value, and of which type it is: `.hits[].title text`."""
    if isinstance(value, dict):
        yield f"{path} object"
        for key, inner in value.items():
            of_data = path.rpartition(".")[2] in TABLES
            yield from _paths(inner, f"{path}.{'*' if of_data else key}")
    elif isinstance(value, list):
        yield f"{path} list"
        for inner in value:
            yield from _paths(inner, f"{path}[]")
    else:
        names = {bool: "true or false", int: "number", float: "number", str: "text", type(None): "null"}
        yield f"{path} {names[type(value)]}"


def printed(folder: Path) -> dict[str, list[str]]:
    """What every command prints with `--json`, as seen in one long session."""
    with Site() as site:
        run = Printed(
            folder,
            VEILLE_NEWS__WORKBOOK=str(folder / "news.xlsx"),
            VEILLE_NEWS__FULLTEXT_DIR=str(folder / "texts"),
        )
        for part in (_watch, _mend, _ask, _tell, _offer, _admit, _follow, _read_again, _crawl, _report_news, _keep):
            part(run, site)
    return {name: sorted(paths) for name, paths in sorted(run.shapes.items())}


def _watch(run: Printed, site: Site) -> None:
    site.article("/a", "Bridges", f"{STORY}\nOne line that will change soon.")
    site.article("/copy", "Bridges again", f"{STORY}\nOne line that will change soon.")
    _print_feed(site, "/f.rss", "/one")
    site["/home"] = f"<link rel=alternate type=application/rss+xml href=/f.rss><main><p>{STORY}</main>"
    run("dossiers", "add", "default")
    run("preview", f"{site.url}/a")
    run("add", f"{site.url}/a", "--dry-run")
    run("add", f"{site.url}/a", "--name", "Bridges")
    run("add", f"{site.url}/copy", "--kind", "page", "--cron", "0 6 * * *", "--name", "Copy")
    run("discover", f"{site.url}/home")
    run("import", run.file("list.opml", f'<opml><body><outline text="F" xmlUrl="{site.url}/f.rss"/></body></opml>'))
    # One by one: which of two copies is seen first would be chance.
    for source in ("Bridges", "Copy", "F"):
        run("run", source)
    site.article("/a", "Bridges", f"{STORY}\nOne line that has changed.")
    run("run", "Bridges")
    run("work", "--drain")
    (document,) = run("search", "harbour source:Bridges")
    assert run("ask", "What is said about the harbour?")["statements"]
    _read(run, document["document_id"])
    run("sources")
    run("sources", "edit", "Bridges", "--every", "2h")
    run("sources", "pause", "Bridges")
    run("sources", "resume", "Bridges")
    run("sources", "mute", "Bridges", "--for", "off")
    run("sources", "export", "--opml", run.file("out.opml", ""))
    run("sources", "delete", "Copy", "--yes")
    run("sources", "restore", "Copy")
    run("sources", "delete", "Copy", "--yes")
    site.article("/long", "Long", STORY * 5)
    run("read", f"{site.url}/long")
    for command in ("deliver", "deliveries", "hosts"):
        run(command)


def _read(run: Printed, wanted: str) -> None:
    run("show", wanted)
    run("show", wanted, "--history")
    run("diff", wanted)
    run("chunks", wanted)
    run("quirks", wanted)
    run("changes")
    run("changes", "--order", "popular")
    run("stories")
    run("brands", "harbour")
    run("analyse", wanted)
    run("analyse")
    run("digest")
    run("export", "--out", str(Path(run.file("out", "")).with_suffix(".jsonl")))


def _print_feed(site: Site, path: str, link: str) -> None:
    site[path] = Page(
        f"<rss version='2.0'><channel><title>F</title><language>en</language><item><link>{site.url}{link}</link>"
        f"<title>An entry</title><pubDate>{formatdate()}</pubDate><description>{STORY}</description></item>"
        "</channel></rss>".encode(),
        type="application/rss+xml",
    )


def _mend(run: Printed, site: Site) -> None:
    site.article("/old", "The ferry", STORY * 3)
    run("add", f"{site.url}/old", "--kind", "page", "--name", "Ferry")
    run("run", "Ferry")
    site.article("/new", "The ferry", STORY * 3)
    site["/old"] = Page(b"", status=308, headers={"Location": "/new"})
    for _ in range(2):
        run("run", "Ferry")
    (repair,) = run("repairs")
    run("repairs", "undo", repair["id"])
    run("repairs", "apply", repair["id"])
    run("probe", f"{site.url}/new")
    site["/new"] = Page(b"", status=404, validates=False)
    for _ in range(2):
        run("run", "Ferry", status=1)
    run("sweep")
    run("doctor", status=1)
    run("reset", "Ferry")
    run("doctor", "address", f"{site.url}/new")
    run("doctor", "egress", "--vectors", run.file("v.tsv", "id\texpect\tfamily\turl\n1\t\tx\thttp://10.0.0.1/\n"))


def _tell(run: Printed, site: Site) -> None:
    site.made["/hook"] = lambda _: Page(b"{}")
    site["/tea"] = f"<main><h1>Tea</h1><p>{STORY}</p><p class=price>12.90 EUR</p></main>"
    run("add", f"{site.url}/tea", "--kind", "page", "--name", "tea", "--set", 'values={"price": ".price"}')
    run("channels", "add", "desk", f"{site.url}/hook", "--set", "secret=0123456789abcdef0123456789abcdef")
    run("rules", "add", "price falls", "--source", "tea", "--tell", "desk", "--set-tag", "cheap")
    run("rules", "add", "is changed", "--tag", "tea", "--name", "Changes")
    run("run", "tea")
    site["/tea"] = f"<main><h1>Tea</h1><p>{STORY}</p><p class=price>11.50 EUR</p></main>"
    run("run", "tea")
    run("rules")
    run("rules", "try", "price falls")
    run("rules", "edit", "Changes", "--weight", "5")
    run("rules", "pause", "Changes")
    run("rules", "resume", "Changes")
    run("rules", "delete", "Changes")
    run("rules", "restore", "Changes")
    run("rules", "delete", "Changes")
    (alert,) = run("alerts")
    run("alerts", "resend", str(alert["number"]))
    run("channels")
    for action in ("test", "pause", "resume", "skip"):
        run("channels", action, "desk")
    run("channels", "edit", "desk", "--every", "2h")
    run("channels", "delete", "desk", "--yes")
    run("channels", "restore", "desk")
    run("channels", "delete", "desk", "--yes")
    run("dossiers", "add", "other")
    run("sources", "move", "tea", "--to", "other", "--dossier", "default")
    run("dossiers", "export", "other", "--out", str(Path(run.file("other", "")).with_suffix(".zip")))
    run("dossiers", "delete", "other", "--yes")


def _ask(run: Printed, site: Site) -> None:
    site.json("/find?q=ferry", [{"title": "Ferry", "url": f"{site.url}/ferry", "text": STORY}])
    record = {"id": "city", "url_template": f"{site.url}/find?q={{query}}", "headers": {"X-Key": "${secret:key}"}}
    run("secrets", "set", "key", "--host", site.url[7:], typed="a secret")
    run("secrets")
    run("engines", "add", run.file("engine.json", json.dumps(record)))
    run("engines")
    run("engines", "disable", "city")
    run("engines", "enable", "city")
    run("questions", "add", "ferry", "-c", "city", "--snippets")
    run("run", "Q: ferry")
    run("questions")
    run("questions", "series", "Q: ferry")
    run("engines", "delete", "city")
    run("secrets", "delete", "key")


def _offer(run: Printed, site: Site) -> None:
    record = {"id": "town", "url_template": f"{site.url}/find?q={{query}}"}
    run("offers", "engines", "add", run.file("engine.json", json.dumps(record)))
    run("offers", "sources", "add", f"{site.url}/f.rss", "-n", "Ferries", "-c", "sea")
    run("offers", "sources", "edit", "Ferries", "--every", "6h")
    for kind, name in (("engines", "town"), ("sources", "Ferries")):
        run("offers", kind)
        for verb in ("disable", "enable"):
            run("offers", kind, verb, name)
    run("catalogue")
    run("catalogue", "add", "sea")
    run("offers", "services")
    for name in ("sources", "engines"):
        (Path(run.file("x", "")).parent / "registry" / name).mkdir(parents=True)
    entry = {"category": "sea", "name": "Tides", "url": "https://tides.example/", "kind": "page"}
    registry = str(Path(run.file("registry/sources/tides.json", json.dumps(entry))).parents[1])
    run("offers", "pull", registry, "--apply")
    run("offers", "registries")
    run("offers", "undo", "registry")
    for kind, name in (("engines", "town"), ("sources", "Ferries")):
        run("offers", kind, "delete", name)


def _admit(run: Printed, _: Site) -> None:
    run("users", "add", "ada@example.org", "--name", "Ada", "--admin", typed=f"{PASSWORD}\n")
    run("users", "password", "ada@example.org", typed="twelve green lamps\n")
    run("members", "add", "ada@example.org", "--role", "editor")
    token = run("tokens", "add", "robot", "--scope", "read", "--network", "192.0.2.7")
    for words in ("users", "users list", "members", "members list", "tokens", "tokens list"):
        run(*words.split())
    run("tokens", "revoke", token["id"])
    run("members", "remove", "ada@example.org")
    run("users", "remove", "ada@example.org")
    run("users", "export", "ada@example.org", "--out", str(Path(run.file("ada", "")).with_suffix(".zip")))
    run("users", "delete", "ada@example.org", "--yes")
    run("audit")


def _crawl(run: Printed, site: Site) -> None:
    site["/site/"] = f"<title>Site</title><main><p>{STORY}</p></main><a href=/site/b>b</a>"
    site["/site/b"] = f"<title>b</title><main><p>This is b. {STORY}</p></main>"
    config = run.file("crawler.json", json.dumps({"seeds": [f"{site.url}/site/"], "retry_wait_s": 0}))
    crawler = "crawler"
    run(crawler, "config", "test", config)
    run(crawler, "config", "set", config)
    run(crawler, "config", "get")
    run(crawler, "run", "--dry-run")
    run(crawler, "run")
    site["/site/b"] = Page(b"no", status=404, validates=False)
    run(crawler, "run", "--full", status=1)
    run(crawler, "retry-failures", "--window", "1h")
    run(crawler, "schedule", "set", "@weekly")
    for words in ("schedule get", "schedule remove", "status", "report", "logs"):
        run(crawler, *words.split())


def _report_news(run: Printed, site: Site) -> None:
    site["/news/1"] = article("Ferries")
    _print_feed(site, "/news.rss", "/news/1")
    run("news", "ensure")
    run("news", "discovery", "--feed", f"{site.url}/news.rss")
    run("news", "poll")
    run("news", "work", "--worker-id", "me")
    run("news", "analyse")


def _follow(run: Printed, site: Site) -> None:
    site["/tin"] = f"<title>Tea</title><main><p>{STORY}</p></main><b class=price>12.90 EUR</b>"
    run("add", f"{site.url}/tin", "--kind", "page", "-n", "Tin")
    run("values", "add", "Tin", "price", "--selector", ".price")
    run("run", "Tin")
    site["/tin"] = f"<title>Tea</title><main><p>{STORY}</p></main><b class=price>11.50 EUR</b>"
    run("run", "Tin")
    run("values", "show")
    run("values", "show", "Tin", "--name", "price")
    run("values", "delete", "Tin", "price")


def _read_again(run: Printed, site: Site) -> None:
    site["/kept"] = f"<main><article><p>Kept: {STORY}</p></article><aside><p>Beside it: {STORY}</p></aside></main>"
    run("dossiers", "options", "default", "--keep-raw", "last")
    run(
        "add", f"{site.url}/kept", "--kind", "page", "-n", "Kept", "--set", "mode=css", "--set", 'selectors=["article"]'
    )
    run("run", "Kept")
    run("sources", "edit", "Kept", "--set", 'selectors=["aside"]')
    run("reread", "--source", "Kept", "--dry-run")
    run("reread", "--source", "Kept")
    run("bodies")
    run("bodies", "move")
    run("vectors")
    run("vectors", "on", "--embedder", "none")
    run("vectors", "embed")
    run("vectors", "off")
    run("retention")
    run("retention", "set", "last 20", "--dossier", "default")
    run("retention", "run", "--dry-run")


def _keep(run: Printed, _: Site) -> None:
    folder = Path(run.file("backup", "")).parent
    run("config")
    run("config", "init", str(folder / "veille.toml"))
    run("backup", str(folder / "backup.zip"))
    run("move", "--to", str(folder / "moved"))
    run("restore", str(folder / "backup.zip"), "--data", str(folder / "restored"))
    run("demo", "--no-serve", "--data", str(folder / "demo"))
    run("warc", "export", "--dossier", "default", "--out", str(folder / "all.warc.gz"))
    run("warc", "import", "--dossier", "default", str(folder / "all.warc.gz"), run.file("no.warc", "no"), status=1)
    run("dossiers")
    run("dossiers", "delete", "default", "--yes")
    run.fails("sources", "--dossier", "default")


def text(shapes: dict[str, Any]) -> str:
    """Shapes as a file: a line for each, so that a difference is seen."""
    lines = (f"{json.dumps(name)}: {json.dumps(shape, sort_keys=True)}" for name, shape in sorted(shapes.items()))
    return "{\n" + ",\n".join(lines) + "\n}\n"


#: The shapes that are known without running anything, by the name of their file.
STATIC = {"rest": rest, "tools": tools, "commands": commands, "settings": settings}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, made in STATIC.items():
        (FOLDER / f"{name}.json").write_text(text(made()), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        (FOLDER / "printed.json").write_text(text(printed(Path(folder))), encoding="utf-8")


if __name__ == "__main__":
    main()
