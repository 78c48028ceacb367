"""What channels are given in tests, and a mail server that keeps what it gets."""

from __future__ import annotations

import socket
import ssl
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from types import TracebackType
from typing import Any, Self

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from samples import NOW
from veille.adapters.sender import DoorSender
from veille.adapters.workshop import SandboxWorkshop
from veille.ports.channels import ChannelMeans
from veille.settings import AlertSettings, FetchSettings, MailSettings, WorkshopSettings
from watching import FAST

LOGIN = ("anna", "a password")


class Mailbox:
    """A real SMTP server on loopback; `moods` are its next answers, at RCPT or at the end of the mail."""

    def __init__(self, context: ssl.SSLContext | None = None, *, login: bool = False, tls: bool = False) -> None:
        self.mails: list[EmailMessage] = []
        self.envelopes: list[list[str]] = []
        self.at_rcpt: deque[str] = deque()
        self.at_data: deque[str] = deque()
        given: dict[str, Any] = {"ssl_context": context} if tls else {"tls_context": context}
        if context and not tls:
            given["require_starttls"] = True
        if login:
            given |= {"auth_required": True, "auth_require_tls": context is not None and not tls}
            given["authenticator"] = self._authenticate
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port, **given)

    @staticmethod
    def _authenticate(server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        del server, session, envelope, mechanism
        return AuthResult(success=(data.login.decode(), data.password.decode()) == LOGIN, handled=False)

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:  # noqa: N802 - the library's
        del server, session, options
        if self.at_rcpt and (mood := self.at_rcpt.popleft()):
            return mood
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 - the library's
        del server, session
        if self.at_data:
            return self.at_data.popleft()
        mail = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(mail, EmailMessage)
        self.mails.append(mail)
        self.envelopes.append(list(envelope.rcpt_tos))
        return "250 OK"

    def __enter__(self) -> Self:
        self._controller.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._controller.stop()

    def settings(self, **given: Any) -> AlertSettings:
        usual = {"host": "127.0.0.1", "port": self.port, "security": "none", "sender": "Veille <veille@example.org>"}
        return AlertSettings(mail=MailSettings.model_validate(usual | given))


@contextmanager
def channel_means(settings: AlertSettings | None = None, fetch: FetchSettings = FAST) -> Iterator[ChannelMeans]:
    """What a channel is given, at a standing time."""
    with closing(DoorSender(fetch, lambda: NOW)) as sender, closing(SandboxWorkshop(WorkshopSettings())) as workshop:
        yield ChannelMeans(
            sender=sender,
            workshop=workshop,
            clock=lambda: NOW,
            settings=settings or AlertSettings(),
            key=lambda purpose: purpose.encode().ljust(32, b"."),
        )
