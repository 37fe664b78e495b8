"""`tf.gradients`: adds to a graph the operations that compute its derivatives.

Reverse accumulation visits the operations between the xs and the ys backwards, each when all
gradients of its outputs are there. They are summed, and the operation's gradient function computes
the gradients of its inputs:

    forward     x --> Square --> Sum --> y
    backward    dx <-- Square_grad <-- Sum_grad <-- 1

A gradient function is declared beside its kernel and built of ops, so that gradients can be
differentiated again. The result is part of the graph, in the scope `gradients/`.

The gradient of a table whose rows are looked up is an `IndexedSlices`: the gradients of the rows
and their numbers. Several are concatenated, and operations with `takes_slices` pass them on. All
others get the gradient of the whole table.
"""

from __future__ import annotations

import contextlib
import enum
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.composites import IndexedSlices
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.op_def import get_op_def
from minitf.core.ops import array as array_ops
from minitf.core.ops import control as control_ops
from minitf.core.ops.array_filling import fill, zeros_like
from minitf.core.ops.array_joining import concat
from minitf.core.ops.cast import cast
from minitf.core.ops.lists import add_lists
from minitf.core.ops.math import add_n


class AggregationMethod:
    """How several gradients of one tensor are summed; always by `AddN`."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class UnconnectedGradients(enum.Enum):
    """The gradient of an x on which no y depends: None, or zeros."""

    NONE = "none"
    ZERO = "zero"


class _Accumulator:
    """The gradients that have arrived so far, by tensor."""

    def __init__(self) -> None:
        self._arrived: dict[Tensor, list[Tensor]] = {}

    def add(self, tensor: Tensor, gradient: Tensor | None) -> None:
        """Adds a gradient of `tensor`."""
        if gradient is not None:
            self._arrived.setdefault(tensor, []).append(gradient)

    def total(self, tensor: Tensor) -> Tensor | None:
        """Returns the sum of the gradients of `tensor`; None if there is none."""
        arrived = self._arrived.get(tensor)
        if not arrived:
            return None
        if len(arrived) > 1:
            self._arrived[tensor] = arrived = [self._sum(arrived)]
        return arrived[0]

    def _sum(self, terms: list[Tensor]) -> Tensor:
        # What lies on one device is summed there first: one transfer instead of many.
        by_device: defaultdict[str, list[Tensor]] = defaultdict(list)
        for term in terms:
            by_device[term.device or ""].append(term)
        sums = []
        for device in sorted(by_device):
            with stacks.colocate_with(by_device[device][0].op, ignore_existing=True):
                sums.append(add_gradients(by_device[device]))
        return add_gradients(sums)


def add_gradients(terms: list[Any]) -> Any:
    """The sum of the gradients of one tensor; None if there is none.

    The sum of several `IndexedSlices` is one that has the rows of all.
    """
    if len(terms) < 2:
        return terms[0] if terms else None
    if all(isinstance(term, IndexedSlices) for term in terms):
        return _joined(terms)
    terms = [convert_to_tensor(term) for term in terms]
    return add_lists(terms) if terms[0].dtype == dtypes.variant else add_n(terms)


def _joined(slices: list[IndexedSlices]) -> IndexedSlices:
    kinds = {s.indices.dtype.base_dtype for s in slices}
    indices = [s.indices if len(kinds) == 1 else cast(s.indices, dtypes.int64) for s in slices]
    shapes = [s.dense_shape for s in slices if s.dense_shape is not None]
    values = concat([s.values for s in slices], 0)
    return IndexedSlices(values, concat(indices, 0), shapes[0] if shapes else None)


def wants_zeros(unconnected: Any) -> bool:
    """Whether the gradient of an unconnected x is zeros.

    Raises:
      ValueError: when it is no `UnconnectedGradients`.
    """
    try:
        return UnconnectedGradients(unconnected) is UnconnectedGradients.ZERO
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {unconnected!r}") from None


def _as_list(value: Any) -> list:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def is_trainable(tensor: Tensor) -> bool:
    """Whether gradients flow through a tensor: one of floats, complex numbers or lists of them."""
    dtype = tensor.dtype.base_dtype
    return dtype.is_floating or dtype.is_complex or dtype == dtypes.variant


def _colocation(op: Operation, colocate: bool) -> AbstractContextManager[Any]:
    return stacks.colocate_with(op) if colocate else contextlib.nullcontext()


#: The operations that stand for the inputs of a body, among them what it captured.
_INPUTS = ("Argument", "RefArgument")


def _sources(op: Operation) -> Sequence[Tensor]:
    """The tensors that get the gradients of `op`: its inputs, or the captured outer tensor."""
    if op.type not in _INPUTS:
        return op.inputs
    graph: Any = op.graph
    outside = graph.outside_of(op.outputs[0])
    return [] if outside is None or outside.has_value else [outside]


def _captures(ys: Sequence[Tensor]) -> dict[Tensor, list[Tensor]]:
    """The inner tensors of each captured tensor, in all bodies around the ys."""
    inside: dict[Tensor, list[Tensor]] = {}
    graphs: dict[Any, None] = {}
    for y in ys:
        graph: Any = y.graph
        while graph.captures_from_outside and graph not in graphs:
            graphs[graph] = None
            for outer, inner in graph.captures:
                inside.setdefault(outer, []).append(inner)
            graph = graph.outer
    return inside


def _downstream(ops: Sequence[Operation], inside: dict[Tensor, list[Tensor]]) -> set[Operation]:
    """`ops`, and all operations that compute from their outputs, directly or not."""
    reached: set[Operation] = set()
    queue = deque(ops)
    while queue:
        op = queue.popleft()
        if op not in reached:
            reached.add(op)
            for output in op.outputs:
                if is_trainable(output):
                    queue.extend(output.consumers())
                    queue.extend(tensor.op for tensor in inside.get(output, ()))
    return reached


def _pending_counts(
    to_ops: Sequence[Operation], reached: set[Operation]
) -> defaultdict[Operation, int]:
    """The number of gradients for which each operation between xs and ys waits."""
    between: dict[Operation, None] = {}  # a set that keeps its order
    queue = deque(to_ops)
    while queue:
        op = queue.popleft()
        if op in reached and op not in between:
            between[op] = None
            queue.extend(tensor.op for tensor in _sources(op))
    pending: defaultdict[Operation, int] = defaultdict(int)
    for op in between:
        for tensor in _sources(op):
            if tensor.op in between:
                pending[tensor.op] += 1
    return pending


def _check_grad_y(y: Tensor, grad_y: Tensor) -> None:
    have, want = grad_y.dtype, y.dtype.base_dtype
    if have == want == dtypes.variant:
        return
    if want.is_floating or want.is_integer:
        if not (have.is_floating or have.is_integer):
            raise TypeError(
                f"Gradient type {have.name} generated for real or integer-valued tensor {y} with "
                f"type {want.name} must be real or integer"
            )
    elif want.is_complex:
        if not have.is_complex:
            raise TypeError(
                f"Gradient type {have.name} generated for complex-valued tensor {y} with type "
                f"{want.name} must be real"
            )
    else:
        raise TypeError(
            f"Tensor {y} with type {want.name} must be numeric to obtain a default gradient"
        )


def _default_grad_ys(grad_ys: list, ys: list[Tensor], colocate: bool) -> list[Any]:
    """Returns a gradient for each y: the one given, or ones of its shape."""
    if len(grad_ys) != len(ys):
        raise ValueError(f"Passed {len(grad_ys)} grad_ys for {len(ys)} ys")
    given = [
        grad
        if grad is None or isinstance(grad, IndexedSlices)
        else convert_to_tensor(grad, name=f"grad_y_{i}")
        for i, grad in enumerate(grad_ys)
    ]
    complete: list[Any] = []
    for i, (y, grad_y) in enumerate(zip(ys, given, strict=True)):
        with _colocation(y.op, colocate):
            if grad_y is None:
                if y.dtype.is_complex:
                    raise TypeError(
                        f"Gradients of complex tensors must set grad_ys (y.dtype = {y.dtype!r})"
                    )
                unit = True if y.dtype.is_bool else 1
                shape = array_ops.shape(y)
                one = constant(unit, dtype=y.dtype.base_dtype, name=f"grad_ys_{i}")
                grad_y = fill(shape, one)
            elif not isinstance(grad_y, IndexedSlices):
                _check_grad_y(y, grad_y)
                grad_y = array_ops.identity(grad_y, name=f"grad_ys_{i}")
            complete.append(grad_y)
    return complete


_named_gradients: dict[str, Callable] = {}


def register_gradient(name: str, function: Callable) -> None:
    """Registers `function(op, *dys)` under a name for `Graph.gradient_override_map`.

    Raises:
      KeyError: when the name is taken.
    """
    if name in _named_gradients:
        raise KeyError(f"Registering two gradient with name '{name}'!")
    _named_gradients[name] = function


class RegisterGradient:
    """Decorates a gradient function `(op, *dys)` to register it for `gradient_override_map`.

    Args:
      op_type: the name.

    Example:
      >>> @tf.RegisterGradient("Doubled")
      ... def doubled(op, dy):
      ...     return 2 * dy
      >>> x, graph = tf.constant(3.0), tf.get_default_graph()
      >>> with graph.gradient_override_map({"Identity": "Doubled"}):
      ...     y = tf.identity(x)
      >>> sess.run(tf.gradients(y, x))
      [2.0]
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: Callable) -> Callable:
        register_gradient(self._op_type, f)
        return f


def gradient_function(op: Operation) -> Callable | None:
    """The gradient function of an operation; None if it is not differentiable.

    Raises:
      LookupError: when neither the operation nor the name in `Graph.gradient_override_map` declares
        a gradient, or that there is none.
    """
    named = op.attrs.get("_gradient_op_type", "")
    if named in _named_gradients:
        return _named_gradients[named]
    with contextlib.suppress(KeyError):
        op_def = get_op_def(named) if named else op.op_def
        if op_def.gradient_function is not None or op_def.differentiable is False:
            return op_def.gradient_function
    raise LookupError(f"No gradient defined for operation '{op.name}' (op type: {op.type})")


def input_gradients(
    op: Operation, arrived: list[Tensor | None], gate: bool = False
) -> list[Tensor | None]:
    """Calls the gradient function of `op`; all None if it is not differentiable.

    Raises:
      LookupError: as `gradient_function`.
      ValueError: when the function does not return one gradient an input.
    """
    function = gradient_function(op)
    if function is None:
        return [None] * len(op.inputs)
    with stacks.name_scope(op.name + "_grad"):
        if not op.op_def.takes_slices:
            arrived = [_whole(gradient) for gradient in arrived]
        gradients = _as_list(function(op, *arrived))
        if len(gradients) != len(op.inputs):
            raise ValueError(
                f"Num gradients {len(gradients)} generated for op {op.node_def} do not match num "
                f"inputs {len(op.inputs)}"
            )
        if gate and sum(g is not None for g in gradients) > 1:
            # None of them is to be used before all of them are there.
            with stacks.device(None), stacks.colocate_with(None, ignore_existing=True):
                gradients = control_ops.tuple(gradients)
    return gradients


def _whole(gradient: Any) -> Any:
    return convert_to_tensor(gradient) if isinstance(gradient, IndexedSlices) else gradient


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
    unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
) -> list[Tensor | None]:
    """Adds the derivatives of the sum of `ys` with respect to each of `xs`.

    Args:
      ys: a tensor or a list of tensors.
      xs: a tensor or variable, or a list of them.
      grad_ys: for each y, the gradient that reaches it, of its shape; None stands for ones.
      name: the name scope of what is added.
      colocate_gradients_with_ops: put each gradient where its operation is.
      gate_gradients: let no gradient of an operation be used before all of them are computed.
      aggregation_method: a constant of `AggregationMethod`, which changes nothing.
      stop_gradients: tensors that count as constants: no gradient passes through them.
      unconnected_gradients: what stands for the gradient of an x that no y depends on.

    Returns: one gradient for each x, of its shape; None (or zeros) where no y depends on it.
    Raises:
      LookupError: when an operation on the way has no gradient.
      ValueError: when the numbers of ys and grad_ys differ.
      TypeError: when the type of a grad_y does not fit.
    Example:
      >>> x = tf.constant(3.0)
      >>> sess.run(tf.gradients(x * x, x))
      [6.0]
    """
    if stacks.executing_eagerly():
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape "
            "instead."
        )
    methods = [method for name, method in vars(AggregationMethod).items() if name.isupper()]
    if aggregation_method not in (None, *methods):
        raise ValueError(f"Invalid aggregation_method specified {aggregation_method}.")
    zeros = wants_zeros(unconnected_gradients)
    ys, xs = _as_list(ys), _as_list(xs)
    stops = [] if stop_gradients is None else _as_list(stop_gradients)
    grad_ys = [None] * len(ys) if grad_ys is None else _as_list(grad_ys)
    values = [v for v in (*ys, *xs, *stops, *grad_ys) if v is not None]
    colocate = colocate_gradients_with_ops
    with stacks.name_scope(name, "gradients", values):
        y_tensors = [convert_to_tensor(y, name=f"y_{i}") for i, y in enumerate(ys)]
        x_tensors = [convert_to_tensor(x, name=f"x_{i}", as_ref=True) for i, x in enumerate(xs)]
        stop_ops = {convert_to_tensor(s, name="stop").op for s in stops}
        accumulator = _Accumulator()
        arriving = _default_grad_ys(grad_ys, y_tensors, colocate)
        for y, grad_y in zip(y_tensors, arriving, strict=True):
            accumulator.add(y, grad_y)
        inside = _captures(y_tensors)
        # What has a value belongs to no graph: what captured it stands for it.
        ends = [inside.get(x, []) if x.has_value else [x] for x in x_tensors]
        every = [tensor for each in ends for tensor in each]
        _propagate(y_tensors, every, inside, stop_ops, accumulator, colocate, gate_gradients)
        found = [_together([accumulator.total(tensor) for tensor in each]) for each in ends]
    if zeros:
        found = [
            zeros_like(x) if gradient is None else gradient
            for x, gradient in zip(x_tensors, found, strict=True)
        ]
    return found


def _together(found: list[Any]) -> Any:
    return add_gradients([each for each in found if each is not None])


def _propagate(
    ys: list[Tensor],
    xs: list[Tensor],
    inside: dict[Tensor, list[Tensor]],
    stop_ops: set[Operation],
    accumulator: _Accumulator,
    colocate: bool,
    gate: bool,
) -> None:
    """Goes back from the ys to the xs, and adds the gradients of each tensor to `accumulator`.

    An operation is next when no operation that reads it is left; `pending` counts these. The
    gradient of a captured tensor continues in the outer graph (`inside` has all captures).
    """
    to_ops, from_ops = [y.op for y in ys], [x.op for x in xs]
    reached = _downstream(from_ops, inside)
    pending = _pending_counts(to_ops, reached)
    # Nothing beyond the first of the xs is of interest.
    ends = stop_ops | {op for op in from_ops if not any(pending[t.op] for t in _sources(op))}
    queue = deque(dict.fromkeys(op for op in to_ops if not pending[op] and op in reached))
    while queue:
        op = queue.popleft()
        counted = _sources(op)  # a loop may be given further ones by its gradient
        with _colocation(op, colocate):
            arrived = [accumulator.total(output) for output in op.outputs]
            if op not in ends and any(a is not None for a in arrived):
                captured = op.type in _INPUTS
                gradients = arrived if captured else input_gradients(op, arrived, gate)
                tensors = counted if captured else op.inputs
                for tensor, gradient in zip(tensors, gradients, strict=True):
                    _deliver(op, tensor, gradient, accumulator)
        for tensor in counted:
            pending[tensor.op] -= 1
            if pending[tensor.op] == 0:
                queue.append(tensor.op)


def _deliver(
    op: Operation, tensor: Tensor, gradient: Tensor | None, accumulator: _Accumulator
) -> None:
    if gradient is None:
        return
    try:
        if isinstance(gradient, IndexedSlices):
            gradient.shape.assert_is_compatible_with(tensor.shape)
        else:
            gradient.set_shape(tensor.shape)
    except ValueError:
        raise ValueError(
            "Incompatible shapes between op input and calculated input gradient. Forward "
            f"operation: {op.name}. Input index: {op.inputs.index(tensor)}. Original input shape: "
            f"{tensor.shape}. Calculated input gradient shape: {gradient.shape}"
        ) from None
    accumulator.add(tensor, gradient)
