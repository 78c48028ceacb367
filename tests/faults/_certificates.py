"""A certificate authority for an afternoon."""

from __future__ import annotations

import ipaddress
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

_NAME = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "veille tests")])


class Authority:
    """Signs server certificates; its own is written to `authority.pem` in the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._count = 0
        usage = x509.KeyUsage(
            digital_signature=True, key_cert_sign=True, crl_sign=True, content_commitment=False,
            key_encipherment=False, data_encipherment=False, key_agreement=False, encipher_only=False,
            decipher_only=False,
        )  # fmt: skip
        builder = _builder(self._key, (-1, 3650)).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        certificate = builder.add_extension(usage, critical=True).sign(self._key, hashes.SHA256())
        (folder / "authority.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def context(self, *names: str, days: tuple[int, int] = (-1, 30), self_signed: bool = False) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        alternatives = x509.SubjectAlternativeName([_general(name) for name in names])
        builder = _builder(key, days).add_extension(alternatives, critical=False)
        builder = builder.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key((key if self_signed else self._key).public_key()),
            critical=False,
        )
        certificate = builder.sign(key if self_signed else self._key, hashes.SHA256())
        self._count += 1
        path = self._folder / f"server{self._count}.pem"
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        path.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        return context


def _builder(key: ec.EllipticCurvePrivateKey, days: tuple[int, int]) -> x509.CertificateBuilder:
    now = datetime.now(UTC)  # noqa: TID251 - certificates live in real time
    return (
        x509.CertificateBuilder()
        .subject_name(_NAME)
        .issuer_name(_NAME)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + timedelta(days=days[0]))
        .not_valid_after(now + timedelta(days=days[1]))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
