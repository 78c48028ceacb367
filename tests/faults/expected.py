"""What each fault must come to. `docs/reference/faults.md` is this table as it was seen in a run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """One fault and the code it must end with; `ok` means the content is taken."""

    fault: str
    code: str
    what: str
    port: str = "http"
    host: str = ""

    @property
    def id(self) -> str:
        return self.fault if self.port == "http" else f"{self.port}:{self.fault}"

    @property
    def hangs(self) -> bool:
        """Whether it goes on until its time is over."""
        return self.code in {"timeout", "too_slow"}

    @property
    def label(self) -> str:
        """For people: options spelled out, port and host named."""
        name, _, target = self.fault.partition(";tox=")
        name = f"{name} → {bytes.fromhex(target).decode()}" if target else name
        return " ".join(part for part in (name, self.port if self.port != "http" else "", self.host) if part)


def _to(url: str) -> str:
    return url.encode().hex()


CASES = (
    Case("ok", "ok", "an honest page"),
    Case("rss", "ok", "an honest feed"),
    # The connection
    Case("close", "reset", "closed before an answer"),
    Case("rst", "reset", "reset before an answer"),
    Case("rst-headers", "reset", "reset in the middle of the headers"),
    Case("rst-body", "truncated", "reset in the middle of the body"),
    Case("ok", "connect", "nobody listens", port="closed"),
    Case("ok", "timeout", "a firewall swallows the connection", port="full"),
    Case("hang", "timeout", "no answer at all"),
    Case("hang-headers", "timeout", "stops in the headers"),
    Case("hang-body", "too_slow", "stops in the body"),
    Case("slow-headers", "timeout", "headers byte by byte"),
    Case("slow-body", "too_slow", "body byte by byte"),
    # The message
    Case("endless", "too_large", "a chunked body without end"),
    Case("endless-nolen", "too_large", "a body without length or end"),
    Case("endless-headers", "headers_too_large", "headers without end"),
    Case("big-header", "headers_too_large", "one header of 60 KB"),
    Case("fair-header", "ok", "one header of 20 KB"),
    Case("many-headers", "headers_too_large", "10,000 headers"),
    Case("garbage", "protocol", "bytes that are not HTTP"),
    Case("http09", "protocol", "a body without headers"),
    Case("1xx-flood", "protocol", "10,000 preliminary answers"),
    Case("1xx-few", "ok", "three preliminary answers"),
    Case("cl-long", "truncated", "shorter than announced"),
    Case("cl-short", "protocol", "longer than announced"),
    Case("cl-te", "protocol", "both a length and chunks"),
    Case("cl-dup", "protocol", "two lengths"),
    Case("cl-bad", "protocol", "a length that is no number"),
    Case("cl-negative", "protocol", "a negative length"),
    Case("cl-huge", "too_large", "a petabyte announced"),
    Case("chunk-bad", "protocol", "a chunk size that is no number"),
    Case("chunk-trunc", "truncated", "the last chunk is cut"),
    Case("chunk-huge", "too_large", "a chunk of 281 TB"),
    Case("chunk-noend", "truncated", "the closing chunk is missing"),
    # Compression
    Case("gz-ok", "ok", "gzip"),
    Case("gz-members", "ok", "gzip in two members"),
    Case("br-ok", "ok", "brotli"),
    Case("zstd-ok", "ok", "zstd"),
    Case("deflate-ok", "ok", "deflate by the book"),
    Case("deflate-raw", "ok", "deflate as some servers send it"),
    Case("gz-bomb", "bomb", "60 MB of zeros in gzip"),
    Case("br-bomb", "bomb", "60 MB of zeros in brotli"),
    Case("zstd-bomb", "bomb", "60 MB of zeros in zstd"),
    Case("gz2-bomb", "bad_encoding", "a bomb compressed twice"),
    Case("gz-chain", "bad_encoding", "gzip 200 times"),
    Case("gz-lie", "bad_encoding", "plain text called gzip"),
    Case("gz-trunc", "truncated", "half of a gzip stream"),
    Case("br-trunc", "truncated", "half of a brotli stream"),
    Case("zstd-trunc", "truncated", "half of a zstd stream"),
    Case("gz-crc", "bad_encoding", "a wrong checksum"),
    Case("gz-tail", "ok", "junk after the gzip stream"),
    Case("gz-nohdr", "ok", "gzip without saying so: kept as it is"),
    Case("ce-unknown", "bad_encoding", "an unknown compression"),
    # Charsets
    Case("charset-lie", "ok", "Latin-1 called UTF-8"),
    Case("charset-unknown", "ok", "a charset nobody knows"),
    *(
        Case(f"charset-evil;c={name}", "ok", f"charset={name}")
        for name in ("zip", "idna", "unicode_escape", "utf-7", "rot13", "base64", "punycode", "mbcs")
    ),
    Case("latin-headers", "ok", "Latin-1 in headers"),
    Case("utf16-nobom", "ok", "UTF-16 without a mark"),
    Case("nul-bytes", "ok", "NUL bytes in the text"),
    # Validators
    Case("304-uncond", "protocol", "'not modified' although nobody asked"),
    Case("304-body", "protocol", "the same with a body"),
    Case("etag-same", "ok", "one tag for all versions"),
    Case("etag-churn", "ok", "a new tag for the same content"),
    Case("etag-huge", "ok", "a tag of 20 KB: not kept"),
    Case("etag-crlf", "protocol", "a line break in the tag"),
    # Content
    Case("empty", "ok", "nothing at all"),
    Case("empty-204", "ok", "nothing, and it says so"),
    Case("partial-206", "protocol", "a part that was not asked for"),
    Case("garbage200", "ok", "random bytes"),
    Case("soft404", "ok", "an error page called a success"),
    Case("html-for-rss", "ok", "a page called a feed"),
    Case("dup-feed", "ok", "50 entries with one identity"),
    Case("big-feed", "ok", "5,000 entries"),
    Case("deep-html", "ok", "100,000 nested tags"),
    Case("attrs-html", "ok", "40,000 attributes on one tag"),
    Case("laughs", "ok", "entities that explode"),
    Case("xxe", "ok", "an entity that names a file"),
    # Statuses
    Case("status;c=400", "http.400", "400"),
    Case("status;c=401", "http.401", "401"),
    Case("status;c=403", "http.403", "403"),
    Case("status;c=404", "http.404", "404"),
    Case("status;c=410", "http.410", "410"),
    Case("status;c=429;ra=120", "http.429", "429, try again in 120 s"),
    Case("status;c=429;ra=-5", "http.429", "429, try again 5 s ago"),
    Case("status;c=429;ra=9999999999", "http.429", "429, try again in 317 years"),
    Case("status;c=503;ra=soon", "http.503", "503, try again 'soon'"),
    Case("retry-date", "http.503", "503, try again in 2096"),
    Case("status;c=500", "http.500", "500"),
    Case("status;c=999", "http.999", "a status that does not exist"),
    Case("flap", "http.500", "down every other time"),
    Case("fail-first;key=expected", "reset", "down the first time"),
    # Redirects
    Case("redir-chain;n=4", "ok", "four redirects"),
    Case("redir-chain;n=10", "redirect_loop", "ten redirects"),
    Case("redir-latin", "ok", "a redirect with Latin-1 in its address"),
    Case("redir-self", "redirect_loop", "a redirect to itself"),
    Case("redir-ab", "redirect_loop", "a redirect there and back"),
    Case("redir-grow", "bad_redirect", "redirects that grow"),
    Case("redir-noloc", "bad_redirect", "a redirect to nowhere"),
    Case("redir-body-bomb", "ok", "a redirect with a bomb for a body"),
    Case(f"redir;tox={_to('file:///etc/passwd')}", "bad_scheme", "a redirect to a file"),
    Case(f"redir;tox={_to('http://10.0.0.1/')}", "refused_address", "a redirect to a private address"),
    Case(f"redir;tox={_to('http://[::ffff:169.254.169.254]/')}", "refused_address", "a redirect to cloud metadata"),
    Case(f"redir;tox={_to('http://example.com:6379/')}", "refused_port", "a redirect to a database"),
    Case("cookie-wall", "ok", "a redirect that wants its cookie back"),
    Case("cookie-flood", "ok", "200 cookies"),
    Case("echo", "ok", "the request as it came"),
    # TLS
    Case("ok", "ok", "a good certificate", port="tls_ok"),
    Case("ok", "tls", "an expired certificate", port="tls_expired"),
    Case("ok", "tls", "somebody else's certificate", port="tls_wrong_host"),
    Case("ok", "tls", "a certificate nobody vouches for", port="tls_self_signed"),
    Case("ok", "timeout", "a handshake that never ends", port="tls_hang"),
    Case("ok", "tls", "no TLS at all", port="tls_garbage"),
    # Names
    Case("ok", "dns", "a name that does not exist", host="nx.test"),
    Case("ok", "timeout", "a resolver that does not answer", host="slow.test"),
    Case("ok", "refused_address", "a name with a public and a private address", host="mixed.test"),
    Case("ok", "refused_address", "a name with a private address", host="private.test"),
)
