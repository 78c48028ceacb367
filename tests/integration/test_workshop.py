from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bombs import BOMBS, DEADLY
from documents import case_bytes, lease_of, payload_of
from hostile.pages import SLOW_XPATH
from occurrences import changed, health, moved, new
from process_tree import is_alive, wait_until
from veille.adapters.workshop import SandboxWorkshop, _starter, _task
from veille.adapters.workshop._child import Child
from veille.adapters.workshop._fair import FairQueue
from veille.adapters.workshop._starter import ORDER, PROGRAM, Starter
from veille.core.language.languages import language_of
from veille.core.models import Reading
from veille.core.rules.judging import judged
from veille.core.tasks.examining import ListFeeds
from veille.core.tasks.judging import JudgeChanges
from veille.core.traffic import Failure, Validators
from veille.errors import ConfigError
from veille.services.watching.pointing import Pointer
from veille.settings import WorkshopSettings

LIMITS = WorkshopSettings(timeout_s=3, memory_mb=512, jobs=5)


@pytest.fixture(scope="module", autouse=True)
def _nurseries_of_their_own() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_starter, "_shared", None)
        yield


@pytest.fixture(scope="module")
def workshop() -> Iterator[SandboxWorkshop]:
    opened = SandboxWorkshop(LIMITS)
    yield opened
    opened.close()


def read(workshop: SandboxWorkshop, name: str, body: bytes) -> Reading:
    url = f"https://example.org/{name}"
    return workshop.read(lease_of(url), payload_of(url, body))


@pytest.mark.covers("R-126")
def test_a_document_is_read_in_a_child_as_it_would_be_here(workshop: SandboxWorkshop) -> None:
    reading = read(workshop, "report.docx", case_bytes("report-docx"))
    (document,) = reading.documents
    assert (document.title, document.authors, document.lang) == ("Harbour report", ("Ada Ferry",), "en")
    assert document.meta["version_hint"] == "2.1"
    assert "Line: North | Boats: 7 | Captain: Ώλγα Παππά" in document.text
    assert reading.payload is not None
    assert len(workshop._pool.children) == 1


def test_workshops_of_a_process_share_its_children_and_leave_them_to_each_other(workshop: SandboxWorkshop) -> None:
    read(workshop, "catch.xlsx", case_bytes("catch-xlsx"))
    before = list(workshop._pool.children.values())
    with closing(SandboxWorkshop(LIMITS)) as other:
        assert read(other, "page.html", b"<p>Words of a page.").documents
    assert list(workshop._pool.children.values()) == before


def test_what_did_not_arrive_or_did_not_change_is_no_work_for_a_child(workshop: SandboxWorkshop) -> None:
    lease = lease_of("https://example.org/a.pdf")
    failure = Failure(code="timeout", message="Too late.", retryable=True)
    assert workshop.submit("key", lease, failure) == Reading(lease=lease, failure=failure)
    known = replace(lease, request=replace(lease.request, validators=Validators(raw_hash="fresh")))
    again = workshop.submit("key", known, payload_of(lease.request.url, b"%PDF"))
    assert again is not None
    assert (again.failure, again.documents, workshop.load) == (None, (), 0)


def test_readings_made_apart_come_out_under_their_keys(workshop: SandboxWorkshop) -> None:
    url = "https://example.org/catch.xlsx"
    for key in ("a", "b"):
        assert workshop.submit(key, lease_of(url), payload_of(url, case_bytes("catch-xlsx"))) is None
    assert workshop.load == 2
    found = [*workshop.collect(60), *workshop.collect(60)]
    assert sorted(key for key, _ in found) == ["a", "b"]
    assert {reading.documents[0].title for _, reading in found} == {"Catch of the year"}
    assert (workshop.load, workshop.collect(0)) == (0, [])


@pytest.mark.covers("R-127")
@pytest.mark.parametrize(("case", "code"), [("locked-pdf", "needs_password"), ("locked-docx", "needs_password")])
def test_a_document_that_cannot_be_read_is_a_failure_with_its_code(
    workshop: SandboxWorkshop, case: str, code: str
) -> None:
    failure = read(workshop, "report", case_bytes(case)).failure
    assert failure is not None
    assert (failure.code, failure.retryable, failure.status) == (code, False, 200)


def test_a_text_in_no_language_is_read_with_the_model_that_is_asked_last() -> None:
    text = " ".join(f"word{n} other{n}" for n in range(60))
    url = "https://example.org/words"
    # The model is loaded meanwhile, which takes a busy machine some seconds.
    with closing(SandboxWorkshop(LIMITS.model_copy(update={"timeout_s": 60}))) as workshop:
        reading = workshop.read(lease_of(url), payload_of(url, f"<main><p>{text}</p></main>".encode(), "text/html"))
    assert reading.failure is None
    assert reading.documents[0].lang == language_of(text) != ""


@pytest.mark.parametrize("bomb", sorted({**BOMBS, **DEADLY}))
def test_a_bomb_ends_inside_its_limits_with_its_code_and_the_next_document_is_read(
    workshop: SandboxWorkshop, bomb: str
) -> None:
    make, codes = {**BOMBS, **DEADLY}[bomb]
    body = make()
    read(workshop, "catch.xlsx", case_bytes("catch-xlsx"))  # the child is up: only reading is timed
    began = time.monotonic()
    failure = read(workshop, bomb, body).failure
    assert failure is not None
    assert failure.code in codes
    assert time.monotonic() - began < LIMITS.timeout_s + 2
    assert read(workshop, "catch.xlsx", case_bytes("catch-xlsx")).failure is None


@pytest.mark.parametrize(
    ("xpath", "code"),
    [("//p", ""), (SLOW_XPATH, "too_slow"), ("//p[re:test(.,'(a+)+b')]", "bad_selector")],
)
def test_an_xpath_of_a_user_is_stopped_when_it_takes_too_long(workshop: SandboxWorkshop, xpath: str, code: str) -> None:
    url = "https://example.org/page"
    lease = lease_of(url)
    source = replace(lease.source, config={"mode": "xpath", "selectors": [xpath]})
    page = b"<html><body>" + b"<p>Some words of a page that has very many paragraphs of text.</p>" * 6_000
    reading = workshop.read(replace(lease, source=source), payload_of(url, page, "text/html"))
    assert (reading.failure.code if reading.failure else "") == code


@pytest.mark.parametrize(("case", "name"), [("report-pdf", "report.pdf"), ("catch-xls", "catch.xls")])
def test_broken_documents_give_a_reading_whatever_is_broken(workshop: SandboxWorkshop, case: str, name: str) -> None:
    data = case_bytes(case)
    for seed in range(40):
        broken = bytearray(data)
        for step in range(12):
            broken[(seed * 7919 + step * 104_729) % len(data)] = (seed * 31 + step * 17) % 256
        reading = read(workshop, name, bytes(broken))
        assert reading.failure is not None or reading.documents


OPML = b'<opml version="2.0"><body/></opml>'


def test_a_child_is_replaced_after_its_share_of_documents() -> None:
    starter = Starter()
    child = Child(WorkshopSettings(jobs=2), starter)
    seen = []
    for _ in range(4):
        child.ask(ListFeeds(), OPML)
        seen.append(child.pid)
    child.stop()
    starter.close()
    assert [pid is None for pid in seen] == [False, True, False, True]
    assert seen[0] != seen[2]


def test_large_answers_are_read_one_at_a_time_but_none_waits_for_ever() -> None:
    starter = Starter()
    limits = WorkshopSettings(timeout_s=4)
    first, second = Child(limits, starter), Child(limits, starter)
    lease = lease_of("https://example.org/page")
    source = replace(lease.source, config={"mode": "xpath", "selectors": [SLOW_XPATH]})
    page = b"<html><body>" + b"<p>Some words of a page that has very many paragraphs of text.</p>" * 50_000
    slow = _task(replace(lease, source=source), payload_of(lease.request.url, page, "text/html"))[0]
    large = OPML + b" " * len(page)

    def seconds(body: bytes) -> float:
        began = time.monotonic()
        assert not isinstance(second.ask(ListFeeds(), body), Failure)
        return time.monotonic() - began

    with closing(starter), ThreadPoolExecutor(1) as thread:
        seconds(OPML)
        stopped = thread.submit(first.ask, slow, page)
        wait_until(lambda: f" {first.pid} " in Path("/proc/locks").read_text())
        assert seconds(OPML) < 1
        assert 1.9 < seconds(large) < 4
        assert stopped.result().code == "too_slow"
        assert seconds(large) < 1
        second.stop()


def test_a_page_with_too_much_to_look_through_is_refused_in_the_words_of_the_picker() -> None:
    page = "<body><main>" + "".join(f"<div><h3>Tea {n}</h3><p>{n}.50 EUR</p></div>" for n in range(45_000))
    workshop = SandboxWorkshop(WorkshopSettings(timeout_s=1))
    with closing(workshop), pytest.raises(ConfigError, match="Point at fewer parts") as refused:
        Pointer(workshop).taken(page.encode(), "", [502 + 300 * n for n in range(20)], [])
    assert refused.value.code == "too_slow"


def test_a_child_that_is_killed_from_outside_costs_one_document_at_most(workshop: SandboxWorkshop) -> None:
    read(workshop, "catch.xlsx", case_bytes("catch-xlsx"))
    (child,) = workshop._pool.children.values()
    if child.pid is not None:
        os.kill(child.pid, signal.SIGKILL)
        failure = read(workshop, "catch.xlsx", case_bytes("catch-xlsx")).failure
        assert failure is not None
        assert failure.code == "too_large"  # as when the kernel kills it for its memory
    assert read(workshop, "catch.xlsx", case_bytes("catch-xlsx")).failure is None


def test_what_cannot_be_sent_to_a_child_is_a_failure_and_its_thread_goes_on(workshop: SandboxWorkshop) -> None:
    url = "https://example.org/a"
    for _ in range(2 * LIMITS.children):
        failure = workshop.read(lease_of(url), replace(payload_of(url, b"<p>Text"), link="</\udce9>")).failure
        assert failure is not None
        assert (failure.code, failure.retryable) == ("hostile", False)
    assert read(workshop, "page.html", b"<p>Words of a page.").documents


def test_a_fault_of_ours_beside_a_child_ends_no_thread(workshop: SandboxWorkshop) -> None:
    for _ in range(2 * LIMITS.children):
        fault = workshop.run(ListFeeds(), "text")  # type: ignore[arg-type]  # bytes are sent
        assert isinstance(fault, Failure)
        assert fault.code == "internal"
    assert read(workshop, "page.html", b"<p>Words of a page.").documents


@pytest.mark.parametrize("program", ["/no/such/python", "/bin/false"])
def test_a_child_that_cannot_be_started_is_a_failure_to_try_again_and_no_end_of_the_workshop(
    program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", program)
    # Limits that nobody else has: children of its own.
    with closing(SandboxWorkshop(WorkshopSettings(jobs=len(program)))) as workshop:
        failure = read(workshop, "catch.xlsx", case_bytes("catch-xlsx")).failure
        assert failure is not None
        assert (failure.code, failure.retryable) == ("no_sandbox", True)
        monkeypatch.undo()
        assert read(workshop, "catch.xlsx", case_bytes("catch-xlsx")).failure is None


def test_when_the_nursery_is_killed_nothing_is_blamed_for_it_and_another_takes_its_place() -> None:
    starter = Starter()
    child = Child(WorkshopSettings(), starter)
    assert not child.prepare()
    assert starter._process is not None
    starter._process.kill()
    starter._process.wait()
    lost = child.ask(ListFeeds(), OPML)
    assert isinstance(lost, Failure)
    assert (lost.code, lost.retryable) == ("no_sandbox", True)
    assert not isinstance(child.ask(ListFeeds(), OPML), Failure)
    child.stop()
    starter.close()


def test_a_child_reads_pages_and_feeds_until_a_task_needs_code_that_it_lacks() -> None:
    starter = Starter()
    child = Child(WorkshopSettings(), starter)
    url = "https://example.org/page"
    page = b"<html lang=en><title>A page</title><main><p>Words of a page, and more of them.</main>"
    assert child.ask(*_task(lease_of(url), payload_of(url, page, "text/html"))).documents
    first = child.pid
    assert not starter.is_whole
    assert not isinstance(child.ask(ListFeeds(), OPML), Failure)
    assert starter.is_whole
    assert child.pid != first
    url = "https://example.org/catch.xlsx"
    assert child.ask(*_task(lease_of(url), payload_of(url, case_bytes("catch-xlsx")))).documents
    child.stop()
    starter.close()


def test_an_owner_that_is_gone_when_its_child_starts_does_not_end_the_nursery() -> None:
    starter = Starter()
    child = Child(WorkshopSettings(), starter)
    assert not child.prepare()
    nursery = starter._process
    for _ in range(3):
        ours, theirs = socket.socketpair()
        with theirs:
            ours.close()
            starter._order(ORDER.pack(512 << 20, 5.0, starter.is_whole), theirs, theirs)
    child.stop()
    assert not isinstance(child.ask(ListFeeds(), OPML), Failure)
    assert starter._process is nursery
    child.stop()
    starter.close()


def test_a_child_that_is_given_up_is_killed_whatever_it_is_at() -> None:
    starter = Starter()
    child = Child(WorkshopSettings(timeout_s=0.5), starter)
    url = "https://example.org/busy.pdf"
    assert not child.prepare()
    pid = child.pid
    assert pid
    failure = child.ask(_task(lease_of(url), payload_of(url, b""))[0], DEADLY["busy.pdf"][0]())
    assert failure.code == "too_slow"
    wait_until(lambda: not is_alive(pid), 5)
    starter.close()


def test_closing_does_not_wait_for_a_document_that_stalls() -> None:
    workshop = SandboxWorkshop(WorkshopSettings(timeout_s=60))
    url = "https://example.org/busy.pdf"
    workshop.submit("key", lease_of(url), payload_of(url, DEADLY["busy.pdf"][0]()))
    began = time.monotonic()
    workshop.close()
    assert time.monotonic() - began < 30


SELECTOR = "nosuch div div div div div div div b"
NESTED = b"<div>" * 100 + b"<b>Some words of a page.</b>" + b"</div>" * 100


def test_one_dossiers_slow_readings_hold_up_no_other(workshop: SandboxWorkshop) -> None:
    url = "https://example.org/page"
    slow, quick = lease_of(url), replace(lease_of(url), dossier_id="another")
    slow = replace(slow, source=replace(slow.source, config={"mode": "css", "selectors": [SELECTOR]}))
    read(workshop, "page.html", NESTED)
    began = time.monotonic()
    for number in range(3):
        workshop.submit(f"slow {number}", slow, payload_of(url, NESTED))
    for number in range(3):
        workshop.submit(f"quick {number}", quick, payload_of(url, NESTED))
    found: dict[str, Reading] = {}
    while workshop.load > 2:
        found |= dict(workshop.collect(60))
    # One slow reading was under way and came to its deadline; the others wait for the rest of their own dossier.
    assert sorted(found) == ["quick 0", "quick 1", "quick 2", "slow 0"]
    assert time.monotonic() - began < 2 * LIMITS.timeout_s
    assert found["quick 2"].documents
    assert found["slow 0"].failure is not None
    assert found["slow 0"].failure.code == "too_slow"
    workshop.close()


def test_groups_share_the_time_and_none_saves_any_up() -> None:
    queue = FairQueue[int]()
    for number in range(3):
        queue.put("slow", number)
    assert queue.take() == ("slow", 0)
    for number in range(3):
        queue.put("quick", number)
    queue.done("slow", 10.0)
    served = []
    while queue:
        group, _ = queue.take()
        served.append(group)
        queue.done(group, 10.0 if group == "slow" else 1.0)
    assert served == ["quick", "quick", "quick", "slow", "slow"]
    queue.put("new", 0)
    queue.put("quick", 1)
    # Whoever comes anew begins where the others are, and not with all the time it never used.
    assert [queue.take()[0] for _ in range(2)] == ["new", "quick"]


def test_a_group_gets_a_second_child_only_when_nobody_else_waits() -> None:
    queue = FairQueue[int]()
    queue.put("a", 1)
    queue.put("a", 2)
    queue.put("b", 3)
    assert [queue.take()[0] for _ in range(3)] == ["a", "b", "a"]


ORPHAN = """
    import sys, time
    from bombs import DEADLY
    from documents import lease_of, payload_of
    from veille.adapters.workshop import SandboxWorkshop
    from veille.settings import WorkshopSettings
    workshop, url = SandboxWorkshop(WorkshopSettings(timeout_s=600)), "https://example.org/busy.pdf"
    workshop.submit("key", lease_of(url), payload_of(url, DEADLY["busy.pdf"][0]()))
    children = workshop._pool.children
    while not any(child.hello for child in children.values()):
        time.sleep(0.05)
    print(*(child.pid for child in children.values()), flush=True)
    time.sleep(600)
"""


def test_a_child_that_is_at_a_document_ends_with_its_parent() -> None:
    tests = str(Path(__file__).parents[1])
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(ORPHAN)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": tests},
    ) as parent:
        assert parent.stdout
        child = int(parent.stdout.readline())
        assert is_alive(child)
        parent.kill()
        wait_until(lambda: not is_alive(child), 5)


def test_a_nursery_that_nobody_can_ask_any_more_ends() -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        ours.close()
        end = theirs.fileno()
        subprocess.run([sys.executable, "-m", PROGRAM, str(end)], pass_fds=(end,), check=True, timeout=50)


CONFINED = """
    import json, os, socket, sys
    from veille.adapters.workshop._confine import confine
    made_before = socket.socket()
    network, files = confine(512 * 1024 * 1024)
    tried = {}
    def attempt(name, action):
        try:
            action()
            tried[name] = "allowed"
        except BaseException as error:
            tried[name] = type(error).__name__
    attempt("import socket", lambda: __import__("socket"))
    attempt("connect", lambda: made_before.connect(("127.0.0.1", int(sys.argv[1]))))
    attempt("read", lambda: open("/etc/passwd").read())
    attempt("write", lambda: open("file", "w").write("x"))
    attempt("fork", os.fork)
    attempt("program", lambda: os.system("true"))
    attempt("memory", lambda: bytearray(600 * 1024 * 1024))
    attempt("import", lambda: __import__("colorsys"))
    print(json.dumps({"network": network, "files": files, "environment": dict(os.environ), **tried}))
"""


def test_the_child_has_no_network_no_files_no_programs_and_little_memory() -> None:
    out = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(CONFINED), "9"],
        env={**os.environ, "VEILLE_SECRET": "x"},
        check=True,
        capture_output=True,
    ).stdout
    found = json.loads(out)
    assert found["environment"] == {}
    assert found["import"] == "allowed"
    for name in ("import socket", "connect", "write", "fork", "program", "memory"):
        assert found[name] != "allowed", name
    if found["files"] == "landlock":
        assert found["read"] == "PermissionError"


def test_changes_are_judged_in_a_child_as_they_would_be_here(workshop: SandboxWorkshop) -> None:
    rules = {
        "price": "price < 12 and between 11:00 and 13:00",
        "words": '"お茶" appears or matches /[0-9]+ €/',
        "broken": "source is broken",
        "bad": "is nwe",
        "unasked": "is changed",
    }
    values = (moved("price", "12,90 €", "11,50 €"),)
    cases = [
        (changed("Tea: 12,90 €", "お茶: 11,50 €", values=values), ["price", "words", "bad"]),
        (health("ok", "broken", message="Gone."), ["broken"]),
        (new("Soup."), ["words"]),
        (changed("Soup.", "Soup."), ["price", "words", "bad"]),
    ]
    answer = workshop.run(JudgeChanges.of(rules, cases))
    assert not isinstance(answer, Failure)
    assert answer == judged({name: rule for name, rule in rules.items() if name != "unasked"}, cases)
    assert [[fired.rule_id for fired in case.fired] for case in answer.cases] == [
        ["price", "words"],
        ["broken"],
        [],
        [],
    ]
    assert answer.cases[0].fired[0].evidence[0].found == "price fell from 12.90 EUR to 11.50 EUR"
    assert [edit.text for edit in answer.cases[0].excerpt][:2] == ["Tea: 12,90", "お茶: 11,50"]
    assert "Did you mean new?" in answer.bad_rules["bad"]


def test_a_task_of_changes_sends_each_rule_and_each_list_of_candidates_once() -> None:
    task = JudgeChanges.of(
        {"a": "is new", "b": "is changed"}, [(new(), ["a"]), (new("Tea."), ["a"]), (new(), ["a", "c"])]
    )
    assert (task.rules, task.candidates, [place for _, place in task.cases]) == (
        {"a": "is new"},
        (("a",), ("a", "c")),
        [0, 0, 1],
    )
