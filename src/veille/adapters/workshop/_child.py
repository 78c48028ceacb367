"""The parent's side of one child process: start it, ask it, kill it when its time is up."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from veille.adapters.workshop._wire import ANSWER_HEAD, FAILURE, HELLO, MAX_ANSWER_BYTES, Hello, job_head, result_in
from veille.core.traffic import Failure

if TYPE_CHECKING:
    from veille.core.tasks import Task
    from veille.settings import WorkshopSettings

#: Importing everything takes about half a second; on a busy machine much more.
_START_S = 60


class Child:
    """One child, started when first asked and again whenever it was lost or has done its share. For one thread."""

    def __init__(self, settings: WorkshopSettings) -> None:
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._jobs = 0
        self._is_over = False
        self._too_slow = (
            f"Reading it took more than {settings.timeout_s:g} seconds, so it was stopped. Where selectors or patterns "
            "are set, make them simpler; workshop.timeout_s sets the limit."
        )
        #: How the child that runs is shut in.
        self.hello: Hello | None = None

    def prepare(self) -> str:
        """Start the child unless it runs; why it did not start, if so."""
        return self._start() if self._process is None else ""

    def ask(self, task: Task[Any], body: bytes) -> Any:
        """What comes of a task; being killed, dying or talking nonsense are failures as others are."""
        problem = self.prepare()
        if problem:
            return Failure(code="no_sandbox", message=problem, retryable=True)
        deadline = time.monotonic() + self._settings.timeout_s
        try:
            result, is_fit = self._exchange(task, body, deadline)
        except TimeoutError:
            self.stop()
            return _failed(code="too_slow", message=self._too_slow)
        except (OSError, EOFError, ValidationError) as error:
            return self._lost(error)
        self._jobs += 1
        if not is_fit or self._jobs >= self._settings.jobs:
            self.stop()
        return result

    def interrupt(self) -> None:
        """End the child from another thread, for good; the one that waits for its answer gets a failure."""
        self._is_over = True
        process = self._process
        if process is not None:
            process.kill()

    def stop(self) -> None:
        """End the child, whatever it is at; the next question starts a fresh one."""
        if self._channel is not None:
            self._channel.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            if self._process.stderr is not None:
                self._process.stderr.close()
        if self._folder is not None:
            self._folder.cleanup()
        self._process = self._channel = self._folder = self.hello = None
        self._jobs = 0

    def _start(self) -> str:
        """Why the child did not start, if so."""
        try:
            self._launch()
        except OSError as error:
            # The disk is full, or there are too many processes or open files.
            self.stop()
            return f"The process that reads answers did not start: {error}."
        assert self._process is not None  # noqa: S101 - launched
        try:
            self.hello = HELLO.validate_json(self._receive(time.monotonic() + _START_S)[0])
        except (OSError, EOFError, ValidationError):
            self._process.kill()
            errors = self._process.communicate()[1].decode(errors="replace").strip()
            self.stop()
            reason = errors.splitlines()[-1] if errors else "it gave no reason"
            return f"The process that reads answers did not start: {reason}."
        return ""

    def _launch(self) -> None:
        ours, theirs = socket.socketpair()
        self._channel = ours
        memory = str(self._settings.memory_mb * 1024 * 1024)
        limits = [memory, str(self._settings.timeout_s)]
        command = [sys.executable, "-P", "-m", "veille.adapters.workshop.child", *limits, str(os.getpid())]
        with theirs:
            self._folder = tempfile.TemporaryDirectory(prefix="veille-child-", ignore_cleanup_errors=True)
            self._process = subprocess.Popen(  # noqa: S603 - our own program, nothing of it from outside
                command,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=_environment(),
                cwd=self._folder.name,
                start_new_session=True,
            )
        if self._is_over:
            self._process.kill()

    def _exchange(self, task: Task[Any], body: bytes, deadline: float) -> tuple[Any, bool]:
        """The result or failure, and whether the child can go on."""
        assert self._channel is not None  # noqa: S101 - started
        self._channel.settimeout(max(deadline - time.monotonic(), 0.001))
        head = job_head(task, body)
        sent = self._channel.sendmsg([head, body])
        if sent < len(head) + len(body):
            self._channel.sendall((memoryview(head) if sent < len(head) else b"")[sent:])
            self._channel.settimeout(max(deadline - time.monotonic(), 0.001))
            self._channel.sendall(memoryview(body)[max(sent - len(head), 0) :])
        content, is_failure, is_fit = self._receive(deadline)
        return FAILURE.validate_json(content) if is_failure else result_in(task, content), is_fit

    def _receive(self, deadline: float) -> tuple[bytes, bool, bool]:
        size, is_failure, is_fit = ANSWER_HEAD.unpack(self._exactly(ANSWER_HEAD.size, deadline))
        if size > MAX_ANSWER_BYTES:
            raise EOFError("An answer longer than any child of ours gives.")
        return self._exactly(size, deadline), is_failure, is_fit

    def _exactly(self, size: int, deadline: float) -> bytes:
        assert self._channel is not None  # noqa: S101 - started
        content = bytearray()
        while len(content) < size:
            self._channel.settimeout(max(deadline - time.monotonic(), 0.001))
            piece = self._channel.recv(min(size - len(content), 1 << 20))
            if not piece:
                raise EOFError("The child is gone.")
            if len(piece) == size:
                return piece
            content += piece
        return bytes(content)

    def _lost(self, error: Exception) -> Failure:
        assert self._process is not None  # noqa: S101 - started
        try:
            status = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            status = 0
        self.stop()
        if status == -signal.SIGXCPU:
            return _failed(code="too_slow", message=self._too_slow)
        if status == -signal.SIGKILL:
            return _failed(code="too_large", message="Reading it took more memory than the machine had.")
        end = signal.Signals(-status).name if status < 0 else type(error).__name__
        return _failed(code="hostile", message=f"It brought its reader down ({end}).")


def _environment() -> dict[str, str]:
    """Where to find the code is all it needs to know; a namespace is only given to a process with one thread."""
    path = os.pathsep.join(str(Path(folder).absolute()) for folder in sys.path if folder)
    return {"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def _failed(*, code: str, message: str) -> Failure:
    return Failure(code=code, message=message, retryable=False)
