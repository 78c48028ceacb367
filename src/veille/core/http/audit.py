"""Check a policy against a table of addresses, deciding exactly as the door does but without connecting.

The table has tab-separated columns: id, expect, family, url (JSON-escaped), via (the address that redirects to the
url), dns (what each name resolves to) and note. `dns` reads `name=address,address|address;name=NX`: commas separate
the addresses of one answer, bars the answers to successive look-ups. The door resolves a host and port once, judges
every address of that answer and connects to one of them, so later look-ups do not matter.
"""

from __future__ import annotations

import ipaddress
import json
from contextlib import suppress

from veille.core.addresses import AddressError, IPAddress, Url, follow, parse
from veille.core.http.egress import ALLOWED, Policy, Verdict


def audit(vectors: str, policy: Policy) -> list[dict[str, str]]:
    """One `{id, verdict, reason}` per line of the table, in its order."""
    rows = []
    for line in vectors.split("\n"):
        cells = line.rstrip("\r").split("\t")
        if line.startswith(("#", "id\t")) or len(cells) < 4:  # noqa: PLR2004 - id, expect, family and url are needed
            continue
        name, _, _, url, via, dns, *_ = [*cells, "", ""]
        verdict = audit_one(url, via, dns, policy)
        rows.append(
            {
                "id": name,
                "verdict": "allow" if verdict.allowed else "deny",
                "reason": verdict.reason if verdict.allowed else f"{verdict.reason}: {verdict.detail}",
            }
        )
    return rows


def audit_one(url: str, via: str, dns: str, policy: Policy) -> Verdict:
    """The verdict on one line: `url` is JSON-escaped, `via` and `dns` may be empty."""
    names = script(dns)
    try:
        text = unescaped(url)
        base = parse(via) if via else None
        target = follow(base, text) if base is not None else parse(text)
    except AddressError as error:
        return Verdict(allowed=False, reason=error.reason, detail=str(error))
    if base is not None:
        # The door only gets the redirect if it may fetch the address that redirects.
        verdict = _judged(base, names, policy, must_resolve=False)
        if not verdict.allowed:
            return verdict
        if str(base) == str(target):
            return Verdict(allowed=False, reason="location", detail="the redirect leads to itself")
    # Answers are cached per host and port: another port is another look-up.
    is_second = base is not None and base.host == target.host and base.port != target.port
    return _judged(target, names, policy, look_up=int(is_second))


def _judged(
    url: Url, names: dict[str, list[list[IPAddress]]], policy: Policy, *, look_up: int = 0, must_resolve: bool = True
) -> Verdict:
    verdict = policy.judge_url(url)
    if not verdict.allowed or url.address is not None:
        return verdict
    answers = names.get(url.host.removesuffix("."), [])
    if not answers and not must_resolve:
        return verdict
    answer = answers[min(look_up, len(answers) - 1)] if answers else []
    if not answer:
        return Verdict(allowed=False, reason="dns", detail=f"{url.host} has no address")
    verdicts = (policy.judge_address(address, url.port, url.host) for address in answer)
    return next((verdict for verdict in verdicts if not verdict.allowed), ALLOWED)


def unescaped(url: str) -> str:
    """Decode the url column; AddressError if it is not JSON-escaped, as with a lone quote or backslash."""
    try:
        return str(json.loads(f'"{url}"'))
    except ValueError:
        raise AddressError("syntax", "the url column is not JSON-escaped") from None


def script(dns: str) -> dict[str, list[list[IPAddress]]]:
    """Parse the dns column: for each name its successive answers; an empty answer means there is no such name."""
    names = {}
    for part in filter(None, dns.split(";")):
        name, _, answers = part.partition("=")
        names[name.strip().lower().removesuffix(".")] = [_answer(answer) for answer in answers.split("|")]
    return names


def _answer(text: str) -> list[IPAddress]:
    """The addresses of one answer; anything else (NX, SERVFAIL, TIMEOUT) gives an empty answer."""
    found = []
    for item in text.split(","):
        with suppress(ValueError):
            found.append(ipaddress.ip_address(item.strip()))
    return found
