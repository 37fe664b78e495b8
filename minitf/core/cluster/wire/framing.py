"""The format of messages, and the checks of a reader.

A frame is plain data followed by raw array bytes. It cannot name a class or a function, so that
reading a frame makes numbers, texts and arrays, and never runs code of the sender.

    +--------+--------------+---------------+----------------------+-----------------------------+
    | "MTF1" | header bytes | payload bytes | header (msgpack)     | payload                     |
    |        | uint32       | uint64        | [fields, specs]      | array 0, array 1, ...       |
    +--------+--------------+---------------+----------------------+-----------------------------+
      fields: {str: None | bool | int | float | str | bytes | list | dict}
      specs:  [[dtype name, [dim, ...], bytes], ...]       one entry an array, in payload order

Every size is checked against `Limits` before memory is allocated. The limits are small until a peer
has authenticated. A "string" array is sent as its int64 lengths followed by the bytes. Arrays of
rank 0 arrive as NumPy scalars.

This module does no input or output; `connection` does.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minitf.core.cluster import MISSING

try:
    import msgpack
except ImportError:  # graphs and local sessions need NumPy alone
    msgpack = None

MAGIC = b"MTF1"
PRELUDE = struct.Struct("<4sIQ")
_PACK = PRELUDE.pack
_UNPACK = PRELUDE.unpack
JOIN_BELOW = 16 * 1024  # smaller arrays are copied behind the header, larger ones are sent in place

_DTYPES = {
    name: np.dtype(name).newbyteorder("<")
    for name in (
        "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
        "float16 float32 float64 complex64 complex128"
    ).split()
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_SCALARS = frozenset((type(None), bool, int, float, str, bytes))

Spec = tuple[str, tuple[int, ...], int]


class FramingError(ConnectionError):
    """The bytes of a peer are no valid frame; its connection must be closed."""


class EndedError(FramingError):
    """The connection ended inside a frame."""


@dataclass(frozen=True)
class Limits:
    """The largest sizes a reader accepts, in bytes except where said otherwise."""

    header: int = 1 << 20
    payload: int = 4 << 30
    arrays: int = 8192  # count
    rank: int = 32  # count
    depth: int = 16  # nested lists and dictionaries


BEFORE_AUTHENTICATION = Limits(header=2048, payload=0, arrays=0, depth=3)
NO_ARRAYS = Limits(payload=0, arrays=0)
AFTER_AUTHENTICATION = Limits()


def packer() -> Any:
    """Returns a msgpack Packer for `encode`; one thread at a time may use it.

    Raises:
      ImportError: when msgpack is not installed.
    """
    if msgpack is None:
        raise ImportError(MISSING)
    return msgpack.Packer(use_bin_type=True, autoreset=True)


def encode(fields: dict[str, Any], arrays: Sequence[Any] = (), packer: Any = None) -> list[Any]:
    """Returns the frame as a list of buffers, ready for `socket.sendmsg`.

    Large arrays are in the list as views of their own memory: they must not change until the
    buffers have been sent.

    Args:
      fields: plain data with string keys.
      arrays: NumPy arrays, NumPy scalars, bytes, str, or object arrays of bytes.
      packer: from `packer`, for a caller that sends often.
    Raises:
      TypeError: when a value cannot be sent (an object, an extension type).
    """
    pack = packer.pack if packer is not None else msgpack.packb
    if not arrays:
        header = pack((fields, ()))
        return [_PACK(MAGIC, len(header), 0) + header]
    specs, parts, small, payload = [], [], [], 0
    for value in arrays:
        name, shape, nbytes, buffer = _encode_array(value)
        specs.append((name, shape, nbytes))
        payload += nbytes
        if nbytes < JOIN_BELOW:
            small.append(buffer)
            continue
        if small:
            parts.append(b"".join(small))
            small = []
        parts.append(buffer)
    if small:
        parts.append(b"".join(small))
    header = pack((fields, specs))
    head = _PACK(MAGIC, len(header), payload) + header
    if parts and len(parts[0]) < 4 * JOIN_BELOW:
        parts[0] = head + bytes(parts[0])
        return parts
    return [head, *parts]


def announce(fields: dict[str, Any], dtype: Any, count: int) -> bytes:
    """Returns the beginning of a frame with one array [count], whose bytes the caller sends."""
    nbytes = count * dtype.itemsize
    header = msgpack.packb((fields, [(_NAMES[dtype], (count,), nbytes)]), use_bin_type=True)
    return _PACK(MAGIC, len(header), nbytes) + header


def parse_prelude(prelude: Any, peer: str, limits: Limits) -> tuple[int, int]:
    """Returns (header bytes, payload bytes) announced by the first 16 bytes of a frame."""
    magic, header, payload = _UNPACK(prelude)
    if magic != MAGIC:
        raise FramingError(f"{peer}: not a minitf frame (it starts with {bytes(magic)!r})")
    if header > limits.header:
        raise FramingError(f"{peer}: header of {header} bytes, at most {limits.header} accepted")
    if payload > limits.payload:
        raise FramingError(f"{peer}: payload of {payload} bytes, at most {limits.payload} accepted")
    return header, payload


def parse_header(
    header: Any, payload: int, peer: str, limits: Limits
) -> tuple[dict[str, Any], list[Spec]]:
    """Returns (fields, specs), each checked against the announced payload and the limits."""
    try:
        message = msgpack.unpackb(
            header, raw=False, strict_map_key=True, ext_hook=_refuse_extension, timestamp=0
        )
    except Exception as error:  # a hostile header may break the parser in any of its ways
        raise FramingError(f"{peer}: unreadable header ({error})") from None
    if type(message) is not list or len(message) != 2:
        raise FramingError(f"{peer}: header is not [fields, specs]")
    fields, raw_specs = message
    if type(fields) is not dict or type(raw_specs) is not list:
        raise FramingError(f"{peer}: header is not [fields, specs]")
    for value in fields.values():
        if type(value) not in _SCALARS:
            _check_plain(fields, peer, limits.depth)
            break
    if not raw_specs and not payload:
        return fields, []
    if len(raw_specs) > limits.arrays:
        raise FramingError(f"{peer}: {len(raw_specs)} arrays, at most {limits.arrays} accepted")
    specs = [_check_spec(spec, peer, limits) for spec in raw_specs]
    announced = sum(spec[2] for spec in specs)
    if announced != payload:
        raise FramingError(f"{peer}: arrays of {announced} bytes in a payload of {payload} bytes")
    return fields, specs


def allocate(spec: Spec, flat: Any = None) -> tuple[Any, memoryview]:
    """Returns (target, its bytes) to receive the bytes of one array.

    Args:
      spec: an entry that `parse_header` returned.
      flat: [bytes] uint8 memory to use instead of fresh memory.
    """
    name, shape, nbytes = spec
    if flat is None:
        flat = np.empty(nbytes, np.uint8)
    if name == "string":
        return flat, flat.data
    return flat[:nbytes].view(_DTYPES[name]).reshape(shape), memoryview(flat)[:nbytes]


def finish(spec: Spec, target: Any, peer: str) -> Any:
    """Returns the value of a filled target: an array, or a NumPy scalar for rank 0."""
    if spec[0] == "string":
        return _decode_strings(spec, target.tobytes(), peer)
    return target if spec[1] else target[()]


def decode_bytes(spec: Spec, data: Any, peer: str) -> Any:
    """Returns the value of an array, copied from its bytes."""
    name, shape, _ = spec
    if name == "string":
        return _decode_strings(spec, bytes(data), peer)
    array = np.frombuffer(data, _DTYPES[name])
    return array.reshape(shape).copy() if shape else array[0]


def _encode_array(value: Any) -> tuple[str, tuple[int, ...], int, Any]:
    dtype = getattr(value, "dtype", None)
    name = _NAMES.get(dtype) if dtype is not None else None
    if name is not None:
        if value.nbytes < JOIN_BELOW:
            return name, value.shape, value.nbytes, value.tobytes()
        flat = np.ascontiguousarray(value).reshape(-1).view(np.uint8)
        return name, value.shape, value.nbytes, flat.data
    if dtype is not None and dtype.kind in "biufc":
        native = np.asarray(value).astype(dtype.newbyteorder("<"))
        if native.dtype in _NAMES:
            return _encode_array(native)
    elif isinstance(value, bytes | str) or (dtype is not None and dtype.kind in "OSU"):
        return _encode_strings(np.asarray(value, object))
    raise TypeError(
        f"A value of type {type(value).__name__}"
        + (f" and dtype {dtype}" if dtype is not None else "")
        + " cannot travel between tasks: only numbers, booleans and strings do."
    )


def _encode_strings(value: np.ndarray) -> tuple[str, tuple[int, ...], int, bytes]:
    items = []
    for item in value.reshape(-1):
        if isinstance(item, str):
            item = item.encode()
        elif not isinstance(item, bytes):
            raise TypeError(f"A {type(item).__name__} cannot travel in a string tensor.")
        items.append(bytes(item))
    lengths = np.fromiter(map(len, items), np.dtype("<i8"), len(items))
    data = lengths.tobytes() + b"".join(items)
    return "string", value.shape, len(data), data


def _decode_strings(spec: Spec, data: bytes, peer: str) -> Any:
    count = math.prod(spec[1])
    lengths = np.frombuffer(data, "<i8", count).tolist()
    if any(length < 0 for length in lengths) or 8 * count + sum(lengths) != len(data):
        raise FramingError(f"{peer}: string lengths do not add up to {len(data)} bytes")
    result = np.empty(count, object)
    position = 8 * count
    for i, length in enumerate(lengths):
        result[i] = data[position : position + length]
        position += length
    return result.reshape(spec[1]) if spec[1] else result[0]


def _check_spec(spec: Any, peer: str, limits: Limits) -> Spec:
    if type(spec) is not list or len(spec) != 3:
        raise FramingError(f"{peer}: an array is announced as [dtype, shape, bytes], not so")
    name, shape, nbytes = spec
    if type(name) is not str or (name not in _DTYPES and name != "string"):
        raise FramingError(f"{peer}: arrays of dtype {name!r} are not accepted")
    if type(shape) is not list or len(shape) > limits.rank:
        raise FramingError(f"{peer}: an array's shape is no list of at most {limits.rank} sizes")
    for size in shape:
        if type(size) is not int or size < 0:
            raise FramingError(f"{peer}: a shape of an array has the size {size!r}")
    if type(nbytes) is not int:
        raise FramingError(f"{peer}: the byte count of an array is {nbytes!r}")
    count = math.prod(shape)
    if name == "string":
        # The shape must fit the payload even where another size is 0, or NumPy overflows.
        if 8 * count > nbytes or math.prod(s or 1 for s in shape) > limits.payload:
            raise FramingError(f"{peer}: {count} strings in {nbytes} bytes")
    elif count * _DTYPES[name].itemsize != nbytes or (
        math.prod(s or 1 for s in shape) * _DTYPES[name].itemsize > limits.payload
    ):
        raise FramingError(f"{peer}: {nbytes} bytes for shape {shape} of dtype {name}")
    return name, tuple(shape), nbytes


def _check_plain(value: Any, peer: str, depth: int) -> None:
    if depth == 0:
        raise FramingError(f"{peer}: header nested too deeply")
    for item in value.values() if type(value) is dict else value:
        kind = type(item)
        if kind is dict or kind is list:
            _check_plain(item, peer, depth - 1)
        elif kind not in _SCALARS:
            raise FramingError(f"{peer}: a {kind.__name__} in the header")


def _refuse_extension(code: int, data: bytes) -> Any:
    raise ValueError(f"extension type {code}")
