"""Operations that wait for others: no_op, group, tuple."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph import nest, stacks
from minitf.core.graph.composites import is_composite
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.stacks import name_scope
from minitf.core.ops.array import identity


@op("NoOp", "->", stateful=True, program=lambda folder: [(no_op(), None)])
def no_op_op(xp: Any) -> None:
    """Does nothing, after its control inputs."""


def no_op(name: str | None = None) -> Operation:
    """An operation that does nothing but wait for its control inputs.

    Example:
      >>> tf.no_op(name="wait").type
      'NoOp'
    """
    return no_op_op(name=name)


def _wait_for(device: str, ops: Sequence[Any], name: str | None) -> Operation:
    with stacks.control_dependencies(ops):
        if not device:
            return no_op(name=name)
        with stacks.device(device):
            return no_op(name=name)


def group(*inputs: Any, name: str | None = None) -> Operation:
    """An operation that runs after all of `inputs`. It has no output.

    Inputs on several devices are grouped by device first, so that each device sends one message.

    Args:
      inputs: operations and tensors, in any nesting.
      name: the operation's name.
    Raises:
      TypeError: when an input is neither.
    Example:
      >>> a, b = tf.Variable(1.0), tf.Variable(2.0)
      >>> both = tf.group(a.initializer, b.initializer)
      >>> sess.run(both)
      >>> sess.run([a, b])
      [1.0, 2.0]
    """
    if stacks.executing_eagerly():  # all of them have ended
        return None  # type: ignore[return-value]
    with name_scope(name, "group_deps", nest.flatten(inputs)) as scope:
        by_device: dict[str, list[Any]] = {}
        for item in nest.flatten(inputs):
            if not hasattr(item, "device"):
                raise TypeError(
                    "'inputs' should be zero or more (nested) Tensors. Received "
                    f"'{item}' with type '{type(item)}'"
                )
            by_device.setdefault(item.device, []).append(item)
        if not by_device:
            return no_op(name=scope)
        if len(by_device) == 1:
            ((device, items),) = by_device.items()
            return _wait_for(device, items, scope)
        gathered = [_wait_for(device, by_device[device], None) for device in sorted(by_device)]
        with stacks.control_dependencies(gathered):
            return no_op(name=scope)


def with_dependencies(
    dependencies: Sequence[Any], output_tensor: Any, name: str | None = None
) -> Any:
    """The value of `output_tensor`, after `dependencies` have run.

    The first component of a composite, such as `IndexedSlices`, waits.
    """
    if stacks.executing_eagerly():
        return output_tensor
    if is_composite(output_tensor):
        first, *rest = output_tensor._components()
        return output_tensor._with_components([with_dependencies(dependencies, first, name), *rest])
    if not hasattr(output_tensor, "op"):
        output_tensor = convert_to_tensor(output_tensor)
    with (
        name_scope(name, "control_dependency", [*dependencies, output_tensor]) as scope,
        stacks.colocate_with(output_tensor.op),
        stacks.control_dependencies(dependencies),
    ):
        return identity(output_tensor, name=scope)


def tuple(
    tensors: Sequence[Any], name: str | None = None, control_inputs: Sequence[Any] | None = None
) -> list[Any]:
    """The same tensors; each waits until all of them have been computed.

    Args:
      tensors: tensors, operations or None (which stays None).
      name: the name of the scope.
      control_inputs: further operations to wait for.
    Raises:
      ValueError: when there is no tensor at all.
      TypeError: when a control input is neither an operation nor a tensor.
    """
    if stacks.executing_eagerly():
        return list(tensors)
    with name_scope(name, "tuple", [t for t in tensors if t is not None]):
        items = [
            t if t is None or isinstance(t, Operation) or is_composite(t) else convert_to_tensor(t)
            for t in tensors
        ]
        waits = {t if isinstance(t, Operation) else t.op for t in items if t is not None}
        for control_input in control_inputs or ():
            if isinstance(control_input, Tensor):
                control_input = control_input.op
            elif not isinstance(control_input, Operation):
                raise TypeError(f"Control input must be Operation or Tensor: {control_input}")
            waits.add(control_input)
        if not waits:
            raise ValueError(f"Must have at least one Tensor: {list(tensors)}")
        gate = group(*sorted(waits, key=lambda operation: operation._id))
        result: list[Any] = []
        for item in items:
            if isinstance(item, Operation):
                with stacks.control_dependencies([gate]):
                    result.append(group(item))
            else:
                result.append(None if item is None else with_dependencies([gate], item))
        return result
