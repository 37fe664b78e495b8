"""What `tf.contrib.labeled_tensor` does beyond single elements: parts, sums, products, files.

select, slices by label      pack [a] x n -> [new, a]        reshape [a, b] -> [c]
reduce_sum(t, "x")           drops the axis "x"              reduce_sum(t, ("x", "all")) keeps it
matmul(a, b)                 sums over the axis they share   parse_example, placeholder: by axes
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from typing import Any

from minitf.compat.contrib.labeled_tensor import (
    Axes,
    Axis,
    AxisOrderError,
    LabeledTensor,
    as_axis,
    convert_to_labeled_tensor,
    defined,
    get_axis_order,
    identity,
    labeled,
    sizes,
    slice_function,
)
from minitf.core.graph import convert
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import array, array_filling, array_slicing, comparisons, linalg, reductions
from minitf.core.ops import array_joining as joining
from minitf.core.ops import array_shaping as shaping
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_padding import pad as pad_op
from minitf.core.ops.cast import cast as cast_op
from minitf.library.checks import assertions
from minitf.library.graph_tools import functional
from minitf.library.input.queues import batching
from minitf.library.numeric.random_distributions import random_crop as crop_op
from minitf.library.parsing import example_parsing


def _concat_axes(axes: Collection[Axis]) -> Axis:
    """Axes of one name end to end: labels when all have them, else the sum of the sizes."""
    (name,) = {axis.name for axis in axes}
    if all(axis.labels is not None for axis in axes):
        return Axis(name, [label for axis in axes for label in axis.labels or ()])
    return Axis(name, None if any(axis.size is None for axis in axes) else sum(map(len, axes)))


def _place(axes: Axes, axis_name: str) -> int:
    if axis_name not in axes:
        raise ValueError(f"{axis_name} not in {list(axes)}")
    return list(axes).index(axis_name)


@labeled("labeled_tensor")
def select(
    labeled_tensor: Any, selection: Mapping[str, Any], name: str | None = None
) -> LabeledTensor:
    """A part of the tensor, by labels.

    Args:
      labeled_tensor: the tensor.
      selection: by axis, a label, which drops the axis; a slice of labels, the last one within;
        or, for one axis alone, a list of labels.
      name: of the operation.
    Raises:
      ValueError: when there is no such axis, or it has no labels.
      KeyError: when there is no such label.
      NotImplementedError: for a list beside other choices, or a slice with a step.
    Example:
      >>> lt = tf.contrib.labeled_tensor
      >>> t = lt.constant([1, 2, 3], axes=[("x", ["a", "b", "c"])])
      >>> sess.run(lt.select(t, {"x": ["a", "c"]}))
      array([1, 3], dtype=int32)
    """
    slices: dict[str, Any] = {}
    lists: dict[str, list[int]] = {}
    for axis_name, value in selection.items():
        if axis_name not in labeled_tensor.axes:
            raise ValueError(
                f"The tensor does not have an axis named {axis_name}. Its axes are: "
                f"{labeled_tensor.axes.keys()!r}"
            )
        axis = labeled_tensor.axes[axis_name]
        if axis.labels is None:
            raise ValueError(
                f"The axis named {axis_name} does not have labels. The axis is: {axis!r}"
            )
        if isinstance(value, slice):  # before Hashable: slices are, since Python 3.12
            if value.step is not None:
                raise NotImplementedError("slicing with a step is not yet supported")
            start = None if value.start is None else axis.index(value.start)
            stop = None if value.stop is None else axis.index(value.stop) + 1
            slices[axis_name] = slice(start, stop)
        elif isinstance(value, Hashable):
            slices[axis_name] = axis.index(value)
        elif lists:
            raise NotImplementedError(
                "select does not yet support more than one list selection at the same time"
            )
        else:
            lists[axis_name] = [axis.index(label) for label in value]
    if not lists:
        return slice_function(labeled_tensor, slices, name=name)
    if slices:
        raise NotImplementedError("select does not yet support combined scalar and list selection")
    ((axis_name, places),) = lists.items()
    indices = convert.constant(places, dtype="int64")
    place = _place(labeled_tensor.axes, axis_name)
    axes = {**labeled_tensor.axes, axis_name: Axis(axis_name, selection[axis_name])}
    part = gather(labeled_tensor.tensor, indices, axis=place, name=name)
    return LabeledTensor(part, axes.values())


@labeled("labeled_tensors")
def concat(labeled_tensors: Any, axis_name: str, name: Any = None) -> LabeledTensor:
    """Tensors end to end along an axis, which keeps its labels when all have them.

    Raises:
      ValueError: without tensors, without the axis, or when other axes differ.
    """
    if not labeled_tensors:
        raise ValueError(f"concat expects at least 1 tensor, but received {labeled_tensors}")
    axes = labeled_tensors[0].axes
    place, shared = _place(axes, axis_name), axes.remove(axis_name)
    for tensor in labeled_tensors[1:]:
        others = tensor.axes.remove(axis_name)
        if others != shared:
            raise ValueError(
                f"Mismatched shared axes: the first tensor had axes {shared!r} but this tensor "
                f"has axes {others!r}."
            )
    joined = _concat_axes([tensor.axes[axis_name] for tensor in labeled_tensors])
    result = joining.concat([tensor.tensor for tensor in labeled_tensors], place, name=name)
    return LabeledTensor(result, {**axes, axis_name: joined}.values())


@labeled("labeled_tensors")
def pack(
    labeled_tensors: Any, new_axis: Any, axis_position: int = 0, name: Any = None
) -> LabeledTensor:
    """Tensors of the same axes along a new one.

    Args:
      labeled_tensors: the tensors.
      new_axis: a name, or a pair of name and labels.
      axis_position: where the new axis comes.
      name: of the operation.
    Raises:
      ValueError: without tensors, or when their axes differ.
    """
    if not labeled_tensors:
        raise ValueError(f"pack expects at least 1 tensors, but received {labeled_tensors}")
    first = labeled_tensors[0].axes
    for tensor in labeled_tensors:
        if tensor.axes != first:
            raise ValueError(f"Non-identical axes. Expected {first} but got {tensor.axes}")
    axes = list(first.values())
    axes.insert(axis_position, new_axis)
    tensors = [tensor.tensor for tensor in labeled_tensors]
    return LabeledTensor(joining.stack(tensors, axis=axis_position, name=name), axes)


@labeled("labeled_tensor")
def unpack(
    labeled_tensor: Any, axis_name: str | None = None, name: Any = None
) -> list[LabeledTensor]:
    """The tensors along an axis, the first one when None; ValueError when it is not there."""
    axes = labeled_tensor.axes
    axis_name = next(iter(axes)) if axis_name is None else axis_name
    parts = joining.unstack(labeled_tensor.tensor, axis=_place(axes, axis_name), name=name)
    return [LabeledTensor(part, axes.remove(axis_name)) for part in parts]


@labeled("labeled_tensor")
def reshape(
    labeled_tensor: Any, existing_axes: Collection[str], new_axes: Collection[Any],
    name: str | None = None,
) -> LabeledTensor:  # fmt: skip
    """Puts other axes in the place of some that follow each other.

    Args:
      labeled_tensor: the tensor.
      existing_axes: the names that go.
      new_axes: names, pairs (name, value) or `Axis`; one may be a name alone, whose size follows.
      name: of the operation.
    Raises:
      ValueError: when a name is not there, or more than one size is open.
      AxisOrderError: when the names do not follow each other.
    """
    names, existing = list(labeled_tensor.axes), list(existing_axes)
    if not set(existing) <= set(names):
        raise ValueError(
            f"existing_axes {existing!r} are not contained in the set of axis names {names!r} on "
            "the input labeled tensor"
        )
    start, stop = names.index(existing[0]), names.index(existing[-1]) + 1
    if existing != names[start:stop]:
        raise AxisOrderError(
            f"existing_axes {existing!r} are not a slice of axis names {names!r} on the input "
            "labeled tensor. Use `transpose` or `impose_axis_order` to reorder axes on the input "
            "explicitly."
        )
    if sum(isinstance(axis, str) for axis in new_axes) > 1:
        raise ValueError(
            "at most one axis in new_axes can have unknown size. All other axes must have an "
            f"indicated integer size or labels: {new_axes!r}"
        )
    old = list(labeled_tensor.axes.values())
    axes = [*old[:start], *new_axes, *old[stop:]]
    shape = sizes([Axis(a, None) if isinstance(a, str) else as_axis(a) for a in axes])
    return LabeledTensor(shaping.reshape(labeled_tensor.tensor, shape, name=name), axes)


@labeled("labeled_tensor")
def rename_axis(
    labeled_tensor: Any, existing_name: str, new_name: str, name: str | None = None
) -> LabeledTensor:
    """The tensor with another name for an axis; ValueError when it is not there."""
    if existing_name not in labeled_tensor.axes:
        raise ValueError(
            f"existing_name {existing_name!r} are not contained in the set of axis names "
            f"{labeled_tensor.axes.keys()!r} on the input labeled tensor"
        )
    axis = Axis(new_name, labeled_tensor.axes[existing_name].value)
    return reshape(labeled_tensor, [existing_name], [axis], name=name)


def _batched(make: Callable, labeled_tensors: Any, size: int | None, many: bool) -> list:
    axes = []
    for tensor in labeled_tensors:
        rest = tensor.axes
        if many:
            if next(iter(rest), None) != "batch":
                raise ValueError(
                    'When enqueue_many is True, input tensors must have an axis called "batch" as '
                    f"their first dimension, but axes were {rest}"
                )
            rest = rest.remove("batch")
        axes.append(Axes([("batch", size), *rest.values()]))
    made = make([tensor.tensor for tensor in labeled_tensors])
    made = [made] if isinstance(made, Tensor) else made
    return [LabeledTensor(*each) for each in zip(made, axes, strict=True)]


@labeled("labeled_tensors")
def batch(
    labeled_tensors: Any, batch_size: int, num_threads: int = 1, capacity: int = 32,
    enqueue_many: bool = False, allow_smaller_final_batch: bool = False, name: str | None = None,
) -> list[LabeledTensor]:  # fmt: skip
    """`tf.train.batch`, with a first axis "batch"; with `enqueue_many` the tensors have it before.

    Raises:
      ValueError: when the tensors of `enqueue_many` do not.
    """
    return _batched(
        lambda tensors: batching.batch(
            tensors, batch_size, num_threads, capacity, enqueue_many,
            allow_smaller_final_batch=allow_smaller_final_batch, name=name,
        ),
        labeled_tensors, None if allow_smaller_final_batch else batch_size, enqueue_many,
    )  # fmt: skip


@labeled("labeled_tensors")
def shuffle_batch(
    labeled_tensors: Any, batch_size: int, num_threads: int = 1, capacity: int = 32,
    enqueue_many: bool = False, min_after_dequeue: int = 0, seed: int | None = None,
    allow_smaller_final_batch: bool = False, name: str | None = None,
) -> list[LabeledTensor]:  # fmt: skip
    """`tf.train.shuffle_batch`, with a first axis "batch" as that of `batch`."""
    return _batched(
        lambda tensors: batching.shuffle_batch(
            tensors, batch_size, capacity, min_after_dequeue, num_threads, seed, enqueue_many,
            allow_smaller_final_batch=allow_smaller_final_batch, name=name,
        ),
        labeled_tensors, None if allow_smaller_final_batch else batch_size, enqueue_many,
    )  # fmt: skip


@labeled("labeled_tensor")
def random_crop(
    labeled_tensor: Any, shape_map: Mapping[str, int], seed: int | None = None,
    name: str | None = None,
) -> LabeledTensor:  # fmt: skip
    """A part at random: of `shape_map`'s axes that many places, which lose their labels.

    Raises:
      ValueError: when an axis is not there.
    """
    for axis_name in shape_map:
        if axis_name not in labeled_tensor.axes:
            raise ValueError(f"Selection axis {axis_name} not in axes {labeled_tensor.axes}")
    axes = [
        Axis(axis.name, shape_map[axis.name]) if axis.name in shape_map else axis
        for axis in labeled_tensor.axes.values()
    ]
    part = crop_op(labeled_tensor.tensor, [len(axis) for axis in axes], seed=seed, name=name)
    return LabeledTensor(part, axes)


@labeled("labeled_tensor")
def map_fn(
    fn: Callable[[LabeledTensor], LabeledTensor], labeled_tensor: Any, name: str | None = None
) -> LabeledTensor:
    """`fn` of each tensor along the first axis, packed again; its axes are those of the first."""
    first, *rest = labeled_tensor.axes.values()
    one = fn(unpack(labeled_tensor)[0])
    mapped = functional.map_fn(
        lambda part: fn(LabeledTensor(part, rest)).tensor, labeled_tensor.tensor, dtype=one.dtype
    )
    return identity(LabeledTensor(mapped, [first, *one.axes.values()]), name=name)


@labeled("labeled_tensor", "initial_value")
def foldl(
    fn: Callable[[LabeledTensor, LabeledTensor], LabeledTensor], labeled_tensor: Any,
    initial_value: Any, name: str | None = None,
) -> LabeledTensor:  # fmt: skip
    """`fn(result so far, next)` along the first axis, from `initial_value` on, whose axes stay."""
    axes, rest = initial_value.axes, list(labeled_tensor.axes.values())[1:]

    def step(so_far: Tensor, part: Tensor) -> Tensor:
        return fn(LabeledTensor(so_far, axes), LabeledTensor(part, rest)).tensor

    folded = functional.foldl(step, labeled_tensor.tensor, initializer=initial_value.tensor)
    return identity(LabeledTensor(folded, axes), name=name)


@labeled("labeled_tensor")
def squeeze(
    labeled_tensor: Any, axis_names: Collection[str] | None = None, name: str | None = None
) -> LabeledTensor:
    """Drops axes of size 1, all when None.

    Raises:
      ValueError: when one is not there or not of size 1.
    """
    axes = labeled_tensor.axes
    if axis_names is None:
        axis_names = [axis.name for axis in axes.values() if len(axis) == 1]
    for axis_name in axis_names:
        if axis_name not in axes:
            raise ValueError(f"axis {axis_name} is not in tensor axes {axes}")
        if len(axes[axis_name]) != 1:
            raise ValueError(
                f"cannot squeeze axis with size greater than 1: ({axis_name}, {axes[axis_name]})"
            )
    places = [place for place, axis in enumerate(axes) if axis in axis_names]
    if not places:
        return LabeledTensor(array.identity(labeled_tensor.tensor, name=name), axes)
    kept = [axis for axis in axes.values() if axis.name not in axis_names]
    return LabeledTensor(shaping.squeeze(labeled_tensor.tensor, places, name=name), kept)


@labeled("a", "b")
def matmul(a: Any, b: Any, name: str | None = None) -> LabeledTensor:
    """The product of matrices or vectors over the axis that they share, wherever it stands.

    Args:
      a, b: of one or two axes.
      name: of the operation.
    Returns: the other axes, those of `a` first, or as the `axis_order_scope` has them.
    Raises:
      NotImplementedError: for more axes, or two that are shared.
      ValueError: for none, or when the shared ones differ.
    """
    ranks = f"inputs have ranks {len(a.axes)!r} and {len(b.axes)!r}"
    if len(a.axes) > 2 or len(b.axes) > 2:
        raise NotImplementedError(
            f"matmul currently requires inputs with rank 2 or less, but {ranks}"
        )
    if not a.axes or not b.axes:
        raise ValueError(f"matmul currently requires inputs with at least rank 1, but {ranks}")
    shared = set(a.axes) & set(b.axes)
    if len(shared) > 1:
        raise NotImplementedError(
            f"matmul does not yet support summing over multiple shared axes: {shared!r}. Use "
            "transpose and reshape to create a single shared axis to sum over."
        )
    if not shared:
        raise ValueError(
            "there must have exactly one axis in common between input to matmul: "
            f"{a.axes.keys()!r}, {b.axes.keys()!r}"
        )
    (over,) = shared
    if a.axes[over] != b.axes[over]:
        raise ValueError(
            f"axis {over!r} does not match on input arguments: {a.axes[over].value!r} vs "
            f"{b.axes[over].value!r}"
        )
    axes = [*a.axes.remove(over).values(), *b.axes.remove(over).values()]
    order, names = get_axis_order(), [axis.name for axis in axes]
    if order is not None and [n for n in order if n in names] != names:
        a, b, axes = b, a, axes[::-1]
    left = a.tensor if len(a.axes) == 2 else shaping.reshape(a.tensor, (1, -1))
    right = b.tensor if len(b.axes) == 2 else shaping.reshape(b.tensor, (-1, 1))
    product = linalg.matmul(
        left, right,
        transpose_a=len(a.axes) == 2 and next(iter(a.axes)) == over,
        transpose_b=len(b.axes) == 2 and next(iter(b.axes)) != over,
    )  # fmt: skip
    vectors = [place for place, each in enumerate((a, b)) if len(each.axes) == 1]
    product = shaping.squeeze(product, vectors) if vectors else product
    return LabeledTensor(array.identity(product, name=name), axes)


def define_reduce_op(op_name: str, reduce_fn: Callable[..., Tensor]) -> Callable:
    """Makes a reduction over named axes from one over places.

    Args:
      op_name: its name; with `lt_` that of its scope.
      reduce_fn: called with a `tf.Tensor`, places and `keepdims=True`.
    """

    def reduce(labeled_tensor: Any, axes: Any = None, name: str | None = None) -> LabeledTensor:
        every = labeled_tensor.axes
        axes = every if axes is None else [axes] if isinstance(axes, (str, tuple)) else axes
        dropped = [axis for axis in axes if isinstance(axis, str)]
        kept = dict(axis for axis in axes if not isinstance(axis, str))
        for axis_name in [*dropped, *kept]:
            if axis_name not in every:
                raise ValueError(f"Axis {axis_name} not in axes {every}")
        places = [place for place, axis in enumerate(every) if axis in dropped or axis in kept]
        between: dict[str, Any] = {**every, **{axis: axis for axis in dropped}}
        for axis, label in kept.items():
            between[axis] = axis if label is None else (axis, [label])
        reduced = reduce_fn(labeled_tensor.tensor, places, keepdims=True)
        return squeeze(LabeledTensor(reduced, between.values()), dropped, name=name)

    doc = f"""`tf.{op_name}` over named axes, all when None.

    Args:
      labeled_tensor: the tensor.
      axes: a name, which drops the axis; a pair (name, label or None), which keeps it with size
        1; or several of them.
      name: of the operation.
    Raises:
      ValueError: when an axis is not there.
    """
    return labeled("labeled_tensor")(defined(op_name, reduce, doc))


reduce_all = define_reduce_op("reduce_all", reductions.reduce_all)
reduce_any = define_reduce_op("reduce_any", reductions.reduce_any)
reduce_logsumexp = define_reduce_op("reduce_logsumexp", reductions.reduce_logsumexp)
reduce_max = define_reduce_op("reduce_max", reductions.reduce_max)
reduce_mean = define_reduce_op("reduce_mean", reductions.reduce_mean)
reduce_min = define_reduce_op("reduce_min", reductions.reduce_min)
reduce_prod = define_reduce_op("reduce_prod", reductions.reduce_prod)
reduce_sum = define_reduce_op("reduce_sum", reductions.reduce_sum)


def _known(function: str, given: Mapping[str, Any], axes: Axes) -> None:
    if not set(given) <= set(axes):
        raise ValueError(
            f"{function} axes {given.keys()!r} are not contained in the set of axis names "
            f"{axes!r} on the input labeled tensor"
        )


@labeled("labeled_tensor")
def tile(
    labeled_tensor: Any, multiples: Mapping[str, Any], name: str | None = None
) -> LabeledTensor:
    """Repeats the tensor along axes.

    Args:
      labeled_tensor: the tensor.
      multiples: by axis, how often: ints or tensors.
      name: of the operation.
    Raises:
      ValueError: when an axis is not there, or has labels, which would not be unique any more.
    """
    axes = labeled_tensor.axes
    _known("tile", multiples, axes)
    with_labels = [axis for axis in multiples if axes[axis].labels is not None]
    if with_labels:
        raise ValueError(f"cannot tile axes with tick labels: {with_labels!r}")
    times = [multiples.get(axis, 1) for axis in axes]
    tiled = shaping.tile(labeled_tensor.tensor, times, name=name)
    return LabeledTensor(tiled, [a.name if a.labels is None else a for a in axes.values()])


@labeled("labeled_tensor")
def pad(
    labeled_tensor: Any, paddings: Mapping[str, tuple[Any, Any]], mode: str = "CONSTANT",
    name: str | None = None,
) -> LabeledTensor:  # fmt: skip
    """Adds places before and after those of axes.

    Args:
      labeled_tensor: the tensor.
      paddings: by axis, (before, after): how many, or the labels of the new places.
      mode: "CONSTANT" (zeros), "REFLECT" or "SYMMETRIC".
      name: of the operation.
    Raises:
      ValueError: when an axis is not there.
    """
    _known("pad", paddings, labeled_tensor.axes)
    axes, pairs = [], []
    for axis_name, axis in labeled_tensor.axes.items():
        before, after = (Axis(axis_name, each) for each in paddings.get(axis_name, ([], [])))
        axes.append(_concat_axes([before, axis, after]) if axis_name in paddings else axis)
        pairs.append((len(before), len(after)))
    return LabeledTensor(pad_op(labeled_tensor.tensor, pairs, mode, name=name), axes)


def constant(
    value: Any, dtype: Any = None, axes: Any = None, name: str | None = None
) -> LabeledTensor:
    """A constant with axes: names, pairs or `Axis`; a scalar when None.

    When all axes have sizes, a single number fills them.
    """
    with name_scope(name, "lt_constant", [value]) as scope:
        axes = list(axes.values() if isinstance(axes, Axes) else axes or [])
        shape = None
        if not any(isinstance(axis, str) for axis in axes):
            axes = list(map(as_axis, axes))
            shape = [axis.size for axis in axes]
        return LabeledTensor(convert.constant(value, dtype, shape, name=scope), axes)


@labeled("labeled_tensor")
def zeros_like(labeled_tensor: Any, dtype: Any = None, name: str | None = None) -> LabeledTensor:
    """Zeros with the same axes, of the same type when None."""
    zeros = array_filling.zeros_like(labeled_tensor.tensor, dtype=dtype, name=name)
    return LabeledTensor(zeros, labeled_tensor.axes)


@labeled("labeled_tensor")
def ones_like(labeled_tensor: Any, dtype: Any = None, name: str | None = None) -> LabeledTensor:
    """Ones with the same axes, of the same type when None."""
    ones = array_filling.ones_like(labeled_tensor.tensor, dtype=dtype, name=name)
    return LabeledTensor(ones, labeled_tensor.axes)


@labeled("labeled_tensor")
def cast(labeled_tensor: Any, dtype: Any = None, name: str | None = None) -> LabeledTensor:
    """The elements as another type."""
    return LabeledTensor(cast_op(labeled_tensor.tensor, dtype, name=name), labeled_tensor.axes)


@labeled("labeled_tensor")
def verify_tensor_all_finite(
    labeled_tensor: Any, message: str, name: str | None = None
) -> LabeledTensor:
    """The tensor; InvalidArgumentError with `message` when an element is infinite or no number."""
    checked = assertions.verify_tensor_all_finite(labeled_tensor.tensor, message, name=name)
    return LabeledTensor(checked, labeled_tensor.axes)


@labeled("labeled_tensor", "mask")
def boolean_mask(labeled_tensor: Any, mask: Any, name: Any = None) -> LabeledTensor:
    """The places of the first axis where `mask` is true; that axis loses its labels.

    Raises:
      NotImplementedError: for a mask of more than one axis.
      ValueError: when its axis is not the tensor's first one.
    """
    if len(mask.axes) > 1:
        raise NotImplementedError("LabeledTensor's boolean_mask currently only supports 1D masks")
    (mask_axis,), (axis, *rest) = mask.axes.values(), labeled_tensor.axes.values()
    if mask_axis != axis:
        raise ValueError(
            f"the first axis of the labeled tensor and the mask are not equal:\n{axis!r}\n"
            f"{mask_axis!r}"
        )
    masked = array_slicing.boolean_mask(labeled_tensor.tensor, mask.tensor, name=name)
    return LabeledTensor(masked, [axis.name, *rest])


@labeled("condition", "x", "y")
def where(condition: Any, x: Any, y: Any, name: str | None = None) -> LabeledTensor:
    """Elements of `x` where the condition holds, else of `y`; ValueError unless axes are equal."""
    if not condition.axes == x.axes == y.axes:
        raise ValueError("all inputs to `where` must have equal axes")
    chosen = comparisons.where(condition.tensor, x.tensor, y.tensor, name=name)
    return LabeledTensor(chosen, x.axes)


class FixedLenFeature:
    """How a feature of an example is read: its axes, all of known size, its type and a default."""

    def __init__(self, axes: Collection[Any], dtype: Any, default_value: Any = None) -> None:
        self.axes, self.dtype, self.default_value = list(map(as_axis, axes)), dtype, default_value


def _parsed(parse: Callable, serialized: Any, features: Mapping[str, FixedLenFeature],
            name: str | None, example_names: Any) -> dict[str, LabeledTensor]:  # fmt: skip
    given = convert_to_labeled_tensor(serialized)
    plain = {}
    for key, feature in features.items():
        shape = [axis.size for axis in feature.axes]
        if None in shape:
            raise ValueError("axes with unknown size are not supported")
        plain[key] = example_parsing.FixedLenFeature(shape, feature.dtype, feature.default_value)
    return {
        key: LabeledTensor(tensor, [*given.axes.values(), *features[key].axes])
        for key, tensor in parse(given.tensor, plain, name, example_names).items()
    }


def parse_example(
    serialized: Any, features: Mapping[str, FixedLenFeature], name: str | None = None,
    example_names: Any = None,
) -> dict[str, LabeledTensor]:  # fmt: skip
    """Reads a batch of serialized `tf.train.Example`s.

    Args:
      serialized: strings, of one axis, which comes first in the results.
      features: by key, `lt.FixedLenFeature`s.
      name: of the operation.
      example_names: of one axis; for errors.
    Raises:
      ValueError: when an axis of a feature is of unknown size.
    """
    return _parsed(example_parsing.parse_example, serialized, features, name, example_names)


def parse_single_example(
    serialized: Any, features: Mapping[str, FixedLenFeature], name: str | None = None,
    example_names: Any = None,
) -> dict[str, LabeledTensor]:  # fmt: skip
    """Reads one serialized `tf.train.Example`, as `parse_example` reads many."""
    return _parsed(example_parsing.parse_single_example, serialized, features, name, example_names)


def placeholder(dtype: Any, axes: Collection[Any], name: str | None = None) -> LabeledTensor:
    """A placeholder with axes; one that is a name alone has any size.

    Example:
      >>> lt = tf.contrib.labeled_tensor
      >>> lt.placeholder(tf.float32, ["batch", ("channel", ["r", "g", "b"])]).axes
      Axes([('batch', Dimension(None)),
            ('channel', ('r', 'g', 'b'))])
    """
    with name_scope(name, "lt_placeholder", []) as scope:
        named = Axes([(axis, None) if isinstance(axis, str) else axis for axis in axes])
        shape = [axis.size for axis in named.values()]
        return LabeledTensor(array.placeholder(dtype, shape, name=scope), named)


class ReshapeCoder:
    """Reshapes a tensor for a function that wants other axes, and its result back.

    Args:
      existing_axis_names: the axes that go, as for `lt.reshape`.
      new_axes: those that come.
      name: of the operations.
    Example:
      >>> lt = tf.contrib.labeled_tensor
      >>> t = lt.constant(0, axes=[("x", 2), ("y", 3)])
      >>> coder = lt.ReshapeCoder(["x", "y"], ["xy"])
      >>> len(coder.encode(t).axes["xy"]), list(coder.decode(coder.encode(t) + 1).axes)
      (6, ['x', 'y'])
    """

    def __init__(
        self, existing_axis_names: Collection[str], new_axes: Collection[Any],
        name: str | None = None,
    ) -> None:  # fmt: skip
        self._names, self._new_axes, self._name = existing_axis_names, new_axes, name
        self._axes: list[Axis] | None = None

    def encode(self, labeled_tensor: Any) -> LabeledTensor:
        """The tensor with the new axes; ValueError when the old ones are not those of before."""
        with name_scope(self._name, "lt_reshape_encode") as scope:
            given = convert_to_labeled_tensor(labeled_tensor)
            result = reshape(given, self._names, self._new_axes, name=scope)
            axes = [given.axes[name] for name in self._names]
            if self._axes not in (None, axes):
                raise ValueError(
                    f"input axes {axes!r} do not match axes from previous method call "
                    f"{self._axes!r}"
                )
            self._axes = axes
            return result

    def decode(self, labeled_tensor: Any) -> LabeledTensor:
        """The tensor with the old axes again; ValueError before the first `encode`."""
        if self._axes is None:
            raise ValueError("decode called before encode")
        names = [axis if isinstance(axis, str) else as_axis(axis).name for axis in self._new_axes]
        with name_scope(self._name, "lt_reshape_decode") as scope:
            return reshape(labeled_tensor, names, self._axes, name=scope)
