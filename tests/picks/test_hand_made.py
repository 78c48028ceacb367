from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from picks.hand_made import PAIRS, HandMade
from veille.core.pick.finding import find_part, is_vague, part_of
from veille.core.pick.flat import FlatPage


def _flat(html: str) -> FlatPage:
    return FlatPage(LexborHTMLParser(html))


@pytest.mark.parametrize("pair", PAIRS, ids=[one.name for one in PAIRS])
def test_what_sites_do_to_their_pages_leads_to_the_part_or_to_none(pair: HandMade) -> None:
    page = _flat(pair.before)
    there = [n for n in range(len(page)) if page.text(n) == pair.picked and pair.tag in ("", page.tags[n])]
    part = part_of(page, there[pair.which])
    assert not is_vague(part)
    assert find_part(page, part).n is not None
    after = _flat(pair.after)
    found = find_part(after, part).n
    assert (None if found is None else after.text(found)) == pair.expected
