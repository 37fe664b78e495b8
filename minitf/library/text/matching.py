"""Operations on strings that look for something in them: splitting, patterns, templates."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph import Tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.sparse_tensor import SparseTensor
from minitf.core.graph.stacks import name_scope
from minitf.core.ops.array import one_of
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.string_values import as_objects, mapped
from minitf.library.parsing.example_kernels import rows_to_sparse
from minitf.library.sparse.ragged import RaggedTensor
from minitf.library.text.strings import string_op, words_sample

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
    differentiable=False,
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
    differentiable=False,
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


def string_split_v2(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> Any:
    """`tf.strings.split`: strings cut as Python's `str.split` does.

    Args:
      input: strings, of any shape; they may be ragged.
      sep: where to cut; at any blanks when None.
      maxsplit: how often at most.
      result_type: "SparseTensor" or "RaggedTensor".
      source: the older name of `input`.
      name: the name.
    """
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError("result_type must be 'SparseTensor' or 'RaggedTensor'.")
    with name_scope(name, "StringSplit", [input, source]):
        text = convert_to_tensor(one_of("input", input, "source", source), dtype=dtypes.string)
        at = convert_to_tensor("" if sep is None else sep, dtype=dtypes.string)
        if text.shape.ndims in (0, 1) and result_type == "SparseTensor":
            text = reshape(text, [-1]) if text.shape.ndims == 0 else text  # one row
            return SparseTensor(*string_split_v2_op(text, at, maxsplit=maxsplit))
        found = _split_rows(lambda rows: string_split_v2_op(rows, at, maxsplit=maxsplit), text)
        return found.to_sparse() if result_type == "SparseTensor" else found


def string_bytes_split(input: Any, name: str | None = None) -> Any:
    """`tf.strings.bytes_split`: each string as its bytes, along one more axis.

    Args:
      input: strings, of any shape; they may be ragged.
      name: the name of the scope.
    Example:
      >>> sess.run(tf.strings.bytes_split(["hi", "you"])).to_list()
      [[b'h', b'i'], [b'y', b'o', b'u']]
    """
    with name_scope(name, "StringsByteSplit", [input]):
        text = convert_to_tensor(input, dtype=dtypes.string)
        return _split_rows(lambda rows: string_split_op(rows, "", skip_empty=False), text)


def _split_rows(cut: Callable[[Tensor], Any], text: Any) -> Any:
    """Strings of any shape cut into ragged rows by what cuts a vector; a scalar gives a vector."""
    if isinstance(text, RaggedTensor):
        return text.with_flat_values(_split_rows(cut, text.flat_values))
    rank = text.shape.ndims
    if rank is None:
        raise ValueError("input must have a known rank.")
    if rank == 0:
        return _split_rows(cut, reshape(text, [1])).values
    if rank > 1:
        return _split_rows(cut, RaggedTensor.from_tensor(text, ragged_rank=rank - 1))
    places, pieces, sizes = cut(text)
    return RaggedTensor.from_value_rowids(pieces, places[:, 0], sizes[0])


# ---- RegexReplace, RegexFullMatch --------------------------------------------------------


#: What RE2 knows inside of brackets and Python does not.
_CLASSES = {
    "[:alnum:]": "0-9A-Za-z",
    "[:alpha:]": "A-Za-z",
    "[:blank:]": r"\t ",
    "[:digit:]": "0-9",
    "[:lower:]": "a-z",
    "[:punct:]": r"!-/:-@\[-`{-~",
    "[:space:]": r"\t\n\v\f\r ",
    "[:upper:]": "A-Z",
    "[:word:]": "0-9A-Za-z_",
    "[:xdigit:]": "0-9A-Fa-f",
}


def _text(value: bytes) -> str:
    """UTF-8 as characters, of which a pattern speaks; other bytes come back as they were."""
    return value.decode(errors="surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


def _compiled(pattern: bytes) -> re.Pattern[str]:
    r"""RE2's pattern as one of Python's, in which \w, \d and \s stand for ASCII alone, as there."""
    text = _text(pattern)
    for name, characters in _CLASSES.items():
        text = text.replace(name, characters)
    try:
        return re.compile(text.replace(r"\z", r"\Z"), re.ASCII)
    except re.error as error:
        shown = pattern.decode(errors="replace")
        raise invalid(f"Invalid pattern: {shown}, error: {error}") from None


@string_op(
    "RegexReplace",
    "input: string, pattern: string, rewrite: string -> output: string",
    batch="first",
    samples=[lambda rng: (words_sample(rng), b"([a-z])", rb"<\1>", {"replace_global": False})],
)
def regex_replace_op(
    xp: Any, input: Any, pattern: Any, rewrite: Any, *, replace_global: bool = True
) -> Any:
    r"""Replaces what matches a pattern; \1 in `rewrite` stands for the first group, \0 for all."""
    compiled, template = _compiled(pattern), _text(rewrite)
    groups = [int(digit) for digit in re.findall(r"\\(\d)", template)]
    if max(groups, default=0) > compiled.groups:  # as RE2, which says so on its log only
        return input
    return mapped(lambda text: _replaced(compiled, template, _text(text), replace_global), input)


def _replaced(pattern: re.Pattern[str], template: str, text: str, every: bool) -> bytes:
    """The text with its matches replaced.

    Unlike Python, RE2 finds no empty match right behind another: `b*` is found twice in "bc".
    """
    parts, place, end = [], 0, -1
    for match in pattern.finditer(text):
        if match.start() == match.end() == end:
            continue
        parts += [text[place : match.start()], _written(template, match)]
        place = end = match.end()
        if not every:
            break
    return _bytes("".join([*parts, text[place:]]))


def _written(template: str, match: re.Match[str]) -> str:
    def escaped(escape: re.Match[str]) -> str:
        letter = escape[1]
        return (match[int(letter)] or "") if letter.isdigit() else letter

    return re.sub(r"\\(.)", escaped, template, flags=re.DOTALL)


@string_op(
    "StaticRegexReplace",
    samples=[lambda rng: (words_sample(rng), {"pattern": "([a-z])", "rewrite": r"<\1>"})],
)
def static_regex_replace_op(
    xp: Any, input: Any, *, pattern: str, rewrite: str, replace_global: bool = True
) -> Any:
    """`RegexReplace` with a pattern known when the graph is built."""
    given = (input, pattern.encode(), rewrite.encode())
    return regex_replace_op.kernel(xp, *given, replace_global=replace_global)


@string_op(
    "RegexFullMatch",
    "input: string, pattern: string -> output: bool",
    batch="first",
    samples=[lambda rng: (words_sample(rng), b"[a-z]+", {})],
)
def regex_full_match_op(xp: Any, input: Any, pattern: Any) -> Any:
    """Tells which strings match a pattern as a whole."""
    compiled = _compiled(pattern)
    return mapped(lambda text: compiled.fullmatch(_text(text)) is not None, input, np.bool_)


@string_op(
    "StaticRegexFullMatch",
    "input: string -> output: bool",
    batch="each",
    samples=[lambda rng: (words_sample(rng), {"pattern": "[a-z]+"})],
)
def static_regex_full_match_op(xp: Any, input: Any, *, pattern: str) -> Any:
    """`RegexFullMatch` with a pattern known when the graph is built."""
    return regex_full_match_op.kernel(xp, input, pattern.encode())


def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Tensor:
    r"""Strings with what matches `pattern` replaced by `rewrite`, in which \1 is a group."""
    if isinstance(pattern, str) and isinstance(rewrite, str):
        return static_regex_replace_op(
            input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name
        )
    return regex_replace_op(input, pattern, rewrite, replace_global=replace_global, name=name)


def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Tensor:
    """A bool tensor: which strings match `pattern` as a whole."""
    if isinstance(pattern, str):
        return static_regex_full_match_op(input, pattern=pattern, name=name)
    return regex_full_match_op(input, pattern, name=name)
