"""Mail addresses: which ones mails can be sent to."""

from __future__ import annotations

import re
from typing import Final

import idna

#: The local part as it is used in practice; quoted and international ones are refused by many servers.
_LOCAL: Final = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_MAX_LOCAL, _MAX_ADDRESS = 64, 254


def mail_address(text: str) -> str:
    """The address as it is sent, with its domain in ASCII; ValueError if it is none.

    >>> mail_address(" anna@bücher.example ")
    'anna@xn--bcher-kva.example'
    """
    local, at, domain = text.strip().rpartition("@")
    if not at or not _LOCAL.fullmatch(local) or len(local) > _MAX_LOCAL:
        raise ValueError(f"{text.strip()[:100]!r} is no mail address: write it as anna@example.org")
    try:
        name = idna.encode(domain, uts46=True).decode("ascii")
    except idna.IDNAError as error:
        raise ValueError(f"{domain[:100]!r} is no name of a mail domain") from error
    if "." not in name or len(local) + 1 + len(name) > _MAX_ADDRESS:
        raise ValueError(f"{domain[:100]!r} is no name of a mail domain")
    return f"{local}@{name}"
