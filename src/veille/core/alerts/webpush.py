"""Web Push: messages encrypted for a browser (RFC 8291), and the proof of who sends them (VAPID, RFC 8292)."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import Final

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

#: The order of the curve P-256.
_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_POINT, _SECRET, _SIZE = 65, 16, 32
#: One record; push services take 4096 bytes in all.
_RECORD: Final = 4096
#: How long a proof is good; at most a day.
_PROOF_S: Final = 12 * 3600


@dataclass(frozen=True, slots=True)
class Subscription:
    """Where a browser is reached, and the keys that only it can decrypt with."""

    endpoint: str
    public: bytes
    auth: bytes


def subscription_in(text: str) -> Subscription:
    """The subscription in a browser's JSON; ValueError if it is none."""
    try:
        given = json.loads(text)
        keys = given["keys"]
        found = Subscription(str(given["endpoint"]), decoded(keys["p256dh"]), decoded(keys["auth"]))
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), found.public)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(
            "this is not what a browser gives as its subscription: endpoint, keys.p256dh, keys.auth"
        ) from (error)
    if len(found.auth) != _SECRET or len(found.public) != _POINT:
        raise ValueError("the keys of this subscription have a wrong length")
    if not found.endpoint.startswith("https://"):
        raise ValueError("the endpoint of a subscription is an https:// address")
    return found


def private_key(secret: bytes) -> ec.EllipticCurvePrivateKey:
    """The key of this installation, made of a secret: always the same."""
    wide = HKDF(SHA256(), 48, salt=None, info=b"veille webpush").derive(secret)
    return ec.derive_private_key(int.from_bytes(wide, "big") % (_ORDER - 1) + 1, ec.SECP256R1())


def public_text(key: ec.EllipticCurvePrivateKey) -> str:
    """The public key as a browser wants it (`applicationServerKey`)."""
    return encoded(_point(key))


def encrypted(payload: bytes, to: Subscription, once: ec.EllipticCurvePrivateKey, salt: bytes) -> bytes:
    """The body of the request; `once` and `salt` are random, and used for one message only."""
    theirs = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), to.public)
    ours = _point(once)
    info = b"WebPush: info\0" + to.public + ours
    material = HKDF(SHA256(), _SIZE, salt=to.auth, info=info).derive(once.exchange(ec.ECDH(), theirs))
    key = HKDF(SHA256(), 16, salt=salt, info=b"Content-Encoding: aes128gcm\0").derive(material)
    nonce = HKDF(SHA256(), 12, salt=salt, info=b"Content-Encoding: nonce\0").derive(material)
    head = salt + _RECORD.to_bytes(4, "big") + bytes([len(ours)]) + ours
    return head + AESGCM(key).encrypt(nonce, payload + b"\2", None)


def proof(key: ec.EllipticCurvePrivateKey, origin: str, contact: str, now: int) -> str:
    """The value of the Authorization header for a push service at this origin."""
    claims = {"aud": origin, "exp": now // 1000 + _PROOF_S, "sub": contact}
    parts = [{"typ": "JWT", "alg": "ES256"}, claims]
    signed = ".".join(encoded(json.dumps(part, separators=(",", ":")).encode()) for part in parts)
    r, s = decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(SHA256())))
    signature = encoded(r.to_bytes(_SIZE, "big") + s.to_bytes(_SIZE, "big"))
    return f"vapid t={signed}.{signature}, k={public_text(key)}"


def encoded(data: bytes) -> str:
    """Base64 for addresses, without padding."""
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def decoded(text: str) -> bytes:
    """The bytes of a Base64 text, padded or not."""
    return urlsafe_b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4))


def _point(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
