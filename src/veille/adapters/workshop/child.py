"""The child process: reads one job after the other from its standard input, a socket, and answers there.

Started as `python -m veille.adapters.workshop.child MEMORY_BYTES CPU_SECONDS PARENT`.
"""

from __future__ import annotations

import gc
import os
import sys
from dataclasses import replace

from veille.adapters.workshop._confine import confine, limit_cpu
from veille.adapters.workshop._wire import ANSWER_HEAD, HELLO, JOB, JOB_HEAD, Answer, Hello, answer_frame
from veille.core.extract import Options as ExtractOptions
from veille.core.extract import extract_page
from veille.core.formats import PACKAGE as FORMATS
from veille.core.formats import Format
from veille.core.kinds import PACKAGE as KINDS
from veille.core.kinds import Kind
from veille.core.models import Lease
from veille.core.reading import read
from veille.core.traffic import Failure
from veille.core.urls import use_tracking
from veille.lifeline import end_with
from veille.registry import load_all

_CHANNEL = 0
_STEP = 1 << 20


def main() -> None:
    """Import everything, shut the process in, say so, work until the other side closes."""
    memory_bytes, cpu_s = int(sys.argv[1]), float(sys.argv[2])
    end_with(int(sys.argv[3]))
    _import_everything()
    silence = os.open(os.devnull, os.O_WRONLY)
    network, files = confine(memory_bytes)
    hello = HELLO.dump_json(Hello(network=network, files=files))
    _send(ANSWER_HEAD.pack(len(hello)) + hello)
    # Errors up to here are for the parent to show; what libraries write from now on is nobody's business.
    os.dup2(silence, 2)
    gc.freeze()
    while head := _receive(JOB_HEAD.size):
        facts_size, body_size = JOB_HEAD.unpack(head)
        facts, body = _receive(facts_size), _receive(body_size)
        limit_cpu(cpu_s)
        _send(_answered(facts, body))


def _import_everything() -> None:
    """Now, while files can be read and nothing has gone wrong; the import is paid once for many documents."""
    import charset_normalizer  # noqa: F401, PLC0415
    import pypdfium2  # noqa: F401, PLC0415
    import python_calamine  # noqa: F401, PLC0415

    load_all(FORMATS, Format)
    load_all(KINDS, Kind)
    # Extraction loads its parts when it first needs them.
    extract_page(b"<title>A page</title><main><p>Words enough for a page, and a sentence.</p></main>", "")
    extract_page(b"<p>Words", "", ExtractOptions(mode="xpath", selectors=("//p",), min_chars=1))


def _answered(facts: bytes, body: bytes) -> bytes:
    try:
        return answer_frame(_read(facts, body))
    except MemoryError:
        return _failed("too_large", "Reading the document took too much memory.")
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a panic in a native library is no Exception
        return _failed("hostile", f"The document broke its reader ({type(error).__name__}).")


def _read(facts: bytes, body: bytes) -> Answer:
    job = JOB.validate_json(facts)
    use_tracking(job.tracking)
    lease = Lease(dossier_id="", source=job.source, request=job.request, worker="", epoch=0, until=0, wakes=0)
    reading = read(lease, replace(job.payload, body=body))
    return Answer(
        documents=reading.documents,
        requests=reading.requests,
        listing=reading.listing,
        notices=reading.notices,
        budget=reading.budget,
        found=reading.found,
        rhythm=reading.rhythm,
        failure=reading.failure,
    )


def _failed(code: str, message: str) -> bytes:
    return answer_frame(Answer(failure=Failure(code=code, message=message, retryable=False), is_fit=False))


def _receive(size: int) -> bytes:
    """Exactly this many bytes, or none when the other side has closed."""
    pieces = bytearray()
    while len(pieces) < size:
        piece = os.read(_CHANNEL, min(size - len(pieces), _STEP))
        if not piece:
            return b""
        pieces += piece
    return bytes(pieces)


def _send(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(_CHANNEL, view) :]


if __name__ == "__main__":
    main()
