"""Who cannot connect learns why, soon, and of which address; what stays so is not retried."""

import datetime
import errno
import ipaddress
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import minitf as tf
from minitf.core.cluster.cluster_spec import ClusterSpec
from minitf.core.cluster.service.server import Server
from minitf.core.cluster.wire import transport
from minitf.core.cluster.wire.channel import Channel
from minitf.core.cluster.wire.task_server import TaskServer
from minitf.core.cluster.wire.transport import TransportOptions
from minitf.core.graph import errors

from .conftest import free_addresses

SOON = 3.0 + 2.0  # seconds: what is promised, and what a crowded machine may add
TASK = "/job:ps/task:0"
KEYS = ("tls_ca_file", "tls_worker_cert", "tls_worker_key")


class Authority:
    """A certificate authority that gives certificates to tasks."""

    def __init__(self, folder: Path):
        x509 = pytest.importorskip("cryptography.x509")
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec

        self._folder, self._x509 = folder, x509
        self._sha, self._serialization, self._ec = hashes.SHA256(), serialization, ec
        folder.mkdir(exist_ok=True)
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, folder.name)])
        self._certificate = self._sign(self._name, self._key.public_key(), 1, True)
        self._ca = self._write("ca.pem", self._pem(self._certificate))

    def security(self, days: int = 1) -> Any:
        """A Security with a certificate that ends in `days`; negative: it has ended."""
        distributed = pytest.importorskip("distributed")
        key = self._ec.generate_private_key(self._ec.SECP256R1())
        subject = self._x509.Name(
            [self._x509.NameAttribute(self._x509.NameOID.COMMON_NAME, "localhost")]
        )
        certificate = self._pem(self._sign(subject, key.public_key(), days, False))
        private = key.private_bytes(
            self._serialization.Encoding.PEM,
            self._serialization.PrivateFormat.PKCS8,
            self._serialization.NoEncryption(),
        )
        files = (self._ca, self._write(f"c{days}", certificate), self._write(f"k{days}", private))
        return distributed.Security(require_encryption=True, **dict(zip(KEYS, files, strict=True)))

    def _sign(self, subject: Any, public: Any, days: int, is_ca: bool) -> Any:
        x509, now = self._x509, datetime.datetime.now(datetime.UTC)
        names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=30))
            .not_valid_after(now + datetime.timedelta(days=days))
            .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .sign(self._key, self._sha)
        )

    def _pem(self, certificate: Any) -> bytes:
        return bytes(certificate.public_bytes(self._serialization.Encoding.PEM))

    def _write(self, name: str, content: bytes) -> str:
        path = self._folder / name
        path.write_bytes(content)
        return str(path)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "ours")


def _reason(address: str, security: Any = None, kind: type = errors.UnauthenticatedError) -> str:
    """Why a session at `address` cannot be opened."""
    start = time.monotonic()
    with pytest.raises(kind) as caught:
        channel = Channel(address, TransportOptions(None, security))
        channel.wait_until_ready(transport.READY_TIMEOUT)
    assert time.monotonic() - start < SOON
    assert address in str(caught.value)
    return str(caught.value)


@pytest.fixture
def task() -> Iterator[Callable[..., str]]:
    """Starts task servers; returns their addresses."""
    servers = []

    def start(security: Any = None) -> str:
        servers.append(TaskServer(TASK, TransportOptions(None, security)))
        return servers[-1].start("localhost:0")

    yield start
    for server in servers:
        server.stop()


# ---- certificates --------------------------------------------------------------------------


def test_a_task_whose_certificate_has_expired(
    task: Callable[..., str], authority: Authority
) -> None:
    reason = _reason(task(authority.security(days=-1)), authority.security())
    assert "certificate does not hold (certificate has expired)" in reason


def test_a_plain_client_at_a_tls_port(task: Callable[..., str], authority: Authority) -> None:
    reason = _reason(task(authority.security()))
    assert "speaks TLS only" in reason
    assert "security=" in reason


def test_a_tls_client_at_a_plain_port(task: Callable[..., str], authority: Authority) -> None:
    assert "does not speak TLS" in _reason(task(), authority.security())


# ---- something else listens ----------------------------------------------------------------


@pytest.fixture
def stranger() -> Iterator[Callable[..., str]]:
    """Starts listeners that are no tasks; returns their addresses."""
    over = threading.Event()
    threads = []

    def start(greeting: bytes = b"", answer: bytes = b"", close: bool = False) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        listener.settimeout(0.1)
        thread = threading.Thread(target=serve, args=(listener, greeting, answer, close))
        thread.start()
        threads.append(thread)
        return f"localhost:{listener.getsockname()[1]}"

    def serve(listener: socket.socket, greeting: bytes, answer: bytes, close: bool) -> None:
        taken = []
        while not over.is_set():
            try:
                sock, _ = listener.accept()
            except TimeoutError:
                continue
            taken.append(sock)
            sock.sendall(greeting)
            if answer:
                sock.settimeout(2)
                while b"\n" not in sock.recv(4096):
                    pass
                sock.sendall(answer)
            if close:
                sock.close()
        for sock in (*taken, listener):
            sock.close()

    yield start
    over.set()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("encrypted", [False, True])
@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        ({}, "says nothing that a task would say"),
        ({"greeting": b"SSH-2.0-OpenSSH_9.6\r\n"}, "b'SSH-'"),
        ({"greeting": b"+OK\r\n"}, "b'+OK"),
        ({"greeting": b"hi"}, "says nothing that a task would say"),
        ({"answer": b"HTTP/1.1 400 Bad Request\r\n\r\n", "close": True}, "b'HTTP'"),
        ({"answer": b"\x15\x03\x01\x00\x02\x02\x46"}, "speaks TLS only"),
    ],
)
def test_other_listeners(
    stranger: Callable[..., str],
    authority: Authority,
    behaviour: dict[str, Any],
    said: str,
    encrypted: bool,
) -> None:
    address = stranger(**behaviour)
    if not encrypted:
        kind = errors.UnauthenticatedError if "TLS" in said else errors.UnavailableError
        assert said in _reason(address, None, kind)
    elif "greeting" in behaviour and len(behaviour["greeting"]) > 5:
        assert "does not speak TLS" in _reason(address, authority.security())


def test_a_web_server_and_one_with_certificates(authority: Authority) -> None:
    http_server = pytest.importorskip("http.server")
    for security in (None, authority.security()):
        server = http_server.ThreadingHTTPServer(
            ("127.0.0.1", 0), http_server.SimpleHTTPRequestHandler
        )
        server.RequestHandlerClass.log_message = lambda *arguments: None
        server.handle_error = lambda *arguments: None
        if security is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(security.tls_worker_cert, security.tls_worker_key)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        address = f"localhost:{server.server_address[1]}"
        assert "no task of a cluster" in _reason(address, None, errors.UnavailableError)
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_session_says_it_too(stranger: Callable[..., str]) -> None:
    address = stranger(greeting=b"SSH-2.0-OpenSSH_9.6\r\n")
    start = time.monotonic()
    with tf.Graph().as_default(), pytest.raises(tf.errors.UnavailableError, match=address):
        tf.Session(f"grpc://{address}")
    assert time.monotonic() - start < SOON


def test_another_task_that_is_none_fails_the_step(stranger: Callable[..., str]) -> None:
    spec = {**free_addresses(worker=1), "ps": [stranger(greeting=b"SSH-2.0-OpenSSH_9.6\r\n")]}
    worker = Server(spec, "worker", 0)
    with tf.Graph().as_default(), tf.Session(worker.target) as session:
        with tf.device(TASK):
            one = tf.constant(1) + 1
        start = time.monotonic()
        with pytest.raises(tf.errors.UnavailableError, match="no task of a cluster listens there"):
            session.run(one)
        assert time.monotonic() - start < SOON
    worker.stop()


def test_a_peer_that_closes_every_connection_is_named_at_the_end(
    stranger: Callable[..., str],
) -> None:
    """A forwarded port behaves like this until its task is up: it is waited for."""
    address = stranger(close=True)
    with pytest.raises(errors.UnavailableError, match=f"{address}.*the connection ended"):
        Channel(address, TransportOptions(connect_timeout=2.0)).wait_until_ready(2.0)


# ---- addresses -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["no-such-machine.invalid", "a..b"])
def test_a_name_that_nobody_has(name: str) -> None:
    reason = _reason(f"{name}:2222", None, errors.UnavailableError)
    assert f"no machine named '{name}' is known" in reason


def test_a_name_that_comes_later_is_waited_for(
    task: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cluster manager gives a task its name when it starts it."""
    address = task()
    known = threading.Event()
    real = socket.getaddrinfo

    def getaddrinfo(host: Any, *arguments: Any, **keywords: Any) -> Any:
        if host == "ps-0.cluster":
            if not known.is_set():
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            host = "localhost"
        return real(host, *arguments, **keywords)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    heard: list[str] = []

    def told(error: Exception) -> None:
        heard.append(str(error))
        known.set()

    channel = Channel(address.replace("localhost", "ps-0.cluster"))
    assert channel.wait_until_ready(20, told) == channel.incarnation
    assert "no machine named 'ps-0.cluster'" in heard[0]


def test_a_machine_without_ipv6(task: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its file of hosts may name the address of IPv6 all the same."""
    address = task()

    class WithoutIPv6(socket.socket):
        def __init__(self, family: int = -1, *arguments: Any, **keywords: Any) -> None:
            if family == socket.AF_INET6:
                raise OSError(errno.EAFNOSUPPORT, "Address family not supported by protocol")
            super().__init__(family, *arguments, **keywords)

    def both(host: str, port: int, *arguments: Any, **keywords: Any) -> Any:
        return [
            (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("::1", port, 0, 0)),
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port)),
        ]

    monkeypatch.setattr(socket, "socket", WithoutIPv6)
    monkeypatch.setattr(socket, "getaddrinfo", both)
    channel = Channel(address)
    assert channel.wait_until_ready(20) == channel.incarnation


@pytest.mark.parametrize("target", ["localhost", "", "localhost:abc", "localhost:99999", "a/b:1"])
def test_a_target_without_a_port_is_refused(target: str) -> None:
    with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.Session(f"grpc://{target}")
    assert caught.value.message == f'Could not interpret "{target}" as a host-port pair.'


def test_addresses_of_tasks_without_a_port_are_refused() -> None:
    message = 'Could not parse port for local server from "localhost".'
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        Server({"ps": ["localhost"]})
    message = 'Could not interpret "there" as a host-port pair.'
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        Server({"ps": ["localhost:0"], "worker": ["there"]}, "ps", 0)
    assert ClusterSpec({"ps": ["there"]}).job_tasks("ps") == ["there"]  # as TensorFlow's


# ---- forked children -----------------------------------------------------------------------


def test_forked_children_reach_their_parents_server_or_hear_why_not(
    spawn: Callable[..., subprocess.Popen[str]],
) -> None:
    process = spawn("-W", "ignore::DeprecationWarning", "-c", _FORKING)
    output = process.communicate(timeout=90)[0]
    assert output.splitlines() == [
        "new session: 11",
        "old session: AbortedError",
        "old remote session: 11",
        "the child holds no socket of the server: True",
        "multiprocessing: 21",
        "parent: 21.0",
    ], output


_FORKING = """
import multiprocessing
import os
import socket
import stat

import minitf as tf
from minitf.core.cluster.service import remote_session

spec = {"ps": ["localhost:0"]}
server = tf.train.Server(spec, "ps", 0)
v = tf.Variable(1.0, name="v")
add = v.assign_add(10.0)
session = tf.Session(server.target)
session.run(v.initializer)
local, remote_session.server_in_this_process = (
    remote_session.server_in_this_process, lambda address: None
)
remote = tf.Session(server.target)
remote.run(v)
remote_session.server_in_this_process = local


def child(work):
    pid = os.fork()
    if pid == 0:
        try:
            print(work(), flush=True)
        except tf.errors.OpError as error:
            print(f"old session: {type(error).__name__}", flush=True)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


def fresh():
    with tf.Session(server.target) as mine:
        return f"new session: {mine.run(add):.0f}"


def ports():
    held = []
    for name in os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else ():
        try:
            if stat.S_ISSOCK(os.stat(f"/proc/self/fd/{name}").st_mode):
                with socket.socket(fileno=os.dup(int(name))) as copy:
                    if copy.family == socket.AF_INET:
                        held.append(copy.getsockname()[1])
        except OSError:
            pass
    port = int(server.target.rpartition(":")[2])
    return f"the child holds no socket of the server: {port not in held}"


def worker(queue):
    with tf.Session(server.target) as mine:
        queue.put(float(mine.run(add)))


child(fresh)
child(lambda: f"old session: {session.run(add)}")
child(lambda: f"old remote session: {remote.run(v):.0f}")
child(ports)
context = multiprocessing.get_context("fork")
queue = context.Queue()
process = context.Process(target=worker, args=(queue,))
process.start()
print(f"multiprocessing: {queue.get(timeout=60):.0f}", flush=True)
process.join()
print("parent:", session.run(v), flush=True)
"""
