"""Dask's own `connect` and `listen` speak mtf:// and mtfs://, and both ends prove their token."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from distributed import Security
from distributed.comm import connect, listen
from distributed.comm.core import CommClosedError, FatalCommClosedError

from minitf.core.cluster.wire import tcp
from minitf.core.cluster.wire.comm import MtfComm
from minitf.core.cluster.wire.connection import Connection
from minitf.core.cluster.wire.handshake import KNOCK, TOKEN_VARIABLE, is_loopback
from minitf.core.cluster.wire.transport import TransportOptions


async def _echo(comm: MtfComm) -> None:
    with contextlib.suppress(CommClosedError):
        while True:
            await comm.write(await comm.read())


@contextlib.asynccontextmanager
async def _listening(address: str = "mtf://127.0.0.1", **arguments: Any) -> AsyncIterator[Any]:
    listener = await listen(address, _echo, **arguments)
    try:
        yield listener
    finally:
        listener.stop()


def test_messages_travel_through_dasks_connect_and_listen() -> None:
    async def main() -> None:
        async with _listening(identity={"incarnation": 7}) as listener:
            comm = await connect(listener.contact_address)
            assert comm.remote_info["incarnation"] == 7
            assert comm.same_host
            message = {"op": "x", "list": [1, None, {"k": b"v"}], "big": bytes(300_000)}
            await comm.write(message)
            assert await comm.read() == message
            await comm.write("text")
            assert await comm.read() == "text"
            await comm.close()
            assert comm.closed()
            with pytest.raises(CommClosedError):
                await comm.read()

    asyncio.run(main())


def test_objects_are_refused_before_they_are_sent() -> None:
    async def main() -> None:
        async with _listening() as listener:
            comm = await connect(listener.contact_address)
            with pytest.raises(TypeError):
                await comm.write({"f": print})
            await comm.write(1)  # nothing of the refused message has left
            assert await comm.read() == 1
            comm.abort()

    asyncio.run(main())


def test_closing_wakes_a_reader() -> None:
    async def main() -> None:
        async with _listening() as listener:
            comm = await connect(listener.contact_address)
            reading = asyncio.ensure_future(comm.read())
            await asyncio.sleep(0.01)
            comm.abort()
            with pytest.raises(CommClosedError):
                await reading

    asyncio.run(main())


@pytest.mark.parametrize(
    ("server", "client", "reason"),
    [
        ("right", "wrong", "does not hold this cluster's token"),
        ("right", None, "asks for the cluster's token"),
        (None, "right", "has no token"),
    ],
)
def test_tokens_that_differ_part_the_ends(
    server: str | None, client: str | None, reason: str
) -> None:
    async def main() -> None:
        async with _listening(token=server) as listener:
            with pytest.raises(FatalCommClosedError, match=reason):
                await connect(listener.contact_address, token=client)

    asyncio.run(main())


def test_the_token_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with _listening() as listener:
            comm = await connect(listener.contact_address, token="a secret")
            await comm.write(1)
            assert await comm.read() == 1
            comm.abort()
            with pytest.raises(FatalCommClosedError):
                await connect(listener.contact_address, token=None)

    monkeypatch.setenv(TOKEN_VARIABLE, "a secret")
    asyncio.run(main())


def test_a_server_that_cannot_prove_itself_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with _listening(token="right") as listener:
            # A listener that lets everyone in, hoping to be taken for one that knows the token.
            monkeypatch.setattr(
                tcp.handshake, "server_proof", lambda *arguments: {"proof": b"\0" * 32}
            )
            with pytest.raises(FatalCommClosedError, match="does not hold"):
                await connect(listener.contact_address, token="right")

    asyncio.run(main())


def test_without_a_token_only_loopback_is_listened_on() -> None:
    async def main() -> None:
        for address in ("mtf://0.0.0.0:0", "mtf://:0"):
            with pytest.raises(PermissionError, match=TOKEN_VARIABLE):
                await listen(address, _echo, token=None)
        async with _listening("mtf://0.0.0.0:0", token="secret") as listener:
            assert listener.listen_address.startswith("mtf://0.0.0.0:")
            assert not listener.contact_address.startswith("mtf://0.0.0.0:")

    asyncio.run(main())
    assert is_loopback("localhost")
    assert is_loopback("127.0.0.9")
    assert not is_loopback("")
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("no such host")


def test_a_silent_stranger_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with _listening(token="right") as listener:
            port = int(listener.listen_address.rpartition(":")[2])
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            assert b"nonce" in await reader.read(200)
            assert await asyncio.wait_for(reader.read(), 3) == b""
            writer.close()

    monkeypatch.setattr(tcp, "HANDSHAKE_TIMEOUT", 0.1)
    asyncio.run(main())


def test_a_client_that_knocks_is_let_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has heard nothing for a while: the server was busy."""

    async def main() -> None:
        async with _listening(token="secret") as listener:
            comm = await connect(listener.contact_address, token="secret")
            await comm.write(1)
            assert await comm.read() == 1
            comm.abort()

    def late(listener: tcp.Listener, stranger: Connection) -> None:
        assert heard.wait(20)
        shake_hands(listener, stranger)

    def send(connection: Connection, fields: dict[str, Any], *arrays: Any) -> int:
        if fields == KNOCK:
            heard.set()
        return real_send(connection, fields, *arrays)

    heard = threading.Event()
    shake_hands, real_send = tcp.Listener._shake_hands, Connection.send
    monkeypatch.setattr(tcp.Listener, "_shake_hands", late)
    monkeypatch.setattr(Connection, "send", send)
    monkeypatch.setattr(tcp, "KNOCK_AFTER", 0.0)
    asyncio.run(main())
    assert heard.is_set()


def _security(folder: Path) -> Security:
    pytest.importorskip("cryptography")
    made = Security.temporary()
    paths = {}
    for field in ("tls_ca_file", "tls_worker_key", "tls_worker_cert"):
        path = folder / field
        path.write_text(getattr(made, field))
        paths[field] = str(path)
    return Security(require_encryption=True, **paths)


def test_tls_asks_both_ends_for_a_certificate(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    ours, other = _security(tmp_path / "a"), _security(tmp_path / "b")

    async def main() -> None:
        arguments = ours.get_listen_args("worker")
        async with _listening("mtfs://127.0.0.1", token=None, **arguments) as listener:
            comm = await connect(
                listener.contact_address, token=None, **ours.get_connection_args("worker")
            )
            await comm.write(bytes(500_000))
            assert await comm.read() == bytes(500_000)
            comm.abort()
            with pytest.raises(FatalCommClosedError):
                await connect(
                    listener.contact_address, token=None, **other.get_connection_args("worker")
                )
            plain = listener.contact_address.replace("mtfs", "mtf")
            with pytest.raises(OSError, match=r".*"):
                await connect(plain, timeout=0.5, token=None)
            with pytest.raises(RuntimeError, match="encryption is required"):
                await connect(plain, **ours.get_connection_args("worker"))

    asyncio.run(main())


def test_tls_without_a_context_says_what_is_missing() -> None:
    async def main() -> None:
        with pytest.raises(TypeError, match="ssl_context"):
            await listen("mtfs://127.0.0.1", _echo)

    asyncio.run(main())


def test_a_token_is_not_printed() -> None:
    options = TransportOptions(token="a secret")
    assert "a secret" not in f"{options!r} {options.credentials(listening=True)!r}"
