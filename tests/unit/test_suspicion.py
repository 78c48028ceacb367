from __future__ import annotations

import pytest

from samples import NOW, STORY, document, lease, payload, source
from veille.core.change.second_look import Kept
from veille.core.change.suspicion import suspicion
from veille.core.compare.boilerplate import NO_BOILERPLATE, Boilerplate
from veille.core.models import Document, Known, Reading, Request

FORM = "<form><input name=u><input type='password' name=p></form>"


class _Memory:
    """One page as it was, and nothing else."""

    def __init__(self, text: str = STORY * 3, title: str = "A title", state: str = "current") -> None:
        self._kept = Kept(title=title, text=text, at=NOW, rev_n=1)
        self._known = Known(document_id="d", source_id="s", content_hash="before", rev_n=1, state=state)

    def known(self, document: Document, request: Request) -> Known | None:
        del document, request
        return self._known

    def kept(self, document_id: str, source_id: str) -> Kept | None:
        del source_id
        del document_id
        return self._kept

    def boilerplate(self, source_id: str) -> Boilerplate:
        del source_id
        return NO_BOILERPLATE

    def twin(self, document: Document) -> None: ...
    def owned(self, request: Request) -> None: ...
    def named(self, *keys: str) -> None: ...
    def unlisted(self, source_id: str, keys: object, since: int | None = None) -> list[Known]:
        del source_id, keys, since
        return []


def _code(text: str, title: str = "A title", body: str = "", memory: _Memory | None = None, **given: object) -> str:
    of = lease(source(config=given))
    reading = Reading(lease=of, payload=payload(body), documents=(document(text=text, title=title, shown=True),))
    doubt = suspicion(reading, memory or _Memory())
    return doubt.code if doubt else ""


@pytest.mark.parametrize(
    ("text", "title", "body", "code"),
    [
        ("The page you are looking for does not exist.", "Gazette", "", "soft_404"),
        ("Nothing here. Try the search.", "404", "", "soft_404"),
        ("Nothing here. Try the search.", "Page not found - Gazette", "", "soft_404"),
        ("Error 404. Please go back.", "Gazette", "", "soft_404"),
        ("Die Seite wurde leider nicht gefunden.", "Zeitung", "", "soft_404"),
        ("Cette page est introuvable.", "Gazette", "", "soft_404"),
        ("Sign in to read on.", "Gazette", FORM, "login_wall"),
        ("We and our partners use cookies. Your privacy: accept all or not.", "Gazette", "", "consent_wall"),
        ("", "Gazette", "<div id=app></div><script src=a.js></script>", "empty_shell"),
    ],
)
def test_a_login_consent_or_error_page_in_place_of_the_page_is_recognised(
    text: str, title: str, body: str, code: str
) -> None:
    assert _code(text, title, body) == code
    assert _code(text, title, body, guard=False) == "", "its owner has the last word"
    assert _code(text, title, body, _Memory(state="removed")) == "", "there is nothing to protect"


@pytest.mark.parametrize(
    "text",
    [
        "Tea costs 404 EUR now.",
        "This product is no longer available.",
        "Still sold out. We will let you know as soon as it is found again.",
        "The missing ship was not found. The search goes on.",
        "We use cookies.",
        "The hall is closed.",
        f"The page you are looking for does not exist. {STORY * 8}",
    ],
)
def test_a_short_real_text_is_not_suspicious(text: str) -> None:
    assert _code(text) == ""


def test_a_login_form_beside_the_usual_text_is_not_suspicious() -> None:
    assert _code(STORY * 3, body=FORM) == ""


def test_a_page_that_was_always_about_missing_pages_is_not_suspicious() -> None:
    about = _Memory(text="Why a page is not found, and what to do about it.", title="Error 404 explained")
    assert _code("Error 404: what it means now.", "Error 404 explained", memory=about) == ""


@pytest.mark.parametrize(("final", "code"), [("https://example.org/login?next=/a", "login_wall"), ("/b", "")])
def test_a_redirect_to_a_login_is_recognised(final: str, code: str) -> None:
    answer = payload("", redirects=((302, "https://example.org/a"),), final_url=final)
    reading = Reading(lease=lease(), payload=answer, documents=(document(text="Welcome back, stranger.", shown=True),))
    doubt = suspicion(reading, _Memory())
    assert (doubt.code if doubt else "") == code
