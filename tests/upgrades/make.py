"""Makes the data folder that upgrades are tested with: a bit of everything, as this version writes it.

    python tests/upgrades/make.py             writes 1.0.0.tar.xz, 1.0.0.sql.xz and 1.0.0.json beside this file
    python tests/upgrades/make.py 1.1.0       the same for another version

The first is the folder, the second the same in PostgreSQL, the third says what is in it and which scripts made it.

To be run once for every release, from the commit that is tagged. What was released is not written again without
`--again`: then it would no longer be what users have.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import subprocess
import sys
import tarfile
import tempfile
from contextlib import closing
from pathlib import Path

import apsw

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from command import Cli  # noqa: E402 - the path comes first
from postgres_server import shared  # noqa: E402
from samples import STORY  # noqa: E402
from service import Here  # noqa: E402
from veille.core.access.access import Role  # noqa: E402
from world import Site  # noqa: E402

ROOT = HERE.parents[1]
STORES = ROOT / "src" / "veille" / "adapters" / "stores"
FIRST = "1.0.0"
#: What comes and goes with processes, and what sinks wrote.
_PASSING = {"buffer", "in_hand", "present", "papers"}


def scripts() -> dict[str, str]:
    """A hash of every script that makes tables, by its path in the folder of the stores."""
    numbered = (path for path in STORES.rglob("*.sql") if path.name != "seal.sql")
    return {
        path.relative_to(STORES).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(numbered)
    }


def rows(data: Path) -> dict[str, int]:
    """How many rows every table of a data folder has, over all dossiers."""
    counted: dict[str, int] = {}
    for path in sorted(data.rglob("*.db")):
        with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as file:
            tables = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')"
            for (name,) in file.execute(f"{tables} AND name NOT GLOB 'sqlite_*'").fetchall():
                (count,) = file.execute(f'SELECT count(*) FROM "{name}"').fetchone() or (0,)
                counted[str(name)] = counted.get(str(name), 0) + int(count)
    return dict(sorted(counted.items()))


def fill(folder: Path) -> Path:
    """A data folder with sources of every kind, what they brought, and the people who read it."""
    data = folder / "data"
    # Everything that this program can do without a network, in half a minute; two of its sources break on purpose.
    cli = Cli(folder, VEILLE_BUFFER_DIR=str(data / "buffer"))
    cli("demo", "--no-serve", "--data", str(data))
    for broken in ("A dead link", "Swimming hall"):
        cli("sources", "delete", broken, "--yes", "--dossier", "demo")
    with Site() as site:
        _press(cli, site)
    _meaning(cli)
    _people(folder, cli)
    assert cli.json("doctor")["healthy"], cli.stderr
    return data


def _press(cli: Cli, site: Site) -> None:
    """A dossier with a page that was read four times: kept answers, values, tags, analyses, a rule of retention."""
    cli("dossiers", "add", "press")
    cli("dossiers", "options", "press", "--keep-raw", "all")
    cli("retention", "set", "last 2", "--dossier", "press")
    page = ("--dossier", "press")
    site.article("/bridge", "The bridge", f"It opens in 1 week. {STORY}")
    cli("add", f"{site.url}/bridge", *page, "--name", "The bridge", "--set", 'tags=["harbour", "works"]')
    cli("values", "add", "The bridge", "weeks", *page, "--near", "opens in {} week")
    site.json("/hook", {})
    cli("channels", "add", "desk", f"{site.url}/hook", *page)
    cli("rules", "add", "weeks > 2", "--name", "Late", *page, "--tell", "desk")
    cli("brands", "Acme", "Harbour Works", *page)
    for weeks in range(1, 5):
        site.article("/bridge", "The bridge", f"It opens in {weeks} weeks. {STORY}")
        cli("run", *page)
    cli("retention", "run", *page)
    cli("analyse", *page)
    cli("offers", "sources", "add", f"{site.url}/feed.xml", "--name", "Example", "--category", "tech")


def _meaning(cli: Cli) -> None:
    """Vectors of one dossier."""
    cli("vectors", "on", "--dossier", "press", "--embedder", "english")
    cli("vectors", "embed", "--dossier", "press")


def _people(folder: Path, cli: Cli) -> None:
    with Here(folder) as office:
        office.person("ada@example.org", is_admin=True)
        (press,) = (one["id"] for one in cli.json("dossiers") if one["name"] == "press")
        office.give("ada@example.org", press, Role.OWNER)
        robot = office.robot("ada@example.org")
        robot.post(f"/api/dossiers/{press}/searches", {"name": "Bridges", "query": "bridge"}, 201)
        (document,) = robot.get(f"/api/dossiers/{press}/documents")
        robot.post(f"/api/dossiers/{press}/documents/{document['id']}/shares", {"days": 90}, 201)
        with office.program() as app, app.dossiers.open(press) as store:
            now = app.clock()
            (me,) = (one.id for one in app.accounts.users.all(app.accounts.local()) if one.email == "ada@example.org")
            store.marks.visit(me, now)
            store.marks.read(me, document["id"])
            store.marks.keep(me, document["id"], now)
            store.tags.put([document["id"]], "kept")
            store.vault.set("API_KEY", "hush", ["api.example.org"], now)


def dump(cli: Cli) -> bytes:
    """A data folder in PostgreSQL, as `pg_dump` writes it."""
    server = shared()
    name = server.database()
    cli("move", "--to", server.url(name))
    return server.dump(name)


def write(version: str, folder: Path) -> None:
    """Pack the folder, and note what is in it and which scripts made it."""
    data = fill(folder)

    def kept(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        return None if _PASSING & set(Path(member.name).parts) else member

    with tarfile.open(HERE / f"{version}.tar.xz", "w:xz", preset=9) as packed:
        packed.add(data, "data", filter=kept)
    (HERE / f"{version}.sql.xz").write_bytes(lzma.compress(dump(Cli(folder)), preset=9))
    noted = {"scripts": scripts(), "rows": rows(data)}
    (HERE / f"{version}.json").write_text(json.dumps(noted, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", nargs="?", default=FIRST)
    parser.add_argument("--again", action="store_true", help="also if this version was released")
    asked = parser.parse_args()
    tagged = subprocess.run(
        ["git", "tag", "--list", f"v{asked.version}"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    if tagged and not asked.again:
        parser.error(f"{asked.version} was released; name the next version")
    with tempfile.TemporaryDirectory(prefix="veille-upgrades-") as folder:
        write(asked.version, Path(folder))
    for path in sorted(HERE.glob(f"{asked.version}.*")):
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
