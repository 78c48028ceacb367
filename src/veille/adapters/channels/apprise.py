"""Alerts through one of more than a hundred services that [apprise](https://appriseit.com) knows (extra `apprise`).

`url` is an address of apprise: `ntfy://ntfy.sh/tea`, `slack://…`, `discord://…`, `tgram://…`, `matrixs://…`. It may
name one receiver; make a channel for each.

apprise runs in a process without network, and its requests are made by veille: with the same rules for addresses as
everything else, and without following redirects. Services that need another connection than HTTP, a program or the
desktop are refused.
"""

from __future__ import annotations

from base64 import b64decode
from importlib.util import find_spec

from pydantic import Field, SecretStr, field_validator

from veille.adapters.hooks import is_temporary, said
from veille.core.alerts.models import Message
from veille.core.alerts.phrases import one_line
from veille.core.alerts.replay import MAX_URL, ServiceAnswer, ServiceOrder, ServiceStep
from veille.core.alerts.services import service_of, service_shown
from veille.core.alerts.wording import short_text, subject
from veille.core.http.credentials import header_problem
from veille.core.tasks.telling import RunService
from veille.core.traffic import Failure, Order, Payload
from veille.errors import ConfigError, SinkError
from veille.ports.channels import Channel, ChannelConfig

#: The most requests for one message; a login and a message are two or three.
_MOST = 10


class ServiceConfig(ChannelConfig):
    """Options of a channel through apprise."""

    url: SecretStr = Field(
        max_length=MAX_URL, description="The address of the service and the receiver, in the form of apprise."
    )

    @field_validator("url")
    @classmethod
    def _is_known(cls, url: SecretStr) -> SecretStr:
        try:
            service_of(url.get_secret_value())
        except ConfigError as error:
            raise ValueError(str(error)) from error
        return url


class ServiceChannel(Channel):
    """Runs apprise step by step; each step is one request."""

    Config = ServiceConfig
    config: ServiceConfig

    def shown(self) -> str:
        return service_shown(self._url)

    def check(self) -> None:
        if find_spec("apprise") is None:
            raise ConfigError(
                "This channel needs apprise: `pip install 'veille[apprise]'`, then start veille again.",
                code="needs_extra",
            )
        step = self._step("", "", (), "")
        if step.receivers > 1:
            raise ConfigError(
                f"The address names {step.receivers} receivers; make a channel for each, so that none is told twice.",
                code="bad_service_url",
            )

    def send(self, message: Message) -> None:
        try:
            self.check()
            self._send(message)
        except ConfigError as error:
            raise SinkError(str(error), code=error.code, set_aside=error.code != "needs_extra") from error

    def _send(self, message: Message) -> None:
        title, text = one_line(subject(message), 200), short_text(message)
        replies: list[Payload | Failure] = []
        for _ in range(_MOST + 1):
            answers = tuple(_answer(reply) for reply in replies)
            step = self._step(title, text, answers, message.dossier_id)
            if step.order is None:
                break
            replies.append(self.means.sender.send(self._order(message, len(replies), step.order)))
        if not step.is_sent:
            self._explain(replies)

    def _explain(self, replies: list[Payload | Failure]) -> None:
        """Raise what went wrong, by the last answer."""
        bad = [reply for reply in replies if isinstance(reply, Failure)]
        words = said(replies[-1]) if replies else "it made no request"
        if bad and is_temporary(bad[-1]):
            raise SinkError(
                f"The service did not take the message ({words}); it will be sent again.",
                code="channel.service",
                retry_after=bad[-1].retry_after,
            )
        raise SinkError(
            f"The service refused the message ({words}): correct the address of the channel.",
            code="channel.service_refused",
            set_aside=True,
        )

    @property
    def _url(self) -> str:
        return self.config.url.get_secret_value()

    def _step(self, title: str, text: str, answers: tuple[ServiceAnswer, ...], group: str) -> ServiceStep:
        task = RunService(url=self._url, title=title, text=text, answers=answers)
        found = self.means.workshop.run(task, group=group)
        if not isinstance(found, Failure):
            return found
        if found.retryable:
            raise SinkError(f"{found.message} The message will be sent again.", code="channel.service")
        raise ConfigError(f"apprise cannot use this address: {found.message}", code="bad_service_url")

    def _order(self, message: Message, number: int, order: ServiceOrder) -> Order:
        # Headers of the connection are made by the door.
        headers = tuple(pair for pair in order.headers if not header_problem([pair]))
        return Order(
            key=f"{message.id} {number}",
            url=order.url,
            method=order.method,
            headers=headers,
            body=b64decode(order.body),
            direct=True,
        )


def _answer(reply: Payload | Failure) -> ServiceAnswer:
    if isinstance(reply, Failure):
        return ServiceAnswer(status=reply.status)
    return ServiceAnswer(
        status=reply.status, content_type=reply.media_type, body=reply.body.decode("utf-8", errors="replace")
    )
