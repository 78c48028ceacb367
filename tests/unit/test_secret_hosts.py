from __future__ import annotations

import pytest

from veille.adapters.embedders.openai import OpenaiConfig
from veille.adapters.sinks.webhook import WebhookConfig
from veille.core.addresses import parse
from veille.core.http.credentials import hidden
from veille.core.http.secrets import Secret, bound_hosts
from veille.errors import ConfigError
from veille.settings import load_settings

BOUND = Secret("x", bound_hosts(["API.example.org", "data.example.org:8443", "*.example.net", "[::1]:80", "10.0.0.1"]))


@pytest.mark.covers("R-032")
@pytest.mark.parametrize(
    ("url", "goes"),
    [
        ("https://api.example.org/v1?x=1", True),
        ("http://api.example.org:80/", True),
        ("https://api.example.org./", True),
        ("https://api.example.org:8443/", False),
        ("https://data.example.org:8443/", True),
        ("https://data.example.org/", False),
        ("https://a.example.net/", True),
        ("https://b.a.example.net/", True),
        ("https://example.net/", False),
        ("https://a.example.net:8080/", False),
        ("https://aexample.net/", False),
        ("https://example.net.evil.example/", False),
        ("https://api.example.org.evil.example/", False),
        ("https://evil.example/api.example.org", False),
        ("https://api.example.org@evil.example/", False),
        ("http://[::1]/", True),
        ("https://[::1]/", False),
        ("http://10.0.0.1/", True),
        ("http://110.0.0.1/", False),
    ],
)
def test_a_secret_goes_to_its_hosts_and_to_no_others(url: str, *, goes: bool) -> None:
    assert BOUND.goes_to(parse(url)) is goes


def test_hosts_have_one_spelling_and_values_are_not_shown() -> None:
    assert bound_hosts([" Bücher.example. ", "x.example:443", "x.example:443", "*.X.example:8080"]) == (
        "xn--bcher-kva.example",
        "x.example:443",
        "*.x.example:8080",
    )
    assert "'x'" not in repr(BOUND)


@pytest.mark.parametrize(
    "hosts",
    [
        [],
        [f"h{number}.example" for number in range(21)],
        *([text] for text in ("", "*", "*.", "*.org", "*.*.org", "a.*.example", "https://a.example", "a.example/x")),
        *([text] for text in ("a.example?x", "u@a.example", "a b", "0x7f.1", "*.10.0.0.1", "a.example:99999", "a\\b")),
    ],
)
def test_an_invalid_host_is_refused(hosts: list[str]) -> None:
    with pytest.raises(ConfigError) as refused:
        bound_hosts(hosts)
    assert refused.value.code == "bad_secret_host"


def test_a_value_beside_a_reference_is_hidden() -> None:
    headers = {"A": "Bearer ${secret:K}", "B": "hunter2 ${secret:K}", "C": "${secret:K}", "D": "hunter2${secret:K}"}
    assert hidden(headers) == headers | {"B": "***", "D": "***"}


@pytest.mark.covers("R-087")
@pytest.mark.parametrize(
    "options", [{"url": "https://example.org/${TOKEN}"}, {"headers": {"Authorization": "Bearer ${TOKEN}"}}]
)
def test_what_is_sent_to_a_sink_or_a_service_holds_no_reference(options: dict[str, object]) -> None:
    whole = {"url": "https://example.org/", "secret": "sixteen characters"} | options
    with pytest.raises(ValueError, match="not expanded here"):
        WebhookConfig.model_validate(whole)
    with pytest.raises(ValueError, match="not expanded here"):
        OpenaiConfig.model_validate({"url": "http://127.0.0.1/${MODEL}/v1/embeddings"})
    with pytest.raises(ConfigError, match="not expanded here"):
        load_settings(bridges={"socmed": {"url": "http://127.0.0.1/${NAME}"}})
