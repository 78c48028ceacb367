"""Connections and messages that break: closed, reset, hung, slow, endless, malformed."""

from __future__ import annotations

import asyncio

from faults._wire import NEVER, PAGE, Talk, chunk, fault, head


@fault("ok")
async def ok(talk: Talk) -> None:
    await talk.reply()


@fault("close")
async def close(talk: Talk) -> None:
    talk.writer.close()


@fault("rst")
async def rst(talk: Talk) -> None:
    talk.reset()


@fault("rst-headers")
async def rst_headers(talk: Talk) -> None:
    await talk.send(head()[:40])
    await asyncio.sleep(0.05)
    talk.reset()


@fault("rst-body")
async def rst_body(talk: Talk) -> None:
    await talk.send(head(length=len(PAGE)), PAGE[:500])
    await asyncio.sleep(0.05)
    talk.reset()


@fault("hang")
async def hang(_: Talk) -> None:
    await asyncio.sleep(NEVER)


@fault("hang-headers")
async def hang_headers(talk: Talk) -> None:
    await talk.send(head()[:40])
    await asyncio.sleep(NEVER)


@fault("hang-body")
async def hang_body(talk: Talk) -> None:
    await talk.send(head(length=len(PAGE)), PAGE[:500])
    await asyncio.sleep(NEVER)


@fault("slow-headers")
async def slow_headers(talk: Talk) -> None:
    for byte in head(length=len(PAGE)):
        await talk.send(bytes([byte]))
        await asyncio.sleep(0.2)


@fault("slow-body")
async def slow_body(talk: Talk) -> None:
    await talk.send(head(length=len(PAGE)))
    for byte in PAGE:
        await talk.send(bytes([byte]))
        await asyncio.sleep(0.1)


@fault("endless")
async def endless(talk: Talk) -> None:
    await talk.send(head(Transfer_Encoding="chunked"))
    while True:
        await talk.send(chunk(b"x" * 65536))


@fault("endless-nolen")
async def endless_nolen(talk: Talk) -> None:
    await talk.send(head(Connection="close"))
    while True:
        await talk.send(b"x" * 65536)


@fault("endless-headers")
async def endless_headers(talk: Talk) -> None:
    await talk.send(b"HTTP/1.1 200 OK\r\n")
    number = 0
    while True:
        number += 1
        await talk.send(f"X-Header-{number}: {'x' * 1000}\r\n".encode())


@fault("big-header")
async def big_header(talk: Talk) -> None:
    await talk.reply(X_Big="x" * talk.number("size", 60_000))


@fault("fair-header")
async def fair_header(talk: Talk) -> None:
    await talk.reply(Content_Security_Policy="x" * 20_000)


@fault("many-headers")
async def many_headers(talk: Talk) -> None:
    headers = "".join(f"X-Header-{number}: x\r\n" for number in range(10_000))
    await talk.send(f"HTTP/1.1 200 OK\r\n{headers}Content-Length: {len(PAGE)}\r\n\r\n".encode(), PAGE)


@fault("garbage")
async def garbage(talk: Talk) -> None:
    await talk.send(b"\x00\xff\xfe this is not HTTP at all\r\n\r\n" * 20)
    talk.writer.close()


@fault("http09")
async def http09(talk: Talk) -> None:
    await talk.send(PAGE)
    talk.writer.close()


@fault("1xx-flood")
async def flood(talk: Talk) -> None:
    for _ in range(10_000):
        await talk.send(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
    await talk.reply()


@fault("1xx-few")
async def few(talk: Talk) -> None:
    await talk.send(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 3)
    await talk.reply()


@fault("cl-long")
async def cl_long(talk: Talk) -> None:
    await talk.send(head(length=len(PAGE) + 1000), PAGE)
    talk.writer.close()


@fault("cl-short")
async def cl_short(talk: Talk) -> None:
    await talk.send(head(length=100) + PAGE)


@fault("cl-te")
async def cl_te(talk: Talk) -> None:
    await talk.send(head(length=5, Transfer_Encoding="chunked"), chunk(PAGE), b"0\r\n\r\n")


@fault("cl-dup")
async def cl_dup(talk: Talk) -> None:
    await talk.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Length: 20\r\n\r\n", PAGE)


@fault("cl-bad")
async def cl_bad(talk: Talk) -> None:
    await talk.reply(Content_Length="ten")


@fault("cl-negative")
async def cl_negative(talk: Talk) -> None:
    await talk.reply(Content_Length="-5")


@fault("cl-huge")
async def cl_huge(talk: Talk) -> None:
    await talk.send(head(length=10**15), PAGE)
    await asyncio.sleep(NEVER)


@fault("chunk-bad")
async def chunk_bad(talk: Talk) -> None:
    await talk.send(head(Transfer_Encoding="chunked"), b"zz\r\nhello\r\n0\r\n\r\n")


@fault("chunk-trunc")
async def chunk_trunc(talk: Talk) -> None:
    await talk.send(head(Transfer_Encoding="chunked"), chunk(PAGE), b"400\r\nonly a little")
    talk.writer.close()


@fault("chunk-huge")
async def chunk_huge(talk: Talk) -> None:
    await talk.send(head(Transfer_Encoding="chunked"), b"ffffffffffff\r\n")
    while True:
        await talk.send(b"x" * 65536)


@fault("chunk-noend")
async def chunk_noend(talk: Talk) -> None:
    await talk.send(head(Transfer_Encoding="chunked"), chunk(PAGE))
    talk.writer.close()
