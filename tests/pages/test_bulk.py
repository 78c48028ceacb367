"""Choosing many: what is done to them, by whom, and how it is undone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from forms import ADA, one, seen, send, told
from service import Client, Here
from veille.core.access.access import Role
from veille.services.watching.bulk import MOST_CHOSEN
from world import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

WORDS = " ".join(f"word{n}" for n in range(90))


def names(office: Here, dossier_id: str) -> dict[str, bool]:
    with office.program() as app:
        return {source.name: source.enabled for source in app.sources.all(dossier_id)}


def some(office: Here, name: str, count: int = 3) -> tuple[str, list[str]]:
    dossier_id = office.dossier(name)
    return dossier_id, [
        office.watch(dossier_id, f"https://{name}.example/{n}", name=f"Source {n}") for n in range(count)
    ]


def test_the_chosen_are_paused_resumed_tagged_and_untagged(office: Here) -> None:
    dossier_id, (first, second, _) = some(office, "chosen")
    ada, change = office.person(ADA), f"/d/{dossier_id}/sources/change"
    assert "2 sources are paused" in told(ada, send(ada, change, do="pause", source=[first, second]))
    assert names(office, dossier_id) == {"Source 0": False, "Source 1": False, "Source 2": True}
    said = told(ada, send(ada, f"/d/{dossier_id}/sources/check", source=[first, "absent"]))
    assert "0 sources are checked next" in said
    assert "resume it first" in said
    assert "2 sources are checked again" in told(ada, send(ada, change, do="resume", source=[first, second]))
    assert "1 source is tagged" in told(ada, send(ada, change, do="tag", tag=" green  tea ", source=first))
    page = seen(ada, f"/d/{dossier_id}/sources?tag=green+tea")
    assert [row.text(strip=True) for row in page.css("td.what a.title")] == ["Source 0"]
    assert [link.text(strip=True) for link in page.css(".rail a[href*='tag=']")] == ["green tea"]
    assert "no longer tagged" in told(ada, send(ada, change, do="untag", tag="green tea", source=first))
    assert not seen(ada, f"/d/{dossier_id}/sources").css("a.tag")


def test_what_makes_no_sense_is_refused_with_a_reason(office: Here) -> None:
    dossier_id, (first, *_) = some(office, "refused")
    ada, change = office.person(ADA), f"/d/{dossier_id}/sources/change"
    for fields, reason in (
        ({"do": "delete"}, "Choose something first"),
        ({"do": "delete", "source": [f"s{n}" for n in range(MOST_CHOSEN + 1)]}, f"At most {MOST_CHOSEN}"),
        ({"source": first}, "Choose what to do"),
        ({"do": "tag", "tag": "a, b", "source": first}, "no comma"),
        ({"do": "move", "source": first}, "Choose the dossier"),
        ({"do": "move", "to": dossier_id, "source": first}, "choose another one"),
    ):
        assert reason in told(ada, send(ada, change, **fields))
    assert len(names(office, dossier_id)) == 3


def test_deleting_is_at_once_and_undone_together(office: Here) -> None:
    dossier_id, ids = some(office, "undone")
    ada = office.person(ADA)
    answer = send(ada, f"/d/{dossier_id}/sources/change", do="delete", source=ids[:2])
    assert "2 sources are deleted" in told(ada, answer)
    assert list(names(office, dossier_id)) == ["Source 2"]
    trash = seen(ada, f"/d/{dossier_id}/trash")
    assert len(trash.css("tr[data-item]")) == 2
    with office.program() as app:
        (at,) = {one.trashed_at for one in app.trash.all(dossier_id)}
    assert "2 sources are back" in told(ada, send(ada, f"/d/{dossier_id}/trash/restore", at=at))
    assert len(names(office, dossier_id)) == 3
    assert "not in the trash" in told(ada, send(ada, f"/d/{dossier_id}/trash/restore", at=at))
    send(ada, f"/d/{dossier_id}/sources/{ids[0]}/delete")
    assert "1 deleted for good" in told(ada, send(ada, f"/d/{dossier_id}/trash/empty"))
    assert "not in the trash" in told(ada, send(ada, f"/d/{dossier_id}/trash/restore", source=ids[0]))


def test_a_source_moves_to_another_dossier_unless_it_is_watched_there(office: Here) -> None:
    dossier_id, (first, second, _) = some(office, "from")
    other = office.dossier("to")
    office.watch(other, "https://from.example/1", name="There already")
    ada = office.person(ADA)
    answer = send(ada, f"/d/{dossier_id}/sources/change", do="move", to=other, source=[first, second])
    said = told(ada, answer)
    assert "1 source is moved" in said
    assert "Source 1:" in said
    assert set(names(office, dossier_id)) == {"Source 1", "Source 2"}
    assert set(names(office, other)) == {"There already", "Source 0"}


def test_nobody_does_to_many_what_they_may_not_do_to_one(office: Here) -> None:
    dossier_id, (first, *_) = some(office, "guarded")
    office.person("rita@example.org")
    office.give("rita@example.org", dossier_id, Role.READER)
    rita = office.person("rita@example.org")
    for path in ("sources/change", "sources/check", "documents/tags", "trash/restore", "trash/empty"):
        assert send(rita, f"/d/{dossier_id}/{path}", do="delete", source=first).status == 404, path
    ada, elsewhere = office.person(ADA), office.dossier("not-hers", "eve@example.org")
    answer = send(ada, f"/d/{dossier_id}/sources/change", do="move", to=elsewhere, source=first)
    assert "no such dossier" in told(ada, answer)
    assert len(names(office, dossier_id)) == 3


def test_documents_are_marked_and_tagged_together(office: Here, site: Site) -> None:
    dossier_id = office.dossier("papers")
    for n in range(3):
        site.article(f"/{n}", f"Paper {n}", f"{WORDS} paper{n} " * (n + 1))
        office.watch(dossier_id, f"{site.url}/{n}")
    office.look(dossier_id)
    ada = office.person(ADA)
    here = f"/d/{dossier_id}/documents"
    ids = [box.attributes["value"] for box in seen(ada, here).css("input[name=document]")]
    assert len(ids) == 3
    assert "2 documents are now read" in told(ada, send(ada, f"{here}/marks", do="read", document=ids[:2]))
    assert len(seen(ada, f"{here}?marks=unread").css("li.item")) == 1
    assert "1 document is now kept" in told(ada, send(ada, f"{here}/marks", do="keep", document=ids[0]))
    assert len(seen(ada, f"{here}?marks=kept").css("li.item")) == 1
    assert "1 document is tagged" in told(ada, send(ada, f"{here}/tags", do="tag", tag="law", document=ids[2]))
    assert len(seen(ada, f"{here}?tag=law").css("li.item")) == 1
    assert len(seen(ada, f"/d/{dossier_id}?tag=law").css("li.item")) == 1
    assert one(seen(ada, "/"), ".rail a[href*='tag=law'] .count").text() == "1"
    assert "is no longer tagged" in told(ada, send(ada, f"{here}/tags", do="untag", tag="law", document=ids[2]))
    assert "Nothing with this tag" in one(seen(ada, f"/d/{dossier_id}?tag=law"), ".empty").text()


def test_sources_are_chosen_and_deleted_and_brought_back_with_keys_alone(office: Here, page: Tab) -> None:
    dossier_id, _ = some(office, "keys", 4)
    page.goto(f"/d/{dossier_id}/sources")
    bar = page.get_by_role("form", name="With the chosen sources")
    expect(bar.get_by_role("button", name="Delete")).to_be_hidden()
    for key in ("j", "x", "j", "j", "x"):
        page.keyboard.press(key)
    expect(bar.get_by_role("status")).to_have_text("2 chosen")
    bar.get_by_role("button", name="Delete").focus()
    page.keyboard.press("Enter")
    expect(page.locator("p.notice")).to_contain_text("2 sources are deleted")
    assert set(names(office, dossier_id)) == {"Source 1", "Source 3"}
    page.get_by_role("button", name="Undo").focus()
    page.keyboard.press("Enter")
    expect(page.locator("p.notice")).to_contain_text("2 sources are back")
    expect(page.locator("tr[data-item]")).to_have_count(4)


def test_a_range_is_chosen_with_shift_and_all_with_one_box(office: Here, page: Tab) -> None:
    dossier_id, _ = some(office, "range", 5)
    page.goto(f"/d/{dossier_id}/sources")
    boxes = page.locator("td.pick input")
    boxes.nth(1).click()
    boxes.nth(3).click(modifiers=["Shift"])
    expect(page.locator("[data-chosen]")).to_have_text("3 chosen")
    page.get_by_label("All", exact=True).check()
    expect(page.locator("[data-chosen]")).to_have_text(re.compile("5 chosen"))
    page.get_by_label("All", exact=True).uncheck()
    expect(page.get_by_role("button", name="Delete")).to_be_hidden()


def test_without_scripts_the_boxes_and_buttons_are_there(office: Here) -> None:
    dossier_id, ids = some(office, "plain")
    ada: Client = office.person(ADA)
    page = seen(ada, f"/d/{dossier_id}/sources")
    assert [box.attributes["value"] for box in page.css("input[form=bulk][name=source]")] == ids
    assert {button.text() for button in page.css("form#bulk button")} >= {"Tag", "Check now", "Pause", "Delete"}


def test_a_source_is_muted_for_a_while_and_says_so(office: Here, site: Site) -> None:
    site.article("/loud", "Loud", WORDS)
    dossier_id = office.dossier("muted")
    source_id = office.watch(dossier_id, f"{site.url}/loud", name="Loud")
    office.look(dossier_id)
    ada, here = office.person(ADA), f"/d/{dossier_id}/sources/{source_id}"
    assert len(seen(ada, f"/d/{dossier_id}/documents?marks=unread").css("li.item")) == 1
    back = f"/d/{dossier_id}/sources"
    answer = send(ada, f"{here}/mute", value="week", back=back)
    assert answer.headers["location"] == back
    assert "Loud is muted for a week" in told(ada, answer)
    assert "muted" in one(seen(ada, back), "tr[data-item]").text()
    assert "It is muted until" in one(seen(ada, here), "p.notice.odd").text()
    assert not seen(ada, f"/d/{dossier_id}/documents?marks=unread").css("li.item")
    assert "no longer muted" in told(ada, send(ada, f"{here}/mute", value="off"))
    assert not seen(ada, here).css("p.notice.odd")
    assert send(ada, f"{here}/mute", value="ever").status == 400


def test_a_rule_begins_with_a_source_or_a_saved_search(office: Here) -> None:
    dossier_id, (first, *_) = some(office, "begun")
    ada = office.person(ADA)
    asked = "is+new+or+is+changed"
    page = seen(ada, f"/d/{dossier_id}/rules/new?source={first}&expression={asked}")
    assert one(page, "#expression").attributes["value"] == "is new or is changed"
    assert first in (page.html or "")
    send(ada, f"/d/{dossier_id}/searches", q="tea", name='Green "tea"')
    link = one(seen(ada, f"/d/{dossier_id}/searches"), "a[href*='rules/new']").attributes["href"] or ""
    expression = one(seen(ada, link), "#expression").attributes["value"] or ""
    assert expression.startswith('search "Green ')
    saved = send(ada, f"/d/{dossier_id}/rules/new", expression=expression)
    assert saved.status == 303, saved.body


def test_what_searches_found_is_marked_as_seen(office: Here, site: Site) -> None:
    dossier_id = office.dossier("sought")
    ada, searches = office.person(ADA), f"/d/{dossier_id}/searches"
    for name in ("one", "two"):
        send(ada, searches, q="harbour", name=name)
    site.article("/a", "The harbour", f"{WORDS} harbour")
    office.watch(dossier_id, f"{site.url}/a")
    office.look(dossier_id)
    assert [count.text() for count in seen(ada, searches).css("td .count")] == ["1", "1"]
    seen_one = one(seen(ada, searches), "form[action$='/seen'][action*='searches/0']").attributes["action"] or ""
    assert "marked as seen" in told(ada, send(ada, seen_one))
    assert len(seen(ada, searches).css("td .count")) == 1
    assert "All that was found" in told(ada, send(ada, f"{searches}/seen"))
    assert not seen(ada, searches).css("td .count")
