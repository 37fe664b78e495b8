"""`switch` and `merge`, the lowest words of TensorFlow's branches, as branches of functions.

    s = switch(x, pred)                    data goes on at one output; the other one is dead
    merge([f(s[0]), g(s[1])])              the result that is not dead

    ──>  cond(pred, lambda: g(x), lambda: f(x))

An operation runs here whenever something asks for it, and no value is dead. So `merge` builds a
`cond` for each of its inputs: inside stand copies of the operations between the switches and the
merge, with the data of a switch in place of its output. What was between them has no reader then.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple, NoReturn

from minitf.core.gradients.cond import cond
from minitf.core.graph import dtypes, errors
from minitf.core.graph.composites import put_together, take_apart
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.indexed_slices import IndexedSlices
from minitf.core.graph.op_def import op
from minitf.core.graph.sparse_tensor import SparseTensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.host import arrive_from
from minitf.core.ops.array import identity
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.comparisons import logical_and, logical_not
from minitf.library.graph_tools.frames import copies, depending, loop_merge_op


class _Dead:
    """What stands at the output of a switch that its data does not take."""

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise errors.InvalidArgumentError(None, None, "Retval[0] does not have value")

    __array__ = __array_ufunc__ = __getattr__ = _refuse


def _alive(value: Any) -> Any:
    return value._refuse() if type(value) is _Dead else value


arrive_from("minitf", _alive)  # who fetches a dead output gets TensorFlow's error


@op(
    "Switch",
    "data: T, pred: bool -> output_false: T, output_true: T",
    host=("pred",),
    stateful=True,
    alias=True,
    no_samples="one of its outputs has no value; tests/conformance/cases/switches.py runs some",
)
def switch_op(xp: Any, data: Any, pred: Any) -> Any:
    """Gives its data at one of two outputs."""
    return (_Dead(), data) if pred else (data, _Dead())


@switch_op.shape
def _switch_shape(data: Any, pred: Any) -> list:
    if pred.shape.ndims not in (None, 0):
        raise ValueError(f"Shape must be rank 0 but is rank {pred.shape.ndims}")
    return [data.shape, data.shape]


@switch_op.gradient
def _switch_grad(op: Any, *dy: Tensor | None) -> list:
    zero = zeros_like(op.inputs[0])
    on_false, on_true = (zero if each is None else each for each in dy)
    return [cond(op.inputs[1], lambda: on_true, lambda: on_false), None]


class MergeOutput(NamedTuple):
    """What `merge` gives: the input that was there, and its place."""

    output: Any
    value_index: Tensor


def switch(data: Any, pred: Any, dtype: Any = None, name: str | None = None) -> tuple[Any, Any]:
    """`data` at the first output when `pred` is false, at the second one when it is true.

    Args:
      data: a tensor, `SparseTensor` or `IndexedSlices`.
      pred: a scalar bool.
      dtype: the type of the data.
      name: a name for the operation.
    Returns: (output_false, output_true). Fetched, the one that is not taken raises
      InvalidArgumentError; between it and a `merge` everything is as a branch of `tf.cond`.
    """
    with name_scope(name, "Switch", [data, pred]) as scope:
        pred = convert_to_tensor(pred, dtypes.bool, name="pred")
        if not isinstance(data, (SparseTensor, IndexedSlices)):
            tensor = convert_to_tensor(data, dtype, name="data")
            return tuple(switch_op(tensor, pred, name=scope))
        parts = [switch_op(part, pred) for part in take_apart(data, convert_to_tensor)]
        on_false, on_true = zip(*parts, strict=True)
        return put_together(data, on_false), put_together(data, on_true)


def merge(inputs: Sequence[Any], name: str | None = None) -> MergeOutput:
    """The first of `inputs` that no `switch` has left dead.

    Args:
      inputs: tensors of one type, or `SparseTensor`s, or `IndexedSlices`.
      name: a name for the scope.
    Returns: (output, value_index).
    Raises:
      ValueError: when an input is None.
    """
    if any(each is None for each in inputs):
        raise ValueError(f"At least one of the merge inputs is None: {inputs}")
    with name_scope(name, "Merge", list(inputs)) as scope:
        given = [
            each if isinstance(each, (SparseTensor, IndexedSlices)) else convert_to_tensor(each)
            for each in inputs
        ]
        kinds = [each.dtype.base_dtype for each in given]
        if len(set(kinds)) > 1:
            names = ", ".join(kind.name for kind in kinds)
            raise TypeError(
                f"Tensors in list passed to 'inputs' of 'Merge' Op have types [{names}] that don't "
                "all match."
            )
        if isinstance(given[0], Tensor) and given[0].op.type == "Enter":
            return MergeOutput(*loop_merge_op(given, name=scope))
        branches = [_Branch(take_apart(each, convert_to_tensor)) for each in given]

        def first_from(place: int) -> list[Tensor]:
            def taken() -> list[Tensor]:
                copied = branches[place].copied()
                return [*(identity(each) for each in copied), constant(place, dtypes.int32)]

            alive = branches[place].alive() if place + 1 < len(branches) else None
            return taken() if alive is None else cond(alive, taken, lambda: first_from(place + 1))

        *parts, index = first_from(0)
        if isinstance(given[0], Tensor):
            return MergeOutput(identity(parts[0], name=scope), index)
        return MergeOutput(put_together(given[0], parts), index)


class _Branch:
    """The operations between some switches and one input of a merge.

    Args:
      ends: the tensors that go into the merge.
    """

    def __init__(self, ends: Sequence[Tensor]) -> None:
        self._ends = ends
        inside = depending(ends)
        taken = {t for each in inside for t in each.inputs} | set(ends)
        self._ways = [
            (each.inputs[1], place)
            for each in inside
            if each.type == "Switch"
            for place, output in enumerate(each.outputs)
            if output in taken
        ]

    def alive(self) -> Tensor | None:
        """Whether the data comes this way; None when it always does."""
        if not self._ways:
            return None
        tests = copies([pred for pred, _ in self._ways], {})
        sides = [side for _, side in self._ways]
        return reduce(
            logical_and,
            [t if side else logical_not(t) for t, side in zip(tests, sides, strict=True)],
        )

    def copied(self) -> list[Tensor]:
        """The ends once more, in the current graph, made of the data of the switches."""
        return copies(self._ends, {})
