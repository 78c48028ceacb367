"""A loopback intranet with everything that goes wrong in one, crawled as its administrator would."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import veille
from documents import case_bytes, docx_saying
from samples import NOW, STORY
from veille.core.crawler.config import check_config
from veille.core.crawler.events import Level
from veille.core.crawler.report import Report
from veille.core.crawler.runs import CrawlChoice, CrawlState, Mode
from veille.core.dates import iso
from veille.core.models import Change, Scope
from veille.core.schedule import HOUR, MINUTE
from veille.core.urls import host_of
from veille.errors import ConfigError
from veille.services.crawler.crawl_run import CrawlRequest
from watching import FAST
from world import Page, Site

PAGES = 20
BY_ANA = CrawlRequest(by="ana")
_A_DAY = "Mon, 06 Nov 2023 10:00:00 GMT"


class Intranet:
    """A site, and the crawler that an administrator points at it; time passes when the test says so."""

    def __init__(self, site: Site, folder: Path, **settings: Any) -> None:
        self.site = site
        self.now = NOW
        #: How much time passes with every request to the site.
        self.ms_per_request = 0
        given: dict[str, Any] = {"data": folder / "data", "buffer_dir": folder / "buffer", "fetch": FAST} | settings
        self.app = veille.open_app(clock=self.clock, **given)
        self.id = self.app.create_dossier("crawler").id

    def clock(self) -> int:
        return self.now + self.ms_per_request * len(self.site.seen)

    def configure(self, **keys: Any) -> None:
        given = {"seeds": [self.site.url + "/"], "retry_wait_s": 0, "max_file_mb": 0.1, "messages": "es"} | keys
        self.app.crawler.configure(self.id, check_config(given), "ana")

    def run(self, choice: CrawlChoice | None = None) -> Report:
        self.now += HOUR
        self.site.seen.clear()
        crawl = self.app.crawler.run(self.id, CrawlRequest(choice=choice or CrawlChoice(), by="ana"))
        return self.app.crawler.report(self.id, crawl.id)

    def asked(self) -> set[str]:
        return {seen.path for seen in self.site.seen} - {"/robots.txt", "/sitemap.xml"}

    def events(self, level: Level = Level.INFO) -> list[str]:
        return [event.event for event in self.app.crawler.logs(self.id, level, None)]

    def fill(self) -> None:
        site = self.site
        names = [f"/p{n}" for n in range(PAGES)]
        bad = ["/gone", "/round-a", "/secret", "/torn.pdf", "/huge.pdf", "/copy"]
        papers = ["/report.docx", "/report.pdf", "/catch.xlsx"]
        for n, name in enumerate(names):
            # Each leads to the next and the last to the first: the links are a circle.
            self.page(name, f"Page {n} of the handbook.", names[(n + 1) % PAGES], "/")
        self.page("/", "The front of the intranet.", names[0], *bad, *papers)
        site["/copy"] = site.pages["/p3"]
        site["/round-a"] = Page(b"", status=302, headers={"Location": "/round-b"}, validates=False)
        site["/round-b"] = Page(b"", status=302, headers={"Location": "/round-a"}, validates=False)
        site["/secret"] = Page(b"No", status=403, validates=False)
        site["/report.docx"] = Page(case_bytes("report-docx"), type="application/octet-stream")
        site["/report.pdf"] = Page(case_bytes("report-pdf"), type="application/pdf")
        site["/catch.xlsx"] = Page(case_bytes("catch-xlsx"), type="application/octet-stream")
        site["/torn.pdf"] = Page(case_bytes("report-pdf")[:300], type="application/pdf")
        site["/huge.pdf"] = Page(b"%PDF-1.7 " + b"0" * 300_000, type="application/pdf")

    def page(self, path: str, text: str, *links: str) -> None:
        anchors = " ".join(f"<a href='{link}'>{link}</a>" for link in links)
        self.site[path] = (
            f"<html lang=en><head><title>{path}</title></head><body><main><p>{text} {STORY}</p></main>"
            f"<nav>{anchors}</nav></body></html>"
        )


@pytest.fixture
def intranet(site: Site, tmp_path: Path) -> Iterator[Intranet]:
    made = Intranet(site, tmp_path)
    made.fill()
    made.configure()
    with made.app:
        yield made


@pytest.mark.covers("R-066", "R-069", "R-016")
def test_a_document_that_only_says_something_else_of_itself_is_updated(intranet: Intranet) -> None:
    def report(**said: str) -> Page:
        return Page(docx_saying(**said), type="application/octet-stream", headers={"Last-Modified": _A_DAY})

    intranet.page("/", "The front.", "/report.docx")
    intranet.site["/report.docx"] = report(creator="Ann", modified="2023-11-01T08:00:00Z")
    assert intranet.run().by_type["docx"].new == 1
    assert intranet.run().by_type["docx"].unchanged == 1
    intranet.site["/report.docx"] = report(creator="Bob", modified="2023-11-02T09:00:00Z")
    found = intranet.run()
    assert (found.by_type["docx"].updated, found.totals.updated, found.totals.new) == (1, 1, 0)


@pytest.mark.covers("R-181", "R-182", "R-183", "R-199", "R-219", "R-224", "R-225", "R-226")
def test_a_run_reports_everything_by_type_with_the_standard_messages(intranet: Intranet) -> None:
    found = intranet.run()
    url = intranet.site.url
    assert found.run.state is CrawlState.COMPLETED
    assert (found.run.launched_by, found.run.config_version, found.run.started_at) == ("ana", 1, iso(intranet.now))
    assert found.exit_code == 1
    assert {name: (one.new, one.failed) for name, one in found.by_type.items()} == {
        "html": (PAGES + 1, 3),
        "docx": (1, 0),
        "xlsx": (1, 0),
        "pdf": (1, 2),
    }
    assert found.by_type["html"].unchanged == 1, "the copy is kept once"
    assert found.totals.total == sum(one.total for one in found.by_type.values())
    figures = found.metrics
    assert (figures.new_count, figures.error_count, figures.duplicate_count) == (PAGES + 4, 5, 1)
    assert (figures.pages_crawled, figures.docs_discovered, figures.docs_processed) == (PAGES + 2, 5, 3)
    messages = {one.url.removeprefix(url): (one.code, one.message) for one in found.problems}
    assert messages["/gone"] == ("unreachable", f"No se pudo acceder al recurso {url}/gone.")
    assert messages["/secret"] == ("restricted", f"Acceso restringido al recurso {url}/secret.")
    assert messages["/torn.pdf"] == ("corrupt", f"Documento corrupto o formato no soportado: {url}/torn.pdf.")
    assert messages["/huge.pdf"][0] == "too_large"
    assert "redirect_loop" in {code for code, _ in messages.values()}
    assert [one["delivered"] for one in found.deliveries] == [PAGES + 4]


@pytest.mark.covers("R-227", "R-161")
def test_five_edited_pages_are_the_five_updated_ones(intranet: Intranet) -> None:
    intranet.run()
    for n in range(5):
        intranet.page(f"/p{n * 3 + 5}", f"An entirely new wording of page {n} about holidays.", f"/p{n * 3 + 6}")
    found = intranet.run()
    assert (found.totals.new, found.totals.updated) == (0, 5)
    assert found.totals.unchanged == PAGES + 5 - 5
    assert [one["delivered"] for one in found.deliveries] == [5]


@pytest.mark.covers("R-191", "R-166")
def test_full_reads_all_anew_and_since_only_what_was_not_looked_at(intranet: Intranet) -> None:
    intranet.run()
    first = intranet.now
    found = intranet.run(CrawlChoice(mode="full"))
    assert found.totals.updated == 0
    assert not [seen for seen in intranet.site.seen if seen.conditional]
    intranet.run(CrawlChoice(mode="since", since_at=first))
    assert {"/p1", "/report.pdf", "/"}.isdisjoint(intranet.asked()), "all of it was looked at since"
    found = intranet.run(CrawlChoice(mode="since", since_at=intranet.now + MINUTE))
    assert found.totals.unchanged == PAGES + 5


@pytest.mark.covers("R-191", "R-166")
def test_one_address_is_looked_at_and_what_is_new_from_there(intranet: Intranet) -> None:
    intranet.run()
    intranet.page("/p7", "An entirely new wording of page seven.", "/p8", "/brand-new")
    intranet.page("/brand-new", "A page that was not there before.")
    intranet.page("/p9", "Edited as well, which is nobody's business now.")
    found = intranet.run(CrawlChoice(mode="url", url=intranet.site.url + "/p7"))
    assert intranet.asked() == {"/p7", "/brand-new"}
    assert (found.totals.new, found.totals.updated) == (1, 1)
    assert found.exit_code == 0
    with pytest.raises(ConfigError) as refused:
        intranet.run(CrawlChoice(mode="url", url="http://elsewhere.example/"))
    assert refused.value.code == "out_of_scope"
    assert intranet.app.crawler.status(intranet.id).state == "idle"


@pytest.mark.covers("R-181", "R-219")
def test_what_cannot_be_had_is_a_failure_in_every_run(intranet: Intranet) -> None:
    first = intranet.run()
    modes: tuple[Mode, ...] = ("normal", "full", "normal")
    for mode in modes:
        again = intranet.run(CrawlChoice(mode=mode))
        assert {(one.url, one.cause, one.level) for one in again.problems} == {
            (one.url, one.cause, one.level) for one in first.problems
        }
        assert again.exit_code == 1
        told = list(intranet.app.crawler.logs(intranet.id, Level.ERROR, None, again.run.id))
        assert len(told) == len(again.problems)


def test_what_the_configuration_no_longer_covers_is_let_go_and_comes_back_with_it(intranet: Intranet) -> None:
    intranet.run()
    intranet.configure(exclude=["*/p1*", "*.docx"])
    found = intranet.run()
    assert found.totals.removed == 12, "/p1, /p10 to /p19, the document"
    with intranet.app.dossiers.open(intranet.id) as store:
        told = [parcel.event.change for parcel in store.outbox.waiting("nobody", 1000)]
    assert told.count(Change.REMOVED) == 12, "Sinks hear of it."
    assert {path for path in intranet.asked() if path.startswith("/p1") or path.endswith(".docx")} == set()
    assert intranet.run().totals.removed == 0
    intranet.configure(max_depth=3)
    assert intranet.run().totals.removed > 0
    intranet.configure()
    intranet.run()
    assert intranet.run().totals.unchanged == PAGES + 5


def test_a_run_with_little_time_goes_on_with_what_the_last_one_did_not_look_at(intranet: Intranet) -> None:
    intranet.run()
    seen = intranet.site.seen
    looked_at = []
    for _ in range(2):
        intranet.now += HOUR
        seen.clear()
        intranet.app.crawler.run(intranet.id, BY_ANA, lambda: len(seen) >= 14)
        looked_at.append(intranet.asked() - {"/gone", "/secret", "/torn.pdf", "/huge.pdf", "/round-b"})
    assert "/p19" not in looked_at[0]
    assert "/p19" in looked_at[1]


@pytest.mark.covers("R-045")
def test_a_run_that_is_out_of_time_ends_with_a_warning_and_the_next_goes_on(intranet: Intranet) -> None:
    intranet.configure(max_runtime="1s")
    intranet.ms_per_request = 100
    cut = intranet.run()
    intranet.ms_per_request = 0
    assert (cut.run.state, cut.run.code, cut.exit_code) == (CrawlState.COMPLETED, "max_runtime", 1)
    assert 0 < cut.totals.new < PAGES + 4
    intranet.configure()
    assert intranet.run().totals.new + cut.totals.new == PAGES + 4


def test_a_run_of_a_dossier_that_used_up_its_requests_ends_with_a_warning_and_goes_on_the_next_day(
    site: Site, tmp_path: Path
) -> None:
    for number in range(6):
        site[f"/p{number}"] = f"<p>Page {number}. {STORY}</p>"
    site["/"] = "".join(f"<a href=/p{number}>{number}</a>" for number in range(6))
    intranet = Intranet(site, tmp_path, quotas={"requests_per_day": 4})
    with intranet.app:
        intranet.configure(retry_wait_s=60)
        cut = intranet.run()
        assert (cut.run.state, cut.run.code, cut.exit_code) == (CrawlState.COMPLETED, "quota_requests", 1)
        intranet.now += 24 * HOUR
        assert intranet.run().totals.new > 0


@pytest.mark.covers("R-033")
def test_a_login_goes_by_reference_and_is_neither_kept_nor_logged(intranet: Intranet, tmp_path: Path) -> None:
    with intranet.app.vault(intranet.id) as vault:
        vault.set("WIKI", "s3cr3t-t0ken", [host_of(intranet.site.url)], intranet.now)
    intranet.configure(auth={"type": "bearer", "credentials_ref": "secret:WIKI"})
    intranet.run()
    asked = [seen for seen in intranet.site.seen if seen.path.startswith("/p")]
    assert {seen.headers["Authorization"] for seen in asked} == {"Bearer s3cr3t-t0ken"}
    for path in (tmp_path / "data").rglob("*"):
        assert not path.is_file() or b"s3cr3t-t0ken" not in path.read_bytes(), path


@pytest.mark.covers("R-220")
def test_the_log_begins_at_its_level(site: Site, tmp_path: Path) -> None:
    site["/"] = "<p>A page with a dead link.</p><a href=/gone>gone</a>"
    with veille.open_app(data=tmp_path, fetch=FAST, log={"level": "error"}) as app:
        where = app.create_dossier("crawler")
        app.crawler.configure(where.id, check_config({"seeds": [site.url], "retry_wait_s": 0}), "ana")
        app.crawler.run(where.id, BY_ANA)
        assert [event.event for event in app.crawler.logs(where.id, Level.INFO, None)] == ["ITEM_FAILED"]


@pytest.mark.covers("R-196", "R-165")
def test_failures_are_tried_again_and_nothing_else(intranet: Intranet) -> None:
    intranet.run()
    intranet.site["/torn.pdf"] = Page(case_bytes("report-pdf")[::1] + b"\n", type="application/pdf")
    intranet.page("/gone", "It is there after all.")
    found = intranet.run(CrawlChoice(mode="retry", since_at=intranet.now - HOUR))
    assert intranet.asked() == {"/gone", "/secret", "/torn.pdf", "/huge.pdf", "/round-b"}
    assert found.totals.failed == 3
    intranet.now += 48 * HOUR
    assert intranet.run(CrawlChoice(mode="retry", since_at=intranet.now)).totals.total == 0


@pytest.mark.covers("R-220", "R-222", "R-223", "R-195")
def test_every_event_is_one_line_without_secrets_or_people(intranet: Intranet, tmp_path: Path) -> None:
    intranet.page("/p2", "More.", "/p3", "/find?token=s3cr3t&q=holidays", "/people/ana.perez@example.org")
    intranet.run()
    names = intranet.events()
    assert names[:2] == ["CONFIG_SET", "CRAWL_STARTED"]
    assert names[-1] == "CRAWL_COMPLETED"
    assert {"PAGE_FETCHED", "DOC_DOWNLOADED", "ITEM_NEW", "ITEM_UNCHANGED", "ITEM_FAILED"} <= set(names) | {
        "ITEM_UNCHANGED"
    }
    assert names.count("ITEM_NEW") == PAGES + 4
    (file,) = (tmp_path / "data" / "logs").glob("*.jsonl")
    text = file.read_text(encoding="utf-8")
    assert all(json.loads(line)["at"].endswith("Z") for line in text.splitlines())
    assert "s3cr3t" not in text
    assert "ana.perez" not in text
    assert "q=holidays" in text
    assert {"ITEM_FAILED", "CRAWL_COMPLETED"} >= set(intranet.events(Level.WARN)) - {"ITEM_SKIPPED"}
    assert set(intranet.events(Level.ERROR)) == {"ITEM_FAILED"}


def test_a_log_that_grows_too_large_is_turned_over(site: Site, tmp_path: Path) -> None:
    with veille.open_app(data=tmp_path, fetch=FAST, log={"max_mb": 0.001, "keep": 2}) as app:
        where = app.create_dossier("crawler")
        for _ in range(40):
            app.crawler.configure(where.id, check_config({"seeds": [site.url]}), "ana")
        files = sorted(path for path in (tmp_path / "logs").iterdir() if path.suffix != ".lock")
        assert len(files) == 3
        assert all(path.stat().st_size <= 1100 for path in files)
        kept = [event.config_version for event in app.crawler.logs(where.id, Level.INFO, None)]  # type: ignore[attr-defined]
        assert kept == sorted(kept)
        assert kept[-1] == 40


@pytest.mark.covers("R-183", "R-222")
def test_a_site_that_is_not_there_is_a_failed_run(intranet: Intranet) -> None:
    intranet.site.pages["/"] = Page(b"No", status=500, validates=False)
    found = intranet.run()
    assert (found.run.state, found.run.code, found.exit_code) == (CrawlState.FAILED, "seeds_unreachable", 2)
    assert intranet.events()[-1] == "CRAWL_FAILED"


def test_a_run_that_is_stopped_goes_on_where_it_was(intranet: Intranet) -> None:
    intranet.now += HOUR
    seen = intranet.site.seen
    crawl = intranet.app.crawler.run(intranet.id, BY_ANA, lambda: len(seen) > 14)
    assert (crawl.state, crawl.code) == (CrawlState.FAILED, "crawl_stopped")
    before = intranet.app.crawler.report(intranet.id).totals.new
    assert 0 < before < PAGES
    found = intranet.run()
    assert found.totals.new + before == PAGES + 4


@pytest.mark.covers("R-193", "R-162")
def test_one_run_at_a_time_and_its_state_is_seen_by_others(intranet: Intranet) -> None:
    said: list[str] = []
    refused: list[str] = []

    def look() -> bool:
        if len(intranet.site.seen) > 12 and not said:
            status = intranet.app.crawler.status(intranet.id)
            said.append(status.state)
            assert status.metrics.new_count > 0
            assert status.waiting > 0
            try:
                intranet.app.crawler.run(intranet.id, BY_ANA)
            except ConfigError as error:
                refused.append(error.code)
        return False

    intranet.app.crawler.run(intranet.id, BY_ANA, look)
    assert (said, refused) == (["running"], ["crawl_active"])
    assert intranet.app.crawler.status(intranet.id).state == "idle"


@pytest.mark.covers("R-192", "R-158", "R-159")
def test_a_schedule_is_confirmed_kept_to_and_removed(intranet: Intranet) -> None:
    crawler = intranet.app.crawler
    found = crawler.set_schedule(intranet.id, "0 3 * * 0", "Europe/Madrid", "ana")
    assert found.next_run_at is not None
    assert crawler.run_due() == []
    intranet.now += 8 * 24 * HOUR
    (done,) = crawler.run_due()
    assert (done.launched_by, done.state) == ("scheduler", CrawlState.COMPLETED)
    assert crawler.run_due() == [], "one turn, however late"
    assert crawler.status(intranet.id).next_run_at != found.next_run_at
    assert crawler.remove_schedule(intranet.id, "ana").cron is None
    for cron, zone, code in (("61 * * * *", "UTC", "bad_cron"), ("* * * * *", "Mars/Base", "bad_zone")):
        with pytest.raises(ConfigError) as refused:
            crawler.set_schedule(intranet.id, cron, zone, "ana")
        assert refused.value.code == code


def test_between_runs_nobody_else_crawls(intranet: Intranet) -> None:
    intranet.run()
    intranet.site.seen.clear()
    intranet.now += 30 * 24 * HOUR
    intranet.app.queue.arm(intranet.id, intranet.now)
    assert intranet.app.run(Scope()) == []
    assert intranet.site.seen == []


def test_a_site_made_by_scripts_is_crawled_in_a_browser_when_the_configuration_says_so(
    site: Site, tmp_path: Path
) -> None:
    site["/"] = (
        "<html><body><main id=m></main><script>"
        f"document.getElementById('m').innerHTML = '<p>{STORY}</p><a href=/inner>The inner page</a>'"
        "</script></body></html>"
    )
    site.article("/inner", "Inner", "The inner harbour has a crane of its own. " * 9)
    intranet = Intranet(site, tmp_path)
    with intranet.app:
        intranet.configure()
        intranet.run()
        assert intranet.asked() == {"/"}
        intranet.configure(render=True, timeout_s=40, exclude=["*/favicon*"])
        assert intranet.app.crawler.config(intranet.id).config["render"]
        assert intranet.run().by_type["html"].new == 2
        with intranet.app.dossiers.open(intranet.id) as store:
            assert site.url + "/inner" in {revision.url for revision in store.records.documents()}
