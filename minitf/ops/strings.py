"""Operations on strings: joining, splitting, cutting, matching, and to and from numbers.

A tensor of strings holds bytes at run time; text becomes UTF-8 when a constant is made of it.
Codes (Unicode, base64, hashes) are in `string_codes`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.framework import dtypes, errors
from minitf.framework.convert import convert_to_tensor
from minitf.framework.graph import Tensor
from minitf.framework.registry import op
from minitf.framework.shapes import (
    TensorShape,
    broadcast_shapes,
    normalize_axes,
    unknown_shape,
)
from minitf.framework.sparse_tensor import SparseTensor
from minitf.framework.stacks import name_scope
from minitf.ops.array import one_of
from minitf.ops.example_kernels import rows_to_sparse
from minitf.ops.logging_ops import summarize_value
from minitf.ops.reductions import reduction_axes
from minitf.ops.strings_common import as_objects, mapped, mapped_many


def _words(rng: np.random.Generator) -> np.ndarray:
    """A sample: [2, 3] strings."""
    return as_objects([b"one", b" Two ", b"", "\u00e9t\u00e9".encode(), b"a,b,,c", b"12"], (2, 3))


def _same_shape(input: Any, **attrs: Any) -> Any:  # noqa: A002
    return input.shape


def _each(op_type: str, signature: str, function: Callable[[bytes], Any], doc: str, dtype: Any) -> Any:
    """Declares an operation that treats every string alike."""

    def kernel(xp: Any, input: Any) -> Any:  # noqa: A002
        return mapped(function, input, dtype)

    kernel.__doc__ = doc
    declared = op(
        op_type,
        signature,
        differentiable=False,
        samples=[lambda rng: (_words(rng), {})],
    )(kernel)
    declared.shape(_same_shape)
    return declared


# ---- AsString ----------------------------------------------------------------------------


@op(
    "AsString",
    "input: T -> output: string",
    differentiable=False,
    T=(*dtypes.REALS, *dtypes.COMPLEX, dtypes.bool),
    samples=[
        lambda rng: (rng.normal(size=(2, 3)), {"precision": 3}),
        lambda rng: (np.arange(3, dtype=np.int32), {"width": 4, "fill": "0"}),
        lambda rng: (np.array([True, False]), {}),
    ],
)
def as_string_op(
    xp: Any,
    input: Any,  # noqa: A002
    *,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
) -> Any:
    """Writes numbers and Booleans as text."""
    kind = np.asarray(input).dtype.kind
    flags = fill + (str(width) if width > -1 else "")
    digits = f".{precision}" if precision > -1 else ""
    if kind == "b":
        return mapped(lambda v: b"true" if v else b"false", input)
    if kind in "iu":
        form = f"%{flags}d"
        return mapped(lambda v: (form % int(v)).encode(), input)
    form = f"%{flags}{digits}{'e' if scientific else 'g' if shortest else 'f'}"
    if kind == "c":
        return mapped(lambda v: f"({form % v.real},{form % v.imag})".encode(), input)
    return mapped(lambda v: (form % float(v)).encode(), input)


as_string_op.shape(_same_shape)


def as_string(
    input: Any,  # noqa: A002
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Numbers and Booleans as strings.

    Args:
      input: what to write.
      precision: digits after the point; 6 when negative.
      scientific: as 1.5e+00.
      shortest: whichever form is shorter.
      width: the least width.
      fill: what fills it: " ", "0", "+" or "-".
      name: the name.
    """
    if len(fill) > 1 or fill not in ("", " ", "0", "+", "-"):
        raise ValueError(f"Fill string must be one of ' ', '0', '+' and '-', not {fill!r}.")
    return as_string_op(
        input,
        precision=precision,
        scientific=scientific,
        shortest=shortest,
        width=width,
        fill=fill,
        name=name,
    )


# ---- StringToNumber ----------------------------------------------------------------------


@op(
    "StringToNumber",
    "string_tensor: string -> output: out_type",
    differentiable=False,
    samples=[
        lambda rng: (as_objects([b"1.5", b" -2e3 ", b"7"]), {}),
        lambda rng: (as_objects([b"15", b"-3"]), {"out_type": dtypes.int64}),
    ],
)
def string_to_number_op(xp: Any, string_tensor: Any, *, out_type: Any = dtypes.float32) -> Any:
    """Reads strings as numbers."""
    dtype = out_type.as_numpy_dtype

    def number(text: bytes) -> Any:
        try:
            if b"_" in text:
                raise ValueError
            if out_type.is_floating:
                return dtype(float(text))
            value = int(text)
            if not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
                raise ValueError
            return dtype(value)
        except ValueError:
            shown = text.decode(errors="replace")
            raise errors.InvalidArgumentError(
                None, None, f"StringToNumberOp could not correctly convert string: {shown}"
            ) from None

    return mapped(number, string_tensor, dtype)


string_to_number_op.shape(lambda string_tensor, **attrs: string_tensor.shape)


def string_to_number(
    string_tensor: Any = None,
    out_type: Any = dtypes.float32,
    name: str | None = None,
    input: Any = None,  # noqa: A002
) -> Tensor:
    """Strings as numbers of `out_type`; `input` is another name of `string_tensor`.

    Raises:
      InvalidArgumentError: when a string is no number.
    """
    given = one_of("input", input, "string_tensor", string_tensor)
    return string_to_number_op(given, out_type=dtypes.as_dtype(out_type), name=name)


# ---- StringLower, StringUpper, StringStrip, StringLength ---------------------------------

_strip_op = _each(
    "StringStrip", "input: string -> output: string", bytes.strip, "Cuts blanks at both ends.", object
)


def string_strip(input: Any, name: str | None = None) -> Tensor:  # noqa: A002
    """Strings without the blanks at both ends."""
    return _strip_op(input, name=name)


def _cased(method: str) -> Callable[[bytes, str], bytes]:
    def change(text: bytes, encoding: str) -> bytes:
        if not encoding:
            return getattr(text, method)()
        return getattr(text.decode(errors="replace"), method)().encode()

    return change


@op(
    "StringLower",
    "input: string -> output: string",
    differentiable=False,
    samples=[lambda rng: (_words(rng), {}), lambda rng: (_words(rng), {"encoding": "utf-8"})],
)
def string_lower_op(xp: Any, input: Any, *, encoding: str = "") -> Any:  # noqa: A002
    """Makes capital letters small."""
    change = _cased("lower")
    return mapped(lambda text: change(text, encoding), input)


@op(
    "StringUpper",
    "input: string -> output: string",
    differentiable=False,
    samples=[lambda rng: (_words(rng), {}), lambda rng: (_words(rng), {"encoding": "utf-8"})],
)
def string_upper_op(xp: Any, input: Any, *, encoding: str = "") -> Any:  # noqa: A002
    """Makes small letters capital."""
    change = _cased("upper")
    return mapped(lambda text: change(text, encoding), input)


string_lower_op.shape(_same_shape)
string_upper_op.shape(_same_shape)


def string_lower(input: Any, encoding: str = "", name: str | None = None) -> Tensor:  # noqa: A002
    """Strings in small letters: those of ASCII, or with encoding "utf-8" all."""
    return string_lower_op(input, encoding=encoding, name=name)


def string_upper(input: Any, encoding: str = "", name: str | None = None) -> Tensor:  # noqa: A002
    """Strings in capital letters: those of ASCII, or with encoding "utf-8" all."""
    return string_upper_op(input, encoding=encoding, name=name)


@op(
    "StringLength",
    "input: string -> output: int32",
    differentiable=False,
    samples=[lambda rng: (_words(rng), {}), lambda rng: (_words(rng), {"unit": "UTF8_CHAR"})],
)
def string_length_op(xp: Any, input: Any, *, unit: str = "BYTE") -> Any:  # noqa: A002
    """Counts the bytes or the characters of strings."""
    count = len if unit == "BYTE" else lambda text: len(text.decode(errors="replace"))
    return mapped(count, input, np.int32)


string_length_op.shape(_same_shape)


def string_length(input: Any, name: str | None = None, unit: str = "BYTE") -> Tensor:  # noqa: A002
    """The lengths of strings, in bytes or with unit "UTF8_CHAR" in characters."""
    return string_length_op(input, unit=unit, name=name)


# ---- Substr ------------------------------------------------------------------------------


@op(
    "Substr",
    "input: string, pos: T, len: T -> output: string",
    differentiable=False,
    T=dtypes.INDICES,
    samples=[
        lambda rng: (as_objects([b"hello", b"world"]), np.int32(-3), np.int32(2), {}),
        lambda rng: (
            as_objects([b"hello", b"world"]),
            np.array([0, 2], np.int32),
            np.array([9, 1], np.int32),
            {},
        ),
    ],
)
def substr_op(xp: Any, input: Any, pos: Any, len: Any, *, unit: str = "BYTE") -> Any:  # noqa: A002
    """Cuts a piece out of each string."""

    def cut(text: bytes, start: Any, length: Any) -> bytes:
        whole = text if unit == "BYTE" else text.decode(errors="replace")
        size = whole.__len__()
        if not -size <= start <= size:
            raise errors.InvalidArgumentError(
                None, None, f"pos {start} out of range for string b'{text.decode(errors='replace')}'"
            )
        begin = start + size if start < 0 else start
        piece = whole[begin : begin + max(length, 0)]
        return piece if isinstance(piece, bytes) else piece.encode()

    return mapped_many(cut, input, pos, len)


@substr_op.shape
def _substr_shape(input: Any, pos: Any, len: Any, *, unit: str) -> Any:  # noqa: A002
    return broadcast_shapes(broadcast_shapes(input.shape, pos.shape), len.shape)


def substr(
    input: Any,  # noqa: A002
    pos: Any,
    len: Any,  # noqa: A002
    name: str | None = None,
    unit: str = "BYTE",
) -> Tensor:
    """Pieces of strings.

    Args:
      input: the strings.
      pos: where each piece begins; negative counts from the end.
      len: how long it is at most.
      name: the name.
      unit: "BYTE" or "UTF8_CHAR".
    Raises:
      InvalidArgumentError: when a piece begins outside of its string.
    """
    return substr_op(input, pos, len, unit=unit, name=name)


# ---- StringJoin, ReduceJoin --------------------------------------------------------------


@op(
    "StringJoin",
    "inputs: N*string -> output: string",
    differentiable=False,
    samples=[lambda rng: ([_words(rng), _words(rng)], {"separator": "-"})],
)
def string_join_op(xp: Any, inputs: Any, *, separator: str = "") -> Any:
    """Joins strings elementwise; a scalar goes with every element."""
    between = separator.encode()
    return mapped_many(lambda *parts: between.join(parts), *inputs)


@string_join_op.shape
def _string_join_shape(inputs: Any, *, separator: str) -> Any:
    whole = TensorShape(())
    for each in inputs:
        if each.shape.ndims is None:
            whole = unknown_shape() if whole.ndims in (0, None) else whole
        elif each.shape.ndims:
            whole = each.shape if whole.ndims in (0, None) else whole.merge_with(each.shape)
    return whole


def string_join(inputs: Sequence[Any], separator: str = "", name: str | None = None) -> Tensor:
    """Strings joined elementwise, with `separator` between them."""
    return string_join_op(list(inputs), separator=separator, name=name)


@op(
    "ReduceJoin",
    "inputs: string -> output: string",
    differentiable=False,
    samples=[
        lambda rng: (_words(rng), {"axis": (1,), "separator": "+"}),
        lambda rng: (_words(rng), {"axis": (1, 0), "keep_dims": True}),
    ],
)
def reduce_join_op(
    xp: Any, inputs: Any, *, axis: Any = None, keep_dims: bool = False, separator: str = ""
) -> Any:
    """Joins the strings along axes, which are taken in the order that they are given in."""
    if not isinstance(inputs, np.ndarray):
        return inputs
    axes = tuple(range(inputs.ndim)) if axis is None else tuple(a % inputs.ndim for a in axis)
    kept = [a for a in range(inputs.ndim) if a not in axes]
    moved = inputs.transpose(*kept, *axes)
    rows = moved.reshape(*[inputs.shape[a] for a in kept], -1)
    between = separator.encode()
    flat = rows.reshape(-1, rows.shape[-1])
    joined = as_objects((between.join(row) for row in flat), rows.shape[:-1])
    if keep_dims:
        joined = joined.reshape([1 if a in axes else n for a, n in enumerate(inputs.shape)])
    return joined if joined.ndim else joined[()]


@reduce_join_op.shape
def _reduce_join_shape(inputs: Any, *, axis: Any, keep_dims: bool, separator: str) -> Any:
    rank = inputs.shape.ndims
    if rank is None:
        return unknown_shape()
    axes = set(normalize_axes(axis, rank))
    sizes = inputs.shape.as_list()
    if keep_dims:
        return TensorShape([1 if i in axes else n for i, n in enumerate(sizes)])
    return TensorShape([n for i, n in enumerate(sizes) if i not in axes])


def reduce_join(
    inputs: Any,
    axis: Any = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: Any = None,
    keepdims: bool | None = None,
) -> Tensor:
    """Strings joined along axes.

    Args:
      inputs: the strings.
      axis: the axes, in the order in which they are joined; None: all.
      keep_dims: the older name of `keepdims`.
      separator: what goes between two strings.
      name: the name.
      reduction_indices: the older name of `axis`.
      keepdims: whether the axes stay, with size 1.
    """
    inputs = convert_to_tensor(inputs, dtype=dtypes.string, name="inputs")
    axes = reduction_axes(inputs, one_of("axis", axis, "reduction_indices", reduction_indices))
    return reduce_join_op(
        inputs,
        axis=axes,
        keep_dims=bool(one_of("keepdims", keepdims, "keep_dims", keep_dims)),
        separator=separator,
        name=name,
    )


# ---- StringSplit -------------------------------------------------------------------------


def _split_shapes(input: Any, **attrs: Any) -> Any:  # noqa: A002
    input.shape.with_rank(1)
    return [TensorShape([None, 2]), TensorShape([None]), TensorShape([2])]


@op(
    "StringSplit",
    "input: string, delimiter: string -> indices: int64, values: string, shape: int64",
    differentiable=False,
    no_samples="how many values it gives depends on the strings; tests/ops/test_strings.py",
)
def string_split_op(xp: Any, input: Any, delimiter: Any, *, skip_empty: bool = True) -> Any:  # noqa: A002
    """Cuts strings at any byte of `delimiter`; into single bytes when that is empty."""
    if not delimiter:
        rows = [[text[i : i + 1] for i in range(len(text))] for text in input]
    else:
        cut = re.compile(b"[" + b"".join(re.escape(bytes([b])) for b in delimiter) + b"]").split
        rows = [[part for part in cut(text) if part or not skip_empty] for text in input]
    return rows_to_sparse([as_objects(row) for row in rows], dtypes.string)


@op(
    "StringSplitV2",
    "input: string, sep: string -> indices: int64, values: string, shape: int64",
    differentiable=False,
    no_samples="how many values it gives depends on the strings; tests/ops/test_strings.py",
)
def string_split_v2_op(xp: Any, input: Any, sep: Any, *, maxsplit: int = -1) -> Any:  # noqa: A002
    """Cuts strings at `sep`, or at blanks when that is empty."""
    rows = [text.split(sep or None, maxsplit) for text in input]
    return rows_to_sparse([as_objects(row) for row in rows], dtypes.string)


string_split_op.shape(lambda input, delimiter, skip_empty: _split_shapes(input))
string_split_v2_op.shape(lambda input, sep, maxsplit: _split_shapes(input))


def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> SparseTensor:
    """Strings cut into pieces: a SparseTensor with one row a string.

    Args:
      source: [n] strings.
      sep: each of its bytes is a place to cut; by default the blank.
      skip_empty: whether empty pieces are left out.
      delimiter: the older name of `sep`.
      result_type: "SparseTensor".
      name: the name.
    Example:
      >>> words = tf.string_split(["hello world"]).values
    """
    cut = one_of("sep", sep, "delimiter", delimiter)
    cut = " " if cut is None else cut
    with name_scope(name, "StringSplit", [source, cut]):
        text = convert_to_tensor(source, dtype=dtypes.string)
        at = convert_to_tensor(cut, dtype=dtypes.string)
        return SparseTensor(*string_split_op(text, at, skip_empty=skip_empty))


def string_split_v2(
    input: Any = None,  # noqa: A002
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> SparseTensor:
    """`tf.strings.split`: strings cut as Python's `str.split` does.

    Args:
      input: [n] strings.
      sep: where to cut; at any blanks when None.
      maxsplit: how often at most.
      result_type: "SparseTensor".
      source: the older name of `input`.
      name: the name.
    """
    if result_type != "SparseTensor":
        raise ValueError("result_type must be 'SparseTensor'.")
    with name_scope(name, "StringSplit", [input, source]):
        text = convert_to_tensor(one_of("input", input, "source", source), dtype=dtypes.string)
        at = convert_to_tensor("" if sep is None else sep, dtype=dtypes.string)
        if text.shape.ndims == 0:
            raise ValueError("tf.strings.split of a scalar: make it a vector of one string.")
        return SparseTensor(*string_split_v2_op(text, at, maxsplit=maxsplit))


# ---- RegexReplace, RegexFullMatch --------------------------------------------------------


def _compiled(pattern: bytes) -> re.Pattern[bytes]:
    try:
        return re.compile(pattern)
    except re.error as error:
        shown = pattern.decode(errors="replace")
        raise errors.InvalidArgumentError(
            None, None, f"Invalid pattern: {shown}, error: {error}"
        ) from None


@op(
    "RegexReplace",
    "input: string, pattern: string, rewrite: string -> output: string",
    differentiable=False,
    samples=[lambda rng: (_words(rng), b"([a-z])", rb"<\1>", {"replace_global": False})],
)
def regex_replace_op(
    xp: Any,
    input: Any,  # noqa: A002
    pattern: Any,
    rewrite: Any,
    *,
    replace_global: bool = True,
) -> Any:
    r"""Replaces what matches a pattern; \1 in `rewrite` stands for the first group, \0 for all."""
    compiled = _compiled(pattern)
    template = re.sub(rb"\\(\d)", rb"\\g<\1>", rewrite)
    return mapped(lambda text: compiled.sub(template, text, 0 if replace_global else 1), input)


@op(
    "RegexFullMatch",
    "input: string, pattern: string -> output: bool",
    differentiable=False,
    samples=[lambda rng: (_words(rng), b"[a-z]+", {})],
)
def regex_full_match_op(xp: Any, input: Any, pattern: Any) -> Any:  # noqa: A002
    """Tells which strings match a pattern as a whole."""
    compiled = _compiled(pattern)
    return mapped(lambda text: compiled.fullmatch(text) is not None, input, np.bool_)


regex_replace_op.shape(lambda input, pattern, rewrite, replace_global: input.shape)
regex_full_match_op.shape(lambda input, pattern: input.shape)


def regex_replace(
    input: Any,  # noqa: A002
    pattern: Any,
    rewrite: Any,
    replace_global: bool = True,
    name: str | None = None,
) -> Tensor:
    r"""Strings with what matches `pattern` replaced by `rewrite`, in which \1 is a group."""
    return regex_replace_op(input, pattern, rewrite, replace_global=replace_global, name=name)


def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Tensor:  # noqa: A002
    """A bool tensor: which strings match `pattern` as a whole."""
    return regex_full_match_op(input, pattern, name=name)
