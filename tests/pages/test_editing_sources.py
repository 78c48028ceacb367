from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from forms import ADA, filled, one, seen, send, told
from service import Here
from veille.core.extract import modes
from veille.core.kinds import config_type
from veille.core.models import Source
from veille.core.schedule import DAY, HOUR
from veille.interfaces.web.requests.forms import fields_of, read
from veille.services.watching.sources import Wish
from world import Site

CONFIGS: dict[str, dict[str, Any]] = {
    "page": {"mode": "css", "selectors": ["main > p", "a, b"], "robots": False, "ignore": ["Views:*"], "min_chars": 9},
    "feed": {"max_entries": 7, "follow_links": True, "guard": False, "delay_s": 1.5, "tags": ["a b", "c"]},
    "site": {"hosts": ["example.org"], "attachments": [], "max_depth": 3, "exclude": ["re:a{1,2}"], "robots": True},
    "folder": {"recursive": False, "types": ["pdf"]},
    "api": {
        "method": "POST",
        "body": {"q": ["x"]},
        "headers": {"Accept": "text/x", "X-Key": "${secret:K}"},
        "fields": {"title": "name"},
        "paging": {"by": "offset", "size": 20},
    },
    "a_service": {"complete": True, "depth": 3, "deep": {"a": [1]}},
}


@pytest.mark.parametrize("kind", CONFIGS)
def test_a_form_that_is_left_as_it_is_changes_nothing(kind: str) -> None:
    model, config = config_type(kind), CONFIGS[kind]
    for given in (config, {}):
        found = read(model, {one.name: one.value for one in fields_of(model, given)}, given)
        assert (found.options, found.problems) == (given, {})
    names = {one.name for one in fields_of(model, config) if one.help}
    assert names >= model.model_fields.keys() - {"parts", "without"}, "parts are pointed at"
    assert not names & {"name", "url", "timing", "every", "cron"}


def kept(office: Here, dossier_id: str, source_id: str) -> Source:
    with office.program() as app:
        return app.sources.find(dossier_id, source_id)


def test_a_feed_is_edited_and_its_secrets_stay_and_are_not_shown(office: Here) -> None:
    dossier_id = office.dossier("edited")
    config = {"headers": {"Authorization": "Bearer abc123", "Accept-Language": "fr"}, "max_entries": 7}
    source_id = office.watch(dossier_id, "https://example.org/a.rss", name="News", kind="feed", config=config)
    before = kept(office, dossier_id, source_id)
    ada, path = office.person(ADA), f"/d/{dossier_id}/sources/{source_id}/edit"
    page = seen(ada, path)
    assert "abc123" not in (page.html or "")
    form = filled(page)
    assert "Saved" in told(ada, send(ada, path, **form))
    after = kept(office, dossier_id, source_id)
    assert (after.config, after.url, after.interval_ms) == (before.config, before.url, before.interval_ms)
    headers = json.dumps(json.loads(form["headers"]) | {"X-More": "1"})
    form |= {"name": "Other news", "every": "2d", "timing": "adaptive", "follow_links": "yes", "max_entries": "50"}
    told(ada, send(ada, path, **form | {"headers": headers, "ignore": "Views:*\r\nRead *\r\n"}))
    after = kept(office, dossier_id, source_id)
    assert (after.name, after.interval_ms, after.pace_ms) == ("Other news", 2 * DAY, 2 * DAY)
    assert after.config == {
        "headers": {"Authorization": "Bearer abc123", "Accept-Language": "fr", "X-More": "1"},
        "follow_links": True,
        "ignore": ["Views:*", "Read *"],
    }


def test_a_form_without_some_of_its_fields_is_shown_again(office: Here) -> None:
    dossier_id = office.dossier("lacking")
    source_id = office.watch(dossier_id, "https://example.org/a.rss", kind="feed")
    answer = send(office.person(ADA), f"/d/{dossier_id}/sources/{source_id}/edit", name="\0")
    assert answer.status == 400
    assert b"Write an address." in answer.body


def test_mistakes_stand_beside_their_fields_and_nothing_is_saved(office: Here) -> None:
    dossier_id = office.dossier("mistaken")
    with office.program() as app:
        app.sources.add(dossier_id, Wish(url="https://example.org/taken"))
        wish = Wish(url="https://example.org/api", kind="api", config={"fields": {"title": "name"}})
        source = app.sources.add(dossier_id, wish)
    ada, path = office.person(ADA), f"/d/{dossier_id}/sources/{source.id}/edit"
    form = filled(seen(ada, path))
    mistakes = [
        ({"max_pages": "many"}, "max_pages", "Write a whole number."),
        ({"max_pages": "0"}, "max_pages", "It must be more than 0."),
        ({"max_pages": "1001"}, "max_pages", "It must be at most 1000."),
        ({"delay_s": "-1"}, "delay_s", "It must be at least 0."),
        ({"ignore": "a\n" * 51}, "ignore", "There may be 50 at most."),
        ({"robots": "no"}, "robots_reason", "Say why robots.txt is not obeyed."),
        ({"url": " "}, "url", "Write an address."),
        ({"fields": "{not json"}, "fields", "no JSON"),
        ({"paging": '{"by": "offset"}'}, "paging", "needs `size`"),
        ({"url": "https://example.org/taken"}, "url", "watched already"),
        ({"url": "http://10.0.0.1/"}, "url", "cannot be watched"),
        ({"every": "often"}, "every", "not a span of time"),
        ({"timing": "cron", "cron": "61 * * * *"}, "cron", "61"),
    ]
    for changed, name, words in mistakes:
        answer = send(ada, path, **form | {"name": "Never saved"} | changed)
        page = LexborHTMLParser(answer.body)
        assert answer.status == 400
        assert words in one(page, f"#bad-{name}").text(), changed
        assert filled(page)["name"] == "Never saved"
        assert all(filled(page)[field] in (value, [value]) for field, value in changed.items())
    answer = send(ada, path, **form | {"name": ""})
    assert one(LexborHTMLParser(answer.body), "#bad-name").text() == "Write a name."
    answer = send(ada, path, **form | {"body": '{"q": 1}'})
    assert "a body is sent with POST only" in one(LexborHTMLParser(answer.body), "p[role=alert]").text()
    assert kept(office, dossier_id, source.id) == source


def test_options_that_nobody_set_are_folded(office: Here) -> None:
    dossier_id = office.dossier("folded")
    plain = office.watch(dossier_id, "https://example.org/plain")
    chosen = office.watch(dossier_id, "https://example.org/chosen", config={"selectors": ["main"]})
    ada = office.person(ADA)
    for source_id, is_open, said in ((plain, False, "all as usual"), (chosen, True, "1 set")):
        (own, common) = seen(ada, f"/d/{dossier_id}/sources/{source_id}/edit").css("details.fold")
        assert ("open" in own.attributes, said in own.css("summary")[0].text()) == (is_open, True)
        assert "open" not in common.attributes


def test_by_the_clock_and_back(office: Here) -> None:
    dossier_id = office.dossier("clock")
    source_id = office.watch(dossier_id, "https://example.org/")
    ada, path = office.person(ADA), f"/d/{dossier_id}/sources/{source_id}/edit"
    told(ada, send(ada, path, **filled(seen(ada, path)) | {"timing": "cron", "cron": "0 7 * * 1-5"}))
    assert kept(office, dossier_id, source_id).cron == "0 7 * * 1-5"
    told(ada, send(ada, path, **filled(seen(ada, path)) | {"timing": "interval"}))
    after = kept(office, dossier_id, source_id)
    assert (after.cron, after.interval_ms, after.pace_ms) == ("", HOUR, None)


def test_what_can_never_be_found_is_told_beside_its_field(office: Here) -> None:
    dossier_id = office.dossier("unfindable")
    source_id = office.watch(dossier_id, "https://example.org/unfindable")
    ada, path = office.person(ADA), f"/d/{dossier_id}/sources/{source_id}/edit"
    page = seen(ada, path)
    form, before = filled(page), kept(office, dossier_id, source_id)
    assert [choice.text() for choice in page.css("#f-mode option")] == modes()
    for mode, selectors, place, words in (
        ("zzz", "", "mode", "There is no mode 'zzz'"),
        ("css", "###[[", "selectors", "'###[[' cannot be read"),
        ("xpath", "//[", "selectors", "'//[' cannot be read"),
        ("css", "", "selectors", "needs selectors"),
    ):
        answer = send(ada, path, **form | {"mode": mode, "selectors": selectors})
        assert (answer.status, kept(office, dossier_id, source_id)) == (400, before)
        assert words in one(LexborHTMLParser(answer.body), f"#bad-{place}").text()
    assert "Saved" in told(ada, send(ada, path, **form | {"mode": "xpath", "selectors": "//main"}))
    assert kept(office, dossier_id, source_id).config == {"mode": "xpath", "selectors": ["//main"]}


def test_a_mode_that_is_gone_stays_chosen_and_is_told(office: Here) -> None:
    dossier_id = office.dossier("gone mode")
    source_id = office.watch(dossier_id, "https://example.org/gone-mode")
    with office.program() as app, app.dossiers.open(dossier_id) as store:
        store.sources.update(replace(store.sources.find(source_id), config={"mode": "of_a_package"}))
    ada, path = office.person(ADA), f"/d/{dossier_id}/sources/{source_id}/edit"
    form = filled(seen(ada, path))
    assert form["mode"] == "of_a_package"
    assert "Saved" in told(ada, send(ada, path, **form | {"name": "Renamed"}))
    after = kept(office, dossier_id, source_id)
    assert (after.name, after.config) == ("Renamed", {"mode": "of_a_package"})


SHOP = "<title>Tea</title><body><main><p>Smoked tea, packed by hand</p><b class=price>{} EUR</b></main>"


def _asked(site: Site, path: str) -> int:
    return sum(one.path == path for one in site.seen)


@pytest.mark.parametrize("keep", ["last", "none"])
def test_what_a_field_takes_is_tried_on_the_last_fetch(office: Here, site: Site, keep: str) -> None:
    path = f"/tried-{keep}"
    site[path] = SHOP.format("12.90")
    dossier_id = office.dossier(f"tried {keep}")
    source_id = office.watch(dossier_id, f"{site.url}{path}", config={"keep_raw": keep, "min_chars": 1})
    office.look(dossier_id)
    ada, edit = office.person(ADA), f"/d/{dossier_id}/sources/{source_id}/edit"
    page = seen(ada, edit)
    labels = {button.attributes.get("value") for button in page.css("button[name=field]")}
    assert labels == {"selectors", "mode", "values", "ignore", "picture_selector", "picture_ignore"}
    form = filled(page) | {"mode": "css", "selectors": ".price"}
    # A trial fetches only if nothing is kept; the next one takes from the same fetch.
    site[path] = SHOP.format("13.90" if keep == "last" else "12.90")
    before = _asked(site, path)
    for _ in range(2):
        answer = send(ada, f"{edit}/try", **form, field="selectors")
        assert answer.status == 200, answer.body
        assert "12.90 EUR" in one(LexborHTMLParser(answer.body), ".field:has(#f-selectors) #tried").text()
        site[path] = SHOP.format("13.90")
    assert _asked(site, path) - before == (0 if keep == "last" else 1)
    again = send(ada, f"{edit}/try", **form, anew="selectors")
    assert "13.90 EUR" in one(LexborHTMLParser(again.body), "#tried").text()
    assert kept(office, dossier_id, source_id).config == {"keep_raw": keep, "min_chars": 1}
    missing = send(ada, f"{edit}/try", **form | {"selectors": ".weight"}, field="selectors")
    assert missing.status == 400
    assert one(LexborHTMLParser(missing.body), "#bad-selectors").text()


def test_lines_to_ignore_are_tried_on_what_is_stored(office: Here, site: Site) -> None:
    site.article("/lines", "Tea", "Smoked tea of the harbour, packed by hand in the old mill.\nViews: 12 of them today")
    dossier_id = office.dossier("lines")
    source_id = office.watch(dossier_id, f"{site.url}/lines", config={"min_chars": 1})
    office.look(dossier_id)
    ada, edit = office.person(ADA), f"/d/{dossier_id}/sources/{source_id}/edit"
    before = _asked(site, "/lines")
    answer = send(ada, f"{edit}/try", **filled(seen(ada, edit)) | {"ignore": "Views:*"}, field="ignore")
    assert "Views: 12 of them today" in one(LexborHTMLParser(answer.body), "#tried li").text()
    assert "from the last revisions" in one(LexborHTMLParser(answer.body), "#tried").text()
    assert _asked(site, "/lines") == before


@pytest.mark.parametrize("kind", CONFIGS)
def test_labels_are_words_for_people(kind: str) -> None:
    labels = {field.name: field.label for field in fields_of(config_type(kind), {})}
    assert len(set(labels.values())) == len(labels)
    named_after = {name for name, label in labels.items() if label == name.replace("_", " ").capitalize()}
    assert named_after <= {"headers", "user_agent", "tags", "method", "hosts", "keep_pages", "other_options"}
