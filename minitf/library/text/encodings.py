"""Codes of strings: base64 and Unicode."""

from __future__ import annotations

import base64
import unicodedata
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph import Tensor
from minitf.core.graph.op_def import none_is_default, op, unchanged_shape
from minitf.core.graph.shapes import TensorShape
from minitf.core.ops.array import check_choice, identity
from minitf.core.ops.array_shaping import expand_dims
from minitf.core.ops.elementwise import invalid, sample
from minitf.core.ops.examples import named
from minitf.core.ops.string_values import as_objects, mapped
from minitf.library.sparse.ragged import RaggedTensor
from minitf.library.text.strings import reduce_join, string_op

# ---- base64 ------------------------------------------------------------------------------


def _texts(rng: np.random.Generator) -> np.ndarray:
    return as_objects([b"", b"a", b"ab", b"\xff\xfe\xfd"], (2, 2))


@string_op(
    "EncodeBase64",
    samples=[lambda rng: (_texts(rng), {}), lambda rng: (_texts(rng), {"pad": True})],
)
def encode_base64_op(xp: Any, input: Any, *, pad: bool = False) -> Any:
    """Writes bytes as letters, digits, - and _."""

    def encode(data: bytes) -> bytes:
        code = base64.urlsafe_b64encode(data)
        return code if pad else code.rstrip(b"=")

    return mapped(encode, input)


def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Tensor:
    """Strings in base64, in the alphabet for addresses; with `pad`, filled up by =."""
    return encode_base64_op(input, pad=pad, name=name)


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
        raise invalid(f"Could not create converter for input encoding: {encoding}") from None
    return codec


#: what becomes of what is no text, and of control characters: the attributes of the operations
_HOW = {"errors": "replace", "replacement_char": 0xFFFD, "replace_control_characters": False}


def _on_error(
    op_type: str, errors: str, replacement: int, controls: bool | None = None
) -> dict[str, Any]:
    """The attributes that say what becomes of what is no text, and of control characters."""
    check_choice(op_type, "errors", errors, ("strict", "replace", "ignore"))
    attrs = {"errors": errors, "replacement_char": replacement}
    return attrs if controls is None else {**attrs, "replace_control_characters": controls}


#: by the number that TensorFlow's library, ICU, has for each: Inherited is 1, Yi is 41
_SCRIPTS = """Inherited Arabic Armenian Bengali Bopomofo Cherokee Coptic Cyrillic Deseret Devanagari
Ethiopic Georgian Gothic Greek Gujarati Gurmukhi Han Hangul Hebrew Hiragana Kannada Katakana Khmer
Lao Latin Malayalam Mongolian Myanmar Ogham Old-Italic Oriya Runic Sinhala Syriac Tamil Telugu
Thaana Thai Tibetan Canadian Yi""".upper().split()
_OF_HAN = ("CJK", "KANGXI", "IDEOGRAPHIC")


def _script(code: Any) -> int:
    """Of a code point: Unicode's name of a character begins with its script."""
    if not 0 <= code <= 0x10FFFF:
        return -1
    kind = unicodedata.category(chr(code))
    if kind in ("Cn", "Co", "Cs"):
        return 103  # unknown
    words = unicodedata.name(chr(code), "").split()
    word = words[words[:1] in (["FULLWIDTH"], ["HALFWIDTH"]) :][:1]
    if word == ["COMBINING"]:
        return 1
    if not word or kind[0] in "PSZ" or kind == "Nd" and word == ["DIGIT"]:
        return 0
    word = ["HAN"] if word[0] in _OF_HAN else word
    return _SCRIPTS.index(word[0]) + 1 if word[0] in _SCRIPTS else 0


@op(
    "UnicodeScript",
    "input: int32 -> output: int32",
    host_only=True,
    samples=[lambda rng: (rng.integers(0, 0x600, size=(2, 3)).astype(np.int32), {})],
)
def unicode_script_op(xp: Any, input: Any) -> Any:
    """Tells the script of each code point."""
    return np.vectorize(_script, otypes=[np.int32])(input)


unicode_script_op.shape(unchanged_shape)


def unicode_script(input: Any, name: str | None = None) -> Tensor:
    """The script that each code point belongs to, by ICU's number; 0 for what all share.

    Args:
      input: int32, code points.
      name: the operation's name.
    Returns: int32 of the same shape; -1 for what is no code point.
    Example:
      >>> sess.run(tf.strings.unicode_script([ord("a"), ord("ж"), ord("1"), -3]))
      array([25,  8,  0, -1], dtype=int32)
    """
    return unicode_script_op(input, name=name)


@string_op(
    "UnicodeTranscode",
    attrs=_HOW,
    samples=[
        lambda rng: (_texts(rng), {"input_encoding": "UTF-8", "output_encoding": "UTF-16-BE"})
    ],
)
def unicode_transcode_op(
    xp: Any, input: Any, *, input_encoding: str, output_encoding: str, **how: Any
) -> Any:
    """Writes text in another encoding."""
    codec, out = _codec(input_encoding), _codec(output_encoding)
    return mapped(lambda text: _pieces(text, codec, **how)[0].encode(out), input)


@none_is_default
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
    how = _on_error("UnicodeTranscode", errors, replacement_char, replace_control_characters)
    check_choice("UnicodeTranscode", "output_encoding", output_encoding, [*_ENCODINGS])
    how |= {"input_encoding": input_encoding, "output_encoding": output_encoding}
    return unicode_transcode_op(input, **how, name=name)


def _pieces(
    text: bytes,
    codec: str,
    errors: str,
    replacement_char: int,
    replace_control_characters: bool,
) -> tuple[str, list[int]]:
    """The characters in bytes, and the byte that each begins at; what is none has its own rule."""
    found, starts, place = "", [], 0
    while place < len(text):
        try:
            good, bad, end = text[place:].decode(codec), len(text), len(text)
        except UnicodeDecodeError as error:
            if errors == "strict":
                raise invalid("Invalid formatting on input string") from None
            bad, end = place + error.start, place + error.end
            good = text[place:bad].decode(codec)
        sizes = (len(c.encode(codec)) for c in good)
        starts += list(accumulate(sizes, initial=place))[:-1]
        found += good
        if bad < end and errors == "replace":
            found, starts = found + chr(replacement_char), [*starts, bad]
        place = end
    if replace_control_characters:
        found = "".join(chr(replacement_char) if ord(c) < 32 else c for c in found)
    return found, starts


def _decoding(op_type: str, outputs: str, sentence: str, finish: Callable[..., tuple]) -> Any:
    """Declares an operation that reads the characters of strings.

    Args:
      op_type: its type.
      outputs: what it gives beside the splits: vectors, with one entry a character.
      sentence: what it does.
      finish: makes these of the characters of one string, the bytes they begin at, and the codec.
    """

    def kernel(xp: Any, input: Any, *, input_encoding: str, **how: Any) -> Any:
        codec = _codec(input_encoding)
        rows = [finish(*_pieces(text, codec, **how), codec) for text in np.ravel(input)]
        splits = np.cumsum([0, *(len(row[0]) for row in rows)], dtype=np.int64)
        nothing = finish("", [], codec)
        return (splits, *(np.concatenate([*column]) for column in zip(nothing, *rows)))

    kernel.__doc__ = sentence
    op_def = op(
        op_type,
        f"input: string -> row_splits: int64, {outputs}",
        sized_by_values=True,
        differentiable=False,
        attrs=_HOW,
        samples=[
            sample("h\u00e4 \U0001f600".encode(), input_encoding="UTF-8"),
            sample(as_objects([b"a\xffb", b"", b"c"]), input_encoding="UTF-8", replacement_char=63),
            sample(b"a\xffb", input_encoding="UTF-8", errors="ignore"),
        ],
    )(kernel)
    count = len(op_def.outputs) - 1
    op_def.shape(lambda input, **attrs: [_splits_shape(input), *[TensorShape([None])] * count])
    return op_def


def _splits_shape(input: Any) -> TensorShape:
    strings = input.shape.num_elements()
    return TensorShape([None if strings is None else strings + 1])


def _codes(text: str, starts: list[int], codec: str) -> tuple[np.ndarray]:
    return (np.array([ord(c) for c in text], np.int32),)


unicode_decode_op = _decoding(
    "UnicodeDecode", "char_values: int32", "Gives the code points of strings.", _codes
)
unicode_decode_with_offsets_op = _decoding(
    "UnicodeDecodeWithOffsets",
    "char_values: int32, char_to_byte_starts: int64",
    "Gives the code points of strings, and the byte that each begins at.",
    lambda text, starts, codec: (*_codes(text, starts, codec), np.array(starts, np.int64)),
)
unicode_split_op = _decoding(
    "UnicodeSplit",
    "characters: string",
    "Cuts strings into their characters.",
    lambda text, starts, codec: (as_objects(c.encode(codec) for c in text),),
)


@op(
    "UnicodeEncode",
    "input_values: int32 -> output: string",
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
            raise invalid("Code point is out of range for Unicode, or a noncharacter.")
        return "" if errors == "ignore" else chr(replacement_char)

    flat = input_values.reshape(-1, input_values.shape[-1]).tolist()
    joined = ("".join(map(character, row)).encode(codec) for row in flat)
    return as_objects(joined, input_values.shape[:-1])[()]


unicode_encode_op.shape(lambda input_values, **attrs: input_values.shape[:-1])


def _read(op_def: Any, input: Any, name: str | None, input_encoding: str, how: dict) -> Any:
    """What a decoding operation gives for strings of any shape: rows of different lengths."""
    if isinstance(input, RaggedTensor):
        parts = _read(op_def, input.flat_values, name, input_encoding, how)
        return [input.with_flat_values(part) for part in parts]
    text = convert_to_tensor(input, dtype=dtypes.string)
    rank = text.shape.ndims
    if rank is None:
        raise ValueError(f"The rank of the strings must be known: {text}")
    if rank > 1:
        return _read(
            op_def, RaggedTensor.from_tensor(text, ragged_rank=rank - 1), name, input_encoding, how
        )
    splits, *parts = op_def(text, input_encoding=input_encoding, **how, name=name)
    return parts if rank == 0 else [RaggedTensor.from_row_splits(each, splits) for each in parts]


def _reader(op_def: Any, name: str, doc: str) -> Callable[..., Any]:
    """Makes a public function of a decoding operation."""

    def function(
        input: Any,
        input_encoding: str,
        errors: str = "replace",
        replacement_char: int = 0xFFFD,
        replace_control_characters: bool = False,
        name: str | None = None,
    ) -> Any:
        how = _on_error(op_def.type, errors, replacement_char, replace_control_characters)
        parts = _read(op_def, input, name, input_encoding, how)
        return tuple(parts) if len(parts) > 1 else parts[0]

    return named(function, name, doc)


_STRINGS = """
    Args:
      input: strings, of any shape; they may be ragged.
      input_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE", or another that Python knows.
      errors: what becomes of bytes that are no text: "replace", "ignore" or "strict".
      replacement_char: the code point that replaces them.
      replace_control_characters: whether the code points below 32 are replaced too.
      name: the operation's name.
    Returns: for one string a vector; for more a `RaggedTensor` with one more axis.
    Raises:
      InvalidArgumentError: when it runs, `errors` is "strict", and there is no text in the bytes.
    """
unicode_decode = _reader(
    unicode_decode_op, "unicode_decode", f"The code points of strings, int32.\n{_STRINGS}"
)
unicode_decode_with_offsets = _reader(
    unicode_decode_with_offsets_op,
    "unicode_decode_with_offsets",
    f"The code points of strings, and the byte that each begins at, int64.\n{_STRINGS}",
)


def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Tensor:
    """Strings of the code points along the last axis of an int32 tensor, which may be ragged."""
    how = _on_error("UnicodeEncode", errors, replacement_char)
    check_choice("UnicodeEncode", "output_encoding", output_encoding, [*_ENCODINGS])
    if isinstance(input, RaggedTensor):
        if isinstance(input.values, RaggedTensor):
            inner = unicode_encode(input.values, output_encoding, errors, replacement_char, name)
            return input.with_values(inner)
        characters = unicode_encode(
            expand_dims(input.values, -1), output_encoding, errors, replacement_char
        )
        joined = reduce_join(input.with_values(characters).to_tensor(), 1)
        return identity(joined, name=name)
    codes = convert_to_tensor(input, dtype=dtypes.int32)
    return unicode_encode_op(codes, output_encoding=output_encoding, **how, name=name)


def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Any:
    """The characters of strings, each a string; see `unicode_decode`."""
    how = _on_error(unicode_split_op.type, errors, replacement_char)
    return _read(unicode_split_op, input, name, input_encoding, how)[0]
