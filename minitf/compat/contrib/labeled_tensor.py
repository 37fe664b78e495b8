"""Tensors whose axes have names, and labels where they are wanted: `tf.contrib.labeled_tensor`.

    image  [row, column, channel=(r, g, b)]     lt.select(image, {"channel": "g"})  [row, column]
  + shade  [column]                             axes meet by name, never by place
  = [row, column, channel=(r, g, b)]

Here stand the axes, the tensor, what puts axes in order, and the functions of each element, one
line each; `labeled_ops` has the rest. Every function makes its operations in a scope `lt_` and its
own name. Axes are never transposed silently, since that copies. The design is S. Hoyer's, after
his library xarray.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.dtypes import DType
from minitf.core.graph.shapes import Dimension, TensorShape
from minitf.core.graph.stacks import get_collection_ref, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import activations, comparisons, losses, math
from minitf.core.ops import array_shaping as shaping
from minitf.core.ops.array import identity as identity_op
from minitf.library.numeric import error_function, gamma_functions

F = TypeVar("F", bound=Callable[..., Any])


class AxisOrderError(ValueError):
    """No order of the axes fits all that is asked."""


class Axis:
    """A name with a size, or with a label for each place.

    Args:
      name: a text.
      value: None, an int or a `tf.Dimension`; or a list, tuple, range or array of labels.
    Raises:
      ValueError: when two labels are equal.
      TypeError: when the name is no text or the labels are one.
    """

    def __init__(self, name: str, value: Any) -> None:
        sized = value is None or isinstance(value, (int, Dimension))
        if not isinstance(name, str) or not (
            sized or isinstance(value, (list, tuple, range, np.ndarray))
        ):
            raise TypeError(f"An axis is a name with a size or labels, not {name!r} and {value!r}")
        self.name = name
        self.dimension = Dimension(value if sized else len(value))
        self.labels = None if sized and self.size != 0 else tuple(value if not sized else ())
        self._index = {label: place for place, label in enumerate(self.labels or ())}
        if self.labels is not None and len(self._index) != len(self.labels):
            raise ValueError(f"Tick labels must be unique, but got {self.labels}")

    @property
    def size(self) -> int | None:
        """How many places; None when it is not known."""
        return self.dimension.value

    @property
    def value(self) -> Any:
        """The labels, or the `tf.Dimension` when there are none."""
        return self.dimension if self.labels is None else self.labels

    def index(self, value: Any) -> int:
        """The place of a label; KeyError when it is not there, ValueError without labels."""
        if self.labels is None:
            raise ValueError("Axis does not have tick labels")
        return self._index[value]

    def __repr__(self) -> str:
        return f"{type(self).__name__}{_shown(self)}"

    def __len__(self) -> int:
        if self.size is None:
            raise ValueError(f"axis {self.name!r} has unknown length")
        return self.size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Axis) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.name, self.size, self.labels


def _shown(axis: Axis) -> str:
    return f"('{axis.name}', {axis.value!r})"


def as_axis(axis_data: Any) -> Axis:
    """An `Axis` as it is; a pair of name and value as an `Axis`."""
    return axis_data if isinstance(axis_data, Axis) else Axis(*axis_data)


class Axes(Mapping[str, Axis]):
    """Axes by name, in order; equal to others with the same axes in any order.

    Args:
      axes: of `Axis` and pairs (name, value).
    Raises:
      ValueError: when two have one name.
    """

    def __init__(self, axes: Collection[Any]) -> None:
        self._axes: dict[str, Axis] = {}
        for axis in map(as_axis, axes):
            if axis.name in self._axes:
                raise ValueError(f"Duplicate axis name: {axis.name}")
            self._axes[axis.name] = axis

    def __iter__(self) -> Iterator[str]:
        return iter(self._axes)

    def __getitem__(self, name: str) -> Axis:
        return self._axes[name]

    def __len__(self) -> int:
        return len(self._axes)

    def __hash__(self) -> int:
        return hash(tuple(self.items()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}([{_lines(self, 6)}])"

    def remove(self, axis_name: str) -> Axes:
        """The axes without one; KeyError when it is not there."""
        self[axis_name]
        return Axes([axis for axis in self.values() if axis.name != axis_name])


def _lines(axes: Axes, indent: int) -> str:
    return (",\n" + " " * indent).join(map(_shown, axes.values()))


class LabeledTensor:
    """A tensor with an axis for each dimension.

    Operators work by names, `t[...]` takes an index for each axis, and `==` is identity, as for
    tensors of 1.x. Wherever a tensor is taken, so is this.

    Args:
      tensor: a `tf.Tensor` of known rank.
      axes: `Axes`, or for each dimension a name, a pair (name, value) or an `Axis`; a name alone
        takes the tensor's size.
    Raises:
      ValueError: when the axes are not as many, or not as large, as the tensor's dimensions.
    Example:
      >>> lt = tf.contrib.labeled_tensor
      >>> lt.LabeledTensor(tf.ones([2, 3], name="a"), ["x", ("y", ["u", "v", "w"])])
      <LabeledTensor 'a:0' shape=(2, 3) dtype=float32
       axes=[('x', Dimension(2)),
             ('y', ('u', 'v', 'w'))]>
    """

    def __init__(self, tensor: Tensor, axes: Any) -> None:
        if not isinstance(tensor, Tensor):
            raise TypeError(f"A LabeledTensor is made of a tf.Tensor, not of {tensor!r}")
        shape = tensor.get_shape()
        if not isinstance(axes, Axes):
            axes = Axes([
                (axis, shape[place]) if isinstance(axis, str) else axis
                for place, axis in enumerate(axes)
            ])  # fmt: skip
        if len(shape) != len(axes):
            raise ValueError(
                f"Tensor rank was not equal to the number of axes: {shape!r}, {axes!r}"
            )
        for dimension, axis in zip(shape, axes.values(), strict=True):
            if not dimension.is_compatible_with(axis.size):
                raise ValueError(
                    f"Provided axis size {axis.size} does not match tensor dimension size "
                    f"{dimension}"
                )
        self.tensor, self.axes = tensor, axes

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self.tensor.dtype

    @property
    def name(self) -> str:
        """The name of the tensor."""
        return self.tensor.name

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self.tensor.get_shape()

    def _as_tensor(self) -> Tensor:
        return self.tensor

    _as_graph_element = _as_tensor

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} '{self.name}' shape={self.get_shape()} "
            f"dtype={self.dtype.name}\n axes=[{_lines(self.axes, 7)}]>"
        )

    def __getitem__(self, key: Any) -> LabeledTensor:
        key = key if isinstance(key, tuple) else (key,)
        if len(key) != len(self.axes):
            raise ValueError(
                f"indexer {key!r} must have the same length as the Tensor rank ({len(self.axes)})"
            )
        return slice_function(self, dict(zip(self.axes, key, strict=True)))

    def __pos__(self) -> LabeledTensor:
        return self

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, LabeledTensor)
            and self.tensor is other.tensor
            and self.axes == other.axes
        )

    def __hash__(self) -> int:
        return hash((id(self.tensor), self.axes))


def convert_to_labeled_tensor(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A `LabeledTensor` as it is; a number, or a tensor or array of rank 0, without axes.

    Args:
      value: what is converted.
      dtype: the type that it must have; found when None.
      name: of the constant that is made.
    Raises:
      ValueError: when `value` has axes that nobody named.
    """
    axes = value.axes if isinstance(value, LabeledTensor) else []
    tensor = convert_to_tensor(getattr(value, "tensor", value), dtype=dtype, name=name)
    if len(tensor.get_shape()) != len(axes):
        raise ValueError(
            "cannot automatically convert unlabeled arrays or tensors with rank>0 into "
            f"LabeledTensors: {value!r}"
        )
    return LabeledTensor(tensor, axes)


def labeled(*parameters: str) -> Callable[[F], F]:
    """Runs a function in its scope, `name` being that, and `parameters` labeled tensors.

    A list of tensors becomes a list of labeled tensors.
    """

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        default_name = "lt_" + function.__name__.removesuffix("_function")

        @functools.wraps(function)
        def under_scope(*args: Any, **kwargs: Any) -> Any:
            given = signature.bind(*args, **kwargs)
            values = given.arguments
            tensors: list[Any] = []
            for each in map(values.__getitem__, parameters):
                tensors += each if isinstance(each, (list, tuple)) else [each]
            owned = [getattr(each, "tensor", each) for each in tensors]
            with name_scope(values.get("name"), default_name, owned) as scope:
                for key in parameters:
                    if isinstance(values[key], (list, tuple)):
                        values[key] = list(map(convert_to_labeled_tensor, values[key]))
                    else:
                        values[key] = convert_to_labeled_tensor(values[key])
                values["name"] = scope
                return function(**values)

        return under_scope  # type: ignore[return-value]

    return decorate


@labeled("labeled_tensor")
def identity(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """The tensor, as the result of a new operation."""
    return LabeledTensor(identity_op(labeled_tensor.tensor, name=name), labeled_tensor.axes)


@labeled("labeled_tensor")
def slice_function(
    labeled_tensor: Any, selection: Mapping[str, int | slice], name: str | None = None
) -> LabeledTensor:
    """A part of the tensor: `lt.slice`.

    Args:
      labeled_tensor: the tensor.
      selection: by axis, an int, which drops the axis, or a slice of places.
      name: of the operation.
    Example:
      >>> lt = tf.contrib.labeled_tensor
      >>> t = lt.constant([[1, 2], [3, 4]], axes=["x", ("y", ["u", "v"])])
      >>> lt.slice(t, {"x": 1, "y": slice(1, 2)}).axes
      Axes([('y', ('v',))])
    """
    chosen = {axis: selection.get(name, slice(None)) for name, axis in labeled_tensor.axes.items()}
    part = labeled_tensor.tensor[tuple(chosen.values())] if chosen else labeled_tensor.tensor
    axes = [
        axis.name if axis.labels is None else (axis.name, axis.labels[place])
        for axis, place in chosen.items()
        if isinstance(place, slice)
    ]
    return LabeledTensor(identity_op(part, name=name), axes)


@labeled("labeled_tensor")
def transpose(
    labeled_tensor: Any, axis_order: Collection[str] | None = None, name: Any = None
) -> LabeledTensor:
    """The axes in the order of the names; in reverse when None.

    Raises:
      ValueError: when the names are not those of the axes.
    """
    original = list(labeled_tensor.axes)
    order = original[::-1] if axis_order is None else axis_order
    if sorted(order) != sorted(original):
        raise ValueError(
            "The new axis order must have the same names as the original axes, but the new order "
            f"is {order!r} while the original order is {original!r}"
        )
    turned = shaping.transpose(labeled_tensor.tensor, [original.index(n) for n in order], name=name)
    return LabeledTensor(turned, [labeled_tensor.axes[n] for n in order])


def sizes(axes: Collection[Axis]) -> list[int]:
    """The sizes as a shape to reshape to: -1 where one is not known."""
    return [-1 if axis.size is None else axis.size for axis in axes]


@labeled("labeled_tensor")
def expand_dims(
    labeled_tensor: Any, axes: Collection[Any], name: str | None = None
) -> LabeledTensor:
    """Puts axes of size 1 between those that are there.

    Args:
      labeled_tensor: the tensor.
      axes: all names, in order; a pair (name, label) gives a new axis a label.
      name: of the operation.
    Raises:
      AxisOrderError: when the tensor's axes are not among them in this order.
    """
    check_axis_order(labeled_tensor, [a if isinstance(a, str) else a[0] for a in axes])
    new_axes = []
    for axis in axes:
        new = (axis, 1) if isinstance(axis, str) else (axis[0], (axis[1],))
        new_axes.append(labeled_tensor.axes[axis] if axis in labeled_tensor.axes else Axis(*new))
    return LabeledTensor(
        shaping.reshape(labeled_tensor.tensor, sizes(new_axes), name=name), new_axes
    )


def _orders() -> list[Any]:
    # In the graph, as TensorFlow has it: each thread has a default graph of its own.
    return get_collection_ref(("__axis_order",))


def get_axis_order() -> list[str] | None:
    """The order of the innermost `axis_order_scope`."""
    return _orders()[0] if _orders() else None


@contextmanager
def axis_order_scope(axis_order: list[str] | None = None) -> Iterator[list[str] | None]:
    """A scope in which results have their axes in this order; None: in that of the operands.

    Example:
      >>> lt = tf.contrib.labeled_tensor
      >>> x, y = lt.constant([1, 2], axes=["x"]), lt.constant([3, 4, 5], axes=["y"])
      >>> with lt.axis_order_scope(["y", "x"]):
      ...     list((x * y).axes)
      ['y', 'x']
    """
    orders = _orders()
    before = list(orders)
    orders[:] = [axis_order]
    try:
        yield axis_order
    finally:
        orders[:] = before


def _required(axis_order: Collection[str] | None) -> Collection[str]:
    order = get_axis_order() if axis_order is None else axis_order
    if order is None:
        raise AxisOrderError(
            "an explicit axis order must be provided with the axis_order argument or by using an "
            "axis_order_scope"
        )
    return order


def check_axis_order(labeled_tensor: Any, axis_order: Collection[str] | None = None) -> None:
    """Raises AxisOrderError unless the axes are among `axis_order`, or the scope's, in order."""
    labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
    axis_order = _required(axis_order)
    relevant = [name for name in axis_order if name in labeled_tensor.axes]
    if len(relevant) < len(labeled_tensor.axes):
        raise AxisOrderError(
            f"not all axis names appear in the required axis order {axis_order!r}: "
            f"{labeled_tensor!r}"
        )
    if relevant != list(labeled_tensor.axes):
        raise AxisOrderError(
            "axes on a labeled tensor do not appear in the same order as the required axis order "
            f"{axis_order!r}: {labeled_tensor!r}"
        )


@labeled("labeled_tensor")
def impose_axis_order(
    labeled_tensor: Any, axis_order: Collection[str] | None = None, name: str | None = None
) -> LabeledTensor:
    """The tensor with its axes in the order of `axis_order`, or the scope's.

    Raises:
      ValueError: when an axis is not in it (AxisOrderError when there is no order).
    """
    relevant = [axis for axis in _required(axis_order) if axis in labeled_tensor.axes]
    return transpose(labeled_tensor, relevant, name=name)


def _consistent_order(a: list[str], b: list[str]) -> list[str] | None:
    """Both lists in one that keeps the order of each, as far left as `a` can be; or None."""
    order: list[str] = []
    rest = list(b)
    for name in a:
        if name in b:
            place = rest.index(name)
            if any(passed in a for passed in rest[:place]):
                return None
            order += rest[:place]
            rest = rest[place + 1 :]
        order.append(name)
    return order + rest


@labeled("labeled_tensor_0", "labeled_tensor_1")
def align(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> tuple[LabeledTensor, LabeledTensor, Axes]:
    """Both tensors with axes of size 1 where the other one has more, so that they broadcast.

    Returns: the tensors, and the axes of what becomes of them.
    Raises:
      ValueError: when axes of one name differ.
      AxisOrderError: when one of them would have to be transposed.
    """
    axes_0, axes_1 = labeled_tensor_0.axes, labeled_tensor_1.axes
    for axis in axes_0:
        if axis in axes_1 and axes_0[axis] != axes_1[axis]:
            raise ValueError(
                f"Mismatched {axis!r} axis on input tensors: {axes_0[axis]!r} and {axes_1[axis]!r}"
            )
    scope_order = get_axis_order()
    if scope_order is not None:
        order: list[str] | None = [a for a in scope_order if a in axes_0 or a in axes_1]
        check_axis_order(labeled_tensor_0, scope_order)
        check_axis_order(labeled_tensor_1, scope_order)
    else:
        order = _consistent_order(list(axes_0), list(axes_1))
    if order is None:
        raise AxisOrderError(
            "No consistent axis order allows for aligning tensors with axis orders "
            f"{axes_0.keys()!r} and {axes_1.keys()!r} without copying data. Use transpose or "
            "impose_axis_order to reorder axes on one of more of the inputs."
        )
    wide = [
        expand_dims(tensor, order, name=f"{name}{place}")
        for place, tensor in enumerate((labeled_tensor_0, labeled_tensor_1))
    ]
    return wide[0], wide[1], Axes([{**axes_1, **axes_0}[a] for a in order])


def defined(op_name: str, function: Callable, doc: str) -> Any:
    """The function under the name and docstring of an op."""
    function.__name__ = function.__qualname__ = op_name
    function.__doc__ = doc
    return function


def define_unary_op(op_name: str, elementwise_function: Callable[..., Tensor]) -> Callable:
    """Makes a function of a labeled tensor from one of a tensor.

    Args:
      op_name: its name; with `lt_` that of its scope.
      elementwise_function: called with a `tf.Tensor` and `name=`; keeps the shape.
    """

    def unary(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
        result = elementwise_function(labeled_tensor.tensor, name=name)
        return LabeledTensor(result, labeled_tensor.axes)

    return labeled("labeled_tensor")(
        defined(op_name, unary, f"`tf.{op_name}` of each element; the axes stay.")
    )


def define_binary_op(op_name: str, elementwise_function: Callable[..., Tensor]) -> Callable:
    """Makes a function of two labeled tensors, which meet by names, from one of two tensors.

    Args:
      op_name: its name; with `lt_` that of its scope.
      elementwise_function: called with two `tf.Tensor`s and `name=`; broadcasts.
    """

    def binary(
        labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
    ) -> LabeledTensor:
        first, second, axes = align(labeled_tensor_0, labeled_tensor_1)
        return LabeledTensor(elementwise_function(first.tensor, second.tensor, name=name), axes)

    return labeled("labeled_tensor_0", "labeled_tensor_1")(
        defined(op_name, binary, f"`tf.{op_name}` of two tensors, whose axes meet by names.")
    )


abs_function = define_unary_op("abs", math.abs)
neg = define_unary_op("neg", math.negative)
sign = define_unary_op("sign", math.sign)
reciprocal = define_unary_op("reciprocal", math.reciprocal)
square = define_unary_op("square", math.square)
round_function = define_unary_op("round", math.round)
sqrt = define_unary_op("sqrt", math.sqrt)
rsqrt = define_unary_op("rsqrt", math.rsqrt)
exp = define_unary_op("exp", math.exp)
log = define_unary_op("log", math.log)
ceil = define_unary_op("ceil", math.ceil)
floor = define_unary_op("floor", math.floor)
cos = define_unary_op("cos", math.cos)
sin = define_unary_op("sin", math.sin)
tan = define_unary_op("tan", math.tan)
acos = define_unary_op("acos", math.acos)
asin = define_unary_op("asin", math.asin)
atan = define_unary_op("atan", math.atan)
lgamma = define_unary_op("lgamma", gamma_functions.lgamma)
digamma = define_unary_op("digamma", gamma_functions.digamma)
erf = define_unary_op("erf", error_function.erf)
erfc = define_unary_op("erfc", error_function.erfc)
logical_not = define_unary_op("logical_not", comparisons.logical_not)
tanh = define_unary_op("tanh", math.tanh)
sigmoid = define_unary_op("sigmoid", math.sigmoid)

add = define_binary_op("add", math.add)
sub = define_binary_op("sub", math.subtract)
mul = define_binary_op("mul", math.multiply)
div = define_binary_op("div", math.div)
mod = define_binary_op("mod", math.floormod)
pow_function = define_binary_op("pow", math.pow)
equal = define_binary_op("equal", comparisons.equal)
greater = define_binary_op("greater", comparisons.greater)
greater_equal = define_binary_op("greater_equal", comparisons.greater_equal)
not_equal = define_binary_op("not_equal", comparisons.not_equal)
less = define_binary_op("less", comparisons.less)
less_equal = define_binary_op("less_equal", comparisons.less_equal)
logical_and = define_binary_op("logical_and", comparisons.logical_and)
logical_or = define_binary_op("logical_or", comparisons.logical_or)
logical_xor = define_binary_op("logical_xor", comparisons.logical_xor)
maximum = define_binary_op("maximum", math.maximum)
minimum = define_binary_op("minimum", math.minimum)
squared_difference = define_binary_op("squared_difference", math.squared_difference)
igamma = define_binary_op("igamma", gamma_functions.igamma)
igammac = define_binary_op("igammac", gamma_functions.igammac)
zeta = define_binary_op("zeta", gamma_functions.zeta)
polygamma = define_binary_op("polygamma", gamma_functions.polygamma)

# lt.nn; the cross entropies want their arguments by name, and say so: TensorFlow's own do, too
relu = define_unary_op("relu", activations.relu)
relu6 = define_unary_op("relu6", activations.relu6)
crelu = define_unary_op("crelu", activations.crelu)
elu = define_unary_op("elu", activations.elu)
softplus = define_unary_op("softplus", activations.softplus)
l2_loss = define_unary_op("l2_loss", losses.l2_loss)
softmax = define_unary_op("softmax", activations.softmax)
log_softmax = define_unary_op("log_softmax", activations.log_softmax)
sigmoid_cross_entropy_with_logits = define_binary_op(
    "sigmoid_cross_entropy_with_logits", losses.sigmoid_cross_entropy_with_logits
)
softmax_cross_entropy_with_logits = define_binary_op(
    "softmax_cross_entropy_with_logits", losses.softmax_cross_entropy_with_logits
)
sparse_softmax_cross_entropy_with_logits = define_binary_op(
    "sparse_softmax_cross_entropy_with_logits", losses.sparse_softmax_cross_entropy_with_logits
)

for _sign, _function in {"abs": abs_function, "neg": neg, "invert": logical_not}.items():
    setattr(LabeledTensor, f"__{_sign}__", lambda x, _f=_function: _f(x))
for _sign, _function in {
    "add": add, "sub": sub, "mul": mul, "truediv": div, "mod": mod, "pow": pow_function,
    "lt": less, "le": less_equal, "gt": greater, "ge": greater_equal,
    "and": logical_and, "or": logical_or, "xor": logical_xor,
}.items():  # fmt: skip
    setattr(LabeledTensor, f"__{_sign}__", lambda x, y, _f=_function: _f(x, y))
    if _sign in ("add", "sub", "mul", "truediv", "mod", "pow"):
        setattr(LabeledTensor, f"__r{_sign}__", lambda x, y, _f=_function: _f(y, x))
