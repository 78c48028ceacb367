"""Answers that arrive whole and mislead: compression, charsets, validators, redirects, statuses, cookies, content."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from email.utils import formatdate

import brotli

from faults._wire import (
    FAULTS,
    PAGE,
    Talk,
    brotli_bomb,
    double_gzip_bomb,
    fault,
    feed,
    gzip_bomb,
    head,
    items,
    raw_deflate,
    zstd_bomb,
)
from veille.core.zstandard import zstd

BOMB_MB = 60
#: Does not compress, so half of its compressed form is half of it.
_NOISE = b"".join(hashlib.sha256(bytes([n // 256, n % 256])).digest() for n in range(1600))


@fault("gz-ok")
async def gz_ok(talk: Talk) -> None:
    await talk.reply(gzip.compress(PAGE), Content_Encoding="gzip")


@fault("gz-members")
async def gz_members(talk: Talk) -> None:
    await talk.reply(gzip.compress(PAGE[:900]) + gzip.compress(PAGE[900:]), Content_Encoding="gzip")


@fault("br-ok")
async def br_ok(talk: Talk) -> None:
    await talk.reply(brotli.compress(PAGE), Content_Encoding="br")


@fault("zstd-ok")
async def zstd_ok(talk: Talk) -> None:
    await talk.reply(zstd.compress(PAGE), Content_Encoding="zstd")


@fault("deflate-ok")
async def deflate_ok(talk: Talk) -> None:
    await talk.reply(zlib.compress(PAGE), Content_Encoding="deflate")


@fault("deflate-raw")
async def deflate_raw(talk: Talk) -> None:
    await talk.reply(raw_deflate(PAGE), Content_Encoding="deflate")


@fault("gz-bomb")
async def gz_bomb(talk: Talk) -> None:
    await talk.reply(gzip_bomb(BOMB_MB), Content_Encoding="gzip")


@fault("gz2-bomb")
async def gz2_bomb(talk: Talk) -> None:
    await talk.reply(double_gzip_bomb(BOMB_MB), Content_Encoding="gzip, gzip")


@fault("gz-chain")
async def gz_chain(talk: Talk) -> None:
    await talk.reply(gzip.compress(PAGE), Content_Encoding=", ".join(["gzip"] * 200))


@fault("br-bomb")
async def br_bomb(talk: Talk) -> None:
    await talk.reply(brotli_bomb(BOMB_MB), Content_Encoding="br")


@fault("zstd-bomb")
async def zst_bomb(talk: Talk) -> None:
    await talk.reply(zstd_bomb(BOMB_MB), Content_Encoding="zstd")


@fault("gz-lie")
async def gz_lie(talk: Talk) -> None:
    await talk.reply(PAGE, Content_Encoding="gzip")


@fault("gz-trunc")
async def gz_trunc(talk: Talk) -> None:
    packed = gzip.compress(_NOISE)
    await talk.reply(packed[: len(packed) // 2], Content_Encoding="gzip")


@fault("br-trunc")
async def br_trunc(talk: Talk) -> None:
    packed = brotli.compress(_NOISE)
    await talk.reply(packed[: len(packed) // 2], Content_Encoding="br")


@fault("zstd-trunc")
async def zstd_trunc(talk: Talk) -> None:
    packed = zstd.compress(_NOISE)
    await talk.reply(packed[: len(packed) // 2], Content_Encoding="zstd")


@fault("gz-crc")
async def gz_crc(talk: Talk) -> None:
    packed = bytearray(gzip.compress(PAGE))
    packed[-8] ^= 0xFF
    await talk.reply(bytes(packed), Content_Encoding="gzip")


@fault("gz-tail")
async def gz_tail(talk: Talk) -> None:
    await talk.reply(gzip.compress(PAGE) + b"junk after the end", Content_Encoding="gzip")


@fault("gz-nohdr")
async def gz_nohdr(talk: Talk) -> None:
    await talk.reply(gzip.compress(PAGE))


@fault("ce-unknown")
async def ce_unknown(talk: Talk) -> None:
    await talk.reply(PAGE, Content_Encoding="exotic")


@fault("charset-lie")
async def charset_lie(talk: Talk) -> None:
    await talk.reply("<p>déjà vu</p>".encode("latin-1"), Content_Type="text/html; charset=utf-8")


@fault("charset-unknown")
async def charset_unknown(talk: Talk) -> None:
    await talk.reply(PAGE, Content_Type="text/html; charset=klingon")


@fault("charset-evil")
async def charset_evil(talk: Talk) -> None:
    await talk.reply(PAGE, Content_Type=f"text/html; charset={talk.options.get('c', 'zip')}")


@fault("latin-headers")
async def latin_headers(talk: Talk) -> None:
    await talk.reply(Content_Type="text/html; title=é", Link='</e>; rel=up; title="é"', X_Robots_Tag="é", ETag='"é"')


@fault("utf16-nobom")
async def utf16_nobom(talk: Talk) -> None:
    await talk.reply("<p>Some text in UTF-16</p>".encode("utf-16-le"), Content_Type="text/html")


@fault("nul-bytes")
async def nul_bytes(talk: Talk) -> None:
    await talk.reply(b"<p>a\0b</p>" + bytes(1000))


@fault("304-uncond")
async def not_asked(talk: Talk) -> None:
    await talk.send(b"HTTP/1.1 304 Not Modified\r\n\r\n")


@fault("304-body")
async def with_body(talk: Talk) -> None:
    await talk.reply(status=304)


@fault("etag-same")
async def etag_same(talk: Talk) -> None:
    talk.memory["n"] += 1
    await talk.reply(f"<p>Version {talk.memory['n']}</p>".encode(), ETag='"always"')


@fault("etag-churn")
async def etag_churn(talk: Talk) -> None:
    talk.memory["n"] += 1
    await talk.reply(ETag=f'"{talk.memory["n"]}"')


@fault("etag-huge")
async def etag_huge(talk: Talk) -> None:
    await talk.reply(ETag=f'"{"x" * 20_000}"')


@fault("etag-crlf")
async def etag_crlf(talk: Talk) -> None:
    await talk.reply(ETag='"a\rb"')


@fault("empty")
async def empty(talk: Talk) -> None:
    await talk.reply(b"")


@fault("empty-204")
async def empty_204(talk: Talk) -> None:
    await talk.send(b"HTTP/1.1 204 No Content\r\n\r\n")


@fault("partial-206")
async def partial_206(talk: Talk) -> None:
    await talk.reply(PAGE[:100], status=206, Content_Range="bytes 0-99/1900")


@fault("garbage200")
async def garbage200(talk: Talk) -> None:
    await talk.reply(_NOISE[:5000])


@fault("soft404")
async def soft404(talk: Talk) -> None:
    await talk.reply(b"<title>404 Not Found</title><p>Page not found</p>")


@fault("html-for-rss")
async def html_for_rss(talk: Talk) -> None:
    await talk.reply(PAGE, Content_Type="application/rss+xml")


@fault("rss")
async def rss(talk: Talk) -> None:
    await talk.reply(feed("<item><guid>1</guid><title>One</title></item>"), Content_Type="application/rss+xml")


@fault("dup-feed")
async def dup_feed(talk: Talk) -> None:
    await talk.reply(feed("".join(items(50))), Content_Type="application/rss+xml")


@fault("big-feed")
async def big_feed(talk: Talk) -> None:
    await talk.reply(feed("".join(items(5_000))), Content_Type="application/rss+xml")


@fault("deep-html")
async def deep_html(talk: Talk) -> None:
    await talk.reply(b"<div>" * 100_000)


@fault("attrs-html")
async def attrs_html(talk: Talk) -> None:
    await talk.reply(b"<p " + b" ".join(b"a%d=1" % n for n in range(40_000)) + b">text")


@fault("laughs")
async def laughs(talk: Talk) -> None:
    entities = '<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    await talk.reply(
        f"<?xml version='1.0'?><!DOCTYPE rss [{entities}]><rss>&i;</rss>".encode(), Content_Type="text/xml"
    )


@fault("xxe")
async def xxe(talk: Talk) -> None:
    text = '<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss>&x;</rss>'
    await talk.reply(text.encode(), Content_Type="text/xml")


@fault("status")
async def status(talk: Talk) -> None:
    after = {"Retry_After": talk.options["ra"]} if "ra" in talk.options else {}
    await talk.reply(b"no", status=talk.number("c", 500), **after)


@fault("retry-date")
async def retry_date(talk: Talk) -> None:
    await talk.reply(b"no", status=503, Retry_After=formatdate(talk.number("at", 4_000_000_000), usegmt=True))


@fault("redir")
async def redir(talk: Talk) -> None:
    await talk.reply(b"", status=talk.number("c", 302), Location=bytes.fromhex(talk.options["tox"]).decode())


@fault("redir-self")
async def redir_self(talk: Talk) -> None:
    await talk.reply(b"", status=301, Location=talk.path)


@fault("redir-latin")
async def redir_latin(talk: Talk) -> None:
    await talk.reply(b"", status=302, Location="/f/ok/\u00e9")


@fault("redir-ab")
async def redir_ab(talk: Talk) -> None:
    await talk.reply(b"", status=302, Location="/f/redir-ab/b" if talk.path.endswith("/a") else "/f/redir-ab/a")


@fault("redir-chain")
async def redir_chain(talk: Talk) -> None:
    left = talk.number("n", 10)
    target = f"/f/redir-chain;n={left - 1}/x" if left > 1 else "/f/ok/x"
    await talk.reply(b"", status=302, Location=target)


@fault("redir-grow")
async def redir_grow(talk: Talk) -> None:
    await talk.reply(b"", status=302, Location=talk.path + "x" * 3000)


@fault("redir-noloc")
async def redir_noloc(talk: Talk) -> None:
    await talk.reply(b"", status=302)


@fault("redir-body-bomb")
async def redir_body_bomb(talk: Talk) -> None:
    body = gzip_bomb(BOMB_MB)
    await talk.reply(body, status=302, Location="/f/ok/after", Content_Encoding="gzip")


@fault("fail-first")
async def fail_first(talk: Talk) -> None:
    talk.memory["n"] += 1
    if talk.memory["n"] <= talk.number("n", 1):
        talk.reset()
    else:
        await talk.reply()


@fault("flap")
async def flap(talk: Talk) -> None:
    talk.memory["n"] += 1
    if talk.memory["n"] % 2:
        await talk.reply(b"down", status=500)
    else:
        await talk.reply()


@fault("then")
async def then(talk: Talk) -> None:
    """Honest once, then the named fault."""
    talk.memory["then"] += 1
    if talk.memory["then"] == 1:
        await talk.reply(PAGE.replace(b"honest", talk.options["key"].encode()), ETag='"first"')
    else:
        await FAULTS[talk.options["fault"]](talk)


@fault("cookie-wall")
async def cookie_wall(talk: Talk) -> None:
    if "seen=1" in talk.headers.get("cookie", ""):
        await talk.reply()
    else:
        await talk.reply(b"", status=302, Location=talk.path, Set_Cookie="seen=1; Path=/")


@fault("cookie-flood")
async def cookie_flood(talk: Talk) -> None:
    lines = "".join(f"Set-Cookie: c{number}={'x' * 100}\r\n" for number in range(200))
    start = f"HTTP/1.1 302 Found\r\n{lines}Location: /f/echo/x\r\nContent-Length: 0\r\n\r\n"
    await talk.send(start.encode())


@fault("echo")
async def echo(talk: Talk) -> None:
    await talk.reply("".join(f"{name}: {value}\n" for name, value in talk.headers.items()).encode())


@fault("echo-cookie-size")
async def echo_cookie_size(talk: Talk) -> None:
    await talk.send(head(length=None, Connection="close"), str(len(talk.headers.get("cookie", ""))).encode())
    talk.writer.close()
