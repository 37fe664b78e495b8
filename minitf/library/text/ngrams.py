"""n-grams: neighbouring strings, joined.

["one", "two", "three"] ──width 2──> ["one two", "two three"]
                        ──width 2, padded──> ["_ one", "one two", "two three", "three _"]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import unknown_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.graph.text import as_bytes
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.string_values import as_objects
from minitf.library.sparse.ragged import RaggedTensor

# ---- StringNGrams --------------------------------------------------------------------------


def _grams(
    row: list[bytes], widths: Sequence[int], between: bytes, pads: tuple[bytes, bytes],
    pad_width: int,
) -> list[bytes]:  # fmt: skip
    """All n-grams of one row, those of the first width first."""
    found = []
    for width in widths:
        margin = width - 1 if pad_width < 0 else min(pad_width, width - 1)
        padded = [pads[0]] * margin + row + [pads[1]] * margin
        starts = range(len(padded) - width + 1)
        found += [between.join(padded[start : start + width]) for start in starts]
    return found


def _check_splits(splits: Sequence[int], count: int) -> None:
    """Raises InvalidArgumentError unless the splits rise from 0 to at most `count`."""
    if splits[0] != 0:
        raise invalid(f"First split value must be 0, got {splits[0]}")
    for before, here in zip(splits, splits[1:], strict=False):
        if not before <= here <= count:
            raise invalid(f"Invalid split value {here}, must be in [{before}, {count}]")
    if splits[-1] != count:
        raise invalid(f"Last split value must be data size. Expected {count}, got {splits[-1]}")


def _words(splits: Any, **attrs: Any) -> Any:
    """A sample: three rows of strings, of which one is empty."""
    words = as_objects([b"one", b"two", b"three", b"four"])
    plain = {"left_pad": "L", "right_pad": "R", "separator": "-"}
    return lambda rng: (words, splits, {**plain, **attrs})


_SPLITS = np.array([0, 3, 3, 4])


@op(
    "StringNGrams",
    "data: string, data_splits: Tsplits -> ngrams: string, ngrams_splits: Tsplits",
    Tsplits=dtypes.INDICES,
    sized_by_values=True,
    differentiable=False,
    samples=[
        _words(_SPLITS, ngram_widths=(2, 1), pad_width=-1, preserve_short_sequences=False),
        _words(_SPLITS.astype(np.int32), ngram_widths=(3,), pad_width=0,
               preserve_short_sequences=True),
    ],
)  # fmt: skip
def string_ngrams_op(
    xp: Any, data: Any, data_splits: Any, *, separator: str, ngram_widths: tuple, left_pad: str,
    right_pad: str, pad_width: int, preserve_short_sequences: bool,
) -> Any:  # fmt: skip
    """Joins the neighbours in each row; a row too short for all widths may be joined as a whole."""
    if any(width < 1 for width in ngram_widths):
        raise invalid("ngram_widths must contain positive values")
    splits = data_splits.tolist()
    if splits:
        _check_splits(splits, len(data))
    if not splits or not len(data):  # an empty row among others has its padding
        return as_objects([b""] * len(data)), np.zeros_like(data_splits)
    pads, between = (as_bytes(left_pad), as_bytes(right_pad)), as_bytes(separator)
    found, ends = [], [0]
    for start, end in zip(splits, splits[1:], strict=False):
        row = list(data[start:end])
        grams = _grams(row, ngram_widths, between, pads, pad_width)
        if preserve_short_sequences and row and not grams:
            margin = max(pad_width, 0)
            grams = [between.join([pads[0]] * margin + row + [pads[1]] * margin)]
        found += grams
        ends.append(len(found))
    return as_objects(found), np.array(ends, data_splits.dtype)


@string_ngrams_op.shape
def _string_ngrams_shapes(data: Any, data_splits: Any, **attrs: Any) -> list:
    data.shape.with_rank(1)
    return [unknown_shape(1), data_splits.shape.with_rank(1)]


def _pads(pad_values: Any) -> tuple[Any, Any]:
    """What goes before and behind a row.

    Raises:
      TypeError: when that is no text.
    """
    if pad_values is None:
        return "", ""
    pads = tuple(pad_values[:2]) if isinstance(pad_values, (list, tuple)) else (pad_values,) * 2
    if not all(isinstance(each, (str, bytes)) for each in pads):
        raise TypeError("pad_values must be a string, tuple of strings, or None.")
    return pads[0], pads[1]


def ngrams(
    data: Any,
    ngram_width: Any,
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """The n-grams along the last axis of a tensor of strings.

    Args:
      data: [..., words] strings; they may be ragged.
      ngram_width: how many words are joined; several numbers give the n-grams of the first, then
        those of the next.
      separator: what goes between two words.
      pad_values: what is put before and behind a row: one text, or two. None: nothing.
      padding_width: how often at most; never more than `ngram_width - 1` times, which is the
        default.
      preserve_short_sequences: whether a row that is too short for an n-gram is joined as a whole;
        otherwise it gives none.
      name: the name of the scope.
    Returns: [..., n-grams]: ragged, where `data` is.
    Raises:
      TypeError: when the padding is no text.
      ValueError: for a width below 1, for a scalar or a tensor of unknown rank.
    Example:
      >>> sess.run(tf.strings.ngrams(["to", "be", "or"], 2))
      array([b'to be', b'be or'], dtype=object)
    """
    options = (separator, pad_values, padding_width, preserve_short_sequences, name)
    with name_scope(name, "StringNGrams", [data]):
        left, right = _pads(pad_values)
        if padding_width is not None and padding_width < 1:
            raise ValueError("padding_width must be greater than 0.")
        if padding_width is not None and pad_values is None:
            raise ValueError("pad_values must be provided if padding_width is set.")
        if not isinstance(data, RaggedTensor):
            text = convert_to_tensor(data, dtypes.string, "data")
            return _dense_ngrams(text, ngram_width, options)
        if isinstance(data.values, RaggedTensor):
            return data.with_values(ngrams(data.values, ngram_width, *options))
        widths = ngram_width if isinstance(ngram_width, (list, tuple)) else [ngram_width]
        if any(width < 1 for width in widths):
            raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
        found, splits = string_ngrams_op(
            data.flat_values, data.row_splits, separator=separator, ngram_widths=tuple(widths),
            left_pad=left, right_pad=right, preserve_short_sequences=preserve_short_sequences,
            pad_width=0 if pad_values is None else padding_width or -1,
        )  # fmt: skip
        return RaggedTensor.from_row_splits(found, splits, validate=False)


def _dense_ngrams(data: Tensor, ngram_width: Any, options: tuple) -> Tensor:
    """Those of a tensor of one rank: all rows have as many words, and so as many n-grams."""
    rank = data.shape.ndims
    if rank is None:
        raise ValueError("Rank of data must be known.")
    if rank == 0:
        raise ValueError("Data must have rank>0")
    if rank == 1:
        rows = RaggedTensor.from_row_starts(data, [0], validate=False)
        return ngrams(rows, ngram_width, *options)[0]
    sizes = concat([shape_of(data)[:-1], [-1]], 0)
    rows = ngrams(RaggedTensor.from_tensor(data, ragged_rank=rank - 1), ngram_width, *options)
    return reshape(rows.flat_values, sizes)
