"""Alerts posted to an address, as JSON or in the form of a template.

The body is `{"message": …}`, or what the template makes of it: a [Jinja2](https://jinja.palletsprojects.com) template
in which `message` is the same object. `{{ message.subject }}` and `{{ message.text }}` are ready to be read;
`{{ message.subject | tojson }}` is a JSON string. A template may take the time and memory of one reading and make
256 kB.

The headers are `Veille-Message-Id` and `Idempotency-Key` (both the id of the message, the same if it is sent again).
With a secret, `Veille-Timestamp` (seconds since 1970) and `Veille-Signature: t=<timestamp>,v1=<hex>`, the HMAC-SHA256
of `<timestamp>.<body>`.

Any 2xx accepts the message. After 408, 425, 429, 5xx or no answer it is sent again later, or when `Retry-After` says.
Any other answer is a refusal. Redirects are not followed. Private addresses are refused unless the operator allows
them (`fetch.allow_…`).
"""

from __future__ import annotations

import json
from typing import Literal

from pydantic import Field, SecretStr, field_validator

from veille.adapters.hooks import checked_address, checked_headers, is_taken, is_temporary, revealed, said, signature
from veille.core.addresses import parse
from veille.core.alerts.example import EXAMPLE
from veille.core.alerts.models import Message
from veille.core.alerts.record import message_record
from veille.core.alerts.templates import MAX_TEMPLATE
from veille.core.tasks.telling import RenderTemplate
from veille.core.traffic import Failure, Order
from veille.errors import ConfigError, SinkError
from veille.ports.channels import Channel, ChannelConfig


class HookConfig(ChannelConfig):
    """Options of a webhook channel."""

    url: SecretStr = Field(description="Where messages are sent; hidden, because such addresses often have a key.")
    template: str = Field("", max_length=MAX_TEMPLATE, description="A Jinja2 template of the body. Default: JSON.")
    content_type: str = Field(
        "application/json", pattern=r"^[\w.+-]+/[\w.+-]+(; ?[\w-]+=[\w.+-]+)?$", description="The type of the body."
    )
    method: Literal["POST", "PUT"] = Field("POST", description="The method.")
    secret: SecretStr | None = Field(None, min_length=16, description="Signs every request.")
    headers: dict[str, SecretStr] = Field(default_factory=dict, description="Further headers, such as Authorization.")

    _can_be_sent = field_validator("headers")(checked_headers)

    @field_validator("url")
    @classmethod
    def _is_address(cls, url: SecretStr) -> SecretStr:
        checked_address(url.get_secret_value())
        return url


class HookChannel(Channel):
    """One request per message."""

    Config = HookConfig
    config: HookConfig

    def shown(self) -> str:
        return parse(self._url).host_key

    def check(self) -> None:
        if self.config.template:
            self._rendered(EXAMPLE)

    def send(self, message: Message) -> None:
        try:
            body = self._body(message)
        except ConfigError as error:
            raise SinkError(
                f"{error} Correct it, then send the message again.", code="channel.template", set_aside=True
            ) from error
        answer = self.means.sender.send(self._order(message, body))
        if is_taken(answer):
            return
        if isinstance(answer, Failure) and is_temporary(answer):
            raise SinkError(
                f"{self.shown()} did not take the message ({said(answer)}); it will be sent again.",
                code="channel.webhook",
                retry_after=answer.retry_after,
            )
        raise SinkError(
            f"{self.shown()} refused the message ({said(answer)}): correct the channel or its receiver.",
            code="channel.webhook_refused",
            set_aside=True,
        )

    @property
    def _url(self) -> str:
        return self.config.url.get_secret_value()

    def _body(self, message: Message) -> bytes:
        if self.config.template:
            return self._rendered(message).encode()
        return json.dumps({"message": message_record(message)}, ensure_ascii=False).encode()

    def _rendered(self, message: Message) -> str:
        task = RenderTemplate(template=self.config.template, values={"message": message_record(message)})
        found = self.means.workshop.run(task, group=message.dossier_id)
        if isinstance(found, Failure) and found.retryable:
            raise SinkError(f"{found.message} The message will be sent again.", code="channel.webhook")
        if isinstance(found, Failure):
            words = {
                "too_slow": "The template takes too long: it was stopped.",
                "too_large": "The template takes too much memory: it was stopped.",
            }
            raise ConfigError(words.get(found.code, found.message), code="bad_template")
        return found

    def _order(self, message: Message, body: bytes) -> Order:
        secret = self.config.secret
        return Order(
            key=message.id,
            url=self._url,
            method=self.config.method,
            body=body,
            headers=(
                *revealed(self.config.headers),
                ("Accept", "*/*"),
                ("Content-Type", self.config.content_type),
                ("Idempotency-Key", message.id),
                ("Veille-Message-Id", message.id),
                *(signature(secret, body, self.means.clock()) if secret else ()),
            ),
            direct=True,
        )
