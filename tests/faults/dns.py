"""A resolver that answers from a script: successive answers, none, an error, late."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter

from veille.core.addresses import IPAddress


class ScriptedDns:
    """`names` gives each name its successive answers (the last one is repeated); an empty answer is NXDOMAIN."""

    def __init__(self, names: dict[str, list[list[IPAddress]]], slow: frozenset[str] = frozenset()) -> None:
        self.names = names
        self.slow = slow
        self.asked: Counter[str] = Counter()

    async def __call__(self, host: str) -> list[IPAddress]:
        if host in self.slow:
            await asyncio.sleep(3600)
        answers = self.names.get(host) or self.names.get(host.removesuffix(".")) or [[]]
        at = self.asked[host]
        self.asked[host] += 1
        answer = answers[min(at, len(answers) - 1)]
        if not answer:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return answer
