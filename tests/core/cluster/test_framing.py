"""What a frame can carry, and that a reader refuses everything else before it costs anything."""

import struct
from typing import Any

import msgpack
import numpy as np
import pytest

from minitf.core.cluster.wire import framing
from minitf.core.cluster.wire.framing import (
    AFTER_AUTHENTICATION,
    BEFORE_AUTHENTICATION,
    FramingError,
)


def _decode(data: bytes, limits: framing.Limits = AFTER_AUTHENTICATION) -> tuple[dict, list]:
    header, payload = framing.parse_prelude(data[:16], "peer", limits)
    fields, specs = framing.parse_header(data[16 : 16 + header], payload, "peer", limits)
    position, arrays = 16 + header, []
    for spec in specs:
        piece = data[position : position + spec[2]]
        copied = framing.decode_bytes(spec, piece, "peer")
        target, view = framing.allocate(spec)
        view[:] = piece
        received = framing.finish(spec, target, "peer")
        np.testing.assert_array_equal(copied, received)
        arrays.append(received)
        position += spec[2]
    assert position == len(data)
    return fields, arrays


def _frame(header: Any, payload: bytes = b"", announced: int | None = None) -> bytes:
    packed = header if isinstance(header, bytes) else msgpack.packb(header)
    size = len(payload) if announced is None else announced
    return struct.pack("<4sIQ", b"MTF1", len(packed), size) + packed + payload


@pytest.mark.parametrize(
    "dtype", "bool i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16 >i4 >f8 >c8".split()
)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 4), (2, 3, 4), (100, 70)])
def test_arrays_arrive_with_dtype_shape_and_values(dtype: str, shape: tuple[int, ...]) -> None:
    sent = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    fields, (got,) = _decode(b"".join(map(bytes, framing.encode({"step": 1}, [sent]))))
    assert fields == {"step": 1}
    assert got.dtype == sent.dtype.newbyteorder("=")
    assert got.shape == shape
    np.testing.assert_array_equal(got, sent)


def test_scalars_strings_and_views_travel() -> None:
    words = np.array([[b"a", b""], ["\u00fc", b"long" * 9000]], object)
    values = [np.float32(2.5), b"raw", "text", words, np.arange(12).reshape(3, 4).T, np.array("q")]
    _, got = _decode(b"".join(map(bytes, framing.encode({}, values))))
    assert type(got[0]) is np.float32
    assert got[0] == 2.5
    assert got[1:3] == [b"raw", b"text"]
    assert got[3].tolist() == [[b"a", b""], ["\u00fc".encode(), b"long" * 9000]]
    np.testing.assert_array_equal(got[4], values[4])
    assert got[5] == b"q"


def test_large_arrays_are_not_copied_when_sent() -> None:
    large = np.zeros(1 << 20, np.uint8)
    buffers = framing.encode({}, [np.int32(1), large, np.int32(2)])
    assert len(buffers) == 3
    assert np.shares_memory(np.frombuffer(buffers[1], np.uint8), large)


@pytest.mark.parametrize("value", [object(), {"a": 1}, np.array([object()]), np.array(["x", None])])
def test_objects_cannot_travel(value: Any) -> None:
    with pytest.raises(TypeError, match="cannot travel"):
        framing.encode({}, [value])


def test_records_and_dates_cannot_travel() -> None:
    for value in (np.zeros(2, "i4,f4"), np.zeros(2, "M8[s]")):
        with pytest.raises(TypeError, match="cannot travel"):
            framing.encode({}, [value])


HOSTILE = {
    "other protocol": b"GET / HTTP/1.1\r\n\r\n",
    "header over the limit": struct.pack("<4sIQ", b"MTF1", 1 << 31, 0),
    "payload over the limit": struct.pack("<4sIQ", b"MTF1", 3, 1 << 63) + b"abc",
    "no msgpack": _frame(b"\xc1\xc1\xc1"),
    "more after the header": _frame(msgpack.packb([{}, []]) + b"\x00"),
    "extension type": _frame([{"a": msgpack.ExtType(5, b"x")}, []]),
    "timestamp": _frame([{"a": msgpack.Timestamp(1)}, []]),
    "no list": _frame({"a": 1}),
    "one entry": _frame([{}]),
    "fields are a list": _frame([[], []]),
    "numbers as keys": _frame([{1: 2}, []]),
    "deep nesting": _frame([{"a": [[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]}, []]),
    "object dtype": _frame([{}, [["object", [1], 8]]], b"x" * 8),
    "NumPy's pickle dtype": _frame([{}, [["|O", [1], 8]]], b"x" * 8),
    "dtype as a list": _frame([{}, [[["f4"], [1], 4]]], b"x" * 4),
    "negative size": _frame([{}, [["float32", [-1], 4]]], b"x" * 4),
    "two negative sizes": _frame([{}, [["float32", [-1, -1], 4]]], b"x" * 4),
    "negative bytes": _frame([{}, [["float32", [1], -4]]], b""),
    "float size": _frame([{}, [["float32", [1.0], 4]]], b"x" * 4),
    "bool size": _frame([{}, [["float32", [True], 4]]], b"x" * 4),
    "shape too large": _frame([{}, [["float32", [1 << 62, 4], 4]]], b"x" * 4),
    "huge sizes around a zero": _frame([{}, [["float32", [1 << 62, 0, 1 << 62], 0]]]),
    "strings around a zero": _frame([{}, [["string", [1 << 62, 0], 0]]]),
    "rank": _frame([{}, [["float32", [1] * 40, 4]]], b"x" * 4),
    "bytes do not fit the shape": _frame([{}, [["float32", [2], 4]]], b"x" * 4),
    "arrays larger than the payload": _frame([{}, [["float32", [2], 8]]], b"x" * 4),
    "payload without arrays": _frame([{}, []], b"x" * 4),
    "too many arrays": _frame([{}, [["bool", [0], 0]] * 9000]),
    "string lengths negative": _frame([{}, [["string", [1], 8]]], struct.pack("<q", -1)),
    "string lengths too large": _frame([{}, [["string", [1], 9]]], struct.pack("<q", 5) + b"x"),
    "fewer bytes than strings": _frame([{}, [["string", [2], 8]]], b"x" * 8),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE.keys())
def test_bytes_that_break_the_rules_name_the_peer(data: bytes) -> None:
    with pytest.raises(FramingError, match="^peer: "):
        _decode(data)


def test_strangers_may_send_little() -> None:
    for data in (_frame([{"a": b"x" * 3000}, []]), _frame([{}, [["bool", [1], 1]]], b"x")):
        _decode(data)
        with pytest.raises(FramingError, match="at most"):
            _decode(data, BEFORE_AUTHENTICATION)


def test_random_bytes_raise_nothing_else() -> None:
    rng = np.random.default_rng(1)
    good = b"".join(map(bytes, framing.encode({"a": [1, {"b": "c"}]}, [np.arange(5), b"abc"])))
    for _ in range(3000):
        data = bytearray(good)
        for position in rng.integers(0, len(data), rng.integers(1, 6)):
            data[position] = rng.integers(256)
        try:
            header, payload = framing.parse_prelude(data[:16], "peer", AFTER_AUTHENTICATION)
            if header + payload > len(data):
                continue
            fields, specs = framing.parse_header(
                bytes(data[16 : 16 + header]), payload, "peer", AFTER_AUTHENTICATION
            )
            assert type(fields) is dict
            for spec in specs:
                framing.decode_bytes(spec, bytes(spec[2]), "peer")
        except FramingError:
            pass
