"""Alerts shown by a browser (Web Push), also while no page of veille is open.

`subscription` is what the browser gave when somebody allowed it (`PushSubscription`, as JSON). The message is encrypted
for that browser; its push service sees only that there is one. A browser that forgot the subscription refuses (404 or
410): subscribe again.

The browser gets JSON with `title`, `body`, `url` and `tag` (the id of the message: a repeat replaces the first).
"""

from __future__ import annotations

import json
import secrets

from cryptography.hazmat.primitives.asymmetric import ec
from pydantic import Field, SecretStr, field_validator

from veille.adapters.hooks import checked_address, is_taken, is_temporary, said
from veille.core.addresses import parse
from veille.core.alerts.models import Message, MessageKind
from veille.core.alerts.phrases import alert_url, alerts_url, one_line
from veille.core.alerts.webpush import encrypted, private_key, proof, public_text, subscription_in
from veille.core.alerts.wording import short_text, subject
from veille.core.traffic import Failure, Order
from veille.errors import SinkError
from veille.ports.channels import Channel, ChannelConfig

#: The purpose of the key.
PURPOSE = "webpush"
#: How long a push service keeps a message for a browser that is off.
_KEPT_S = 3 * 86_400
_MAX_URL = 1000
_GONE = frozenset({404, 410})
#: Whom a push service may ask about our messages.
_CONTACT = "https://pypi.org/project/veille"


class PushConfig(ChannelConfig):
    """Options of a browser channel."""

    subscription: SecretStr = Field(max_length=4000, description="The subscription of the browser, as JSON.")

    @field_validator("subscription")
    @classmethod
    def _is_complete(cls, subscription: SecretStr) -> SecretStr:
        checked_address(subscription_in(subscription.get_secret_value()).endpoint)
        return subscription


class PushChannel(Channel):
    """One encrypted request per message."""

    Config = PushConfig
    config: PushConfig

    @property
    def public_key(self) -> str:
        """What a browser needs to subscribe (`applicationServerKey`)."""
        return public_text(private_key(self.means.key(PURPOSE)))

    def shown(self) -> str:
        return f"a browser, through {self._host}"

    def send(self, message: Message) -> None:
        answer = self.means.sender.send(self._order(message))
        if is_taken(answer):
            return
        if isinstance(answer, Failure) and is_temporary(answer):
            raise SinkError(
                f"{self._host} did not take the message ({said(answer)}); it will be sent again.",
                code="channel.webpush",
                retry_after=answer.retry_after,
            )
        if answer.status in _GONE:
            raise SinkError(
                "The browser does not want messages any more: subscribe again in it, or delete the channel.",
                code="channel.webpush_gone",
                set_aside=True,
            )
        raise SinkError(
            f"{self._host} refused the message ({said(answer)}): subscribe again in the browser.",
            code="channel.webpush_refused",
            set_aside=True,
        )

    @property
    def _host(self) -> str:
        return parse(subscription_in(self.config.subscription.get_secret_value()).endpoint).host_key

    def _order(self, message: Message) -> Order:
        to = subscription_in(self.config.subscription.get_secret_value())
        once, salt = ec.generate_private_key(ec.SECP256R1()), secrets.token_bytes(16)
        origin = parse(to.endpoint).origin
        key = private_key(self.means.key(PURPOSE))
        return Order(
            key=message.id,
            url=to.endpoint,
            method="POST",
            body=encrypted(payload(message), to, once, salt),
            headers=(
                ("Authorization", proof(key, origin, _CONTACT, self.means.clock())),
                ("Content-Encoding", "aes128gcm"),
                ("Content-Type", "application/octet-stream"),
                ("TTL", str(_KEPT_S)),
                ("Urgency", "high" if message.kind is MessageKind.ALERT else "normal"),
            ),
            direct=True,
        )


def payload(message: Message) -> bytes:
    """What the browser gets, small enough for every push service."""
    is_one = message.kind is MessageKind.ALERT and message.alerts
    url = alert_url(message, message.alerts[0]) if is_one else alerts_url(message)
    content = {"title": one_line(subject(message), 200), "body": short_text(message, 400), "tag": message.id}
    # A longer address would not fit.
    content["url"] = url if len(url.encode()) <= _MAX_URL else message.base_url
    return json.dumps(content, ensure_ascii=False).encode()
