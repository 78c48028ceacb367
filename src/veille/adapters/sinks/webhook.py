"""Changes as signed JSON, posted to an address as they occur: in order, and repeated until they are accepted.

The body is `{"changes": [...]}`, each change with the fields of [the exchange format](exchange.md). The headers are
`Veille-Event-Id` (the same if the request is repeated), `Veille-Timestamp` (seconds since 1970) and
`Veille-Signature: t=<timestamp>,v1=<hex>`, the HMAC-SHA256 of `<timestamp>.<body>` with the secret.

Any 2xx accepts the changes; 208 means that they were known already. After 408, 429, 5xx or no response the same request
is repeated with growing delays, or when `Retry-After` says. Any other response is a refusal: it is reported and retried
in the same way, unless `skip_refused` skips the change. Redirects are not followed.

If a dossier is deleted, the body is `{"forget": {"dossier_id": "…", "at": …}}`: what was sent cannot be recalled, so
the receiver has to delete it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from pydantic import Field, SecretStr, field_validator

from veille.adapters.hooks import checked_address, checked_headers, is_taken, is_temporary, revealed, said, signature
from veille.core.addresses import parse
from veille.core.models import Json
from veille.core.outgoing.export_record import change_record, cut, event_id
from veille.core.records import Parcel
from veille.core.traffic import Failure, Order
from veille.errors import SinkError
from veille.ports import Means, Recall, Sink, SinkConfig

_KNOWN = 208
_REFUSED = range(400, 500)


class WebhookConfig(SinkConfig):
    """Options of a webhook."""

    url: str = Field(description="Where the changes are posted.")
    secret: SecretStr = Field(
        min_length=16, description="Signs every request; better set by variable, `VEILLE_SINKS__<NAME>__SECRET`."
    )
    batch: int = Field(1, ge=1, le=100, description="The most changes in one request.")
    max_text: int = Field(
        100_000, ge=0, description="Longer texts are cut after so many characters; `text_length` has the true length."
    )
    private: bool = Field(
        default=False, description="Whether the address may be a private one, though `fetch.allow_…` does not say so."
    )
    skip_refused: bool = Field(
        default=False, description="Whether a change that is refused (4xx) is passed over, and told of in the log."
    )
    only_found: bool = Field(
        default=False, description="Whether it is sent only what saved searches find, and only those that name it."
    )
    headers: dict[str, SecretStr] = Field(default_factory=dict, description="Further headers, such as Authorization.")

    _is_address = field_validator("url")(checked_address)
    _can_be_sent = field_validator("headers")(checked_headers)


class WebhookSink(Sink):
    """One request after another; what was accepted is recorded before the next request."""

    Config = WebhookConfig
    config: WebhookConfig

    def __init__(self, config: SinkConfig, means: Means) -> None:
        super().__init__(config, means)
        self.only_found = self.config.only_found
        self.batch = self.config.batch

    def deliver(self, parcels: Sequence[Parcel]) -> int:
        step = self.config.batch
        return sum(self._post(parcels[at : at + step]) for at in range(0, len(parcels), step))

    def forget(self, dossier_id: str, document_ids: Iterable[str]) -> Recall:  # noqa: ARG002 - the receiver knows them
        """Tell the receiver: what was sent cannot be recalled."""
        told = {"forget": {"dossier_id": dossier_id, "at": self.means.clock()}}
        self._sent(f"{dossier_id}:forget", told)
        return Recall.TOLD

    def _post(self, parcels: Sequence[Parcel]) -> int:
        records = [cut(change_record(parcel), self.config.max_text) for parcel in parcels]
        status = self._sent(event_id(parcels[0].event), {"changes": records})
        return 0 if status == _KNOWN else len(parcels)

    def _sent(self, event: str, told: Json) -> int:
        """Post it; returns the status of the answer that took it."""
        answer = self.means.sender.send(self._order(event, json.dumps(told, ensure_ascii=False).encode()))
        if is_taken(answer):
            return answer.status
        # Only the host: the rest of the address may be a secret.
        host, reply = parse(self.config.url).host_key, said(answer)
        if isinstance(answer, Failure) and is_temporary(answer):
            raise SinkError(
                f"{host} did not take the changes ({reply}); they will be sent again.",
                code="sink.webhook",
                retry_after=answer.retry_after,
            )
        raise SinkError(
            f"{host} refused the changes ({reply}); correct the receiver or the options, then `veille deliver --now`.",
            code="sink.webhook_refused",
            set_aside=self.config.skip_refused and answer.status in _REFUSED,
        )

    def _order(self, event: str, body: bytes) -> Order:
        return Order(
            key=event,
            url=self.config.url,
            method="POST",
            body=body,
            headers=(
                *revealed(self.config.headers),
                ("Accept", "*/*"),
                ("Veille-Event-Id", event),
                *signature(self.config.secret, body, self.means.clock()),
            ),
            by_operator=self.config.private,
            direct=True,
        )
