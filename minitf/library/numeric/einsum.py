"""Einstein's summation: products of tensors, written with a letter for each axis.

    einsum("bij,bjk->bik", x, y)      the matrix products of a batch
    einsum("ij,j->i", m, v)           a matrix times a vector
    einsum("ij->ji", m)               a transposition

Two tensors at a time: letters in both but not in the result are summed over, and with axes put in
the order batch, rows, columns that is a product of matrices, which BLAS knows best. Three and more
are taken from left to right.
"""

from __future__ import annotations

import math
import re
import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape, same_size
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_joining import stack
from minitf.core.ops.array_shaping import broadcast_to, reshape, squeeze, transpose
from minitf.core.ops.elementwise import invalid, sample


def _parts(equation: str) -> tuple[list[str], str]:
    left, _, right = equation.partition("->")
    return left.split(","), right


def _alone(xp: Any, x: Any, labels: str, kept: str) -> tuple[Any, str]:
    """`x` summed over the letters that are not in `kept`."""
    axes = tuple(i for i, letter in enumerate(labels) if letter not in kept)
    if not axes:
        return x, labels
    return x.sum(axis=axes, dtype=x.dtype), "".join(c for c in labels if c in kept)


def _product(xp: Any, x: Any, y: Any, a: str, b: str, out: str) -> Any:
    """The product of two tensors whose letters do not repeat, as a product of matrices."""
    x, a = _alone(xp, x, a, b + out)
    y, b = _alone(xp, y, b, a + out)
    batch = [c for c in a if c in b and c in out]
    inner = [c for c in a if c in b and c not in out]
    rows = [c for c in a if c not in b]
    columns = [c for c in b if c not in a]
    sizes = {**dict(zip(a, x.shape, strict=True)), **dict(zip(b, y.shape, strict=True))}

    def arranged(tensor: Any, labels: str, one: list[str], other: list[str]) -> Any:
        moved = tensor.transpose([labels.index(c) for c in [*batch, *one, *other]])
        front = [sizes[c] for c in batch]
        return moved.reshape(*front, *(math.prod(sizes[c] for c in part) for part in (one, other)))

    product = xp.matmul(arranged(x, a, rows, inner), arranged(y, b, inner, columns))
    found = [*batch, *rows, *columns]
    return product.reshape([sizes[c] for c in found]).transpose([found.index(c) for c in out])


@op(
    "Einsum",
    "inputs: N*T -> output: T",
    T=dtypes.NUMBERS,
    samples=[
        sample([(2, 3, 2), (2, 2, 4)], equation="bij,bjk->bik"),
        sample([(2, 3), (3,)], equation="ij,j->i"),
        sample([(2, 3), (2, 3)], equation="ij,ij->"),
        sample([(2, 3), (4,)], equation="ij,k->kj"),
        sample([(2, 3)], equation="ij->ji"),
        sample([(2, 3)], equation="ij->j"),
    ],
)
def einsum_op(xp: Any, inputs: Any, *, equation: str) -> Any:
    """Sums the product of one or two tensors over the letters that are not in the result."""
    labels, out = _parts(equation)
    sizes: dict[str, int] = {}
    for letters, tensor in zip(labels, inputs, strict=True):
        for letter, n in zip(letters, np.shape(tensor), strict=True):
            if sizes.setdefault(letter, n) != n:
                raise invalid(
                    f"Expected dimension {sizes[letter]} at axis {letters.index(letter)} of the "
                    f"input shaped {list(np.shape(tensor))} but got dimension {n}"
                )
    if len(inputs) == 1 or any(len(set(letters)) < len(letters) for letters in labels):
        result = xp.einsum(equation, *inputs)
    else:
        result = _product(xp, *inputs, *labels, out)
    return xp.array(result, dtype=inputs[0].dtype)[()]


@einsum_op.shape
def _einsum_shape(inputs: Any, *, equation: str) -> Any:
    labels, out = _parts(equation)
    sizes: dict[str, Any] = {}
    for letters, tensor in zip(labels, inputs, strict=True):
        known = tensor.shape.with_rank(len(letters)).as_list()
        for letter, n in zip(letters, known, strict=True):
            sizes[letter] = same_size(sizes.get(letter), n)
    return TensorShape([sizes[c] for c in out])


@einsum_op.gradient
def _einsum_grad(op: Any, dy: Tensor) -> list:
    """The gradient of each factor is the product of the gradient and the other factor."""
    labels, out = _parts(op.attrs["equation"])
    results = []
    for i, letters in enumerate(labels):
        if len(set(letters)) < len(letters):
            raise NotImplementedError(f"No gradient of einsum with a letter twice in {letters!r}.")
        others = [(t, x) for j, (t, x) in enumerate(zip(labels, op.inputs, strict=True)) if j != i]
        around = set(out).union(*(t for t, _ in others))
        found = "".join(c for c in letters if c in around)  # the other letters were summed alone
        equation = ",".join([out, *(t for t, _ in others)]) + "->" + found
        part = einsum_op([dy, *(x for _, x in others)], equation=equation)
        if found != letters:
            sizes = [shape_of(op.inputs[i])[k] for k in range(len(letters))]
            thin = [n if c in found else 1 for c, n in zip(letters, sizes, strict=True)]
            part = broadcast_to(reshape(part, stack(thin)), stack(sizes))
        results.append(part)
    return results


def _without_ellipsis(labels: list[str], out: str | None, ranks: list[int | None]) -> tuple:
    """The letters with `...` written out: unused ones for the axes that it stands for."""
    free = [c for c in string.ascii_letters if not any(c in t for t in [*labels, out or ""])]
    longest = ""
    written = []
    for letters, rank in zip(labels, ranks, strict=True):
        if "..." in letters:
            if rank is None:
                raise ValueError("The ranks of the inputs must be known where einsum has an '...'.")
            count = rank - len(letters.replace("...", ""))
            extra = "".join(free[:count][::-1])  # the last axes of all belong together
            longest = max(longest, extra, key=len)
            letters = letters.replace("...", extra)
        written.append(letters)
    if out is None:
        counted = "".join(written)
        once = sorted(c for c in set(counted) - set(longest) if counted.count(c) == 1)
        return written, longest + "".join(once)
    return written, out.replace("...", longest)


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """Sums the product of tensors over axes, which the equation names.

    Args:
      equation: letters for the axes of each input, and behind "->" for those of the result; `...`
        stands for any further axes. Without "->" the letters that come once, sorted.
      inputs: the tensors.
      name: the name of the scope.
    Raises:
      ValueError: when equation and inputs do not fit.
    Example:
      >>> x, y = tf.zeros([8, 2, 3]), tf.zeros([8, 3, 4])
      >>> tf.einsum("bij,bjk->bik", x, y).shape.as_list()   # the matrix products of a batch
      [8, 2, 4]
    """
    name = kwargs.pop("name", None)
    kwargs.pop("optimize", None)
    if kwargs:
        raise TypeError(f"invalid keyword arguments for this function: {', '.join(sorted(kwargs))}")
    with name_scope(name, "einsum", inputs) as scope:
        tensors = [convert_to_tensor(x, name=f"inputs_{i}") for i, x in enumerate(inputs)]
        text = equation.replace(" ", "")
        if not re.fullmatch(r"[A-Za-z.]*(,[A-Za-z.]*)*(->[A-Za-z.]*)?", text):
            raise ValueError(f"Indices have incorrect format: {equation}")
        left, arrow, right = text.partition("->")
        labels, out = left.split(","), right if arrow else None
        if len(labels) != len(tensors):
            raise ValueError(
                f'Got {len(tensors)} arguments for equation "{equation}", expecting {len(labels)}'
            )
        ranks = [t.shape.ndims for t in tensors]
        written, out = _without_ellipsis(labels, out, ranks)
        for letters, tensor in zip(written, tensors, strict=True):
            tensor.shape.with_rank(len(letters))
        if "..." in left:
            free = "".join(c for c in dict.fromkeys("".join(written)) if c not in left)
            written, tensors = _broadcast(written, tensors, free)
        labels = written
        for letter in out:
            if not any(letter in letters for letters in labels):
                raise ValueError(f"Unknown label {letter!r} in the output of {equation!r}")
        return _from_left(labels, out, tensors, scope)


def _broadcast(labels: list[str], tensors: list[Tensor], free: str) -> tuple:
    """Drops axes of size 1 among the letters `free` where another tensor is known to be larger."""
    sizes = [
        dict(zip(letters, x.shape.as_list(), strict=True))
        for letters, x in zip(labels, tensors, strict=True)
    ]
    thin = [
        [c for c in free if own.get(c) == 1 and any(n.get(c, 1) not in (1, None) for n in sizes)]
        for own in sizes
    ]
    rows = list(zip(labels, tensors, thin, strict=True))
    kept = ["".join(c for c in letters if c not in gone) for letters, _, gone in rows]
    return kept, [
        squeeze(x, [letters.index(c) for c in gone]) if gone else x for letters, x, gone in rows
    ]


def _from_left(labels: list[str], out: str, tensors: Sequence[Tensor], scope: Any) -> Tensor:
    """One product after the other; letters stay as long as something needs them."""
    letters, total = labels[0], tensors[0]
    if len(tensors) == 1:
        if sorted(letters) == sorted(out) and len(set(out)) == len(out):
            return transpose(total, [letters.index(c) for c in out], name=scope)
        return einsum_op([total], equation=f"{letters}->{out}", name=scope)
    for i in range(1, len(tensors)):
        later = set(out).union(*labels[i + 1 :])
        both = dict.fromkeys(letters + labels[i])
        kept = out if i == len(tensors) - 1 else "".join(c for c in both if c in later)
        name = scope if i == len(tensors) - 1 else None
        equation = f"{letters},{labels[i]}->{kept}"
        total = einsum_op([total, tensors[i]], equation=equation, name=name)
        letters = kept
    return total
