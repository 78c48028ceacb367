"""Podcasts: what an entry has attached is played when asked for, and loaded by nobody before."""

from __future__ import annotations

from forms import ADA, one, seen
from service import Here
from world import Page, Site

FEED = b"""<rss version="2.0"><channel><title>Talks</title><item><title>First talk</title><guid>1</guid>
<description>A long talk about tea and ships in the harbour of a small town by the sea.</description>
<enclosure url="https://cdn.example/talk.mp3" type="audio/mpeg" length="1"/>
<enclosure url="javascript:alert(1)" type="audio/mpeg" length="1"/></item></channel></rss>"""


def test_an_attachment_is_played_only_when_asked_for(office: Here, site: Site) -> None:
    site["/feed.rss"] = Page(FEED, type="application/rss+xml")
    dossier_id = office.dossier("talks")
    office.watch(dossier_id, f"{site.url}/feed.rss", kind="feed")
    office.look(dossier_id)
    with office.program() as app, app.dossiers.open(dossier_id) as store:
        (document,) = store.records.documents()
    ada, path = office.person(ADA), f"/d/{dossier_id}/documents/{document.document_id}"
    page = seen(ada, path)
    assert not page.css("audio, video")
    assert "javascript:" not in (one(page, ".attached").html or "")
    play = one(page, ".attached a.button").attributes["href"] or ""
    answer = ada.ask("GET", play, headers={"Accept": "text/html"})
    assert b'<audio controls preload="none" src="https://cdn.example/talk.mp3">' in answer.body
    assert answer.headers["content-security-policy"].endswith("; media-src https:")
    plain = ada.ask("GET", f"{path}?play=7", headers={"Accept": "text/html"})
    assert b"<audio" not in plain.body
    assert "media-src" not in plain.headers["content-security-policy"]
