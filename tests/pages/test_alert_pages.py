"""Alerts, rules and channels on pages: from a number in a diff to a mail, and what others may see of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import feedparser
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from playwright.sync_api import expect
from selectolax.lexbor import LexborHTMLParser

import veille
from browsing import visitor
from forms import ADA, FORM, buttons, filled, one, seen, send, told
from service import Here
from telling import Mailbox
from veille.core.access.access import Role
from veille.core.alerts.webpush import encoded
from veille.services.alerts.channels import ChannelWish
from veille.services.alerts.rules import RuleWish
from world import Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TEA = "The smoked tea of the spring harvest is packed by hand in tins of a hundred grams.\nPrice: {} EUR per tin\n" + (
    "It keeps for two years when it is dry and dark, and is sent on the day of the order.\n" * 3
)
HOSTILE = "<img src=x onerror=alert(1)>\"'><script>alert(2)</script>"


@pytest.fixture(scope="module")
def mailbox() -> Iterator[Mailbox]:
    with Mailbox() as running:
        yield running


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory, mailbox: Mailbox) -> Iterator[Here]:
    """A service that can send mails, and knows its address."""
    mail = mailbox.settings().model_dump()
    serve = {"public_url": "http://veille.example.org"}
    with Here(tmp_path_factory.mktemp("office"), alerts=mail, serve=serve) as running:
        yield running


def _watched(office: Here, site: Site, name: str, *prices: str, title: str = "Smoked tea") -> tuple[str, str]:
    """A dossier in which a page had these prices, one after the other; and its source."""
    dossier_id, source_id = office.dossier(name), ""
    for price in prices:
        site.article(f"/{name}", title, TEA.format(price))
        source_id = source_id or office.watch(dossier_id, f"{site.url}/{name}")
        office.look(dossier_id)
    return dossier_id, source_id


def _deliver(office: Here, dossier_id: str) -> None:
    with veille.open_app(office.settings) as app:
        app.deliver([dossier_id])


def _add_anna(page: Page, dossier_id: str) -> None:
    page.goto(f"/d/{dossier_id}/channels")
    page.get_by_label("Where").fill("anna@example.org")
    page.locator("#channel-name").fill("Anna")
    page.get_by_role("button", name="Add it").click()
    expect(page.get_by_text("“Anna” is set up.")).to_be_visible()
    page.get_by_role("button", name="Send a test").click()
    expect(page.get_by_text("A test message was sent")).to_be_visible()


def _follow_the_number(page: Page, dossier_id: str) -> None:
    """From the diff to a rule that tells Anna."""
    page.goto(f"/d/{dossier_id}")
    page.get_by_role("link", name="Smoked tea").first.click()
    page.get_by_role("link", name="Tell me when this number changes").click()
    would = page.get_by_role("heading", name="Would have fired 2 times in 30 days")
    expect(would).to_be_visible()
    expect(page.locator(".hits")).to_contain_text("11.50")
    page.get_by_label("Its name").fill("tin price")
    page.get_by_role("button", name="Try it on the past").click()
    expect(would).to_be_visible()
    expect(page.get_by_role("textbox", name="It fires if")).to_have_value("`tin price` changes")
    expect(page.get_by_label("Anna")).to_be_checked()
    page.get_by_role("button", name="Save the rule").click()
    expect(page.get_by_text("is judged from now on")).to_be_visible()


def _see_the_alert(page: Page) -> None:
    page.get_by_role("link", name="Alerts").click()
    card = page.locator(".alert")
    expect(card).to_have_count(1)
    expect(card.locator(".steps")).to_contain_text("tin price")
    expect(card.locator(".steps del")).to_contain_text("13.20")
    expect(card.locator(".steps ins")).to_contain_text("9.80")
    expect(card.locator(".excerpt ins")).to_contain_text("9.80")
    # It is sent after the check is over.
    for _ in range(100):
        if "Anna, sent" in card.locator("footer").inner_text():
            return
        page.wait_for_timeout(100)
        page.reload()
    raise AssertionError("It was not sent.")


def test_from_a_number_in_a_diff_to_a_mail(office: Here, browser: Browser, mailbox: Mailbox, site: Site) -> None:
    dossier_id, source_id = _watched(office, site, "tea", "12.90", "11.50", "13.20")
    before = len(mailbox.mails)
    with visitor(browser, office) as page:
        _add_anna(page, dossier_id)
        _follow_the_number(page, dossier_id)
        site.article("/tea", "Smoked tea", TEA.format("9.80"))
        page.goto(f"/d/{dossier_id}/sources/{source_id}")
        page.get_by_role("button", name="Check now").click()
        expect(page.get_by_text("It was checked.")).to_be_visible()
        _see_the_alert(page)
        _test, mail = mailbox.mails[before:]
        text, _ = mail.iter_parts()
        assert mail["Subject"].endswith("tin price 13.20 EUR → 9.80 EUR"), mail["Subject"]
        # The link of the mail leads to the change.
        path = next(word for word in text.get_content().split() if "/diff?" in word)
        page.goto(path.removeprefix("http://veille.example.org"))
        expect(page.locator(".prose ins")).to_contain_text("9.80")
        page.goto(f"/d/{dossier_id}/alerts")
        page.get_by_role("button", name="Send again").click()
        expect(page.get_by_text("It is sent again")).to_be_visible()
    _deliver(office, dossier_id)
    assert [one["Subject"] for one in mailbox.mails[before + 1 :]] == [mail["Subject"]] * 2


def _fired(office: Here, site: Site, place: str, title: str = "Smoked tea", **rule: Any) -> tuple[str, str]:
    """A dossier in which one rule fired on one change, and told a channel of Anna's; and the id of the channel."""
    dossier_id, source_id = _watched(office, site, place, "12.90", title=title)
    with veille.open_app(office.settings) as app:
        wish = ChannelWish(name=rule.pop("channel", "Anna"), kind="email", options={"to": "anna@example.org"})
        channel = app.channels.add(dossier_id, wish)
        app.rules.add(dossier_id, RuleWish(expression="is changed", tell=(channel.id,), **rule))
        site.article(f"/{place}", title, TEA.format("9.80"))
        app.check_now(dossier_id, source_id)
    return dossier_id, channel.id


def test_a_wrong_expression_shows_its_place_and_keeps_what_was_written(office: Here) -> None:
    dossier_id = office.dossier("wrong")
    ada = office.person(ADA)
    answer = send(ada, f"/d/{dossier_id}/rules/new", expression="price < 12 und 3", name="Mine", weight="5")
    assert answer.status == 400
    page = LexborHTMLParser(answer.body)
    line, caret = one(page, "pre.caret").text().splitlines()
    assert (line.strip(), caret.index("^")) == ("price < 12 und 3", line.index("und"))
    assert one(page, "#expression").attributes["value"] == "price < 12 und 3"
    assert one(page, "#name").attributes["value"] == "Mine"
    assert one(page, "#weight option[selected]").attributes["value"] == "5"
    answer = send(ada, f"/d/{dossier_id}/rules/new", expression='search "Budget" finds it', do="try")
    assert "no saved search" in one(LexborHTMLParser(answer.body), "[role=alert]").text()


def test_a_rule_is_edited_switched_off_and_deleted(office: Here, site: Site) -> None:
    dossier_id, _ = _fired(office, site, "edited", name="Any change")
    ada, path = office.person(ADA), f"/d/{dossier_id}/rules"
    listed = seen(ada, path)
    assert one(listed, "td.number").text(strip=True).startswith("1")
    edit = one(listed, "a.title").attributes["href"] or ""
    form = filled(seen(ada, edit))
    assert (form["expression"], form["name"]) == ("is changed", "Any change")
    form |= {"expression": "price falls", "add_tags": "cheap, tea", "star": "1"}
    assert "Saved" in told(ada, send(ada, edit, **form))
    again = filled(seen(ada, edit))
    assert (again["expression"], again["add_tags"], again["star"]) == ("price falls", "cheap, tea", ["1"])
    rule = edit.removesuffix("/edit")
    assert "switched off" in told(ada, send(ada, f"{rule}/enabled", value=0))
    assert seen(ada, path).css("tr.off .badge.off")
    assert "What it fired stays" in told(ada, send(ada, f"{rule}/delete"))
    assert seen(ada, f"/d/{dossier_id}/alerts").css(".alert")
    assert not seen(ada, path).css("a.title")
    button = one(seen(ada, f"/d/{dossier_id}/trash"), "button[name=setup]").attributes["value"]
    assert "“Any change” is back" in told(ada, send(ada, f"/d/{dossier_id}/trash/restore", setup=button))
    assert filled(seen(ada, edit))["expression"] == "price falls"


def test_a_deleted_rule_channel_search_and_engine_come_back_at_once(office: Here, browser: Browser) -> None:
    dossier_id = office.dossier("undone")
    ada = office.person(ADA)
    send(ada, f"/d/{dossier_id}/rules/new", expression="is new", name="Anything")
    send(ada, f"/d/{dossier_id}/channels", where="mailto:ada@example.org", name="me")
    send(ada, f"/d/{dossier_id}/searches", name="Tea", q="tea")
    engine = {"id": "ours", "url_template": "https://search.example.org/?q={query}", "result_path": "hits"}
    send(ada, f"/d/{dossier_id}/engines/new", record=json.dumps(engine))
    with visitor(browser, office) as page:
        for where, name in (("rules", "Anything"), ("channels", "me"), ("searches", "Tea"), ("engines", "ours")):
            page.goto(f"/d/{dossier_id}/{where}")
            page.get_by_role("button", name="Delete").first.click()
            expect(page.get_by_role("status")).to_contain_text(f"“{name}” is deleted")
            page.get_by_role("button", name="Undo").click()
            expect(page.locator(".notice[role=status]")).to_contain_text(f"“{name}” is back")
            assert page.url.endswith(f"/{where}")
            expect(page.get_by_role("main").get_by_text(name, exact=True).first).to_be_visible()


def test_a_channel_that_fails_stands_on_top_until_it_is_skipped_or_switched_on(
    office: Here, site: Site, mailbox: Mailbox
) -> None:
    mailbox.at_rcpt.append("550 no such mailbox")
    dossier_id, channel_id = _fired(office, site, "failing")
    ada, path = office.person(ADA), f"/d/{dossier_id}/alerts"
    top = one(seen(ada, path), ".state")
    assert "no such mailbox" in top.text()
    assert "failed" in one(seen(ada, path), ".alert footer").text()
    assert "is on" in told(ada, send(ada, f"/d/{dossier_id}/channels/{channel_id}/skip", back="alerts"))
    page = seen(ada, path)
    assert not page.css(".state")
    assert "left out" in one(page, ".alert footer").text()


def test_a_channel_is_added_edited_and_its_secrets_are_not_shown_again(office: Here) -> None:
    dossier_id = office.dossier("channels")
    ada, path = office.person(ADA), f"/d/{dossier_id}/channels"
    answer = send(ada, path, where="nowhere", name="x")
    assert "no place to tell" in one(LexborHTMLParser(answer.body), "[role=alert]").text()
    assert one(LexborHTMLParser(answer.body), "#where").attributes["value"] == "nowhere"
    answer = send(ada, path, where="anna@example.org", name="Anna", frequency="sometimes")
    assert answer.status == 400
    key = "https://hooks.example.org/hush-hush"
    assert "is set up" in told(ada, send(ada, path, where=key, name="Hook", frequency="daily 08:00 Europe/Paris"))
    listed = ada.ask("GET", path, headers={"Accept": "text/html"}).body
    edit = one(LexborHTMLParser(listed), "td a.title").attributes["href"] or ""
    form = ada.ask("GET", edit, headers={"Accept": "text/html"}).body
    assert b"daily 08:00 Europe/Paris" in listed
    assert b"hush-hush" not in listed + form
    assert "Saved" in told(ada, send(ada, edit, name="Renamed", frequency="every 2h"))
    answer = send(ada, edit, name="Renamed", frequency="every 2h", where="anna@example.org")
    assert "add a new channel" in one(LexborHTMLParser(answer.body), "[role=alert]").text()
    channel = edit.removesuffix("/edit")
    assert "is paused" in told(ada, send(ada, f"{channel}/pause"))
    assert "Switch on again" in buttons(seen(ada, path))
    assert "is on" in told(ada, send(ada, f"{channel}/resume"))
    assert "is deleted" in told(ada, send(ada, f"{channel}/delete"))


def test_a_browser_becomes_a_channel(office: Here, browser: Browser) -> None:
    dossier_id = office.dossier("browser")
    keys = {"p256dh": encoded(_point(ec.generate_private_key(ec.SECP256R1()))), "auth": encoded(b"a" * 16)}
    given = json.dumps({"endpoint": "https://push.example.org/abc", "keys": keys})
    with visitor(browser, office, permissions=["notifications"]) as page:
        # No push service can be reached here; all but its answer is real.
        page.add_init_script(
            "PushManager.prototype.subscribe = async function (how) {"
            f"  if (how.applicationServerKey.length !== 65) throw new Error('no key'); return {given}; }}"
        )
        page.goto(f"/d/{dossier_id}/channels")
        page.get_by_role("button", name="Notify this browser").click()
        expect(page.get_by_text("“This browser” is set up.")).to_be_visible()
        expect(page.locator("td.what")).to_contain_text("push.example.org")
        assert "auth" not in page.content()


def test_a_channel_ends_by_its_address_without_a_login(office: Here, site: Site, mailbox: Mailbox) -> None:
    dossier_id, channel_id = _fired(office, site, "ending")
    path = urlsplit(mailbox.mails[-1]["List-Unsubscribe"].strip("<>")).path
    stranger = office.anonymous()
    assert stranger.ask("GET", path[:-1] + ("0" if path[-1] != "0" else "1"), headers=FORM).status == 404
    assert "Stop them" in buttons(seen(stranger, path))
    with office.program() as app:
        assert app.channels.find(dossier_id, channel_id).state == "on", "looking at it ends nothing"
    one_click = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = stranger.ask("POST", path, b"List-Unsubscribe=One-Click", one_click)
    assert answer.status == 200
    assert b"no more messages" in answer.body
    with office.program() as app:
        assert app.channels.find(dossier_id, channel_id).state == "paused"


def test_a_rule_has_feeds(office: Here, site: Site) -> None:
    dossier_id, _ = _fired(office, site, "cake", title="Tea &amp; cake")
    robot = office.robot(ADA, "read")
    atom, _ = (
        link.attributes["href"] or "" for link in seen(office.person(ADA), f"/d/{dossier_id}/rules").css("td.small a")
    )
    path = urlsplit(atom).path
    answer = robot.ask("GET", path)
    assert answer.headers["content-type"].startswith("application/atom+xml"), answer.body
    feed = feedparser.parse(answer.body)
    assert not feed.bozo
    (entry,) = feed.entries
    assert entry.title == "Changed: Tea & cake"
    assert "[-12.90-]{+9.80+}" in entry.content[0].value
    assert "/diff?older=1&newer=2" in entry.link
    (item,) = robot.get(path.replace(".atom", ".json"))["items"]
    assert (item["id"], item["title"]) == (entry.id, entry.title)
    assert office.anonymous().ask("GET", path).status == 401


def test_a_reader_sees_what_fired_and_no_form(office: Here, site: Site) -> None:
    dossier_id, channel_id = _fired(office, site, "roles")
    rita = office.person("rita@example.org")
    office.give("rita@example.org", dossier_id, Role.READER)
    for part in ("alerts", "rules", "channels"):
        page = seen(rita, f"/d/{dossier_id}/{part}")
        assert not buttons(page) - {"Show"}, part
        assert "anna@example.org" not in one(page, "main").text()
    assert seen(rita, f"/d/{dossier_id}/alerts").css(".alert .excerpt ins")
    assert send(rita, f"/d/{dossier_id}/channels/{channel_id}/pause").status == 404
    assert send(rita, f"/d/{dossier_id}/rules/new", expression="is new").status == 404


def test_nothing_that_a_site_or_a_member_writes_is_markup(office: Here, site: Site, browser: Browser) -> None:
    dossier_id, _ = _fired(office, site, "hostile", title=escape(HOSTILE), name=HOSTILE, channel=HOSTILE)
    with visitor(browser, office) as page:
        for part in ("alerts", "rules", "channels"):
            page.goto(f"/d/{dossier_id}/{part}")
            expect(page.locator("main")).to_contain_text("<img src=x")
            assert not page.locator("main img, main script:not([src])").count()
        page.goto(f"/d/{dossier_id}/rules")
        page.locator("td a.title").click()
        page.get_by_role("button", name="Try it on the past").click()
        expect(page.locator(".hits")).to_contain_text("<img src=x")
        assert not page.seen.dialogs  # type: ignore[attr-defined]  # set by `visitor`


def _point(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def test_a_digest_is_a_page_too(office: Here, site: Site) -> None:
    dossier_id, _ = _fired(office, site, "digested", name="Any change")
    ada, html = office.person(ADA), {"Accept": "text/html"}
    alerts = LexborHTMLParser(ada.ask("GET", f"/d/{dossier_id}/alerts", headers=html).body)
    path = one(alerts, ".telling a").attributes["href"]
    assert path is not None
    page = LexborHTMLParser(ada.ask("GET", path, headers=html).body)
    assert "1 alert, the most important first" in one(page, "main").text()
    assert len(page.css("li.alert")) == 1
    assert ada.ask("GET", f"/d/{dossier_id}/alerts?message=nothing", headers=html).status == 404


def test_a_rule_is_tried_on_the_last_fetch_beside_its_field(office: Here, site: Site) -> None:
    dossier_id, source_id = _watched(office, site, "lately", "11.00", "11.00")
    ada, path = office.person(ADA), f"/d/{dossier_id}/rules/new"
    form = filled(seen(ada, path))
    assert {button.attributes.get("value") for button in seen(ada, path).css("button[name=do]")} == {
        "save",
        "try",
        "now",
    }
    for expression, said in (
        ('text contains "tins"', "1 of 1 document fulfils it"),
        ('text contains "coffee"', "0 of 1 document fulfil it"),
        (r"text matches /Price: \d+/", "1 of 1 document fulfils it"),
    ):
        answer = send(ada, path, **form | {"expression": expression, "sources": source_id}, do="now")
        page = LexborHTMLParser(answer.body)
        assert answer.status == 200, one(page, "p.notice").text()
        assert said in one(page, "#trial").text(), expression
    assert "Price: 11" in one(page, ".hits").text()
    with office.program() as app:
        assert app.rules.all(dossier_id) == []
