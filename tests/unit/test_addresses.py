from __future__ import annotations

from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.addresses import AddressError, follow, parse
from veille.core.http.audit import audit
from veille.core.http.egress import Policy

VECTORS = (Path(__file__).parent.parent / "cases" / "egress" / "vectors.tsv").read_text(encoding="ascii")
ROWS = [line.split("\t") for line in VECTORS.splitlines() if line and not line.startswith("#")]
VERDICTS = {row["id"]: row for row in audit(VECTORS, Policy())}


@pytest.mark.covers("R-228", "R-229")
@pytest.mark.parametrize(("name", "expected", "family"), [row[:3] for row in ROWS], ids=[row[0] for row in ROWS])
def test_the_policy_decides_each_vector_as_expected(name: str, expected: str, family: str) -> None:
    assert VERDICTS[name]["verdict"] == expected, (family, VERDICTS[name]["reason"])


@pytest.mark.covers("R-055", "R-232")
@pytest.mark.parametrize("url", ["ftp://example.com/", "file:///etc/passwd", "gopher://x", "javascript:1", "data:,x"])
def test_only_http_and_https_are_addresses_of_the_network(url: str) -> None:
    with pytest.raises(AddressError) as caught:
        parse(url)
    assert caught.value.reason == "scheme"


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("HTTPS://EXAMPLE.com:0443/a/../b c#top", "https://example.com/b%20c"),
        ("http://user:pw@example.com", "http://example.com/"),
        ("http://example.com:?q=é", "http://example.com/?q=%C3%A9"),
        ("http://faß.de/", "http://xn--fa-hia.de/"),
        ("http://[2606:4700:0::1111]:8080/", "http://[2606:4700::1111]:8080/"),
        ("https://example.com/%2e%2E/x/./y/..", "https://example.com/x/"),
        ("https://example.com/a%zz?b=[1]|2", "https://example.com/a%zz?b=[1]%7C2"),
    ],
)
def test_an_address_is_rebuilt_from_its_parts(text: str, sent: str) -> None:
    assert str(parse(text)) == sent


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/x", "https://pub.example.com/x"),
        ("x?y", "https://pub.example.com/dir/x?y"),
        ("../x", "https://pub.example.com/x"),
        ("?page=2", "https://pub.example.com/dir/start?page=2"),
        ("#part", "https://pub.example.com/dir/start"),
        ("//other.example/x", "https://other.example/x"),
        (" http://other.example ", "http://other.example/"),
        ("x y/é", "https://pub.example.com/dir/x%20y/%C3%A9"),
    ],
)
def test_a_redirect_leads_where_a_browser_would_go(location: str, target: str) -> None:
    assert str(follow(parse("https://pub.example.com/dir/start"), location)) == target


@pytest.mark.parametrize("location", ["", "///127.0.0.1/", "\\\\127.0.0.1\\", "/\\127.0.0.1/", "http:x", "a\nb", "\\x"])
def test_a_redirect_that_could_be_read_two_ways_is_refused(location: str) -> None:
    with pytest.raises(AddressError):
        follow(parse("https://pub.example.com/dir/start"), location)


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    for candidate in (text, f"http://{text}", f"http://example.com{text}"):
        try:
            url = parse(candidate)
        except AddressError:
            continue
        assert parse(str(url)) == parse(str(parse(str(url))))
        assert str(url).isascii()


@given(st.text(max_size=40))
def test_a_redirect_never_leaves_http(location: str) -> None:
    try:
        url = follow(parse("https://pub.example.com/dir/start"), location)
    except AddressError:
        return
    assert url.scheme in {"http", "https"}


@pytest.mark.covers("R-229")
@pytest.mark.parametrize(
    ("family", "addresses"),
    [
        ("private", ["10.0.0.1", "172.16.0.1", "192.168.1.1", "fd00::1"]),
        ("loopback", ["127.0.0.1", "127.8.9.1", "::1"]),
        ("link-local", ["169.254.1.1", "fe80::1"]),
        ("metadata", ["169.254.169.254", "::ffff:169.254.169.254", "fd00:ec2::254"]),
    ],
)
def test_addresses_that_are_not_public_are_refused(family: str, addresses: list[str]) -> None:
    assert [one for one in addresses if Policy().judge_address(ip_address(one), 80).allowed] == [], family


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("2001:db8:64:0a00:0001::", False),
        ("2001:db8:64:0808:08:0800::", True),
        ("2001:db8:65:a00:1::", False),
        ("64:ff9b::a00:1", False),
        ("64:ff9b::808:808", True),
    ],
)
def test_a_nat64_prefix_of_the_operator_is_judged_by_what_it_carries(address: str, *, allowed: bool) -> None:
    policy = Policy(nat64=(ip_network("2001:db8:64::/48"),))  # type: ignore[arg-type] # an IPv6 network, as it says
    assert policy.judge_address(ip_address(address), 80).allowed is allowed


def test_the_operator_can_open_a_network_or_a_name_and_nothing_else_opens() -> None:
    policy = Policy(allow_hosts=frozenset({"*.corp.example", "wiki"}), allow_networks=(ip_network("10.1.0.0/16"),))
    private = ip_address("192.168.1.1")
    assert policy.judge_address(ip_address("10.1.2.3"), 80).allowed
    assert policy.judge_address(ip_address("::ffff:10.1.2.3"), 80).allowed
    assert not policy.judge_address(ip_address("10.2.0.1"), 80).allowed
    assert policy.judge_address(private, 80, "docs.corp.example").allowed
    assert policy.judge_address(private, 80, "wiki").allowed
    assert not policy.judge_address(private, 80, "corp.example.evil.example").allowed
    assert not policy.judge_address(private, 6379, "wiki").allowed


def test_the_machine_itself_is_refused_even_at_a_public_address() -> None:
    own = ip_address("93.184.215.14")
    policy = Policy(own=frozenset({own}))
    assert policy.judge_address(own, 80).reason == "own"
    assert policy.judge_address(ip_address("::ffff:93.184.215.14"), 80).reason == "own"
    assert policy.judge_address(ip_address("93.184.215.15"), 80).allowed


@pytest.mark.parametrize(
    ("url", "via", "dns"),
    [
        ("http://example.com/", "http://127.0.0.1/a", "example.com=93.184.215.14"),
        ("http://example.com/", "http://inner.example/a", "inner.example=10.0.0.1;example.com=93.184.215.14"),
        ("http://example.com/a", "http://example.com/a", "example.com=93.184.215.14"),
        ("http://slow.example/", "", "slow.example=TIMEOUT"),
        ("http://example.com:" + "9" * 5000 + "/", "", "example.com=93.184.215.14"),
    ],
)
def test_the_audit_refuses_what_the_door_would_not_get_to(url: str, via: str, dns: str) -> None:
    (row,) = audit(f"id\texpect\tfamily\turl\tvia\tdns\tnote\nX1\tdeny\tx\t{url}\t{via}\t{dns}\t", Policy())
    assert row["verdict"] == "deny"
