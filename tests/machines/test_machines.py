from __future__ import annotations

import os
from pathlib import Path

import pytest

from machines.campaign import Asked, Campaign, judged

pytestmark = pytest.mark.timeout(300)


@pytest.mark.skipif(os.geteuid() != 0 and not os.environ.get("CI"), reason="only root makes network namespaces")
@pytest.mark.covers("R-048")
def test_no_host_is_asked_by_two_machines_within_its_delay_though_their_clocks_differ(tmp_path: Path) -> None:
    seen = Campaign(tmp_path, requests=60, handed_on=5).run()
    assert not seen.close, seen.text()
    assert (seen.hosts, seen.asked >= 60, seen.handed_on >= 5, set(seen.by_machine)) == (
        20,
        True,
        True,
        {"one", "two"},
    ), seen.text()


def test_requests_that_are_too_close_are_found_whoever_sent_them() -> None:
    sent = [Asked(0.0, "one", "a"), Asked(1.2, "two", "a"), Asked(1.3, "one", "b"), Asked(1.5, "one", "a")]
    seen = judged(sent, 0.5)
    assert seen.close == [(sent[1], sent[3])]
    assert (seen.asked, seen.hosts, seen.handed_on, round(seen.shortest_s, 3)) == (4, 2, 2, 0.3)
    assert not judged(sent[:3], 0.5).close
