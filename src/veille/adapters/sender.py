"""The port `Sender`: requests are sent through a separate door; and one question to a service of the operator."""

from __future__ import annotations

import json
from dataclasses import replace
from queue import SimpleQueue
from typing import TYPE_CHECKING

from veille.core.traffic import Failure, Order, Payload
from veille.errors import SinkError

if TYPE_CHECKING:
    from pydantic import SecretStr

    from veille.adapters.fetch import Door
    from veille.core.models import Json
    from veille.ports import Clock, Sender
    from veille.settings import FetchSettings

#: The receiver must respond within this time, in few bytes.
MAX_SECONDS = 10
MAX_ANSWER = 64 * 1024
#: Maximum size of what a service of the operator answers: a few thousand vectors.
MAX_BYTES = 64 * 1024 * 1024
#: How long a part of an answer may wait to be handed over.
_HEARD_S = 0.05


class DoorSender:
    """Opens the door when there is something to send, one for each set of limits.

    The limits are those of fetching, except for the delay between requests: the receiver wants its changes.
    Nothing is retried here, so that every request is in the log of its sender.
    """

    def __init__(self, settings: FetchSettings, clock: Clock) -> None:
        self._settings = settings.model_copy(update={"host_delay_ms": 0, "retries": 0, "robots": False})
        self._clock = clock
        self._doors: dict[tuple[float, int], Door] = {}

    def send(self, order: Order, *, timeout_s: float | None = None, max_bytes: int | None = None) -> Payload | Failure:
        door = self._door(timeout_s or min(self._settings.timeout_s, MAX_SECONDS), max_bytes or MAX_ANSWER)
        answer = _heard(door, order) if order.heard else _answer(door, order)
        if isinstance(answer, Failure):
            # The door's state of a failing host is for fetching; the sender has its own delay.
            self.close()
        return answer

    def _door(self, timeout_s: float, max_bytes: int) -> Door:
        from veille.adapters.fetch import Door  # noqa: PLC0415 - slow to import

        if (timeout_s, max_bytes) not in self._doors:
            limits = {"timeout_s": timeout_s, "max_bytes": max_bytes}
            self._doors[timeout_s, max_bytes] = Door(self._settings.model_copy(update=limits), self._clock)
        return self._doors[timeout_s, max_bytes]

    def close(self) -> None:
        while self._doors:
            _, door = self._doors.popitem()
            door.close()


def _answer(door: Door, order: Order) -> Payload | Failure:
    door.submit(order)
    while not (answers := door.collect(timeout=1)):
        pass
    return answers[0][1]


def _heard(door: Door, order: Order) -> Payload | Failure:
    """The answer, and before it each part of it as it arrives; in this thread, as the door's must not wait."""
    assert order.heard is not None  # noqa: S101 - the type cannot express it
    parts: SimpleQueue[bytes] = SimpleQueue()
    door.submit(replace(order, heard=parts.put))
    answers: list[tuple[str, Payload | Failure]] = []
    while not answers:
        answers = door.collect(timeout=_HEARD_S)
        while not parts.empty():
            order.heard(parts.get())
    return answers[0][1]


def json_order(key: str, url: str, wish: Json, token: SecretStr | None) -> Order:
    """A request with JSON to a service of the operator, with its bearer token if it has one."""
    headers = [("Content-Type", "application/json")]
    if token:
        headers.append(("Authorization", f"Bearer {token.get_secret_value()}"))
    body = json.dumps(wish).encode()
    return Order(key=key, url=url, method="POST", headers=tuple(headers), body=body, by_operator=True)


def ask(sender: Sender, order: Order, timeout_s: float, *, who: str, code: str) -> Payload:
    """The response, or a SinkError that says who did not respond, and why."""
    answer = sender.send(order, timeout_s=timeout_s, max_bytes=MAX_BYTES)
    if isinstance(answer, Failure):
        raise SinkError(
            f"{who} at {order.url} does not answer ({answer.code}: {answer.message.rstrip('.')}); "
            "start it or correct its address. It will be tried again, or with `veille deliver --now` (a sink) or "
            "`veille vectors embed`.",
            code=code,
            retry_after=answer.retry_after,
        )
    return answer
