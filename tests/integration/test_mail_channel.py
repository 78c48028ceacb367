from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from faults._certificates import Authority
from mail_samples import SAMPLES, TEA
from telling import LOGIN, Mailbox, channel_means
from veille.bootstrap._channels import make_channel
from veille.core.alerts.models import Message, MessageKind
from veille.errors import ConfigError, SinkError
from veille.settings import AlertSettings

ALERT = SAMPLES[MessageKind.ALERT]


def _send(settings: AlertSettings, message: Message = ALERT, to: str = "anna@example.org") -> None:
    with channel_means(settings) as means:
        make_channel("email", {"to": to}, means).send(message)


def _failed(settings: AlertSettings, to: str = "anna@example.org") -> SinkError:
    with pytest.raises(SinkError) as caught:
        _send(settings, to=to)
    return caught.value


def test_a_mail_has_text_and_html_with_the_change_and_the_headers_of_a_list() -> None:
    with Mailbox() as mailbox:
        _send(mailbox.settings())
        _send(mailbox.settings())
    first, second = mailbox.mails
    assert first["Subject"] == "Sencha Fukamushi, 100 g: price 12.90 EUR → 11.50 EUR"
    assert first["From"] == "Veille <veille@example.org>"
    # A repeat is the same mail.
    assert first["Message-ID"] == second["Message-ID"] == f"<{ALERT.id}@example.org>"
    assert first["Date"] == "Mon, 16 Nov 2026 08:30:00 +0000"
    assert first["List-Unsubscribe"] == "<https://veille.example.org/unsubscribe/abc123>"
    assert first["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert first["Auto-Submitted"] == "auto-generated"
    text, html = first.iter_parts()
    assert (first.get_content_type(), text["Content-Transfer-Encoding"]) == (
        "multipart/alternative",
        "quoted-printable",
    )
    assert "because: price < 12 · price fell from 12.90 EUR to 11.50 EUR" in text.get_content()
    assert "[-12.90-]{+11.50+}" in text.get_content()
    assert ">12.90</del>" in html.get_content()
    assert ">11.50</ins>" in html.get_content()


@pytest.mark.parametrize("kind", SAMPLES)
def test_every_kind_of_message_can_be_sent(kind: MessageKind) -> None:
    with Mailbox() as mailbox:
        _send(mailbox.settings(), SAMPLES[kind], "anna@example.org, ben@bücher.example")
    assert mailbox.envelopes == [["anna@example.org", "ben@xn--bcher-kva.example"]]


def test_a_title_can_add_no_header_and_no_markup() -> None:
    title = "Tea\r\nBcc: eve@example.org\n\n<script>alert(1)</script> \u202efdp.exe"
    hostile = replace(ALERT, alerts=(replace(TEA, title=title, url="javascript:alert(1)"),), base_url="")
    with Mailbox() as mailbox:
        _send(mailbox.settings(), hostile)
    (mail,) = mailbox.mails
    assert (mail["Bcc"], mailbox.envelopes) == (None, [["anna@example.org"]])
    _, html = mail.iter_parts()
    assert "<script" not in html.get_content()
    assert "javascript:" not in html.get_content()
    assert "\u202e" not in html.get_content() + mail["Subject"]


@pytest.mark.filterwarnings("ignore:Requiring AUTH")
@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_mails_go_encrypted_and_after_a_login(tmp_path: Path, security: str) -> None:
    context = Authority(tmp_path).context("127.0.0.1")
    user, password = LOGIN
    given = {"security": security, "username": user, "ca_file": tmp_path / "authority.pem"}
    with Mailbox(context, login=True, tls=security == "tls") as mailbox:
        _send(mailbox.settings(**given, password=password))
        wrong = _failed(mailbox.settings(**given, password=password.upper()))
    assert len(mailbox.mails) == 1
    assert (wrong.code, wrong.set_aside) == ("channel.mail", False)
    assert "check `alerts.mail`" in str(wrong)


def test_a_wrong_certificate_or_none_sends_nothing(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    for context in (authority.context("127.0.0.1", self_signed=True), authority.context("other.example"), None):
        with Mailbox(context) as mailbox:
            error = _failed(mailbox.settings(security="starttls", ca_file=tmp_path / "authority.pem"))
        assert (error.code, error.set_aside, mailbox.mails) == ("channel.mail_tls", False, [])


def test_temporary_refusals_are_tried_again_and_final_ones_are_not() -> None:
    with Mailbox() as mailbox:
        mailbox.at_rcpt.extend(["", "451 4.7.1 later"])
        assert _failed(mailbox.settings(), "anna@example.org,ben@example.org").code == "channel.mail"
        mailbox.at_rcpt.append("550 5.1.1 no such user")
        refused = _failed(mailbox.settings())
        assert (refused.code, refused.set_aside) == ("channel.mail_refused", True)
        mailbox.at_data.extend(["452 4.3.1 full", "554 5.7.1 spam"])
        assert not _failed(mailbox.settings()).set_aside
        assert _failed(mailbox.settings()).set_aside
        # Nobody got anything so far.
        assert mailbox.mails == []
        settings = mailbox.settings()
    gone = _failed(settings)
    assert (gone.code, gone.set_aside) == ("channel.mail", False)


@pytest.mark.parametrize(
    "to", ["", "anna", "anna@", "a b@example.org", "anna@example.org\r\nBcc: x@y.z", "<a@b.example>"]
)
def test_what_is_no_address_is_refused(to: str) -> None:
    with channel_means() as means, pytest.raises(ConfigError) as caught:
        make_channel("email", {"to": to}, means)
    assert caught.value.code == "bad_option"


def test_without_a_server_or_to_other_domains_nothing_can_be_set_up() -> None:
    with channel_means() as means, pytest.raises(ConfigError, match="operator"):
        make_channel("email", {"to": "anna@example.org"}, means).check()
    with Mailbox() as mailbox, channel_means(mailbox.settings(to_domains=["corp.example"])) as means:
        make_channel("email", {"to": "anna@corp.example"}, means).check()
        with pytest.raises(ConfigError, match="allowed are"):
            make_channel("email", {"to": "anna@example.org"}, means).check()
        with pytest.raises(ConfigError, match="host"):
            make_channel("email", {"to": "anna@corp.example", "host": "evil.example"}, means)
