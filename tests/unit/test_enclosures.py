"""Attachments of entries, and what may be played."""

from __future__ import annotations

from veille.core.show.enclosures import MOST_ENCLOSURES, Enclosure, enclosures_of, media_policy


def test_sound_and_film_are_told_by_their_address() -> None:
    urls = ["https://a.example/show/1.MP3?x=.mp4", "http://a.example/film.webm#t", "https://a.example/notes.pdf"]
    assert enclosures_of({"enclosures": urls}) == [
        Enclosure(urls[0], "audio", "1.MP3"),
        Enclosure(urls[1], "video", "film.webm"),
        Enclosure(urls[2], "file", "notes.pdf"),
    ]


def test_what_is_no_address_on_the_web_is_left_out() -> None:
    for odd in (None, {}, {"enclosures": None}, {"enclosures": 7}, {"enclosures": [7, "javascript:alert(1)//x.mp3"]}):
        assert enclosures_of(odd) == []
    assert enclosures_of({"enclosures": ["file:///etc/x.mp3", "https://a b/x.mp3"]}) == []
    many = {"enclosures": [f"https://a.example/{n}.mp3" for n in range(500)]}
    assert len(enclosures_of(many)) == MOST_ENCLOSURES


def test_the_policy_allows_media_and_nothing_else_more() -> None:
    assert media_policy("default-src 'none'", "https://a.example/1.mp3") == "default-src 'none'; media-src https:"
    assert media_policy("x", "http://a.example/1.mp3").endswith("media-src https: http:")
