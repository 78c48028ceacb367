"""A document that is shared by a link: who can open it, for how long, and what it shows."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from forms import ADA, alert, one, seen, send, told
from service import Answer, Client, Here
from veille.core.access.access import Role
from veille.core.show.shared_link import dossier_of_token, share_token, token_hash
from veille.errors import NotFoundError
from world import Site

WORDS = " ".join(f"word{n}" for n in range(90))
READING = {"Accept": "text/html"}


@dataclass
class Scene:
    office: Here
    ada: Client
    dossier_id: str
    source_id: str
    document_id: str

    @property
    def home(self) -> str:
        return f"/d/{self.dossier_id}"

    def share(self, **fields: object) -> str:
        """Share the document; the path of the link."""
        answer = send(self.ada, f"{self.home}/documents/{self.document_id}/share", **fields)
        assert answer.status == 200, answer.body
        from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415

        address = one(LexborHTMLParser(answer.body), "input[data-copy]").attributes["value"] or ""
        assert address.startswith(self.office.url)
        return address.removeprefix(self.office.url)

    def open(self, path: str) -> Answer:
        return self.office.anonymous().ask("GET", path, headers=READING)


@pytest.fixture
def scene(office: Here, request: pytest.FixtureRequest) -> Scene:
    with Site() as site:
        site.article("/a", "Shared tea", f"{WORDS} first")
        dossier_id = office.dossier(request.node.name)
        source_id = office.watch(dossier_id, f"{site.url}/a")
        office.look(dossier_id)
        site.article("/a", "Shared tea", f"{WORDS} second")
        office.look(dossier_id)
    with office.program() as app, app.dossiers.open(dossier_id) as store:
        (document,) = store.records.documents()
    return Scene(office, office.person(ADA), dossier_id, source_id, document.document_id)


def test_anybody_with_the_link_reads_the_document_and_its_changes_and_nothing_else(scene: Scene) -> None:
    path = scene.share(days=7)
    answer = scene.open(path)
    assert answer.status == 200
    shown = answer.body.decode()
    assert "Shared tea" in shown
    assert "second" in shown
    assert scene.home not in shown, "nothing leads into the dossier"
    assert answer.headers["x-robots-tag"].startswith("noindex")
    assert (answer.headers["referrer-policy"], answer.headers["cache-control"]) == ("no-referrer", "no-store")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    changes = scene.open(f"{path}/changes").body.decode()
    assert "<ins" in changes
    assert "first" in changes
    assert scene.open(f"{path}/changes?newer=1").status == 404, "the first revision changed nothing"
    assert scene.open(path[:-1] + ("A" if path[-1] != "A" else "B")).status == 404
    assert scene.open(f"{scene.home}/documents/{scene.document_id}").status == 303, "not without logging in"


def test_a_link_is_listed_and_revoked(scene: Scene) -> None:
    path = scene.share()
    page = seen(scene.ada, f"{scene.home}/shares")
    assert "Shared tea" in one(page, "tbody").text()
    assert path.rpartition("/")[2] not in (page.html or ""), "its token is known to nobody any more"
    revoke = one(page, "form[action$='/revoke']").attributes["action"] or ""
    assert "revoked" in told(scene.ada, send(scene.ada, revoke))
    assert scene.open(path).status == 404
    assert send(scene.ada, revoke).status == 404


def test_an_owner_switches_sharing_off_for_all_links(scene: Scene) -> None:
    path = scene.share()
    assert "Sharing is off" in told(scene.ada, send(scene.ada, f"{scene.home}/shares/allowed", value=0))
    assert scene.open(path).status == 404
    answer = send(scene.ada, f"{scene.home}/documents/{scene.document_id}/share")
    assert "switched sharing off" in alert(answer)
    send(scene.ada, f"{scene.home}/shares/allowed", value=1)
    assert scene.open(path).status == 200


def test_a_link_ends_in_time_and_with_its_source(scene: Scene) -> None:
    path = scene.share(days=1)
    token = path.rpartition("/")[2]
    with scene.office.program() as app, app.dossiers.open(scene.dossier_id) as store:
        (link,) = store.shares.all(app.clock(), 9)
        assert store.shares.find(token_hash(token), link.until - 1) == link
        assert store.shares.find(token_hash(token), link.until) is None
    send(scene.ada, f"{scene.home}/sources/{scene.source_id}/delete")
    assert scene.open(path).status == 404
    with scene.office.program() as app:
        app.trash.empty(scene.dossier_id)
        assert app.sharing.all(scene.dossier_id) == []


def test_who_may_not_export_may_not_share(scene: Scene) -> None:
    email = "rita@example.org"
    scene.office.person(email)
    scene.office.give(email, scene.dossier_id, Role.READER)
    rita = scene.office.person(email)
    may_export = rita.ask("GET", f"{scene.home}/documents/{scene.document_id}/download", headers=READING).status == 200
    answer = send(rita, f"{scene.home}/documents/{scene.document_id}/share")
    assert (answer.status == 200) == may_export
    assert send(rita, f"{scene.home}/shares/allowed", value=0).status == 404
    assert "1, 7, 30, 90" in alert(send(scene.ada, f"{scene.home}/documents/{scene.document_id}/share", days=4000))


def test_no_text_but_a_token_names_a_dossier(scene: Scene) -> None:
    token = share_token(scene.dossier_id, b"x" * 24)
    assert dossier_of_token(token) == scene.dossier_id
    for odd in ("", "x", token[:-2], f"{token}AAAA", token.replace(token[3], "ü"), "=" * 54, "\x00" * 54):
        assert dossier_of_token(odd) == ""
        with scene.office.program() as app, pytest.raises(NotFoundError):
            app.sharing.opened(odd)


def test_programs_share_revoke_mute_and_move_over_rest(scene: Scene) -> None:
    robot = scene.office.robot(ADA)
    home = f"/api/dossiers/{scene.dossier_id}"
    link = robot.post(f"{home}/documents/{scene.document_id}/shares", {"days": 7}, 201)
    assert b"Shared tea" in scene.open(link["path"]).body
    (listed,) = robot.get(f"{home}/shares")
    assert listed == {name: value for name, value in link.items() if name != "path"}
    refused = robot.ask("POST", f"{home}/documents/{scene.document_id}/shares", {"days": 2})
    assert refused.json["code"] == "bad_option"
    assert robot.ask("DELETE", f"{home}/shares/{link['id']}").json == {"status": "revoked"}
    assert scene.open(link["path"]).status == 404
    muted = robot.post(f"{home}/sources/{scene.source_id}/mute", {"until": "week"})
    assert muted["source_id"] == scene.source_id
    assert muted["muted_until"] > 0
    assert "muted_until" not in robot.post(f"{home}/sources/{scene.source_id}/mute", {"until": "good"})
    other = scene.office.dossier("moved-over-rest")
    moved = robot.post(f"{home}/sources/move", {"source_ids": [scene.source_id, "absent"], "to": other})
    assert moved["moved"] == 1
    assert list(moved["problems"]) == ["absent"]
    assert [one["id"] for one in robot.get(f"/api/dossiers/{other}/sources")] == [scene.source_id]
    assert robot.get(f"{home}/sources") == []
    # Nobody moves anything to where they may not write.
    scene.office.person("eve@example.org")
    foreign = scene.office.dossier("not-hers-to-fill", "eve@example.org")
    scene.office.give(ADA, foreign, Role.READER)
    refused = robot.post(f"/api/dossiers/{other}/sources/move", {"source_ids": [scene.source_id], "to": foreign})
    assert scene.source_id in {one["id"] for one in robot.get(f"/api/dossiers/{other}/sources")}
    assert refused["moved"] == 0
