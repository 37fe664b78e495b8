"""Examples written as JSON, for those who make them by hand or with another language.

    {"features": {"feature": {"age": {"int64List": {"value": [29]}}}}}
        ──DecodeJSONExample──> the bytes of a `tf.train.Example`

The mapping is protobuf's: a field has its name or its name in camel case; 64-bit integers may be
texts, bytes are in base64, and null leaves a field out. It needs no package: three levels of
messages are written by hand.
"""

from __future__ import annotations

import base64
import json
import math
import re
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph.op_def import op, unchanged_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.string_values import as_objects, mapped
from minitf.library.formats.wire import field, fixed32, varint

_LARGEST_FLOAT = float(np.finfo(np.float32).max)
_SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_TYPES = "type.googleapis.com/tensorflow."
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)  # Python takes more
_DIGITS = re.compile(r"-?[0-9]{1,19}")  # so many has the largest of 64 bits


class _Object(list):
    """A JSON object: pairs of a key and a value, in their order, repeated keys too."""


def _wrong(text: str) -> Exception:
    return invalid(f"Error while parsing JSON: {text}\n")


def _wrong_value(place: str, value: Any, kind: str) -> Exception:
    shown = f"{value:g}" if isinstance(value, float) or _is_large(value) else (
        json.dumps(value, ensure_ascii=False)
    )  # fmt: skip
    return _wrong(f"({place}): invalid value {shown} for type {kind}")


def _is_large(value: Any) -> bool:
    return isinstance(value, int) and not -(2**63) <= value < 2**64


def _camel(name: str) -> str:
    """A name in camel case: `int64List` of `int64_list`."""
    return re.sub(r"_(.)", lambda match: match[1].upper(), name)


# ---- values ----------------------------------------------------------------------------------


# Each writes one item of a list as a field of its own, as TensorFlow does: unpacked.


def _float(place: str, value: Any) -> bytes:
    number = value
    if isinstance(value, str):
        try:
            number = _SPECIAL[value] if value in _SPECIAL else float(_NUMBER.fullmatch(value)[0])  # type: ignore[index]
        except TypeError:
            raise _wrong_value(place, value, "TYPE_FLOAT") from None
    if isinstance(number, bool) or math.isfinite(number) and abs(number) > _LARGEST_FLOAT:
        raise _wrong_value(place, value, "TYPE_FLOAT")
    return fixed32(1, int.from_bytes(struct.pack("<f", number), "little"))


def _int(place: str, value: Any) -> bytes:
    number = value
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        number = int(value)
    whole = isinstance(number, (int, float)) and not isinstance(number, bool)
    if not whole or number != int(number) or not -(2**63) <= number < 2**63:
        raise _wrong_value(place, value, "TYPE_INT64")
    return varint(1 << 3) + varint(int(number))  # `field` would leave out a zero


def _bytes(place: str, value: Any) -> bytes:
    if not isinstance(value, str):
        raise _wrong_value(place, value, "TYPE_BYTES")
    text = value.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:  # not in base64, or not in ASCII
        raise _wrong_value(place, value, "TYPE_BYTES") from None
    return field(1, data)


_LISTS: dict[str, tuple[int, Callable[[str, Any], bytes]]] = {
    "bytes_list": (1, _bytes),
    "float_list": (2, _float),
    "int64_list": (3, _int),
}


# ---- messages --------------------------------------------------------------------------------


def _named(place: str, value: Any, message: str, names: tuple[str, ...]) -> list:
    """The fields that are there, as (name, name as written, value)."""
    if isinstance(value, list) and not isinstance(value, _Object):
        parent, _, last = place.rpartition(".")
        if message in ("Feature", "Features.FeatureEntry"):
            raise _wrong(f"({place}) : Proto fields must have a name.")
        where = f"({parent}) " if parent else ""
        raise _wrong(f"{where}{_camel(last)}: Proto field is not repeating, cannot start list.")
    if not isinstance(value, _Object):
        raise _wrong_value(place, value, _TYPES + message)
    found = []
    for key, given in value:
        name = next((name for name in names if key in (name, _camel(name))), None)
        if name is None:
            where = f"({place}) " if place else ""
            raise _wrong(f"{where}{key}: Cannot find field.")
        if given is not None:
            found.append((name, key, given))
    return found


def _flat(value: Any) -> list:
    """A list in a list is no list of its own, and one value is a list of one."""
    if isinstance(value, list) and not isinstance(value, _Object):
        return [item for each in value for item in _flat(each)]
    return [] if value is None else [value]


def _list_of_values(place: str, value: Any, name: str) -> bytes:
    number, write = _LISTS[name]
    message = {1: "BytesList", 2: "FloatList", 3: "Int64List"}[number]
    written = b""
    for _, _, values in _named(place, value, message, ("value",)):
        items = _flat(values)
        if any(isinstance(item, _Object) for item in items):
            raise _wrong(
                f"({place}.value): invalid value Starting an object on a scalar field for type "
            )
        written += b"".join(write(f"{place}.value[{i}]", item) for i, item in enumerate(items))
    return written


def _feature(place: str, value: Any) -> bytes:
    given = _named(place, value, "Feature", tuple(_LISTS))
    if len(given) > 1:
        raise _wrong(
            f"({place}): invalid value oneof field 'kind' is already set. Cannot set "
            f"'{_camel(given[1][0])}' for type oneof"
        )
    for name, _, values in given:
        return field(_LISTS[name][0], _list_of_values(f"{place}.{name}", values, name))
    return b""


def _features(value: Any) -> bytes:
    written, seen = b"", set()
    for _, _, entries in _named("features", value, "Features", ("feature",)):
        if isinstance(entries, list) and not isinstance(entries, _Object):
            raise _wrong(
                "(features): invalid value Cannot bind a list to map for field 'feature'. "
                "for type Map"
            )
        if not isinstance(entries, _Object):
            raise _wrong_value("features.feature", entries, f"{_TYPES}Features.FeatureEntry")
        for i, (key, feature) in enumerate(entries):
            if key in seen:
                raise _wrong(
                    f"(features.feature[0]) {key}: Repeated map key: '{key}' is already set."
                )
            seen.add(key)
            entry = field(1, key.encode())
            if feature is not None:
                entry += field(2, _feature(f"features.feature[{i}].value", feature))
            written += field(1, entry)
    return written


def example_of_json(text: bytes) -> bytes:
    """The bytes of the example that a text in JSON describes.

    Raises:
      InvalidArgumentError: when it is no JSON, or describes none.
    """
    if not text.strip():
        raise _wrong("Unexpected end of string. Expected a value.\n\n^")
    try:
        value = json.loads(
            text.decode(), object_pairs_hook=_Object, parse_float=_finite, parse_int=_whole,
            parse_constant=_no_constant,
        )  # fmt: skip
        if rb"\u" in text:  # half of a character can be written so, but is no text
            json.dumps(value, ensure_ascii=False).encode()
        if not isinstance(value, _Object):
            raise _wrong(": Root element must be a message.")
        given = _named("", value, "Example", ("features",))
        return b"".join(field(1, _features(each)) for _, _, each in given)
    except UnicodeEncodeError:
        raise _wrong("Missing low surrogate.") from None
    except RecursionError:
        raise _wrong("Message too deep.") from None
    except ValueError as error:
        raise _wrong(str(error)) from None


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("Number exceeds the range of double.")
    return number


def _whole(text: str) -> int:
    _finite(text)  # int() would take long for millions of digits
    return int(text)


def _no_constant(text: str) -> float:
    raise ValueError("Unexpected token.")  # NaN and Infinity, which Python takes


# ---- DecodeJSONExample -------------------------------------------------------------------------

_SAMPLE = (
    b'{"features": {"feature": {"age": {"int64List": {"value": ["29", -1]}}, '
    b'"name": {"bytesList": {"value": ["YQ=="]}}}}}'
)


@op(
    "DecodeJSONExample",
    "json_examples: string -> binary_examples: string",
    batch="first",
    differentiable=False,
    samples=[lambda rng: (as_objects([_SAMPLE, b"{}"]), {})],
)
def decode_json_example_op(xp: Any, json_examples: Any) -> Any:
    """Makes the bytes of examples from their description in JSON."""
    return mapped(example_of_json, json_examples)


decode_json_example_op.shape(unchanged_shape)


def decode_json_example(json_examples: Any, name: str | None = None) -> Tensor:
    """The bytes of examples that are described in JSON, for `tf.parse_example`.

    Args:
      json_examples: strings of any shape.
      name: the name.
    Raises:
      InvalidArgumentError: by the step, when a text is no JSON or describes no example.
    Example:
      >>> text = '{"features": {"feature": {"n": {"int64List": {"value": [3]}}}}}'
      >>> example = tf.decode_json_example(text)
      >>> sess.run(tf.parse_single_example(example, {"n": tf.FixedLenFeature([], tf.int64)}))
      {'n': 3}
    """
    return decode_json_example_op(json_examples, name=name)
