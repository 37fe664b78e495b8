"""Certificates for one session of a class cluster: made here, kept in memory, gone with it.

    lecturer   a key and a certificate that signs itself; its SHA-256 stands in the line to paste
    student    a key, and a request with a name  ---->  signed by the lecturer's key

Private keys never travel. A student's process talks to nobody but the holder of the one certificate
whose SHA-256 it was told; the lecturer's listens to those whose certificates it has signed.
"""

from __future__ import annotations

import datetime
import hashlib
import os
import ssl
import tempfile
from dataclasses import dataclass, field
from typing import Any

from minitf.core.graph import errors

LIFETIME = datetime.timedelta(days=2)
LONGEST_REQUEST = 4000  # characters


@dataclass(frozen=True)
class Papers:
    """What one end shows, and what it wants to see; the transport's `security`.

    Attributes:
      certificate, key: of this end, PEM; empty for one that has none yet.
      fingerprint: SHA-256 of the lecturer's certificate, hex.
    """

    certificate: str
    key: str = field(repr=False)
    fingerprint: str

    def get_listen_args(self, role: str) -> dict[str, Any]:
        """Arguments of a listener: a peer shows a certificate that this end has signed, or none."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.verify_mode = ssl.CERT_OPTIONAL
        context.load_verify_locations(cadata=self.certificate)
        return self._arguments(context)

    def get_connection_args(self, role: str) -> dict[str, Any]:
        """Arguments of a connection: the peer shows the certificate with the fingerprint."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # the transport compares the fingerprint
        return {**self._arguments(context), "fingerprint": self.fingerprint}

    def _arguments(self, context: ssl.SSLContext) -> dict[str, Any]:
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        if self.certificate:
            with tempfile.TemporaryDirectory() as folder:  # Python's ssl reads files only
                path = os.path.join(folder, "papers.pem")
                with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
                    file.write(self.key + self.certificate)
                context.load_cert_chain(path)
        return {"ssl_context": context, "require_encryption": True}


class Authority:
    """The lecturer's key, and what it signs."""

    def __init__(self) -> None:
        x509, ec, sha256, _ = _packages()
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named("minitf class cluster")
        certificate = (
            self._builder(self._name, self._name, self._key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .sign(self._key, sha256)
        )
        pem = _pem(certificate)
        self.papers = Papers(pem, _private(self._key), fingerprint(pem))

    def sign(self, request: str, name: str) -> str:
        """Returns a certificate (PEM) for the key of a request.

        Args:
          request: PEM, signed with the key that it names.
          name: to be written into the certificate.
        Raises:
          InvalidArgumentError: when it is no such request.
        """
        x509, ec, sha256, _ = _packages()
        try:
            asked = x509.load_pem_x509_csr(request[:LONGEST_REQUEST].encode())
            if not asked.is_signature_valid or not isinstance(
                asked.public_key(), ec.EllipticCurvePublicKey
            ):
                raise ValueError("its signature or key does not do")
        except Exception as error:  # whatever the package finds wrong with a stranger's text
            raise errors.InvalidArgumentError.of(
                f"The request for a certificate is none: {error}"
            ) from None
        made = self._builder(_named(name), self._name, asked.public_key())
        nothing_else = x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.CLIENT_AUTH])
        leaf = x509.BasicConstraints(ca=False, path_length=None)
        made = made.add_extension(leaf, critical=True).add_extension(nothing_else, critical=True)
        return _pem(made.sign(self._key, sha256))

    def _builder(self, subject: Any, issuer: Any, key: Any) -> Any:
        x509, *_ = _packages()
        now = datetime.datetime.now(datetime.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - LIFETIME / 2)  # clocks of laptops differ
            .not_valid_after(now + LIFETIME)
        )


def make_request(name: str) -> tuple[str, str]:
    """Returns a new private key and a request for its certificate, both PEM."""
    x509, ec, sha256, _ = _packages()
    key = ec.generate_private_key(ec.SECP256R1())
    request = x509.CertificateSigningRequestBuilder().subject_name(_named(name))
    return _private(key), _pem(request.sign(key, sha256))


def fingerprint(certificate: str | bytes) -> str:
    """SHA-256 of a certificate, PEM or DER, in hex."""
    der = ssl.PEM_cert_to_DER_cert(certificate) if isinstance(certificate, str) else certificate
    return hashlib.sha256(der).hexdigest()


def _packages() -> Any:
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
    except ImportError:
        raise ImportError(
            "A class cluster makes its certificates with the package cryptography, which is not "
            "installed here: pip install 'minitf[classroom]'"
        ) from None
    return x509, ec, hashes.SHA256(), serialization


def _named(name: str) -> Any:
    x509, *_ = _packages()
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])


def _pem(made: Any) -> str:
    *_, serialization = _packages()
    return made.public_bytes(serialization.Encoding.PEM).decode()


def _private(key: Any) -> str:
    *_, serialization = _packages()
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
