"""Codes of strings: base64 and Unicode."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph import Tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.ops.string_values import as_objects, mapped

# ---- base64 ------------------------------------------------------------------------------


def _texts(rng: np.random.Generator) -> np.ndarray:
    return as_objects([b"", b"a", b"ab", b"\xff\xfe\xfd"], (2, 2))


@op(
    "EncodeBase64",
    "input: string -> output: string",
    differentiable=False,
    samples=[lambda rng: (_texts(rng), {}), lambda rng: (_texts(rng), {"pad": True})],
)
def encode_base64_op(xp: Any, input: Any, *, pad: bool = False) -> Any:
    """Writes bytes as letters, digits, - and _."""

    def encode(data: bytes) -> bytes:
        code = base64.urlsafe_b64encode(data)
        return code if pad else code.rstrip(b"=")

    return mapped(encode, input)


@op(
    "DecodeBase64",
    "input: string -> output: string",
    differentiable=False,
    samples=[lambda rng: (as_objects([b"", b"YQ", b"YWI=", b"__79"]), {})],
)
def decode_base64_op(xp: Any, input: Any) -> Any:
    """Reads what `EncodeBase64` wrote."""

    def decode(code: bytes) -> bytes:
        letters = code.rstrip(b"=")
        if len(letters) % 4 == 1:
            text = "Base64 string length cannot be 1 modulo 4."
            raise errors.InvalidArgumentError(None, None, text)
        try:
            if b"+" in code or b"/" in code:
                raise ValueError
            filled = letters + b"=" * (-len(letters) % 4)
            return base64.b64decode(filled, altchars=b"-_", validate=True)
        except ValueError:
            raise errors.InvalidArgumentError(
                None, None, "Invalid character found in base64."
            ) from None

    return mapped(decode, input)


encode_base64_op.shape(lambda input, pad: input.shape)
decode_base64_op.shape(lambda input: input.shape)


def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Tensor:
    """Strings in base64, in the alphabet for addresses; with `pad`, filled up by =."""
    return encode_base64_op(input, pad=pad, name=name)


def decode_base64(input: Any, name: str | None = None) -> Tensor:
    """Strings back from base64."""
    return decode_base64_op(input, name=name)


# ---- Unicode -----------------------------------------------------------------------------

_ENCODINGS = {"UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}


def _codec(encoding: str) -> str:
    """Python's name of an encoding.

    Raises:
      InvalidArgumentError: when there is none of that name, or it is none of text.
    """
    codec = _ENCODINGS.get(encoding.upper(), encoding.lower())
    try:
        "a".encode(codec)
    except (LookupError, ValueError):
        raise errors.InvalidArgumentError(
            None, None, f"Could not create converter for input encoding: {encoding}"
        ) from None
    return codec


def _characters(
    text: bytes, encoding: str, on_error: str, replacement: int, controls: bool = False
) -> str:
    """The characters in bytes; what is none is left out, replaced or an error."""
    codec = _codec(encoding)
    if on_error == "strict":
        try:
            found = text.decode(codec)
        except UnicodeDecodeError:
            raise errors.InvalidArgumentError(
                None, None, "Invalid formatting on input string"
            ) from None
    elif on_error == "ignore":
        found = text.decode(codec, errors="ignore")
    else:
        found = text.decode(codec, errors="replace")
        if replacement != 0xFFFD:
            found = found.replace("\ufffd", chr(replacement))
    if controls:
        found = "".join(chr(replacement) if ord(c) < 32 else c for c in found)
    return found


def _check_errors(on_error: str) -> None:
    if on_error not in ("strict", "replace", "ignore"):
        raise ValueError(f"errors must be 'strict', 'replace' or 'ignore', not {on_error!r}.")


@op(
    "UnicodeTranscode",
    "input: string -> output: string",
    differentiable=False,
    samples=[
        lambda rng: (_texts(rng), {"input_encoding": "UTF-8", "output_encoding": "UTF-16-BE"})
    ],
)
def unicode_transcode_op(
    xp: Any,
    input: Any,
    *,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
) -> Any:
    """Writes text in another encoding."""
    out = _codec(output_encoding)
    return mapped(
        lambda text: _characters(
            text, input_encoding, errors, replacement_char, replace_control_characters
        ).encode(out),
        input,
    )


unicode_transcode_op.shape(lambda input, **attrs: input.shape)


def unicode_transcode(
    input: Any,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """Strings in another encoding.

    Args:
      input: strings.
      input_encoding: of them, as "UTF-8".
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: what to do with what is no text: "replace", "ignore" or "strict".
      replacement_char: what replaces it.
      replace_control_characters: whether control characters are replaced too.
      name: the name.
    """
    _check_errors(errors)
    return unicode_transcode_op(
        input,
        input_encoding=input_encoding,
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
        name=name,
    )


@op(
    "UnicodeDecode",
    "input: string -> char_values: int32",
    differentiable=False,
    no_samples="how many values it gives depends on the string; cases/strings.py compares some",
)
def unicode_decode_op(
    xp: Any,
    input: Any,
    *,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
) -> Any:
    """Gives the code points of one string."""
    text = _characters(input, input_encoding, errors, replacement_char, replace_control_characters)
    return np.array([ord(c) for c in text], np.int32)


@op(
    "UnicodeDecodeWithOffsets",
    "input: string -> char_values: int32, char_to_byte_starts: int64",
    differentiable=False,
    no_samples="how many values it gives depends on the string; cases/strings.py compares some",
)
def unicode_decode_with_offsets_op(
    xp: Any,
    input: Any,
    *,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
) -> Any:
    """Gives the code points of one string, and the byte that each begins at."""
    text = _characters(input, input_encoding, errors, replacement_char, replace_control_characters)
    codec = _codec(input_encoding)
    sizes = [len(c.encode(codec)) for c in text]
    starts = np.cumsum([0, *sizes[:-1]], dtype=np.int64)[: len(sizes)]
    return np.array([ord(c) for c in text], np.int32), starts


@op(
    "UnicodeEncode",
    "input_values: int32 -> output: string",
    differentiable=False,
    samples=[lambda rng: (np.array([[72, 228], [0x1F600, 33]], np.int32), {})],
)
def unicode_encode_op(
    xp: Any,
    input_values: Any,
    *,
    output_encoding: str = "UTF-8",
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
) -> Any:
    """Makes a string of the code points along the last axis."""
    codec = _codec(output_encoding)

    def character(code: int) -> str:
        if 0 <= code < 0x110000 and not 0xD800 <= code < 0xE000:
            return chr(code)
        if errors == "strict":
            raise _invalid_code()
        return "" if errors == "ignore" else chr(replacement_char)

    flat = input_values.reshape(-1, input_values.shape[-1]).tolist()
    joined = as_objects(
        ("".join(map(character, row)).encode(codec) for row in flat), input_values.shape[:-1]
    )
    return joined if joined.ndim else joined[()]


def _invalid_code() -> errors.OpError:
    return errors.InvalidArgumentError(
        None, None, "Code point is out of range for Unicode, or a noncharacter."
    )


@op(
    "UnicodeSplit",
    "input: string -> characters: string",
    differentiable=False,
    no_samples="how many values it gives depends on the string; cases/strings.py compares some",
)
def unicode_split_op(
    xp: Any,
    input: Any,
    *,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
) -> Any:
    """Cuts one string into its characters."""
    text, codec = (
        _characters(input, input_encoding, errors, replacement_char),
        _codec(input_encoding),
    )
    return as_objects(c.encode(codec) for c in text)


@unicode_decode_op.shape
@unicode_split_op.shape
def _characters_shape(input: Any, **attrs: Any) -> Any:
    input.shape.assert_has_rank(0)
    return TensorShape([None])


@unicode_decode_with_offsets_op.shape
def _offsets_shape(input: Any, **attrs: Any) -> Any:
    return [_characters_shape(input), _characters_shape(input)]


@unicode_encode_op.shape
def _unicode_encode_shape(input_values: Any, **attrs: Any) -> Any:
    return input_values.shape[:-1]


def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """The code points of one string, [n] int32; see `unicode_transcode`."""
    _check_errors(errors)
    return unicode_decode_op(
        convert_to_tensor(input, dtype=dtypes.string),
        input_encoding=input_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
        name=name,
    )


def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The code points of one string, and the byte that each begins at, [n] int64."""
    _check_errors(errors)
    found = unicode_decode_with_offsets_op(
        convert_to_tensor(input, dtype=dtypes.string),
        input_encoding=input_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
        name=name,
    )
    return found[0], found[1]


def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Tensor:
    """Strings of the code points along the last axis of an int32 tensor."""
    _check_errors(errors)
    if output_encoding not in _ENCODINGS:
        known = ", ".join(f'"{each}"' for each in _ENCODINGS)
        raise ValueError(
            f"Attr 'output_encoding' of 'UnicodeEncode' Op passed string '{output_encoding}' not "
            f"in: {known}."
        )
    return unicode_encode_op(
        convert_to_tensor(input, dtype=dtypes.int32),
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=replacement_char,
        name=name,
    )


def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Tensor:
    """The characters of one string, each a string."""
    _check_errors(errors)
    return unicode_split_op(
        convert_to_tensor(input, dtype=dtypes.string),
        input_encoding=input_encoding,
        errors=errors,
        replacement_char=replacement_char,
        name=name,
    )
