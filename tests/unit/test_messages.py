from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mail_samples import BROKEN, NEWS, SAMPLES, TEA, TOLD, numbered, sample
from veille.core.alerts.mail import mail_html
from veille.core.alerts.models import MessageKind
from veille.core.alerts.phrases import alert_url
from veille.core.alerts.wording import plain_text, short_text, subject
from veille.core.told import EditKind, TextEdit


@pytest.mark.parametrize("kind", SAMPLES)
def test_every_kind_of_message_has_words(kind: MessageKind) -> None:
    message = SAMPLES[kind]
    assert 10 < len(subject(message)) <= 140
    assert subject(message) in plain_text(message)
    assert 0 < len(short_text(message)) <= 1500
    assert "Stop this channel" in mail_html(message)


def test_a_digest_is_grouped_by_story_and_source_and_ends_with_how_many_more() -> None:
    text = plain_text(sample(MessageKind.DIGEST, TEA, NEWS, TOLD, BROKEN, *numbered(30), left_out=5))
    assert text.count("Harbour bridge opens") == 1
    assert "also told by Coast Radio" in text
    # Twelve entries, of which one tells of two alerts.
    assert text.count("  * ") == 12
    assert "and 26 more" in text
    assert text.index("Leaf & Pot") < text.index("The Estuary Gazette") < text.index("City council minutes")


def test_without_pages_of_ours_links_lead_to_the_page_itself_and_never_to_a_script() -> None:
    message = replace(SAMPLES[MessageKind.ALERT], base_url="")
    assert alert_url(message, TEA) == TEA.url
    assert alert_url(message, replace(TEA, url="javascript:alert(1)")) == ""
    assert alert_url(message, replace(TEA, url='https://a.example/"><script>')) == ""


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.found.append(tag)


def _tags(html: str) -> list[str]:
    parser = _Tags()
    parser.feed(html)
    return parser.found


@given(st.text(min_size=1))
def test_no_text_of_a_site_adds_markup_or_lines(text: str) -> None:
    edits = (TextEdit(EditKind.DELETE, "a"), TextEdit(EditKind.INSERT, f"b{text}"))
    hostile = replace(TEA, title=f"x{text}", source_name=f"y{text}", rule=f"z{text}", excerpt=edits)
    message = sample(MessageKind.ALERT, hostile)
    assert set(_tags(mail_html(message))) <= set(_tags(mail_html(SAMPLES[MessageKind.ALERT]))) | {"br"}
    assert subject(message).isprintable()
    assert "\u202e" not in mail_html(message) + plain_text(message) + short_text(message)


def test_a_long_change_is_cut_to_its_telling_part() -> None:
    same = "Words that stayed as they are. " * 200
    edits = (TextEdit(EditKind.EQUAL, same), TextEdit(EditKind.INSERT, "News! " * 900), TextEdit(EditKind.EQUAL, same))
    message = sample(MessageKind.ALERT, replace(TEA, excerpt=edits))
    assert len(plain_text(message)) < 2500
    assert "… " in plain_text(message)
    assert len(mail_html(message)) < 20_000
