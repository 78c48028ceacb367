"""The main loop of a child process: one task after another from its standard input, a socket, answered there."""

from __future__ import annotations

import fcntl
import gc
import os
import resource
import sys
import time
from importlib import import_module

from veille.adapters.workshop._confine import admit_foreign_code, confine, limit_cpu
from veille.adapters.workshop._wire import (
    ANSWER_HEAD,
    HELLO,
    JOB_HEAD,
    Hello,
    answer_frame,
    failure_frame,
    task_in,
    tracking_in,
)
from veille.core.change.reading import failure_of
from veille.core.compiled import BUILT, native
from veille.core.extract import Options as ExtractOptions
from veille.core.extract import extract_page
from veille.core.formats import PACKAGE as FORMATS
from veille.core.formats import Format
from veille.core.kinds import PACKAGE as KINDS
from veille.core.kinds import Kind
from veille.core.tasks import every_task
from veille.core.traffic import Failure
from veille.core.urls import use_tracking
from veille.errors import VeilleError
from veille.registry import load_all

#: The descriptors of a child: the socket for its tasks, and the file whose lock a large one needs.
CHANNEL, TURNS = 0, 3
#: Answers of this many bytes are large: reading one can take thirty times as much memory.
_LARGE = 2 * 1024 * 1024
#: The share of its time that a large task waits for its turn, and the pause between two tries, in seconds.
_PATIENCE, _PAUSE_S = 0.5, 0.02
_STEP = 1 << 20
#: A child that ever used this much memory returns little of it, so it is replaced.
#: It starts with 80 MB, most of them shared.
_FAT_KB = 128 * 1024
#: Generation-0 threshold of the garbage collector; CPython's default is 700. A page creates thousands of objects.
_COLLECT_EVERY = 50_000
_USUAL = (
    "veille.core.tasks.reading",
    "veille.core.kinds.feed",
    "veille.core.kinds.page",
    "veille.core.feeds.documents",
)


class _UnpreparedError(BaseException):
    """A task needs code that this process has not loaded. No handler of what a task may raise catches it."""


class _Sealed:
    """Refuses to import anything that is not loaded yet: the task is run again by a child that has everything.

    Some modules cannot be loaded once the network is hidden, and every child would load them again.
    """

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        del path, target
        raise _UnpreparedError(name)


def import_usual() -> None:
    """Import what the feeds and pages of most runs need: half of everything."""
    for name in _USUAL:
        import_module(name)
    load_all(FORMATS, Format)
    # Extraction loads its parts on first use.
    extract_page(b"<title>A page</title><main><p>Words enough for a page, and a sentence.</p></main>", "")


def import_everything() -> None:
    """Import all that a child needs, while files can be read; paid once for all children."""
    import_usual()
    import charset_normalizer  # noqa: F401, PLC0415
    import pypdfium2  # noqa: F401, PLC0415
    import python_calamine  # noqa: F401, PLC0415

    every_task()
    load_all(KINDS, Kind)
    extract_page(b"<p>Words", "", ExtractOptions(mode="xpath", selectors=("//p",), min_chars=1))


def work(memory_bytes: int, cpu_s: float, *, is_whole: bool) -> None:
    """Confine the process, report it, and run one task after another until the other side closes."""
    silence = os.open(os.devnull, os.O_WRONLY)
    network, files = confine(memory_bytes)
    hello = HELLO.dump_json(Hello(network=network, files=files))
    _send(ANSWER_HEAD.pack(len(hello), False, True) + hello)  # noqa: FBT003 - the fields of the header
    # Errors until here are shown; what libraries print from now on is discarded.
    for output in (1, 2):
        os.dup2(silence, output)
    if BUILT:
        native.keep_memory()
    if not is_whole:
        sys.meta_path.insert(0, _Sealed)
    gc.set_threshold(_COLLECT_EVERY, *gc.get_threshold()[1:])
    while head := _receive(JOB_HEAD.size):
        name, tracking, content, body = map(_receive, JOB_HEAD.unpack(head))
        limit_cpu(cpu_s)
        use_tracking(tracking_in(tracking))
        _send(_answered(name, content, body, cpu_s * _PATIENCE))
        if len(body) >= _LARGE and _is_fit():
            # One that is not is about to be killed, which ends its turn.
            fcntl.lockf(TURNS, fcntl.LOCK_UN)


def _wait_for_turn(seconds: float) -> None:
    """Wait until no other child of this service reads a large answer, but no longer than that."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        try:
            fcntl.lockf(TURNS, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE_S)
        else:
            return


def _answered(name: bytes, content: bytes, body: bytes, patience_s: float) -> bytes:
    try:
        task = task_in(name, content)
        if task.is_foreign:
            admit_foreign_code()
        # A long task would keep all others waiting.
        if len(body) >= _LARGE and not task.is_long(body):
            _wait_for_turn(patience_s)
        frame = answer_frame(task, task.run(body), is_fit=_is_fit())
    except _UnpreparedError:
        # An empty answer: no result or failure is.
        frame = ANSWER_HEAD.pack(0, False, False)  # noqa: FBT003 - the fields of the header
    except VeilleError as error:
        frame = failure_frame(failure_of(error), is_fit=_is_fit())
    except MemoryError:
        frame = _failed("too_large", "Reading it took too much memory.")
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a panic in a native library is not an Exception
        frame = _failed("hostile", f"It broke its reader ({type(error).__name__}).")
    return frame


def _is_fit() -> bool:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < _FAT_KB


def _failed(code: str, message: str) -> bytes:
    return failure_frame(Failure(code=code, message=message, retryable=False), is_fit=False)


def _receive(size: int) -> bytes:
    """Exactly this many bytes, or none if the other side has closed."""
    pieces = bytearray()
    while len(pieces) < size:
        piece = os.read(CHANNEL, min(size - len(pieces), _STEP))
        if not piece:
            return b""
        if len(piece) == size:
            return piece
        pieces += piece
    return bytes(pieces)


def _send(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(CHANNEL, view) :]
