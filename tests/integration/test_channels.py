from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from faults._certificates import Authority
from mail_samples import SAMPLES
from receiver import SECRET, answer
from telling import channel_means
from veille.bootstrap._channels import make_channel, secret_options
from veille.core.alerts.models import MessageKind
from veille.core.alerts.webpush import encoded, public_text
from veille.core.tasks.telling import RunService
from veille.core.traffic import Failure, Order, Payload
from veille.errors import ConfigError, SinkError
from veille.ports import Sender
from veille.ports.channels import Channel, ChannelMeans
from watching import FAST
from world import Page, Site

ALERT = SAMPLES[MessageKind.ALERT]
OK = answer(200)


@pytest.fixture
def means() -> Iterator[ChannelMeans]:
    with channel_means() as given:
        yield given


def _hook(site: Site, means: ChannelMeans, **options: Any) -> Channel:
    return make_channel("webhook", {"url": f"{site.url}/hook?key=secret", **options}, means)


def test_a_webhook_gets_the_message_as_json_with_its_id_and_a_signature(site: Site, means: ChannelMeans) -> None:
    site["/hook?key=secret"] = OK
    channel = _hook(site, means, secret=SECRET, headers={"Authorization": "Bearer x"})
    channel.check()
    channel.send(ALERT)
    (seen,) = site.seen
    message = json.loads(seen.body)["message"]
    assert (message["subject"], message["kind"]) == ("Sencha Fukamushi, 100 g: price 12.90 EUR → 11.50 EUR", "alert")
    assert message["alerts"][0]["values"][0]["after"]["number"] == 11.5
    assert seen.headers["Idempotency-Key"] == seen.headers["Veille-Message-Id"] == ALERT.id
    assert seen.headers["Veille-Signature"].startswith("t=")
    assert "secret" not in channel.shown()


def test_a_template_shapes_the_body(site: Site, means: ChannelMeans) -> None:
    site["/hook?key=secret"] = OK
    template = '{"text": {{ message.subject | tojson }}, "n": {{ message.alerts | length }}}'
    channel = _hook(site, means, template=template)
    channel.check()
    channel.send(ALERT)
    assert json.loads(site.seen[0].body) == {"text": "Sencha Fukamushi, 100 g: price 12.90 EUR → 11.50 EUR", "n": 1}


HOSTILE = {
    "syntax": "{{ message.",
    "unknown": "{{ massage }}",
    "attributes": "{{ ''.__class__.__mro__ }}",
    "globals": "{{ cycler.__init__.__globals__ }}",
    "imports": "{% include '/etc/passwd' %}",
    "output": "{% for a in range(9999) %}{{ 'x' * 99 }}{% endfor %}",
    "memory": "{{ 'x' * 10 ** 10 }}",
    "range": "{% for a in range(10 ** 9) %}{% endfor %}",
    "changes": "{{ message.update({'id': 1}) }}",
    "zero": "{{ 1 / 0 }}",
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_template_that_is_wrong_or_reaches_out_is_refused(site: Site, means: ChannelMeans, case: str) -> None:
    channel = _hook(site, means, template=HOSTILE[case])
    with pytest.raises(ConfigError) as caught:
        channel.check()
    assert (caught.value.code, site.seen) == ("bad_template", [])
    with pytest.raises(SinkError) as refused:
        channel.send(ALERT)
    assert (refused.value.code, refused.value.set_aside) == ("channel.template", True)


@pytest.mark.timeout(60)
def test_an_endless_template_is_stopped(site: Site, means: ChannelMeans) -> None:
    loop = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    with pytest.raises(ConfigError, match="too long"):
        _hook(site, means, template=loop).check()


@pytest.mark.parametrize(
    ("page", "code", "final"),
    [
        (answer(503), "channel.webhook", False),
        (answer(429, **{"Retry-After": "77"}), "channel.webhook", False),
        (answer(404), "channel.webhook_refused", True),
        (answer(302, Location="/elsewhere"), "channel.webhook_refused", True),
    ],
)
def test_what_a_webhook_answers_decides_on_a_retry(
    site: Site, means: ChannelMeans, page: Page, code: str, *, final: bool
) -> None:
    site["/hook?key=secret"] = page
    with pytest.raises(SinkError) as caught:
        _hook(site, means).send(ALERT)
    assert (caught.value.code, caught.value.set_aside) == (code, final)
    assert caught.value.retry_after == (77 if page.status == 429 else None)
    assert len(site.seen) == 1


def test_secret_options_are_known() -> None:
    assert secret_options("webhook") == {"url", "secret", "headers"}
    assert secret_options("apprise") == {"url"}
    assert secret_options("webpush") == {"subscription"}
    assert secret_options("email") == frozenset()


def _json(value: object) -> Page:
    return Page(json.dumps(value).encode(), type="application/json", validates=False)


def _service(site: Site, means: ChannelMeans, url: str) -> Channel:
    channel = make_channel("apprise", {"url": url.replace("HOST", f"127.0.0.1:{site.port}")}, means)
    channel.check()
    return channel


def test_ntfy_is_told_in_one_request(site: Site, means: ChannelMeans) -> None:
    site["/"] = _json({"id": "1"})
    channel = _service(site, means, "ntfy://HOST/tea")
    channel.send(ALERT)
    (seen,) = site.seen
    told = json.loads(seen.body)
    assert (seen.method, told["topic"], told["title"]) == (
        "POST",
        "tea",
        "Sencha Fukamushi, 100 g: price 12.90 EUR → 11.50 EUR",
    )
    assert "price fell" in told["message"]
    assert channel.shown() == f"ntfy · 127.0.0.1:{site.port}"


def test_matrix_logs_in_joins_and_sends(site: Site, means: ChannelMeans) -> None:
    paths: list[str] = []

    def page(path: str, body: bytes, headers: Any) -> Page:
        del body, headers
        paths.append(path.partition("?")[0])
        if path.endswith("/login"):
            return _json({"access_token": "t0ken", "home_server": "h", "user_id": "@anna:h", "device_id": "d"})
        if "/join/" in path or "/directory/" in path:
            return _json({"room_id": "!abc:h"})
        return _json({"event_id": "$1", "joined_rooms": ["!abc:h"], "versions": ["v1.1"]})

    site.page = page  # type: ignore[method-assign]
    _service(site, means, "matrix://anna:password@HOST/!abc:h?v=3&e2ee=no").send(ALERT)
    assert any(path.endswith("/login") for path in paths)
    assert any("/send/m.room.message" in path for path in paths)
    sent = next(seen for seen in site.seen if "/send/m.room.message" in seen.path)
    assert sent.headers["Authorization"] == "Bearer t0ken"
    assert b"price fell" in sent.body


class _Rerouted:
    """A sender through the real door, for which services with a fixed address live on the loopback server."""

    def __init__(self, sender: Sender, site: Site) -> None:
        self._sender = sender
        self._site = site
        self.hosts: list[str] = []

    def send(self, order: Order, *, timeout_s: float | None = None, max_bytes: int | None = None) -> Payload | Failure:
        parts = urlsplit(order.url)
        self.hosts.append(f"{parts.scheme}://{parts.netloc}")
        here = order.url.replace(self.hosts[-1], self._site.url)
        return self._sender.send(replace(order, url=here), timeout_s=timeout_s, max_bytes=max_bytes)

    def close(self) -> None:
        self._sender.close()


@pytest.mark.parametrize(
    ("url", "host", "path", "spoken"),
    [
        (
            f"slack://T1JJ3T3L2/A1BRTD4JD/{'a' * 24}",
            "https://hooks.slack.com",
            f"/services/T1JJ3T3L2/A1BRTD4JD/{'a' * 24}",
            Page(b"ok", type="text/html", validates=False),
        ),
        (
            "tgram://123456789:abcdefghijklmnopqrstuvwxyzabcdefghi/12315544",
            "https://api.telegram.org",
            "/bot123456789:abcdefghijklmnopqrstuvwxyzabcdefghi/sendMessage",
            Page(b'{"ok": true, "result": {"message_id": 1}}', type="application/json", validates=False),
        ),
    ],
)
def test_slack_and_telegram_are_told_as_they_want_it(
    site: Site, means: ChannelMeans, url: str, host: str, path: str, spoken: Page
) -> None:
    site[path] = spoken
    sender = _Rerouted(means.sender, site)
    channel = make_channel("apprise", {"url": url}, replace(means, sender=sender))
    channel.check()
    channel.send(ALERT)
    assert [seen.path for seen in site.seen] == [path]
    assert set(sender.hosts) == {host}
    assert "price fell" in site.seen[0].body.decode()
    assert "11.50" in site.seen[0].body.decode()


@pytest.mark.parametrize(
    ("status", "code", "final"), [(500, "channel.service", False), (403, "channel.service_refused", True)]
)
def test_what_a_service_answers_decides_on_a_retry(
    site: Site, means: ChannelMeans, status: int, code: str, *, final: bool
) -> None:
    site["/tea"] = answer(status)
    with pytest.raises(SinkError) as caught:
        _service(site, means, "json://HOST/tea").send(ALERT)
    assert (caught.value.code, caught.value.set_aside) == (code, final)


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("ntfy://HOST/tea/coffee", "bad_service_url"),
        ("slack://", "bad_service_url"),
        ("mailto://a:b@example.org", "bad_option"),
        ("syslog://", "bad_option"),
        ("nothing", "bad_option"),
    ],
)
def test_addresses_that_cannot_be_used_are_refused_before_they_are_saved(
    site: Site, means: ChannelMeans, url: str, code: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        _service(site, means, url)
    assert caught.value.code == code


def test_no_file_is_read_for_a_service(means: ChannelMeans, tmp_path: Path) -> None:
    secret = tmp_path / "template.json"
    secret.write_text('{"content": "a secret of the operator"}')
    url = f"discord://{'1' * 18}/{'a' * 68}"
    plain = means.workshop.run(RunService(url=url, text="hello"))
    assert not isinstance(plain, Failure)
    assert plain.order is not None
    # The service would send the file, if it could read it.
    step = means.workshop.run(RunService(url=f"{url}?template={secret}", text="hello"))
    assert isinstance(step, Failure) or step.order is None


def test_a_browser_is_sent_what_only_it_can_read(tmp_path: Path) -> None:
    context = Authority(tmp_path).context("127.0.0.1")
    theirs = ec.generate_private_key(ec.SECP256R1())
    keys = {"p256dh": public_text(theirs), "auth": encoded(b"sixteen bytes ..")}
    fetch = FAST.model_copy(update={"ca_file": tmp_path / "authority.pem"})
    site = Site()
    site._server.socket = context.wrap_socket(site._server.socket, server_side=True)
    with site, channel_means(fetch=fetch) as means:
        endpoint = f"https://127.0.0.1:{site.port}/p"
        channel = make_channel("webpush", {"subscription": json.dumps({"endpoint": endpoint, "keys": keys})}, means)
        site["/p"] = Page(b"", status=201, validates=False)
        channel.send(ALERT)
        (seen,) = site.seen
        assert json.loads(_opened(seen.body, theirs, b"sixteen bytes .."))["tag"] == ALERT.id
        assert seen.headers["Authorization"].startswith("vapid t=")
        site["/p"] = answer(410)
        with pytest.raises(SinkError) as caught:
            channel.send(ALERT)
    assert (caught.value.code, caught.value.set_aside) == ("channel.webpush_gone", True)


def _opened(body: bytes, key: ec.EllipticCurvePrivateKey, auth: bytes) -> bytes:
    """As the browser does it."""
    salt, public, sealed = body[:16], body[21:86], body[86:]
    ours = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    shared = key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public))
    material = HKDF(SHA256(), 32, salt=auth, info=b"WebPush: info\0" + ours + public).derive(shared)
    content = HKDF(SHA256(), 16, salt=salt, info=b"Content-Encoding: aes128gcm\0").derive(material)
    nonce = HKDF(SHA256(), 12, salt=salt, info=b"Content-Encoding: nonce\0").derive(material)
    return AESGCM(content).decrypt(nonce, sealed, None).rstrip(b"\2")
