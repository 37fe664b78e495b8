"""Certificates end to end: of a session at a server, of tasks among each other, and of Dask's."""

import ssl
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import minitf as tf
from minitf.core.cluster.service.server import Server
from minitf.core.cluster.wire import transport
from minitf.core.cluster.wire.channel import Channel
from minitf.core.cluster.wire.transport import TransportOptions

from .conftest import free_addresses
from .test_reasons import SOON, Authority

pytest.importorskip("cryptography")


@pytest.fixture
def ours(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "ours")


@pytest.fixture
def theirs(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "theirs")


def mixed(ours: Authority, theirs: Authority) -> Any:
    """Trusts our authority, and shows a certificate of theirs."""
    security, other = ours.security(), theirs.security()
    security.tls_worker_cert, security.tls_worker_key = other.tls_worker_cert, other.tls_worker_key
    return security


class Bare:
    """Trusts our authority, and shows no certificate: Dask's Security cannot even say so."""

    def __init__(self, ours: Authority) -> None:
        self._ca = ours.security().tls_ca_file

    def get_connection_args(self, role: str) -> dict[str, Any]:
        return {"ssl_context": ssl.create_default_context(cafile=self._ca)}

    def get_listen_args(self, role: str) -> dict[str, Any]:
        return {"ssl_context": ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)}


#: who is turned away, what it shows, and a part of the reason
STRANGERS: dict[str, tuple[Callable[[Authority, Authority], Any], str]] = {
    "plain": (lambda ours, theirs: None, "speaks TLS only"),
    "expired": (lambda ours, theirs: ours.security(days=-1), "certificate expired"),
    "another authority": (lambda ours, theirs: theirs.security(), "certificate does not hold"),
    "a certificate of another authority": (mixed, "refused this process's certificate"),
    "no certificate": (lambda ours, theirs: Bare(ours), "certificate"),
}


@pytest.fixture
def by_message(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any], None]]:
    """Sessions of this process talk to its servers as another process would, with a Security."""
    monkeypatch.setattr(
        "minitf.core.cluster.service.remote_session.server_in_this_process", lambda address: None
    )
    yield lambda security: monkeypatch.setattr(
        transport, "options_for", lambda address: TransportOptions(None, security)
    )


@pytest.mark.parametrize("who", STRANGERS)
def test_a_session_at_a_server_with_certificates(
    ours: Authority, theirs: Authority, by_message: Callable[[Any], None], who: str
) -> None:
    server = Server({"local": ["localhost:0"]}, security=ours.security())
    make, reason = STRANGERS[who]
    by_message(make(ours, theirs))
    start = time.monotonic()
    with tf.Graph().as_default(), pytest.raises(tf.errors.UnauthenticatedError, match=reason):
        tf.Session(server.target)
    assert time.monotonic() - start < SOON
    by_message(ours.security())
    with tf.Graph().as_default(), tf.Session(server.target) as session:
        assert session.run(tf.constant(1) + 1) == 2
    server.stop()


@pytest.mark.parametrize("who", STRANGERS)
def test_a_ps_of_strangers(ours: Authority, theirs: Authority, who: str) -> None:
    """The worker's step does not reach it; which end refuses depends on what does not fit."""
    spec = free_addresses(ps=1, worker=1)
    ps = Server(spec, "ps", 0, security=STRANGERS[who][0](ours, theirs))
    worker = Server(spec, "worker", 0, security=ours.security())
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            v = tf.get_variable("v", initializer=1.0)
        start = time.monotonic()
        with (
            pytest.raises(tf.errors.UnauthenticatedError, match=spec["ps"][0]),
            tf.Session(worker.target) as session,
        ):
            session.run(v.initializer)
        assert time.monotonic() - start < SOON
    ps.stop()
    worker.stop()


@pytest.mark.timeout(120)
def test_the_certificates_of_a_dask_cluster(ours: Authority, theirs: Authority) -> None:
    distributed = pytest.importorskip("distributed")
    security = ours.security()
    for role in ("scheduler", "client"):
        for part in ("cert", "key"):
            setattr(security, f"tls_{role}_{part}", getattr(security, f"tls_worker_{part}"))
    with (
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            protocol="tls",
            host="127.0.0.1",
            dashboard_address=None,
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
            security=security,
        ) as local,
        distributed.Client(local, security=security) as client,
    ):
        cluster = tf.cluster.attach(client, ps=0, workers=1)
        with tf.Graph().as_default(), tf.Session(cluster.target()) as session:
            assert session.run(tf.constant(1) + 1) == 2
        address = cluster.cluster_spec.task_address("worker", 0)
        token = transport.options_for(address).token
        for make, _ in STRANGERS.values():  # who knows the token needs a certificate, too
            channel = Channel(address, TransportOptions(token, make(ours, theirs)))
            with pytest.raises(tf.errors.UnauthenticatedError):
                channel.call("ping")
        with pytest.raises(tf.errors.UnauthenticatedError, match="token"):  # and the other way
            Channel(address, TransportOptions("guess", security)).call("ping")
        cluster.close()
