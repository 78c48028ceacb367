"""The how-to pages are true: what they have people type does what they say."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from command import run_here
from telling import Mailbox
from veille.interfaces.cli import main as start_veille
from world import Page, Site

ROOT = Path(__file__).parent.parent.parent
PAGES = ROOT / "docs" / "howto"
# One page may start a dozen programs.
pytestmark = pytest.mark.timeout(180)
TEXT = "The old harbour bridge was closed after the flood and is being rebuilt by engineers from three countries."


def _typed(page: str) -> list[list[str]]:
    """What the page has people type."""
    blocks = re.findall(r"```console\n(.*?)```", (PAGES / f"{page}.md").read_text(), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("$ veille ")]
    return [shlex.split(line, comments=True)[2:] for line in lines]


def _type(
    page: str, url: str, folder: Path, before: Callable[[str], None] = lambda _: None, /, **variables: str
) -> dict[str, str]:
    """Type everything; what each command printed. One process does it all: starting one for each takes longer.

    `before` is called with each command, before it is typed.
    """
    environment = os.environ | {"VEILLE_DATA": str(folder / "data"), "VEILLE_FETCH__HOST_DELAY_MS": "0"} | variables
    printed = {}
    for arguments in _typed(page):
        hosts = {"example.org": url.partition("://")[2]}
        before(" ".join(arguments))
        words = [hosts.get(word, word).replace("https://example.org", url) for word in arguments]
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a secret")))
            status, out, errors = run_here(start_veille, ["veille", *words], environment)
        assert status == 0, (words, out, errors)
        printed[" ".join(arguments)] = out
    return printed


LOOPBACK = {"VEILLE_FETCH__ALLOW_NETWORKS": '["127.0.0.0/8"]'}


def test_a_value_is_followed_as_its_page_says(site: Site, tmp_path: Path) -> None:
    facts = "<p>Bags in the box: 20</p><p>Weight: 100 g</p>"
    site["/tea"] = f"<title>Tea</title><main><p>{TEXT * 3}</p>{facts}</main><footer><b class=price>12,90 €</b></footer>"
    printed = _type("follow-a-value", site.url, tmp_path, **LOOPBACK)
    now = printed["values"]
    for words in ("price", "12.90 EUR", "in the box", "20"):
        assert words in now, words
    assert "12.90 EUR" in printed["values tea --name price --since 30d"]
    assert "100" in printed["values --name weight"]
    assert "values delete tea weight" in printed


def test_an_api_is_watched_as_its_page_says(site: Site, tmp_path: Path) -> None:
    notice = {"id": 7, "headline": "Works", "body": {"html": f"<p>{TEXT}</p>"}, "dates": {"issued": "2026-01-02"}}
    site.json("/api/notices", {"data": {"items": [notice]}})
    site.json("/api/log", {"entries": [{"id": 1, "title": "A line"}], "next": None})
    site.made["/api/graphql"] = lambda asked: Page(
        json.dumps({"data": {"notices": [{"id": 9, "title": asked.headers["Authorization"]}]}}).encode()
    )
    printed = _type("watch-an-api", site.url, tmp_path, **LOOPBACK)
    assert f"{site.url}/notices/7" in printed["search harbour"]
    assert [seen.method for seen in site.seen if seen.path == "/api/graphql"] == ["POST"]
    assert "Bearer a secret" in [seen.headers.get("Authorization") for seen in site.seen]


def test_a_question_is_asked_as_its_page_says(site: Site, tmp_path: Path) -> None:
    text = (PAGES / "ask-a-question.md").read_text()
    for name, record in re.findall(r"`(\w+\.json)`:\n\n```json\n(.*?)```", text, re.DOTALL):
        (tmp_path / name).write_text(record.replace("https://example.org", site.url))
    for number in (1, 2):
        site.article(f"/picture/{number}", f"Picture {number}", f"{TEXT} {number}")
    results = [{"name": f"Picture {n}", "extract": "Oil", "link": f"{site.url}/picture/{n}"} for n in (1, 2)]
    site.made["/find"] = lambda asked: Page(
        json.dumps({"results": results if asked.query.get("page", "1") == "1" else []}).encode()
    )
    site["/gazette/search?words=harbour%20painting"] = (
        "<div class=hit><h3><a href=/picture/1>One</a></h3><p>Oil</p></div>"
    )
    printed = _type("ask-a-question", site.url, tmp_path, **LOOPBACK)
    last = printed["questions series Who painted the harbour?"].splitlines()[-1]
    assert last.split()[1:] == ["3", "2", "0", "0"]
    assert {seen.headers.get("X-Key") for seen in site.seen if seen.path.startswith("/find")} == {"a secret"}


def test_a_broken_source_is_seen_to_as_its_page_says(site: Site, tmp_path: Path) -> None:
    site.article("/", "Home", TEXT)
    site.article("/prices", "Prices", TEXT)
    printed = _type("when-a-source-breaks", site.url, tmp_path, **LOOPBACK)
    assert "200" in printed["probe https://example.org/"]
    assert len(printed) == 6


@pytest.mark.covers("R-245")
def test_a_mail_comes_when_the_price_falls_as_its_page_says(site: Site, tmp_path: Path) -> None:
    text = (PAGES / "be-told-when-the-price-falls.md").read_text()
    first = re.findall(r"```console\n(.*?)```", text, re.DOTALL)[0]
    assert len(first.splitlines()) == 5
    settings = dict(re.findall(r"(VEILLE_\w+)=(\S+)", first))
    assert settings.keys() == {"VEILLE_ALERTS__MAIL__HOST", "VEILLE_ALERTS__MAIL__SENDER"}
    prices = iter(["12.90", "11.50"])

    def sell(command: str) -> None:
        if command.startswith(("add", "run")):
            price = "12.90" if command.startswith("add") else next(prices)
            offer = {"@type": "Offer", "price": price, "priceCurrency": "EUR"}
            product = {"@context": "https://schema.org", "@type": "Product", "name": "Tea", "offers": offer}
            site["/tea"] = (
                f"<title>Tea</title><script type=application/ld+json>{json.dumps(product)}</script>"
                f"<main><h1>Tea</h1><p>{TEXT}</p><p>{price} EUR</p></main>"
            )

    with Mailbox() as mailbox:
        here = {"HOST": "127.0.0.1", "PORT": str(mailbox.port), "SECURITY": "none"}
        settings |= {f"VEILLE_ALERTS__MAIL__{name}": value for name, value in here.items()}
        printed = _type("be-told-when-the-price-falls", site.url, tmp_path, sell, **LOOPBACK, **settings)
    (mail,) = mailbox.mails
    assert (mail["To"], mail["From"]) == ("anna@example.org", "veille <veille@example.org>")
    assert mail["Subject"] == "Tea: price 12.90 EUR → 11.50 EUR"
    plain, _ = mail.iter_parts()
    assert "price falls · price fell from 12.90 EUR to 11.50 EUR" in plain.get_content()
    assert "told: me sent" in printed["alerts"]


def test_people_are_told_as_their_page_says(site: Site, tmp_path: Path) -> None:
    site.article("/", "Home", TEXT)
    site.made["/hook"] = lambda _: Page(b"{}")
    with Mailbox() as mailbox:
        here = {"HOST": "127.0.0.1", "PORT": str(mailbox.port), "SECURITY": "none", "SENDER": "veille@example.org"}
        settings = {f"VEILLE_ALERTS__MAIL__{name}": value for name, value in here.items()}
        printed = _type("tell-people", site.url, tmp_path, **LOOPBACK, **settings)
    assert "ntfy · ntfy.sh" in printed["channels"]
    assert "Health" in printed["rules"]


def test_a_bridge_is_written_as_its_page_says(site: Site, tmp_path: Path) -> None:
    text = (PAGES / "write-a-bridge.md").read_text()
    (services,) = re.findall(r"```json\n(.*?)```", text[text.index("## Many services") :], re.DOTALL)
    site["/services"] = Page(services.encode(), type="application/json")
    (service,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    settings, *_ = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert len(service.splitlines()) < 45
    (tmp_path / "tides.py").write_text(service)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    token = tomllib.loads(settings)["bridges"]["tides"]["token"]
    running = subprocess.Popen(
        [sys.executable, "tides.py"],
        cwd=tmp_path, env=os.environ | {"TIDES_PORT": port, "TIDES_TOKEN": token}, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        _await(int(port))
        url = f"http://127.0.0.1:{port}/tides_fetch"
        bridge = {"VEILLE_BRIDGES__TIDES__URL": url, "VEILLE_BRIDGES__TIDES__TOKEN": token}
        router = {"VEILLE_ROUTER__URL": f"{site.url}/services", "VEILLE_ROUTER__TOKEN": token}
        printed = _type("write-a-bridge", "", tmp_path, **bridge, **router)
    finally:
        running.kill()
        running.wait()
    assert "«ships» may enter" in printed["search ships kind:tides"]
    assert "mail" in printed["offers services --ask"]


def test_changes_are_handed_on_as_their_page_says(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (PAGES / "hand-changes-on.md").read_text()
    receiver, reader = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    settings, *_ = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert tomllib.loads(settings)["sinks"]["desk"]["kind"] == "webhook"
    (tmp_path / "desk.py").write_text(receiver)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    secret = "0123456789abcdef0123456789abcdef"
    hook = {"KIND": "webhook", "URL": f"http://127.0.0.1:{port}/veille", "SECRET": secret}
    variables = LOOPBACK | {f"VEILLE_SINKS__DESK__{name}": value for name, value in hook.items()}
    environment = os.environ | variables | {"VEILLE_DATA": str(tmp_path / "data")}
    environment["VEILLE_BUFFER_DIR"] = str(tmp_path / "buffer")
    site.article("/page", "A page", TEXT)
    running = subprocess.Popen(
        [sys.executable, "desk.py"], cwd=tmp_path, env=os.environ | {"PORT": port, "SECRET": secret},
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        _await(int(port))
        for words in (["add", f"{site.url}/page"], ["run"]):
            assert run_here(start_veille, ["veille", *words], environment)[0] == 0
        # A stranger, who signs with another secret, is turned away.
        forged = json.dumps({"kind": "webhook", "url": hook["URL"], "secret": "f" * 32})
        _, out, _ = run_here(start_veille, ["veille", "deliver"], environment | {"VEILLE_SINKS__OTHER": forged})
        assert "401" in out
    finally:
        running.kill()
        heard, _ = running.communicate()
    assert heard.splitlines() == ["new A page"]
    for taken in ([f"source_url: {site.url}/page 18 words"], []):
        assert _run(reader, tmp_path).splitlines() == taken
    monkeypatch.chdir(tmp_path)
    for command in re.findall(r"^\$ (veille export --format .*)$", text, re.MULTILINE):
        assert run_here(start_veille, command.split(), environment)[0] == 0
    assert {path.name for path in tmp_path.glob("news.*")} == {"news.csv", "news.parquet"}


def _run(program: str, folder: Path, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder, env=os.environ | variables, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_rag_pipeline_is_fed_as_its_page_says(site: Site, tmp_path: Path) -> None:
    text = (PAGES / "feed-a-rag-pipeline.md").read_text()
    settings, more, lines = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    (question,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "veille").mkdir()
    (tmp_path / "veille" / "veille.toml").write_text(more)
    site.article("/handbook", "A page", TEXT)
    variables = LOOPBACK | {"XDG_CONFIG_HOME": str(tmp_path), "VEILLE_DATA": str(tmp_path / "data")}
    _type("feed-a-rag-pipeline", site.url, tmp_path, **variables)
    peek = "import chromadb; print(chromadb.PersistentClient('chroma').list_collections()[0].get()['metadatas'])"
    (metadata,) = ast.literal_eval(_run(peek, tmp_path, **variables))
    assert metadata["tags"] == ["intranet", "hr"]
    assert (metadata["department"], metadata["confidentiality"]) == ("People", "internal")
    assert metadata.keys() - tomllib.loads(more)["sinks"]["chroma"]["facts"].keys() == {
        "source_url", "title", "tags", "domain", "chunk_index", "chunk_total", "chunk_strategy", "content_hash",
        "document_id",
    }  # fmt: skip
    # As at first: records have a language then, which the question is about.
    shutil.rmtree(tmp_path / "data")
    (tmp_path / "veille" / "veille.toml").write_text(settings)
    _type("feed-a-rag-pipeline", site.url, tmp_path, **variables)
    assert _run(question, tmp_path, **variables) == f"{TEXT}\n"
    # And without Chroma.
    shutil.rmtree(tmp_path / "data")
    (tmp_path / "veille" / "veille.toml").write_text(lines)
    _type("feed-a-rag-pipeline", site.url, tmp_path, **variables)
    (kept,) = tmp_path.glob("chunks/*/*.jsonl")
    assert json.loads(kept.read_text())["text"] == json.loads((tmp_path / "chunks.jsonl").read_text())["text"] == TEXT


def _await(port: int) -> None:
    """Until the service listens; it has the test's own time limit."""
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
