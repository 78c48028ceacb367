from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from forms import ADA, READING, one, seen
from service import Here
from world import Site


def test_a_cursor_is_checked_where_it_was_typed(office: Here, site: Site) -> None:
    site.article("/a", "A", " ".join(f"word{n}" for n in range(90)))
    dossier_id = office.dossier("exported")
    office.watch(dossier_id, f"{site.url}/a")
    office.look(dossier_id)
    ada = office.person(ADA)
    form = one(seen(ada, f"/d/{dossier_id}/exports"), "main form")
    action = form.attributes["action"]
    assert action

    answer = ada.ask("GET", action, None, READING, since="0", format="csv")
    assert answer.status == 303
    assert ada.ask("GET", answer.headers["location"]).body.count(b"\n") == 2, "a head, and the one change"
    end = one(seen(ada, f"/d/{dossier_id}/exports"), "input[data-copy]").attributes["value"]
    assert end == f"{dossier_id}:1"


@pytest.mark.parametrize("cursor", ["garbage", '<b>"', "999"])
def test_what_is_no_cursor_is_told_on_the_page_that_asked(office: Here, cursor: str) -> None:
    dossier_id = office.dossier(f"bad {cursor}")
    answer = office.person(ADA).ask("GET", f"/d/{dossier_id}/exports/changes", None, READING, since=cursor)
    assert answer.status == 400
    page = LexborHTMLParser(answer.body)
    assert "cursor" in one(page, "[role=alert]").text()
    assert one(page, "input[name=since]").attributes["value"] == cursor, "what was typed is still there"
