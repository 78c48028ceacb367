"""A server that speaks like S3 (moto's), in a process of its own on loopback: it can be stopped, frozen and killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_PROGRAM = """
import logging, sys
logging.disable(logging.CRITICAL)
import boto3
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=int(sys.argv[1]), verbose=False)
server.start()
host, port = server.get_host_and_port()
boto3.client("s3", endpoint_url=f"http://{host}:{port}", region_name="us-east-1").create_bucket(Bucket="bodies")
print(port, flush=True)
sys.stdin.read()
"""
#: What the environment of a program has to have.
KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "hidden-key", "AWS_REGION": "us-east-1"}


@dataclass
class S3Server:
    """A running one, with an empty bucket called `bodies`."""

    process: subprocess.Popen[str]
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        os.kill(self.process.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.process.pid, signal.SIGCONT)


@contextmanager
def s3_server(port: int = 0) -> Iterator[S3Server]:
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", _PROGRAM, str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | KEYS,
    ) as process:
        assert process.stdout is not None
        try:
            yield S3Server(process, int(process.stdout.readline()))
        finally:
            process.kill()
