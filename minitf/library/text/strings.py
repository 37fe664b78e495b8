"""Operations on strings: joining, cutting, changing letters, and to and from numbers.

A tensor of strings holds bytes at run time; text becomes UTF-8 when a constant is made of it.
Codes are in encodings.py and hashes.py.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph import Tensor
from minitf.core.graph.op_def import OpDef, none_is_default, op, unchanged_shape
from minitf.core.graph.shapes import (
    TensorShape,
    brackets,
    broadcast_shapes,
    check_same_dimensions,
    unknown_shape,
)
from minitf.core.graph.stacks import name_scope
from minitf.core.ops.array import check_choice, one_of
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.reductions import reduction_axes, sum_op
from minitf.core.ops.string_values import as_objects, mapped, mapped_many
from minitf.library.parsing.values import check_type, is_number, read_numbers, rows_to_sparse


def words_sample(rng: np.random.Generator) -> np.ndarray:
    """A sample: [2, 3] strings."""
    return as_objects([b"one", b" Two ", b"", "\u00e9t\u00e9".encode(), b"a,b,,c", b"12"], (2, 3))


def _words_alone(rng: np.random.Generator) -> tuple:
    return words_sample(rng), {}


def string_op(
    op_type: str,
    signature: str = "input: string -> output: string",
    samples: Sequence[Callable] = (_words_alone,),
    **constraints: Any,
) -> Callable[[Callable], OpDef]:
    """Declares an operation that treats every string alike, so the shape stays, as `op` does."""

    def declare(kernel: Callable) -> OpDef:
        options = {"batch": "first", "differentiable": False, "samples": samples, **constraints}
        op_def: OpDef = op(op_type, signature, **options)(kernel)
        op_def.shape(unchanged_shape)
        return op_def

    return declare


# ---- AsString ----------------------------------------------------------------------------


@string_op(
    "AsString",
    "input: T -> output: string",
    T=(*dtypes.REALS, *dtypes.COMPLEX, dtypes.bool),
    samples=[
        lambda rng: (rng.normal(size=(2, 3)), {"precision": 3}),
        lambda rng: (np.arange(3, dtype=np.int32), {"width": 4, "fill": "0"}),
        lambda rng: (np.array([True, False]), {}),
    ],
)
def as_string_op(
    xp: Any,
    input: Any,
    *,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
) -> Any:
    """Writes numbers and Booleans as text."""
    dtype = np.asarray(input).dtype
    kind = dtype.kind
    if scientific and shortest:
        raise invalid("Cannot select both scientific and shortest notation")
    if precision > -1 and kind not in "fc":
        raise invalid(f"precision not supported for datatype {dtype.name}")
    if (scientific or shortest) and kind not in "fc":
        raise invalid(f"scientific and shortest format not supported for datatype {dtype.name}")
    if len(fill) > 1:
        raise invalid("Fill string must be one or fewer characters")
    if fill not in ("", " ", "0", "+", "-"):
        raise invalid(f'Fill argument not supported: "{fill}"')
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


def as_string(
    input: Any,
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


@string_op(
    "StringToNumber",
    "string_tensor: string -> output: out_type",
    samples=[
        lambda rng: (as_objects([b"1.5", b" -2e3 ", b"7"]), {}),
        lambda rng: (as_objects([b"15", b"-3"]), {"out_type": dtypes.int64}),
    ],
)
def string_to_number_op(xp: Any, string_tensor: Any, *, out_type: Any = dtypes.float32) -> Any:
    """Reads strings as numbers."""
    flat = string_tensor.ravel() if isinstance(string_tensor, np.ndarray) else [string_tensor]
    try:
        numbers = read_numbers(flat, out_type)
    except ValueError:
        wrong = next(text for text in flat if not is_number(text, out_type))
        shown = wrong.decode(errors="replace")
        raise invalid(f"StringToNumberOp could not correctly convert string: {shown}") from None
    return numbers.reshape(np.shape(string_tensor))[()]


def string_to_number(
    string_tensor: Any = None,
    out_type: Any = dtypes.float32,
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """Strings as numbers of `out_type`; `input` is another name of `string_tensor`.

    Raises:
      InvalidArgumentError: when a string is no number.
    """
    given = one_of("input", input, "string_tensor", string_tensor)
    allowed = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)
    out_type = check_type(out_type or dtypes.float32, "out_type", allowed)
    return string_to_number_op(given, out_type=out_type, name=name)


# ---- StringLower, StringUpper, StringStrip, StringLength ---------------------------------


@string_op("StringStrip")
def _strip_op(xp: Any, input: Any) -> Any:
    """Cuts blanks at both ends."""
    return mapped(bytes.strip, input)


def string_strip(input: Any, name: str | None = None) -> Tensor:
    """Strings without the blanks at both ends."""
    return _strip_op(input, name=name)


def _cased(method: str, input: Any, encoding: str) -> Any:
    if encoding not in ("", "utf-8"):
        raise invalid(f"only utf-8 or '' (no encoding) is supported, received {encoding}")
    if not encoding:
        return mapped(getattr(bytes, method), input)
    change = getattr(str, method)
    return mapped(lambda text: change(text.decode(errors="replace")).encode(), input)


_CASED_SAMPLES = [_words_alone, lambda rng: (words_sample(rng), {"encoding": "utf-8"})]


@string_op("StringLower", samples=_CASED_SAMPLES)
def string_lower_op(xp: Any, input: Any, *, encoding: str = "") -> Any:
    """Makes capital letters small."""
    return _cased("lower", input, encoding)


def string_lower(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Strings in small letters: those of ASCII, or with encoding "utf-8" all."""
    return string_lower_op(input, encoding=encoding, name=name)


_UNITS = ("BYTE", "UTF8_CHAR")


@string_op(
    "StringLength",
    "input: string -> output: int32",
    samples=[_words_alone, lambda rng: (words_sample(rng), {"unit": "UTF8_CHAR"})],
)
def string_length_op(xp: Any, input: Any, *, unit: str = "BYTE") -> Any:
    """Counts the bytes or the characters of strings."""
    count = len if unit == "BYTE" else lambda text: len(text.decode(errors="replace"))
    return mapped(count, input, np.int32)


@none_is_default
def string_length(input: Any, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """The lengths of strings, in bytes or with unit "UTF8_CHAR" in characters."""
    check_choice("StringLength", "unit", unit, _UNITS)
    return string_length_op(input, unit=unit, name=name)


# ---- Substr ------------------------------------------------------------------------------


@op(
    "Substr",
    "input: string, pos: T, len: T -> output: string",
    T=dtypes.INDICES,
    samples=[
        lambda rng: (as_objects([b"hello", b"world"]), np.int32(-3), np.int32(2), {}),
        lambda rng: (as_objects([b"hello", b"world"]), np.array([0, 2]), np.array([9, 1]), {}),
    ],
)
def substr_op(xp: Any, input: Any, pos: Any, len: Any, *, unit: str = "BYTE") -> Any:
    """Cuts a piece out of each string; all of the rest when the length is negative."""
    places = itertools.count()

    def cut(text: bytes, start: Any, length: Any) -> bytes:
        whole = text if unit == "BYTE" else text.decode(errors="replace")
        size, where = whole.__len__(), next(places)
        if not -size <= start <= size:
            shown = text.decode(errors="replace")
            raise invalid(f"pos {start} out of range for string b'{shown}' at index {where}")
        begin = start + size if start < 0 else start
        piece = whole[begin : None if length < 0 else begin + length]
        return piece if isinstance(piece, bytes) else piece.encode()

    return mapped_many(cut, input, pos, len)


@substr_op.shape
def _substr_shape(input: Any, pos: Any, len: Any, *, unit: str) -> Any:
    if not pos.shape.is_compatible_with(len.shape):
        raise ValueError(
            f"pos and len shapes must match: {brackets(pos.shape)} vs. {brackets(len.shape)}"
        )
    return broadcast_shapes(input.shape, pos.shape.merge_with(len.shape))


@none_is_default
def substr(input: Any, pos: Any, len: Any, name: str | None = None, unit: str = "BYTE") -> Tensor:
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
    check_choice("Substr", "unit", unit, _UNITS)
    return substr_op(input, pos, len, unit=unit, name=name)


# ---- StringJoin, ReduceJoin --------------------------------------------------------------


@op(
    "StringJoin",
    "inputs: N*string -> output: string",
    samples=[lambda rng: ([words_sample(rng), words_sample(rng)], {"separator": "-"})],
)
def string_join_op(xp: Any, inputs: Any, *, separator: str = "") -> Any:
    """Joins strings elementwise; a scalar goes with every element."""
    shapes = [np.shape(each) for each in inputs if np.ndim(each)]
    for other in shapes[1:]:
        if other != shapes[0]:
            one, two = (f"[{','.join(map(str, sizes))}]" for sizes in (shapes[0], other))
            raise invalid(f"Input shapes do not match: {one} vs. {two}")
    between = separator.encode()
    return mapped_many(lambda *parts: between.join(parts), *inputs)


@string_join_op.shape
def _string_join_shape(inputs: Any, *, separator: str) -> Any:
    whole = TensorShape(())
    for each in inputs:
        if each.shape.ndims is None:
            whole = unknown_shape() if whole.ndims in (0, None) else whole
        elif each.shape.ndims:
            if whole.ndims in (0, None):
                whole = each.shape
            check_same_dimensions(whole, each.shape)
            whole = whole.merge_with(each.shape)
    return whole


def string_join(inputs: Sequence[Any], separator: str = "", name: str | None = None) -> Tensor:
    """Strings joined elementwise, with `separator` between them."""
    return string_join_op(list(inputs), separator=separator, name=name)


@op(
    "ReduceJoin",
    "inputs: string -> output: string",
    samples=[
        lambda rng: (words_sample(rng), {"axis": (1,), "separator": "+"}),
        lambda rng: (words_sample(rng), {"axis": (1, 0), "keep_dims": True}),
    ],
)
def reduce_join_op(
    xp: Any, inputs: Any, *, axis: Any = None, keep_dims: bool = False, separator: str = ""
) -> Any:
    """Joins the strings along axes, which are taken in the order that they are given in."""
    if not isinstance(inputs, np.ndarray):
        return inputs
    axes = range(inputs.ndim)[::-1] if axis is None else tuple(a % inputs.ndim for a in axis)
    kept = [a for a in range(inputs.ndim) if a not in axes]
    moved = inputs.transpose(*kept, *reversed(axes))  # what is joined last comes first
    sizes = [inputs.shape[a] for a in kept]
    rows = moved.reshape(math.prod(sizes), math.prod(inputs.shape[a] for a in axes))
    between = separator.encode()
    joined = as_objects((between.join(row) for row in rows), sizes)
    if keep_dims:
        joined = joined.reshape([1 if a in axes else n for a, n in enumerate(inputs.shape)])
    return joined if joined.ndim else joined[()]


reduce_join_op.shape(lambda inputs, separator, **attrs: sum_op.shape_function(inputs, **attrs))


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
    with name_scope(None, "ReduceJoin", [inputs]):
        inputs = convert_to_tensor(inputs, dtype=dtypes.string)
        axes = reduction_axes(inputs, one_of("axis", axis, "reduction_indices", reduction_indices))
        return reduce_join_op(
            inputs,
            axis=axes,
            keep_dims=bool(one_of("keepdims", keepdims, "keep_dims", keep_dims)),
            separator=separator,
            name=name,
        )


# ---- StringSplit -------------------------------------------------------------------------


@op(
    "StringSplit",
    "input: string, delimiter: string -> indices: int64, values: string, shape: int64",
    sized_by_values=True,
    samples=[
        lambda rng: (words_sample(rng).ravel(), b" ,", {}),
        lambda rng: (words_sample(rng).ravel(), b",", {"skip_empty": False}),
        lambda rng: (words_sample(rng).ravel(), b"", {}),
    ],
)
def string_split_op(xp: Any, input: Any, delimiter: Any, *, skip_empty: bool = True) -> Any:
    """Cuts strings at any byte of `delimiter`; into single bytes when that is empty."""
    if delimiter:
        cut = re.compile(b"[" + b"".join(re.escape(bytes([b])) for b in delimiter) + b"]").split
        rows = [cut(text) if text else [] for text in input]  # an empty text has no piece at all
        rows = [[part for part in row if part or not skip_empty] for row in rows]
    else:
        rows = [[text[i : i + 1] for i in range(len(text))] for text in input]
    return rows_to_sparse([as_objects(row) for row in rows], dtypes.string)


@string_split_op.shape
def _split_shapes(input: Any, cut: Any, **attrs: Any) -> Any:
    input.shape.with_rank(1)
    return [TensorShape([None, 2]), TensorShape([None]), TensorShape([2])]


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
