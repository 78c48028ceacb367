"""`import veille`: what programs do with it, and the scripts of the documentation."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import veille
from veille.library import DataFolder
from watching import FAST
from world import Page, Site

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
TEA = (
    "<html lang='en'><title>Smoked tea</title><h1>Smoked tea</h1><p class='price'>{} EUR</p>"
    "<p>The smoked tea comes from the hills behind the harbour, where it dries over a fire of pine for three days.</p>"
    "<p>The shop opens at nine and closes at six, and sends the tea to every island that a ferry reaches.</p>"
)


def _page(text: str) -> Page:
    return Page(text.encode())


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        site.pages["/tea"] = _page(TEA.format("12.90"))
        yield site


@pytest.fixture
def data(tmp_path: Path) -> Iterator[DataFolder]:
    with veille.open(tmp_path / "data", fetch=FAST) as data:
        yield data


def _changed(site: Site, data: DataFolder) -> Any:
    """A dossier with a page whose price changed."""
    prices = data.dossier("prices")
    wish = {"price": {"selector": ".price"}}
    prices.add(f"{site.url}/tea", kind="page", name="tea", every="1h", values=wish)
    prices.check()
    site.pages["/tea"] = _page(TEA.format("13.90"))
    prices.check("tea")
    return prices


def test_what_is_watched_and_changed(site: Site, data: DataFolder) -> None:
    prices = _changed(site, data)
    assert [(one.name, one.kind, one.interval_ms) for one in prices.sources()] == [("tea", "page", 3_600_000)]
    changes = prices.changes()
    assert [one.change for one in changes] == ["new", "changed"]
    assert [(one.name, one.before, one.after) for one in changes[1].told.values] == [
        ("price", "12.90 EUR", "13.90 EUR")
    ]
    assert prices.changes(changes.cursor) == []
    assert [one.seq for one in prices.all_changes()] == [one.seq for one in changes]


def test_documents_and_their_revisions(site: Site, data: DataFolder) -> None:
    prices = _changed(site, data)
    (document,) = prices.documents("tea")
    assert [one.n for one in prices.revisions(f"{site.url}/tea")] == [2, 1]
    assert "13.90" in prices.document(document.document_id).text
    assert "12.90" in prices.document(document.document_id, 1).text
    (hit,) = prices.search("pine fire")
    assert hit.document_id == document.document_id
    answer = prices.ask("When does the shop open?")
    quote = answer.statements[0].citations[0]
    assert prices.document(quote.document_id, quote.n).text[quote.start : quote.end] == quote.quote
    assert "opens at nine" in quote.quote


def test_what_it_is_is_found_out(site: Site, data: DataFolder) -> None:
    entries = "".join(
        f"<item><title>Item {n}</title><link>{site.url}/{n}</link><description>{n} ships</description></item>"
        for n in range(3)
    )
    feed = f"<rss version='2.0'><channel><title>Harbour news</title><link>{site.url}</link>{entries}</channel></rss>"
    site.pages["/feed"] = Page(feed.encode(), "application/rss+xml")
    news = data.dossier("news")
    source = news.add(f"{site.url}/feed")
    assert (source.kind, source.name) == ("feed", "Harbour news")
    report = news.check(source)
    assert [str(one.change) for one in report].count("new") == 3
    news.remove(source)
    assert news.sources() == []


def test_tables(site: Site, data: DataFolder) -> None:
    prices = _changed(site, data)
    points = prices.values("tea", name="price", since="1d").to_pandas()
    assert list(points["value_number"]) == [12.9, 13.9]
    assert str(points["at"].dt.tz) == "UTC"
    table = prices.changes().to_arrow()
    assert str(table.schema.field("at").type) == "timestamp[ms, tz=UTC]"
    assert table.column("change").to_pylist() == ["new", "changed"]
    assert prices.search("porpoises").to_pandas().empty
    assert prices.search("porpoises").to_arrow().num_rows == 0
    # A table without rows has the columns of one with rows.
    changes = prices.changes()
    for some, none in (
        (points, prices.values("tea", name="weight").to_pandas()),
        (changes.to_pandas(), prices.changes(changes.cursor).to_pandas()),
        (prices.search("tea").to_pandas(), prices.search("porpoises").to_pandas()),
    ):
        assert list(none.columns) == list(some.columns)
    assert prices.changes(changes.cursor).to_arrow().schema.field("at").type == table.schema.field("at").type


def test_the_same_without_waiting(site: Site, tmp_path: Path) -> None:
    async def watched() -> list[str]:
        async with veille.open_async(tmp_path / "data", fetch=FAST) as data:
            prices = await data.dossier("prices")
            tea = await prices.add(f"{site.url}/tea", kind="page", name="tea", values={"price": {"selector": ".price"}})
            report, *_ = await asyncio.gather(prices.check(tea), asyncio.sleep(0))
            assert [one.change for one in report] == ["new"]
            assert [one.name for one in await prices.sources()] == ["tea"]
            assert len(await prices.search("pine")) == 1
            assert (await prices.ask("When does the shop open?")).statements
            (document,) = await prices.documents()
            assert (await prices.document(document.document_id)).n == 1
            assert len(await prices.revisions(document.document_id)) == 1
            assert len(await prices.values(name="price")) == 1
            assert len(await prices.changes()) == 1
            found = [one.title async for one in prices.all_changes()]
            await prices.remove("tea")
            assert [one.name for one in await data.dossiers()] == ["prices"]
            return found

    # In a thread: tests with a browser leave a loop in this one.
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(asyncio.run, watched()).result() == ["Smoked tea"]


def test_what_is_not_there(data: DataFolder) -> None:
    with pytest.raises(veille.NotFoundError):
        data.dossier("nowhere", create=False)
    with pytest.raises(veille.NotFoundError):
        data.dossier("news").document("01a1dd3b")
    with pytest.raises(veille.VeilleError) as raised:
        data.dossier("news").add("http://127.0.0.1:1/", every="often")
    assert raised.value.code


def _script(name: str, *arguments: str) -> str:
    variables = {"VEILLE_FETCH__HOST_DELAY_MS": "0", "VEILLE_FETCH__ALLOW_NETWORKS": '["127.0.0.0/8"]'}
    done = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **variables},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_script_of_prices(site: Site, tmp_path: Path) -> None:
    # Stored without the fragment: the second time it has to be the same source all the same.
    asked = ("price_history", f"{site.url}/tea#top", ".price", str(tmp_path))
    assert "Lowest: 12.9, highest: 12.9" in _script(*asked)
    site.pages["/tea"] = _page(TEA.format("13.90"))
    assert "Lowest: 12.9, highest: 13.9" in _script(*asked)


def test_the_script_of_a_ministry(site: Site, tmp_path: Path) -> None:
    site.pages["/"] = _page(
        "<title>Ministry</title><p>See our <a href='/tea'>tea</a> and other things of the harbour.</p>"
    )
    asked = ("what_a_ministry_changed", f"{site.url}/", str(tmp_path))
    assert re.search(r"^new +Smoked tea", _script(*asked), re.MULTILINE)
    site.pages["/tea"] = _page(TEA.format("13.90"))
    said = _script(*asked)
    assert re.search(r"^changed +Smoked tea", said, re.MULTILINE)
    assert "[-12.90-]" in said
    assert "{+13.90+}" in said
    assert _script(*asked) == ""


def test_the_script_of_retrieval(site: Site, tmp_path: Path) -> None:
    site.pages["/"] = _page(
        "<title>Manual</title><p>See our <a href='/tea'>tea</a> and other things of the harbour.</p>"
    )
    said = _script("rag_in_20_lines", f"{site.url}/", "When does the shop open?", str(tmp_path))
    assert "The shop opens at nine" in said
    assert f"({site.url}/tea)" in said
    lines = (EXAMPLES / "rag_in_20_lines.py").read_text().split('"""', 2)[2].splitlines()
    assert len([line for line in lines if line.strip()]) <= 20
