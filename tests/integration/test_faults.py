from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.expected import CASES, Case
from faults.probe import MAX_BYTES, MAX_MEMORY_MB, SLACK_S, Probe
from faults.server import NAMES
from faults.table import rows_of
from veille.core.outcomes import OUTCOMES, outcome_of
from veille.core.traffic import Failure, Payload, Validators

REFERENCE = Path(__file__).parent.parent.parent / "docs" / "reference" / "faults.md"


@pytest.fixture(scope="module")
def probe() -> Iterator[Probe]:
    with Probe(patience_s=20) as running:
        yield running


@pytest.mark.covers("R-047", "R-057", "R-058", "R-060", "R-061", "R-062")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.id}{case.host and '@'}{case.host}"[:60])
def test_a_fault_ends_in_time_in_little_memory_and_with_its_code(case: Case, probe: Probe) -> None:
    seen = probe.run(case)
    assert seen.code == case.code, seen.answer
    assert seen.seconds <= probe.limit_s(case) + SLACK_S
    assert seen.megabytes <= MAX_MEMORY_MB


def test_every_fault_of_the_server_has_an_expected_end() -> None:
    tried = {case.fault.partition(";")[0] for case in CASES}
    assert len(NAMES) >= 70
    assert set(NAMES) - tried <= {"then", "echo-cookie-size"}


def test_every_expected_code_is_in_the_table_of_outcomes() -> None:
    for code in {case.code for case in CASES} - {"ok"}:
        assert outcome_of(code).advice
    assert {case.code for case in CASES if "http." not in case.code} <= {*OUTCOMES, "ok"}


def test_the_reference_lists_every_fault_with_its_outcome() -> None:
    """Written by `python tests/faults/table.py`, from a run."""
    assert [row[:3] for row in rows_of(REFERENCE.read_text(encoding="utf-8"))] == [
        [case.label, case.what, case.code] for case in CASES
    ]


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [
        ("status;c=429;ra=120", 120),
        ("status;c=429;ra=5", 30),
        ("status;c=429;ra=-5", None),
        ("status;c=429;ra=9999999999", 86_400),
        ("status;c=503;ra=soon", None),
        ("retry-date", 86_400),
        ("retry-date;at=1000", 30),
    ],
)
def test_retry_after_is_kept_within_reason(fault: str, seconds: int | None, probe: Probe) -> None:
    answer = probe.run(Case(fault, "", "")).answer
    assert isinstance(answer, Failure)
    assert answer.retryable
    assert answer.retry_after == seconds


@pytest.mark.covers("R-051")
def test_a_304_to_a_conditional_request_is_an_answer(probe: Probe) -> None:
    known = Validators(etag='"x"', raw_hash="abc", size=5)
    answer = probe.run(Case("304-uncond", "", ""), known).answer
    assert isinstance(answer, Payload)
    assert answer.not_modified
    assert answer.raw_hash == "abc"


@pytest.mark.covers("R-059")
def test_the_chain_of_redirects_and_the_final_address_are_recorded(probe: Probe) -> None:
    answer = probe.run(Case("redir-chain;n=3", "", "")).answer
    assert isinstance(answer, Payload)
    assert [status for status, _ in answer.redirects] == [302, 302, 302]
    assert answer.redirects[0][1] == answer.url
    assert answer.final_url.endswith("/f/ok/x")


def test_a_large_page_within_the_limit_arrives_whole(probe: Probe) -> None:
    answer = probe.run(Case("deep-html", "", "")).answer
    assert isinstance(answer, Payload)
    assert len(answer.body) == 500_000 < MAX_BYTES


@pytest.mark.parametrize("fault", ["gz-ok", "gz-members", "br-ok", "zstd-ok", "deflate-ok", "deflate-raw", "gz-tail"])
def test_every_compression_gives_the_same_page(fault: str, probe: Probe) -> None:
    plain = probe.run(Case("ok", "", "")).answer
    packed = probe.run(Case(fault, "", "")).answer
    assert isinstance(plain, Payload)
    assert isinstance(packed, Payload)
    assert packed.raw_hash == plain.raw_hash
    assert packed.wire_bytes < plain.wire_bytes
