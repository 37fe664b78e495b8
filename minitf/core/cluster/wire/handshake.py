"""The handshake: both ends of a new connection prove that they know the cluster's token.

    server                                client
      | -- {version, nonce s, proof wanted} ->|
      |<- {knock}  if it hears nothing -------|      the token itself is never sent
      |<- {nonce c, HMAC(client, s, c)} ------|
      | -- {HMAC(server, c, s)} ------------->|      and both ends have proved it

Without a token both proofs are skipped; such a server therefore listens on loopback only. The proof
authenticates; it does not encrypt. `mtfs://` does (TLS).

Pure functions: `tcp` sends and receives the three messages.
"""

from __future__ import annotations

import hmac
import os
import secrets
import socket
from typing import Any

VERSION = 1
# A client that hears nothing sends this. A listener that requires TLS can then say so, and a server
# that waits for a line of text, such as a web server, answers.
KNOCK = {"knock": "\r\n\r\n"}
TOKEN_VARIABLE = "MINITF_CLUSTER_TOKEN"
_spoken = VERSION


class HandshakeError(ConnectionError):
    """The handshake failed: the token, the certificates or the versions do not fit."""


class VersionError(HandshakeError):
    """The peer uses another version of the protocol."""


class NoTaskError(ConnectionError):
    """Another program answers at an address: trying again will not help."""


class SilentError(NoTaskError):
    """A program accepts connections at an address, and sends nothing."""


class UnknownHostError(NoTaskError):
    """The host name of an address is unknown, now."""


class UnfinishedError(TimeoutError):
    """The time limit was over before the first attempt to connect had ended."""


def token_from_environment() -> str | None:
    """Returns the token in MINITF_CLUSTER_TOKEN, or None when there is none."""
    return os.environ.get(TOKEN_VARIABLE) or None


def speak(version: int = VERSION) -> None:
    """Sets the version that this process uses, for experiments with mixed versions."""
    global _spoken
    _spoken = version


def server_hello(token: str | None) -> dict[str, Any]:
    """Returns the first message of the server."""
    return {"mtf": _spoken, "nonce": secrets.token_bytes(32), "proof_wanted": token is not None}


def client_answer(hello: dict[str, Any], token: str | None, peer: str) -> dict[str, Any]:
    """Returns the client's answer to the server's first message.

    Raises:
      VersionError: when the server is of another version.
      HandshakeError: when only one end has a token.
    """
    if hello.get("mtf") != _spoken:
        raise VersionError(
            f"{peer} speaks version {str(hello.get('mtf'))[:20]} of the protocol between tasks, "
            f"and this process version {_spoken}: all need the same minitf"
        )
    wanted = hello.get("proof_wanted")
    if wanted and token is None:
        raise HandshakeError(f"{peer} asks for the cluster's token: set {TOKEN_VARIABLE}")
    if not wanted and token is not None:
        raise HandshakeError(f"{peer} has no token, and this process expects one of it")
    nonce = secrets.token_bytes(32)
    return {"nonce": nonce, "proof": _proof(token, b"client", _nonce(hello, peer), nonce)}


def server_proof(
    hello: dict[str, Any], answer: dict[str, Any], token: str | None, peer: str
) -> dict[str, Any]:
    """Checks the client's proof; returns the server's last message.

    Raises:
      HandshakeError: when the proof is wrong.
    """
    nonce = _nonce(answer, peer)
    _check(answer, _proof(token, b"client", hello["nonce"], nonce), peer)
    return {"proof": _proof(token, b"server", nonce, hello["nonce"])}


def check_server(
    hello: dict[str, Any],
    answer: dict[str, Any],
    last: dict[str, Any],
    token: str | None,
    peer: str,
) -> None:
    """Checks the server's last message.

    Raises:
      HandshakeError: when the server does not know the token.
    """
    _check(last, _proof(token, b"server", answer["nonce"], _nonce(hello, peer)), peer)


def is_loopback(host: str) -> bool:
    """Whether `host` names only addresses of this machine's loopback interface."""
    try:
        found = socket.getaddrinfo(host or "0.0.0.0", None, type=socket.SOCK_STREAM)
    except OSError:
        return False
    addresses = {str(entry[4][0]) for entry in found}
    return bool(addresses) and all(a.startswith("127.") or a == "::1" for a in addresses)


def _proof(token: str | None, role: bytes, first: bytes, second: bytes) -> bytes:
    if token is None:
        return b""
    return hmac.new(token.encode(), b"minitf " + role + first + second, "sha256").digest()


def _nonce(message: dict[str, Any], peer: str) -> bytes:
    nonce = message.get("nonce")
    if type(nonce) is not bytes or len(nonce) != 32:
        raise HandshakeError(f"{peer} sent no challenge of 32 bytes")
    return nonce


def _check(message: dict[str, Any], expected: bytes, peer: str) -> None:
    proof = message.get("proof")
    if type(proof) is not bytes or not hmac.compare_digest(proof, expected):
        raise HandshakeError(f"{peer} does not hold this cluster's token")
