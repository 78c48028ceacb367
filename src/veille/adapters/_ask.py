"""One request to a service that the operator configured, and its response."""

from __future__ import annotations

from veille.core.traffic import Failure, Order, Payload
from veille.errors import SinkError
from veille.ports import Sender

#: Maximum size of a response: a few thousand vectors.
MAX_BYTES = 64 * 1024 * 1024


def ask(sender: Sender, order: Order, timeout_s: float, *, who: str, code: str) -> Payload:
    """The response, or a SinkError that says who did not respond, and why."""
    answer = sender.send(order, timeout_s=timeout_s, max_bytes=MAX_BYTES)
    if isinstance(answer, Failure):
        raise SinkError(
            f"{who} at {order.url} does not answer ({answer.code}: {answer.message.rstrip('.')}); "
            "start it or correct its address. It will be tried again, or with `veille deliver --now`.",
            code=code,
            retry_after=answer.retry_after,
        )
    return answer
