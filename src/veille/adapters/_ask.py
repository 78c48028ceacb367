"""One question to a service that the operator named, and its answer."""

from __future__ import annotations

from veille.core.models import Failure, Order, Payload
from veille.errors import SinkError
from veille.ports import Doors


def ask(doors: Doors, timeout_s: float, order: Order, *, who: str, code: str) -> Payload:
    """The answer, or a SinkError that says who did not give one, and why."""
    with doors(timeout_s) as door:
        door.submit(order)
        while not (answers := door.collect(1)):
            pass
    ((_, answer),) = answers
    if isinstance(answer, Failure):
        raise SinkError(
            f"{who} at {order.url} does not answer ({answer.code}: {answer.message}) "
            "Start it or correct its address, then run `veille deliver`.",
            code=code,
        )
    return answer
