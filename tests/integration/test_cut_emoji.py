"""Scripts cut texts in the middle of an emoji: JSON of sites has halves of characters, which have no bytes."""

from __future__ import annotations

from pathlib import Path

from veille.core.models import Change
from watching import Watch
from world import Page, Site

HALF = r"\ud83d"
TEXT = "The harbour is open all day long, and boats come and go as they like. " * 20


def test_what_was_cut_within_an_emoji_is_read_without_it(site: Site, tmp_path: Path) -> None:
    item = f'{{"id": "1{HALF}", "title": "Ferry{HALF}", "{{text}}": "{TEXT}{HALF}", "url": "{{url}}{HALF}"}}'
    site["/api"] = Page(
        f'{{"items": [{item.replace("{text}", "text").replace("{url}", "/one")}]}}'.encode(), type="application/json"
    )
    feed = f'{{"version": "https://jsonfeed.org/version/1.1", "title": "Ferries{HALF}", "items": [{item}]}}'
    site["/feed"] = Page(
        feed.replace("{text}", "content_html").replace("{url}", "/two").encode(), type="application/feed+json"
    )
    data = f'{{"@type": "NewsArticle", "headline": "Ferry{HALF}", "description": "Boats{HALF}"}}'
    site["/page"] = (
        f'<html lang="en"><title>Ferry</title><script type="application/ld+json">{data}</script>'
        f"<main><h1>Ferry</h1><p>{TEXT} {TEXT[::-1]}</p></main>"
    )
    with Watch(site, tmp_path) as watch:
        watch.add("/api", "api", result_path="items", fields={"title": "title", "text": "text", "url": "url"})
        watch.add("/feed", "feed", follow_links=False)
        watch.add("/page", "page")
        items = watch.run().items
    assert {item.change for item in items} <= {Change.NEW, Change.DUPLICATE}, items
    found = {item.url.rpartition("/")[2]: item.title for item in items}
    assert found == {"one": "Ferry", "two": "Ferry", "page": "Ferry"}
