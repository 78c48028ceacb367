"""The parent's side of one child process: start it, send it tasks, kill it when its time is up."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from veille.adapters.workshop._starter import START_S, Newborn, Starter
from veille.adapters.workshop._wire import ANSWER_HEAD, FAILURE, HELLO, MAX_ANSWER_BYTES, Hello, job_head, result_in
from veille.core.traffic import Failure

if TYPE_CHECKING:
    from veille.core.tasks import Task
    from veille.settings import WorkshopSettings


class _UnpreparedError(Exception):
    """The child has no code for the task."""


class Child:
    """One child, started when first needed, and again after it died or has done its number of tasks. For one thread."""

    def __init__(self, settings: WorkshopSettings, starter: Starter) -> None:
        self._settings = settings
        self._starter = starter
        self._newborn: Newborn | None = None
        self._jobs = 0
        self._is_over = False
        self._too_slow = (
            f"Reading it took more than {settings.timeout_s:g} seconds, so it was stopped. Where selectors or patterns "
            "are set, make them simpler; workshop.timeout_s sets the limit. Where text in pictures is recognised, set "
            "`ocr_pages` lower; workshop.ocr_timeout_s sets the limit."
        )
        #: How the running child is confined.
        self.hello: Hello | None = None

    @property
    def pid(self) -> int | None:
        """The id of the running process, if any."""
        return self._newborn.pid if self._newborn is not None else None

    def prepare(self) -> str:
        """Start the child unless it runs; returns the reason if it did not start."""
        return self._start() if self._newborn is None else ""

    def ask(self, task: Task[Any], body: bytes) -> Any:
        """The result of a task; a killed or dead child or an invalid answer results in a failure."""
        try:
            head = job_head(task, body)
        except ValueError:
            # It has no bytes. A thread that died of it would be missed by all that wait.
            return _failed(code="hostile", message="An option, an address or a header has half a character in it.")
        problem = self.prepare()
        if problem:
            return Failure(code="no_sandbox", message=problem, retryable=True)
        return self._asked(task, head, body)

    def _asked(self, task: Task[Any], head: bytes, body: bytes) -> Any:
        deadline = time.monotonic() + self._settings.timeout_s
        try:
            result, is_fit = self._exchange(task, head, body, deadline)
        except TimeoutError:
            self.stop()
            return _failed(code="too_slow", message=self._too_slow)
        except _UnpreparedError as error:
            if self._starter.is_whole:
                return self._lost(error)
            self.stop()
            self._starter.is_whole = True
            return self.ask(task, body)
        except (OSError, EOFError, ValidationError) as error:
            return self._lost(error)
        self._jobs += 1
        if not is_fit or self._jobs >= self._settings.jobs:
            self.stop()
        return result

    def interrupt(self) -> None:
        """Kill the child from another thread, for good; the thread that waits for its answer gets a failure."""
        self._is_over = True
        newborn = self._newborn
        if newborn is not None:
            newborn.kill()

    def stop(self) -> None:
        """Kill the child in any state; the next task starts a new one."""
        if self._newborn is not None:
            self._newborn.close()
        self._newborn = self.hello = None
        self._jobs = 0

    def _start(self) -> str:
        """The reason why the child did not start; empty if it did."""
        try:
            self._newborn = self._starter.start(self._settings)
            if self._is_over:
                self._newborn.kill()
            self.hello = HELLO.validate_json(self._receive(time.monotonic() + START_S)[0])
        except (OSError, EOFError, ValidationError) as error:
            # The disk is full, or there are too many processes or open files.
            self.stop()
            return f"The process that reads answers did not start: {error}."
        return ""

    def _exchange(self, task: Task[Any], head: bytes, body: bytes, deadline: float) -> tuple[Any, bool]:
        """The result or failure, and whether the child can continue."""
        assert self._newborn is not None  # noqa: S101 - started
        channel = self._newborn.channel
        channel.settimeout(max(deadline - time.monotonic(), 0.001))
        sent = channel.sendmsg([head, body])
        if sent < len(head) + len(body):
            channel.sendall((memoryview(head) if sent < len(head) else b"")[sent:])
            channel.settimeout(max(deadline - time.monotonic(), 0.001))
            channel.sendall(memoryview(body)[max(sent - len(head), 0) :])
        content, is_failure, is_fit = self._receive(deadline)
        if not content:
            raise _UnpreparedError
        return FAILURE.validate_json(content) if is_failure else result_in(task, content), is_fit

    def _receive(self, deadline: float) -> tuple[bytearray, bool, bool]:
        size, is_failure, is_fit = ANSWER_HEAD.unpack(self._exactly(ANSWER_HEAD.size, deadline))
        if size > MAX_ANSWER_BYTES:
            raise EOFError("An answer longer than any child of ours gives.")
        return self._exactly(size, deadline), is_failure, is_fit

    def _exactly(self, size: int, deadline: float) -> bytearray:
        assert self._newborn is not None  # noqa: S101 - started
        channel = self._newborn.channel
        whole = bytearray(size)
        content = memoryview(whole)
        at = 0
        while at < size:
            channel.settimeout(max(deadline - time.monotonic(), 0.001))
            received = channel.recv_into(content[at:])
            if not received:
                raise EOFError("The child is gone.")
            at += received
        return whole

    def _lost(self, error: Exception) -> Failure:
        assert self._newborn is not None  # noqa: S101 - started
        status = self._newborn.told(1)
        self.stop()
        if status is None:
            # Its nursery died, and took it along.
            return Failure(code="no_sandbox", message="The process that reads answers was ended.", retryable=True)
        if status == -signal.SIGXCPU:
            return _failed(code="too_slow", message=self._too_slow)
        if status == -signal.SIGKILL:
            return _failed(code="too_large", message="Reading it took more memory than the machine had.")
        end = signal.Signals(-status).name if status < 0 else type(error).__name__
        return _failed(code="hostile", message=f"It brought its reader down ({end}).")


def _failed(*, code: str, message: str) -> Failure:
    return Failure(code=code, message=message, retryable=False)
