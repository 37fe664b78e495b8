"""`tf.data.experimental.Optional`: an element that may be missing.

    get_next_as_optional(iterator) ──> has_value()     False behind the last element
                                  └──> get_value()     the element, or InvalidArgumentError

A graph can so ask for the next element and decide with `tf.cond` what to do where there is none,
instead of ending with an OutOfRangeError.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minitf.core.graph import errors
from minitf.core.graph.dtypes import int64
from minitf.core.graph.op_def import op, scalar_shape
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.elementwise import invalid
from minitf.library.input.data import structure
from minitf.library.input.data.iterator_ops import (
    iterator_op,
    make_iterator_op,
    on_host,
    some_numbers,
)


def _program(folder: str) -> list:
    """Of an optional with an element, of one without, and of the first of an iterator."""
    kinds = {"output_types": (int64,), "output_shapes": (TensorShape([]),)}
    iterator, some = iterator_op(**kinds), optional_from_value_op([np.int64(7)])
    start = (make_iterator_op(some_numbers(), iterator), None)
    following = iterator_get_next_as_optional_op(iterator, **kinds)
    return [
        start,
        (optional_get_value_op(following, **kinds), [np.int64(0)]),
        (optional_get_value_op(some, **kinds), [np.int64(7)]),
        (optional_has_value_op(optional_none_op()), np.False_),
    ]


_optional_op = partial(op, differentiable=False, host_only=True, program=_program)


class _Held:
    """What an optional holds: the components of an element, or None."""

    __slots__ = ("components",)

    def __init__(self, components: Any) -> None:
        self.components = components


@_optional_op("OptionalFromValue", "components: N*? -> optional: variant")
def optional_from_value_op(xp: Any, components: Any) -> _Held:
    """Gives an optional that holds an element."""
    return _Held(list(components))


@_optional_op("OptionalNone", "-> optional: variant", stateful=True)
def optional_none_op(xp: Any) -> _Held:
    """Gives an optional that holds nothing."""
    return _Held(None)


@_optional_op("OptionalHasValue", "optional: variant -> has_value: bool")
def optional_has_value_op(xp: Any, optional: Any) -> Any:
    """Tells whether an optional holds an element."""
    return np.bool_(optional.components is not None)


@_optional_op("OptionalGetValue", "optional: variant -> components: N*output_types")
def optional_get_value_op(
    xp: Any, optional: Any, *, output_types: Any, output_shapes: Any
) -> list[Any]:
    """Gives the element that an optional holds."""
    if optional.components is None:
        raise invalid("The given optional does not have a value.")
    return optional.components


@_optional_op("IteratorGetNextAsOptional", "iterator: resource -> optional: variant")
def iterator_get_next_as_optional_op(
    ctx: Any, iterator: Any, *, output_types: Any, output_shapes: Any
) -> _Held:
    """Gives the next element of an iterator as an optional, which is empty behind the last."""
    try:
        return _Held(list(iterator.next()))
    except errors.OutOfRangeError:
        return _Held(None)


for _op_def in (
    optional_from_value_op,
    optional_none_op,
    optional_has_value_op,
    iterator_get_next_as_optional_op,
):
    _op_def.shape(scalar_shape)
optional_get_value_op.shape(lambda optional, *, output_types, output_shapes: list(output_shapes))


class OptionalSpec(structure.NestedSpec):
    """Describes an `Optional`."""

    @property
    def value_type(self) -> type:
        """The class of what it describes."""
        return Optional

    def _from_component(self, tensor: Tensor) -> Optional:
        return Optional(tensor, self.element_spec)


class Optional:
    """An element of a dataset that may be missing.

    Args:
      variant_tensor: the tensor that holds it.
      value_structure: what is known of the element.
    Example:
      >>> iterator = tf.data.Dataset.range(1).make_one_shot_iterator()
      >>> found = tf.data.experimental.get_next_as_optional(iterator)
      >>> sess.run(found.has_value()), sess.run(found.has_value())
      (True, False)
    """

    def __init__(self, variant_tensor: Tensor, value_structure: Any) -> None:
        self._variant_tensor = variant_tensor
        self._element_spec = value_structure

    # ---- as a leaf of structures ---------------------------------------------------------

    def _components(self) -> list[Tensor]:
        return [self._variant_tensor]

    def _with_components(self, tensors: Any) -> Optional:
        return Optional(tensors[0], self._element_spec)

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self._element_spec)

    @property
    def value_structure(self) -> Any:
        """What is known of the element."""
        return self._element_spec

    element_spec = value_structure

    def has_value(self, name: str | None = None) -> Tensor:
        """Whether there is an element: a scalar bool."""
        return on_host(optional_has_value_op, self._variant_tensor, name=name)

    def get_value(self, name: str | None = None) -> Any:
        """The element.

        Raises (when it runs):
          InvalidArgumentError: when there is none.
        """
        with name_scope(name, "OptionalGetValue", [self._variant_tensor]) as scope:
            kinds = structure.types_and_shapes(self._element_spec)
            parts = on_host(optional_get_value_op, self._variant_tensor, name=scope, **kinds)
            return structure.element_from(self._element_spec, parts or [])

    @staticmethod
    def from_value(value: Any) -> Optional:
        """An optional that holds a nest of tensors."""
        with name_scope(None, "optional") as scope:
            element = structure.as_element(value)
            parts = structure.components_of(element)
            held = on_host(optional_from_value_op, parts, name=scope)
            return Optional(held, structure.map_nest(structure.spec_of, element))

    @staticmethod
    def none_from_structure(value_structure: Any) -> Optional:
        """An optional that holds nothing; its element would be of this structure."""
        return Optional(on_host(optional_none_op), value_structure)

    empty = none_from_structure


def get_next_as_optional(iterator: Any) -> Optional:
    """The next element of an iterator, if there is one.

    Args:
      iterator: a `tf.data.Iterator`, or one of eager execution.
    Returns: an `Optional`, which is empty behind the last element.
    """
    handle = getattr(iterator, "_iterator_resource", None)
    spec = iterator.element_spec
    kinds = structure.types_and_shapes(spec)
    handle = iterator._handle if handle is None else handle
    return Optional(on_host(iterator_get_next_as_optional_op, handle, **kinds), spec)
