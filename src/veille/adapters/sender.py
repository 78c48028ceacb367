"""The port `Sender`: what is sent out goes through a door of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.models import Failure, Order, Payload

if TYPE_CHECKING:
    from veille.adapters.fetch import Door
    from veille.ports import Clock
    from veille.settings import FetchSettings

#: Whoever takes what we send has to say so within this time, in few words.
MAX_SECONDS = 10
MAX_ANSWER = 64 * 1024


class DoorSender:
    """Opens the door when there is something to send.

    The limits are those of fetching, but for the pauses between requests: whoever waits for our news wants them.
    Nothing is tried again here, so that every request there was is in the log of who sent it.
    """

    def __init__(self, settings: FetchSettings, clock: Clock) -> None:
        limits = {"timeout_s": min(settings.timeout_s, MAX_SECONDS), "max_bytes": MAX_ANSWER}
        self._settings = settings.model_copy(update=limits | {"host_delay_ms": 0, "retries": 0, "robots": False})
        self._clock = clock
        self._door: Door | None = None

    def send(self, order: Order) -> Payload | Failure:
        if self._door is None:
            from veille.adapters.fetch import Door  # noqa: PLC0415 - slow to import

            self._door = Door(self._settings, self._clock)
        self._door.submit(order)
        while not (answers := self._door.collect(timeout=1)):
            pass
        (_, answer) = answers[0]
        if isinstance(answer, Failure):
            # What the door keeps in mind about a failing host is for fetching; who sends has a pause of its own.
            self.close()
        return answer

    def close(self) -> None:
        door, self._door = self._door, None
        if door is not None:
            door.close()
