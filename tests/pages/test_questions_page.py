from __future__ import annotations

import json

from selectolax.lexbor import LexborHTMLParser

from forms import ADA, filled, one, seen, send, told
from service import Here
from world import Site


def test_an_engine_is_added_a_question_asked_and_edited(office: Here, site: Site) -> None:
    site.json("/find?q=bridges", {"hits": [{"title": "A bridge", "url": f"{site.url}/a", "text": "On bridges."}]})
    dossier_id = office.dossier("asked")
    ada, home = office.person(ADA), f"/d/{dossier_id}"
    answer = send(ada, f"{home}/engines/new", record='{"id": "ours"}')
    assert "url_template" in one(LexborHTMLParser(answer.body), "[role=alert]").text()
    record = {
        "id": "ours",
        "url_template": f"{site.url}/find?q={{query}}",
        "result_path": "hits",
        "headers": {"X-Key": "hush"},
    }
    assert "ours is saved" in told(ada, send(ada, f"{home}/engines/new", record=json.dumps(record)))
    form = filled(seen(ada, f"{home}/engines/ours/edit"))
    assert "hush" not in form["record"]
    told(ada, send(ada, f"{home}/engines/new", **form))
    answer = send(ada, f"{home}/questions/new", text="What about bridges?", every="1d", max_results=5)
    assert answer.status == 400
    page = LexborHTMLParser(answer.body)
    assert "at least one search engine" in one(page, "[role=alert]").text()
    assert filled(page)["text"] == "What about bridges?"
    form = {"text": "What about bridges?", "keywords": "bridges", "every": "1d", "max_results": "5"}
    answer = send(ada, f"{home}/questions/new", **form, channels=["ours"])
    assert "asked from now on" in told(ada, answer)
    question_id = answer.headers["location"].rpartition("/")[2]
    office.look(dossier_id)
    assert site.seen[-1].headers["X-Key"] == "hush"
    assert "A bridge" in one(seen(ada, answer.headers["location"]), "#documents + .items").text()
    assert one(seen(ada, f"{home}/questions"), "td.number").text() == "1"
    path = f"{home}/questions/{question_id}/edit"
    form = filled(seen(ada, path))
    assert (form["keywords"], form["channels"], form["every"]) == ("bridges", ["ours"], "1d")
    assert "Saved" in told(ada, send(ada, path, **form | {"every": "2h"}))
    assert one(seen(ada, path), "#every").attributes["value"] == "2h"
    assert ada.ask("GET", f"{home}/sources/{question_id}/edit", headers={"Accept": "text/html"}).status == 303


def test_an_engine_is_tried_before_it_is_saved(office: Here, site: Site) -> None:
    site.json("/find?q=bridges", {"hits": [{"title": "A bridge", "url": f"{site.url}/a", "text": "On bridges."}]})
    ada, path = office.person(ADA), f"/d/{office.dossier('tried')}/engines"
    where = {"url_template": f"{site.url}/find?q={{query}}", "result_path": "hits"}
    record = {"id": "ours", **where, "headers": {"X-Key": "hush"}}
    tried = send(ada, f"{path}/try", record=json.dumps(record), words="bridges")
    assert "A bridge" in one(LexborHTMLParser(tried.body), "[role=status] li").text()
    assert site.seen[-1].headers["X-Key"] == "hush"
    for other in ({"result_path": "none"}, {"url_template": f"{site.url}/gone?q={{query}}"}, {"id": ""}):
        wrong = LexborHTMLParser(send(ada, f"{path}/try", record=json.dumps(record | other), words="bridges").body)
        assert one(wrong, "[role=status] p").text()
        assert not wrong.css("[role=status] li")
    assert not seen(ada, path).css("a[href$='/ours/edit']")


def test_an_engine_is_switched_off_and_forgotten(office: Here) -> None:
    dossier_id = office.dossier("engines")
    ada, path = office.person(ADA), f"/d/{dossier_id}/engines"
    assert "is not asked" in told(ada, send(ada, f"{path}/hn_search/enabled", value=0))
    assert "hn_search" not in filled(seen(ada, f"/d/{dossier_id}/questions/new")).get("channels", [])
    assert not seen(ada, f"/d/{dossier_id}/questions/new").css("input[value=hn_search]")
    assert "as in all other dossiers" in told(ada, send(ada, f"{path}/hn_search/delete"))
    assert seen(ada, f"/d/{dossier_id}/questions/new").css("input[value=hn_search]")
    back = send(ada, f"/d/{dossier_id}/trash/restore", setup="engine:hn_search")
    assert "“hn_search” is back" in told(ada, back)
    assert not seen(ada, f"/d/{dossier_id}/questions/new").css("input[value=hn_search]")
