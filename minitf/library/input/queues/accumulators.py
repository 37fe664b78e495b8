"""Accumulators: where the gradients of several workers meet, and one average leaves.

    worker 0:  apply_grad(g0, local_step) ─┐
    worker 1:  apply_grad(g1, local_step) ─┼─▶ sum, count ─▶ take_grad(2): waits for two, gives the
    worker 2:  apply_grad(g2, local_step) ─┘                 average, and begins anew

A gradient that was computed from old variables is left out: `local_step` says which step's
variables they were, and each average that is taken begins a new step.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, logging, stacks
from minitf.core.graph.composites import IndexedSlices
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.op_def import OpDef, op, scalar_shape
from minitf.core.graph.shapes import TensorShape, as_shape, brackets
from minitf.core.ops.cast import cast
from minitf.core.ops.elementwise import invalid


class AccumulatorState:
    """The sum of gradients on a device.

    Args:
      name: how messages call it.
      shape: of the gradients.
      reduction_type: "MEAN" or "SUM".
    """

    type_name = "ConditionalAccumulator"

    def __init__(self, name: str, shape: TensorShape, reduction_type: str) -> None:
        self.name = name
        self.shape = shape
        self.reduction_type = reduction_type
        self.global_step = 0
        self.count = 0
        self._changed = threading.Condition()
        self._sum: Any = None

    def apply(self, local_step: int, gradient: Any, shape: tuple[int, ...] | None) -> None:
        """Adds a gradient, unless it is too old; its shape is checked when it is known."""
        with self._changed:
            if local_step < self.global_step:
                return
            if shape is not None and not self.shape.is_compatible_with(shape):
                raise invalid(
                    f"Cannot apply gradient of shape {brackets(TensorShape(shape))} to accumulator "
                    f"'{self.name}' of shape {brackets(self.shape)}"
                )
            self._add(gradient)
            self.count += 1
            self._changed.notify_all()

    def take(self, required: int, step: Any) -> Any:
        """Waits for so many gradients, and gives their average."""
        if required <= 0:
            raise invalid(f"Argument num_required must be positive, but was {required}")
        with self._changed:
            if self.count < required:
                step.flush()  # who waits for a tensor of this step may be who adds gradients
            while self.count < required:
                step.wait_on(self._changed, "TakeGrad operation was cancelled")
            result = self._average()
            self._sum = None
            self.count = 0
            self.global_step += 1
            return result

    def set_global_step(self, step: int) -> None:
        """Says which step it is."""
        with self._changed:
            if step < self.global_step:
                logging.warning(
                    "Attempt to set current_global_step_ to smaller value: current_global_step_ = "
                    "%d >= new_global_step = %d.",
                    self.global_step,
                    step,
                )
            self.global_step = step

    def _add(self, gradient: Any) -> None:
        if self._sum is None:
            self._sum = np.array(gradient)
        else:
            self._sum += gradient

    def _average(self) -> Any:
        value = self._sum if self.reduction_type == "SUM" else self._sum / self.count
        return np.asarray(value, self._sum.dtype)[()]


class SparseAccumulatorState(AccumulatorState):
    """The sum of rows on a device; a row's average is over the gradients that have it."""

    type_name = "SparseConditionalAccumulator"

    def _add(self, gradient: tuple[np.ndarray, np.ndarray]) -> None:
        if self._sum is None:
            self._sum = {}
        mine: dict[int, Any] = {}
        for index, row in zip(gradient[0].tolist(), gradient[1], strict=True):
            mine[index] = mine[index] + row if index in mine else np.array(row)
        for index, row in mine.items():
            total, count = self._sum.get(index, (0, 0))
            self._sum[index] = (total + row, count + 1)

    def _average(self) -> Any:
        indices = np.array(sorted(self._sum), np.int64)
        rows = []
        for index in indices.tolist():
            total, count = self._sum[index]
            mean = total if self.reduction_type == "SUM" else total / count
            rows.append(np.asarray(mean, total.dtype))
        return indices, np.stack(rows)


# ---- the operations ----------------------------------------------------------------------


def _program(folder: str) -> list:
    """Two gradients come, and one that is too old; their average leaves."""
    whole = {"dtype": dtypes.float32, "shape": TensorShape([2])}
    dense = conditional_accumulator_op(**whole)
    sparse = sparse_conditional_accumulator_op(**whole, reduction_type="SUM")
    steps: list = [
        ([accumulator_set_global_step_op(h, np.int64(5)) for h in (dense, sparse)], None)
    ]
    for step in (5, 4, 6):
        row = np.array([step, 2.0], np.float32)
        added = [
            accumulator_apply_gradient_op(dense, np.int64(step), row),
            sparse_accumulator_apply_gradient_op(
                sparse, np.int64(step), [1], row[:1], [2], has_known_shape=True
            ),
        ]
        steps.append((added, None))
    count = accumulator_num_accumulated_op(dense)
    mean = accumulator_take_gradient_op(dense, 2, dtype=dtypes.float32)
    rows = sparse_accumulator_take_gradient_op(sparse, 2, dtype=dtypes.float32)
    return [
        *steps,
        (count, np.int32(2)),
        (mean, np.array([5.5, 2.0], np.float32)),
        (rows, [np.array([1]), np.array([11.0], np.float32), np.array([2])]),
    ]


_accumulator_op = partial(op, differentiable=False, program=_program)


def _declare_accumulator(state: type[AccumulatorState]) -> OpDef:
    def make(
        ctx: Any,
        *,
        dtype: Any,
        shape: Any,
        container: str = "",
        shared_name: str = "",
        reduction_type: str = "MEAN",
    ) -> AccumulatorState:
        return ctx.shared("accumulator", lambda name: state(name, shape, reduction_type))

    make.__doc__ = f"Gives the handle of an accumulator. {(state.__doc__ or '').splitlines()[0]}"
    op_def: OpDef = _accumulator_op(state.type_name, "-> handle: resource")(make)
    op_def.shape(scalar_shape)
    return op_def


conditional_accumulator_op = _declare_accumulator(AccumulatorState)
sparse_conditional_accumulator_op = _declare_accumulator(SparseAccumulatorState)


@_accumulator_op("AccumulatorApplyGradient", "handle: resource, local_step: int64, gradient: T ->")
def accumulator_apply_gradient_op(
    ctx: Any, handle: AccumulatorState, local_step: Any, gradient: Any
) -> None:
    """Adds a gradient to an accumulator."""
    handle.apply(int(local_step), gradient, np.shape(gradient))


@_accumulator_op(
    "AccumulatorTakeGradient", "handle: resource, num_required: int32 -> average: dtype"
)
def accumulator_take_gradient_op(
    ctx: Any, handle: AccumulatorState, num_required: Any, *, dtype: Any, step: Any = None
) -> Any:
    """Waits for gradients and gives their average."""
    return handle.take(int(num_required), step)


@_accumulator_op(
    "SparseAccumulatorApplyGradient",
    "handle: resource, local_step: int64, gradient_indices: int64, gradient_values: T, "
    "gradient_shape: int64 ->",
    host=("gradient_shape",),
)
def sparse_accumulator_apply_gradient_op(
    ctx: Any,
    handle: AccumulatorState,
    local_step: Any,
    gradient_indices: Any,
    gradient_values: Any,
    gradient_shape: Any,
    *,
    has_known_shape: bool,
) -> None:
    """Adds some rows to an accumulator."""
    shape = tuple(gradient_shape.tolist()) if has_known_shape else None
    handle.apply(int(local_step), (gradient_indices, gradient_values), shape)


@_accumulator_op(
    "SparseAccumulatorTakeGradient",
    "handle: resource, num_required: int32 -> indices: int64, values: dtype, shape: int64",
)
def sparse_accumulator_take_gradient_op(
    ctx: Any, handle: AccumulatorState, num_required: Any, *, dtype: Any, step: Any = None
) -> Any:
    """Waits for gradients and gives the average of their rows."""
    indices, values = handle.take(int(num_required), step)
    whole = [-1, *values.shape[1:]] if handle.shape.ndims is None else handle.shape.as_list()
    return [indices, values, np.array([-1 if n is None else n for n in whole], np.int64)]


@_accumulator_op("AccumulatorSetGlobalStep", "handle: resource, new_global_step: int64 ->")
def accumulator_set_global_step_op(
    ctx: Any, handle: AccumulatorState, new_global_step: Any
) -> None:
    """Says which step it is."""
    handle.set_global_step(int(new_global_step))


@_accumulator_op("AccumulatorNumAccumulated", "handle: resource -> num_accumulated: int32")
def accumulator_num_accumulated_op(ctx: Any, handle: AccumulatorState) -> Any:
    """Tells how many gradients there are."""
    return np.int32(handle.count)


accumulator_num_accumulated_op.shape(scalar_shape)


# ---- the public classes ------------------------------------------------------------------


class ConditionalAccumulatorBase:
    """What both kinds of accumulators can do.

    Args:
      make: the operation that gives the handle.
      dtype: of the gradients.
      shape: of the gradients, as far as it is known.
      shared_name: the name under which several sessions share it.
      name: the name.
      reduction_type: "MEAN" or "SUM".
    """

    def __init__(
        self,
        make: OpDef,
        dtype: Any,
        shape: Any,
        shared_name: str | None,
        name: str,
        reduction_type: str,
    ) -> None:
        if reduction_type not in ("MEAN", "SUM"):
            raise ValueError(f"reduction_type must be MEAN or SUM, not {reduction_type!r}.")
        self.dtype, self._shape = dtypes.as_dtype(dtype), as_shape(shape)
        kind = {"dtype": self.dtype, "shape": self._shape, "reduction_type": reduction_type}
        self._accumulator_ref = make(shared_name=shared_name or "", name=name, **kind)
        self.name = self._accumulator_ref.op.name.split("/")[-1]

    def _beside(self, made: OpDef, *inputs: Any, **attrs: Any) -> Any:
        """Adds an operation on the accumulator's device."""
        with stacks.colocate_with(self._accumulator_ref.op):
            return made(self._accumulator_ref, *inputs, **attrs)

    def set_global_step(self, new_global_step: Any, name: str | None = None) -> Operation:
        """An operation that says which step it is: older gradients are left out from now on."""
        step = cast(convert_to_tensor(new_global_step), dtypes.int64)
        return accumulator_set_global_step_op(self._accumulator_ref, step, name=name)


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Gathers gradients of one shape.

    Args:
      dtype, shape, shared_name, name, reduction_type: as of `ConditionalAccumulatorBase`.
    """

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        make = conditional_accumulator_op
        super().__init__(make, dtype, shape, shared_name, name, reduction_type)

    def apply_grad(self, grad: Any, local_step: Any = 0, name: str | None = None) -> Operation:
        """An operation that adds a gradient, unless it is older than the accumulator's step.

        Args:
          grad: the gradient.
          local_step: the step whose variables it was computed from.
          name: the name.
        Raises:
          InvalidArgumentError: when it has another shape.
        """
        grad = convert_to_tensor(grad, self.dtype)
        grad.get_shape().assert_is_compatible_with(self._shape)
        step = cast(local_step, dtypes.int64)
        return self._beside(accumulator_apply_gradient_op, step, grad, name=name)

    def take_grad(self, num_required: Any, name: str | None = None) -> Tensor:
        """The average of the gradients, once there are `num_required`; it begins anew then."""
        take = accumulator_take_gradient_op
        average: Tensor = self._beside(take, num_required, dtype=self.dtype, name=name)
        average.set_shape(self._shape)
        return average


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Gathers gradients that have some rows each; "MEAN" is over the gradients that have a row.

    Args:
      dtype, shape, shared_name, name, reduction_type: as of `ConditionalAccumulatorBase`.
    """

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "sparse_conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        make = sparse_conditional_accumulator_op
        super().__init__(make, dtype, shape, shared_name, name, reduction_type)

    def apply_indexed_slices_grad(
        self, grad: IndexedSlices, local_step: Any = 0, name: str | None = None
    ) -> Operation:
        """An operation that adds rows; see `apply_grad`."""
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(
        self,
        grad_indices: Any,
        grad_values: Any,
        grad_shape: Any = None,
        local_step: Any = 0,
        name: str | None = None,
    ) -> Operation:
        """An operation that adds rows, unless they are older than the accumulator's step.

        Args:
          grad_indices: [n] the places of the rows.
          grad_values: [n, ...] the rows.
          grad_shape: the shape of the whole, or None.
          local_step: the step whose variables they were computed from.
          name: the name.
        """
        known = grad_shape is not None
        given = local_step, grad_indices, grad_shape if known else []
        step, indices, shape = (cast(each, dtypes.int64) for each in given)
        rows = (step, indices, grad_values, shape)
        apply = sparse_accumulator_apply_gradient_op
        return self._beside(apply, *rows, has_known_shape=known, name=name)

    def take_grad(self, num_required: Any, name: str | None = None) -> Any:
        """Indices, rows and shape of the average, once there are `num_required` gradients."""
        take = sparse_accumulator_take_gradient_op
        return self._beside(take, num_required, dtype=self.dtype, name=name)

    def take_indexed_slices_grad(self, num_required: Any, name: str | None = None) -> IndexedSlices:
        """The average of the rows, once there are `num_required` gradients."""
        indices, values, shape = self.take_grad(num_required, name)
        return IndexedSlices(values, indices, shape)
