"""`import veille`: what programs do with it, and the scripts of the documentation."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import veille
from veille.core.feed_hints import Rhythm
from veille.core.models import Source
from veille.core.values.value import Value, ValuePoint, ValueType
from veille.library import DataFolder, Rows, WatchedDossier
from watching import FAST
from world import Page, Site

#: A text with half a character.
HALF = "caf\udce9"
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
        assert list(none.dtypes) == list(some.dtypes)
    assert prices.changes(changes.cursor).to_arrow().schema.field("at").type == table.schema.field("at").type


def test_tables_have_every_value_whichever_row_comes_first() -> None:
    price = Value(name="price", type=ValueType.PRICE, text="12.90 EUR", number=12.9, unit="EUR")
    text = Value(name="note", type=ValueType.TEXT, text="sold out")
    values = [None, price, text, None]
    wanted: dict[str, list[Any]] = {
        "value_text": [None, "12.90 EUR", "sold out", None],
        "value_number": [None, 12.9, None, None],
        "value_unit": [None, "EUR", "", None],
    }
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        rows = Rows([_point(values[n], n) for n in order], ValuePoint)
        table, frame = rows.to_arrow(), rows.to_pandas()
        assert table.column_names == list(frame.columns)
        assert "value" not in table.column_names
        for name, column in wanted.items():
            assert table.column(name).to_pylist() == [column[n] for n in order]
            assert [None if one != one else one for one in frame[name]] == [column[n] for n in order]  # noqa: PLR0124 - NaN
    gone = Rows([_point(None, 1)], ValuePoint)
    assert gone.to_arrow().schema == rows.to_arrow().schema == Rows([], ValuePoint).to_arrow().schema
    assert list(gone.to_pandas().dtypes) == list(rows.to_pandas().dtypes)


def test_a_source_without_a_rhythm_and_one_with_it_are_in_one_table(data: DataFolder) -> None:
    added = data.dossier("news").add("http://127.0.0.1:8000/", kind="page", keep_raw="all")
    paced = replace(added, rhythm=Rhythm(every_ms=60_000, hours=(3,)), checked_at=5)
    table = Rows([added, paced], Source).to_arrow()
    assert table.column("rhythm_every_ms").to_pylist() == [None, 60_000]
    assert table.column("rhythm_hours").to_pylist() == [None, "[3]"]
    assert [one and one.timestamp() for one in table.column("checked_at").to_pylist()] == [None, 0.005]
    assert json.loads(table.column("config")[0].as_py())["keep_raw"] == "all"


def _point(value: Value | None, at: int) -> ValuePoint:
    return ValuePoint(document_id="d", source_id="s", revision_id="r", at=at, value=value, name="price")


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


def test_what_is_asked_for_wrongly_is_an_error_with_a_code(data: Any) -> None:
    news = data.dossier("news")
    opened: Any = veille.open
    wrong: dict[str, list[Callable[[], Any]]] = {
        "bad_argument": [
            *(partial(call, None) for call in (news.search, news.ask, news.document, news.revisions, news.check)),
            *(partial(call, None) for call in (news.add, news.remove, data.dossier)),
            *(partial(news.search, "tea", limit) for limit in (-1, 0, 2.5, None)),
            *(partial(call, limit=-1) for call in (news.changes, news.documents)),
            partial(news.ask, "Why?", 0),
            partial(news.add, "https://example.org/", every=3600),
            partial(news.values, since=30),
            *(partial(call, limit=limit) for call in (news.changes, news.documents) for limit in (2**63, True)),
            *(partial(news.document, "01a1dd3b", number) for number in (2**70, 10**5000, True, "1", 1.5)),
            *(partial(news.add, "https://example.org/", kind=kind) for kind in (5, None)),
            *(partial(news.add, "https://example.org/", **{name: HALF}) for name in ("kind", "name", "every", "cron")),
            *(partial(call, HALF) for call in (news.add, news.ask, news.document, news.revisions, news.check)),
            *(partial(call, HALF) for call in (news.search, news.documents, news.values, news.remove, data.dossier)),
            *(partial(news.values, name=name) for name in (5, None, HALF)),
            *(partial(call, None) for call in (news.values, news.documents)),
            *(
                partial(call, since)
                for call in (news.changes, _all(news))
                for since in (None, True, 1.0, 10**5000, HALF)
            ),
            *(partial(opened, folder) for folder in (3, b"data", "a\0b", HALF)),
            *(partial(data.embed, texts, kind="english") for texts in (None, "tea", [3], [HALF])),
        ],
        "bad_cursor": [partial(call, since) for call in (news.changes, _all(news)) for since in (-3, 7, "x")],
    }
    for code, calls in wrong.items():
        for call in calls:
            with pytest.raises(veille.VeilleError) as raised:
                call()
            assert raised.value.code == code, call


def test_what_is_asked_for_wrongly_is_the_same_error_without_waiting(tmp_path: Path) -> None:
    async def asked() -> list[str]:
        async with veille.open_async(tmp_path / "data", fetch=FAST) as data:
            news: Any = await data.dossier("news")
            calls = (partial(news.changes, limit=2**63), partial(news.values, name=5), partial(news.search, HALF))
            codes = []
            for call in (*calls, partial(news.changes, None), partial(data.dossier, HALF)):
                with pytest.raises(veille.VeilleError) as raised:
                    await call()
                codes.append(raised.value.code)
            return codes

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(asyncio.run, asked()).result() == ["bad_argument"] * 5


def _all(dossier: WatchedDossier) -> Callable[[Any], Any]:
    return lambda since: list(dossier.all_changes(since))


def test_a_number_is_a_cursor(site: Site, data: DataFolder) -> None:
    prices = _changed(site, data)
    first, second = prices.changes()
    assert prices.changes(first.seq) == prices.changes(since=str(first.seq)) == [second]
    assert list(prices.all_changes(first.seq)) == [second]
    assert prices.changes(0) == [first, second]


def test_what_is_closed_says_so(site: Site, tmp_path: Path) -> None:
    with veille.open(tmp_path / "data", fetch=FAST) as data:
        prices = _changed(site, data)
    data.close()

    async def later() -> list[Callable[[], Any]]:
        async with veille.open_async(tmp_path / "data", fetch=FAST) as opened:
            dossier = await opened.dossier("prices")
            changes = await dossier.changes(1)
        assert len(changes) == 1
        closed: list[Callable[[], Any]] = [lambda: asyncio.run(dossier.search("tea"))]
        return [*closed, lambda: asyncio.run(opened.dossiers())]

    with ThreadPoolExecutor(1) as pool:
        awaited = pool.submit(asyncio.run, later()).result()
        for call in (prices.changes, prices.sources, data.dossiers, lambda: prices.search("tea"), *awaited):
            with pytest.raises(veille.VeilleError, match="closed") as raised:
                pool.submit(call).result()
            assert raised.value.code == "closed"


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
