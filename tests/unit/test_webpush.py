from __future__ import annotations

import json

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from veille.core.alerts.webpush import (
    Subscription,
    decoded,
    encoded,
    encrypted,
    private_key,
    proof,
    public_text,
    subscription_in,
)

# RFC 8291, section 5.
PLAIN = b"When I grow up, I want to be a watermelon"
ONCE = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
THEIRS = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
AUTH, SALT = "BTBZMqHH6r4Tts7J_aSIgg", "DGv6ra1nlYgDCS1FRnbzlw"
BODY = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A"
    "_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)


def test_the_example_of_the_standard_is_encrypted_as_it_says() -> None:
    once = ec.derive_private_key(int.from_bytes(decoded(ONCE), "big"), ec.SECP256R1())
    to = Subscription("https://push.example.net/1", decoded(THEIRS), decoded(AUTH))
    assert encoded(encrypted(PLAIN, to, once, decoded(SALT))) == BODY


def test_the_proof_is_signed_by_the_key_that_it_names() -> None:
    key = private_key(b"a secret of the installation....")
    assert public_text(key) == public_text(private_key(b"a secret of the installation...."))
    value = proof(key, "https://push.example.net", "mailto:a@example.org", 1_700_000_000_000)
    token, _, named = value.removeprefix("vapid t=").partition(", k=")
    head, claims, signature = token.split(".")
    assert json.loads(decoded(claims)) == {
        "aud": "https://push.example.net", "exp": 1_700_000_000 + 12 * 3600, "sub": "mailto:a@example.org",
    }  # fmt: skip
    raw = decoded(signature)
    numbers = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(named))
    public.verify(numbers, f"{head}.{claims}".encode(), ec.ECDSA(SHA256()))


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "null", '{"endpoint": 1, "keys": 2}',
     '{"endpoint": "https://a", "keys": {"p256dh": "AA", "auth": "AA"}}',
     json.dumps({"endpoint": "https://a.example", "keys": {"p256dh": THEIRS, "auth": "AA"}}),
     json.dumps({"endpoint": "http://a.example", "keys": {"p256dh": THEIRS, "auth": AUTH}})],
)  # fmt: skip
def test_what_is_no_subscription_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="subscription"):
        subscription_in(text)
