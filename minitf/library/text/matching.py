"""Operations on strings that look for something in them: splitting, patterns, templates."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.ops.array import one_of
from minitf.core.ops.string_values import as_objects
from minitf.library.parsing.example_kernels import rows_to_sparse
from minitf.library.text.strings import words_sample

# ---- StringSplit -------------------------------------------------------------------------


def _lines(rng: np.random.Generator) -> np.ndarray:
    return words_sample(rng).ravel()


_PIECES = "-> indices: int64, values: string, shape: int64"


def _pieces(rows: list[list[bytes]]) -> Any:
    return rows_to_sparse([as_objects(row) for row in rows], dtypes.string)


@op(
    "StringSplit",
    f"input: string, delimiter: string {_PIECES}",
    sized_by_values=True,
    samples=[
        lambda rng: (_lines(rng), b" ,", {}),
        lambda rng: (_lines(rng), b",", {"skip_empty": False}),
        lambda rng: (_lines(rng), b"", {}),
    ],
)
def string_split_op(xp: Any, input: Any, delimiter: Any, *, skip_empty: bool = True) -> Any:
    """Cuts strings at any byte of `delimiter`; into single bytes when that is empty."""
    if not delimiter:
        return _pieces([[text[i : i + 1] for i in range(len(text))] for text in input])
    cut = re.compile(b"[" + b"".join(re.escape(bytes([b])) for b in delimiter) + b"]").split
    rows = [cut(text) if text else [] for text in input]  # an empty text has no piece at all
    return _pieces([[part for part in row if part or not skip_empty] for row in rows])


@op(
    "StringSplitV2",
    f"input: string, sep: string {_PIECES}",
    sized_by_values=True,
    samples=[lambda rng: (_lines(rng), b"", {}), lambda rng: (_lines(rng), b",", {"maxsplit": 1})],
)
def string_split_v2_op(xp: Any, input: Any, sep: Any, *, maxsplit: int = -1) -> Any:
    """Cuts strings at `sep`, or at blanks when that is empty."""
    return _pieces([text.split(sep or None, maxsplit) for text in input])


@string_split_op.shape
@string_split_v2_op.shape
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
