"""Alerts by mail, through the mail server of the operator (`alerts.mail`).

A mail has a text and an HTML part with the change in it. Its `Message-ID` is made of the id of the message, and is the
same at every attempt. `List-Unsubscribe` ends the channel with one click. Nothing is sent unless the server takes all
addresses.
"""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from typing import NoReturn

from pydantic import Field, field_validator

from veille.core.alerts.addresses import mail_address
from veille.core.alerts.mail import mail_html
from veille.core.alerts.models import Message
from veille.core.alerts.phrases import one_line
from veille.core.alerts.wording import plain_text, subject
from veille.errors import ConfigError, SinkError
from veille.ports.channels import Channel, ChannelConfig
from veille.settings import MailSettings

_OK, _PERMANENT = 250, 500
_MOST = 10


class MailConfig(ChannelConfig):
    """Options of a mail channel."""

    to: tuple[str, ...] = Field(
        min_length=1, max_length=_MOST, description=f"Whom to write to: one mail address or up to {_MOST}."
    )

    @field_validator("to", mode="before")
    @classmethod
    def _as_list(cls, to: object) -> object:
        return [part for part in to.replace(";", ",").split(",") if part.strip()] if isinstance(to, str) else to

    @field_validator("to")
    @classmethod
    def _are_addresses(cls, to: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(map(mail_address, to)))


class MailChannel(Channel):
    """One mail per message, to all addresses."""

    Config = MailConfig
    config: MailConfig

    def shown(self) -> str:
        return ", ".join(self.config.to)

    def check(self) -> None:
        mail = self.means.settings.mail
        if not mail.host or not mail.sender:
            raise ConfigError(
                "No mail can be sent: the operator has to set `host` and `sender` in `alerts.mail`.",
                code="no_mail_server",
            )
        allowed = {domain.lower() for domain in mail.to_domains}
        for address in self.config.to:
            if allowed and address.rpartition("@")[2] not in allowed:
                raise ConfigError(
                    f"No mail may be sent to {address}: allowed are addresses at {', '.join(sorted(allowed))}.",
                    code="mail_not_allowed",
                )

    def send(self, message: Message) -> None:
        try:
            self.check()
        except ConfigError as error:
            raise SinkError(str(error), code=error.code) from error
        mail = self.means.settings.mail
        sender = parseaddr(mail.sender)[1]
        content = self._mail(message, mail.sender).as_bytes(policy=SMTP)
        with _translated(mail.host), _connected(mail, sender.rpartition("@")[2]) as server:
            _transact(server, sender, self.config.to, content)

    def _mail(self, message: Message, sender: str) -> EmailMessage:
        mail = EmailMessage(policy=SMTP)
        name, address = parseaddr(sender)
        domain = address.rpartition("@")[2]
        mail["From"] = f"{name or 'veille'} <{address}>"
        mail["To"] = ", ".join(self.config.to)
        mail["Subject"] = one_line(subject(message), 200)
        mail["Date"] = format_datetime(datetime.fromtimestamp(message.at / 1000, UTC))
        mail["Message-ID"] = f"<{_token(message.id)}@{domain}>"
        mail["List-Id"] = f"<{_token(message.channel_id)}.{_token(message.dossier_id)}.{domain}>"
        mail["Auto-Submitted"] = "auto-generated"
        if message.unsubscribe_url:
            mail["List-Unsubscribe"] = f"<{message.unsubscribe_url}>"
            if message.unsubscribe_url.startswith("https://"):
                # RFC 8058 allows one click over https only.
                mail["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        mail.set_content(plain_text(message), cte="quoted-printable")
        mail.add_alternative(mail_html(message), subtype="html", cte="quoted-printable")
        return mail


def _token(text: str) -> str:
    """The part of an id that a header may have."""
    return "".join(letter for letter in text if letter.isascii() and (letter.isalnum() or letter in "-_")) or "none"


@contextmanager
def _connected(mail: MailSettings, name: str) -> Iterator[smtplib.SMTP]:
    context = ssl.create_default_context()
    if mail.ca_file is not None:
        context.load_verify_locations(mail.ca_file)
    open_: Callable[[], smtplib.SMTP] = (
        (lambda: smtplib.SMTP_SSL(mail.host, mail.port, name, timeout=mail.timeout_s, context=context))
        if mail.security == "tls"
        else (lambda: smtplib.SMTP(mail.host, mail.port, name, timeout=mail.timeout_s))
    )
    server = open_()
    try:
        if mail.security == "starttls":
            server.starttls(context=context)
        if mail.username:
            server.login(mail.username, mail.password.get_secret_value() if mail.password else "")
        yield server
        # It has taken the mail: whatever it says now, the mail must not be sent again.
        with suppress(OSError, smtplib.SMTPException):
            server.quit()
    finally:
        server.close()


def _transact(server: smtplib.SMTP, sender: str, to: tuple[str, ...], content: bytes) -> None:
    """Send it to all, or to nobody: a repeat must not reach some of them twice."""
    server.ehlo_or_helo_if_needed()
    code, reply = server.mail(sender, [f"size={len(content)}"] if server.has_extn("size") else [])
    if code != _OK:
        raise smtplib.SMTPSenderRefused(code, reply, sender)
    for address in to:
        code, reply = server.rcpt(address)
        if code not in (_OK, 251):
            raise smtplib.SMTPRecipientsRefused({address: (code, reply)})
    code, reply = server.data(content)
    if code != _OK:
        raise smtplib.SMTPDataError(code, reply)


@contextmanager
def _translated(host: str) -> Iterator[None]:
    """What the server answers, as errors of ours."""
    try:
        yield
    except smtplib.SMTPRecipientsRefused as error:
        ((address, (code, reply)),) = error.recipients.items()
        _refused(f"The mail server does not take mail for {address}", code, reply, error)
    except smtplib.SMTPDataError as error:
        _refused("The mail server does not take the mail", error.smtp_code, error.smtp_error, error)
    except smtplib.SMTPResponseException as error:
        # Wrong login or sender: the operator has to act, and nothing is lost meanwhile.
        raise SinkError(
            f"The mail server {host} refused us ({_words(error.smtp_code, error.smtp_error)}): check `alerts.mail`. "
            "The mail will be sent again.",
            code="channel.mail",
        ) from error
    except (ssl.SSLError, smtplib.SMTPNotSupportedError) as error:
        raise SinkError(
            f"The connection to the mail server {host} is not safe ({error}): nothing was sent. Set `security`, "
            "`host` or `ca_file` in `alerts.mail` right. The mail will be sent again.",
            code="channel.mail_tls",
        ) from error
    except (OSError, smtplib.SMTPException) as error:
        raise SinkError(
            f"The mail server {host} cannot be reached ({error}); the mail will be sent again.", code="channel.mail"
        ) from error


def _refused(what: str, code: int, reply: bytes | str, error: Exception) -> NoReturn:
    words = _words(code, reply)
    if code >= _PERMANENT:
        raise SinkError(
            f"{what} ({words}): correct the channel.", code="channel.mail_refused", set_aside=True
        ) from error
    raise SinkError(f"{what} now ({words}); it will be sent again.", code="channel.mail") from error


def _words(code: int, reply: bytes | str) -> str:
    text = reply.decode(errors="replace") if isinstance(reply, bytes) else reply
    return one_line(f"{code} {text}", 200)
