"""`Input`, where the data of a model come in, and layers of the operations behind it.

    x = Input([4]); h = dense(x) * 2.0 + 1.0; y = dense_2(h)

        dense ──> tf_op_layer_mul ──> tf_op_layer_add ──> dense_2      2.0 and 1.0 are constants

`Input` makes an `InputLayer`, and gives its placeholder. Layers of operations are made when a
layer, or a model, meets a tensor that comes from an `Input` by way of operations. What comes from
no `Input` is computed once and kept as a constant: to train a variable, keep it in a layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, nest, stacks, untrusted
from minitf.core.graph.convert import constant, constant_value
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.graph_def import NodeDef, node_def
from minitf.core.graph.op_def import call, get_op_def
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import placeholder
from minitf.library.eager.kernels import compile_graph
from minitf.library.eager.tensor import HOST
from minitf.library.keras.backend import session as backend
from minitf.library.keras.backend.session import floatx, int_shape
from minitf.library.keras.engine.base_layer import Layer
from minitf.library.keras.engine.calls import Node, history_of, is_symbolic
from minitf.library.keras.metrics import base  # noqa: F401  (what `add_metric` makes)
from minitf.library.sparse.sparse import sparse_placeholder


class InputLayer(Layer):
    """The layer that gives the data of a model; `Input` makes one.

    Args:
      input_shape: the shape of one example.
      batch_size: how many examples; open by default.
      dtype: the type; `floatx()` by default.
      input_tensor: a tensor to take in place of a placeholder.
      sparse: whether the data are a `SparseTensor`.
      name: "input_1" by default.
      ragged: not to be had.
      kwargs: `batch_input_shape`, in place of `input_shape` and `batch_size`.
    """

    _is_input = True

    def __init__(
        self,
        input_shape: Sequence[int | None] | None = None,
        batch_size: int | None = None,
        dtype: Any = None,
        input_tensor: Any = None,
        sparse: bool = False,
        name: str | None = None,
        ragged: bool = False,
        **kwargs: Any,
    ) -> None:
        shape = kwargs.pop("batch_input_shape", None)
        if shape is not None and input_shape is not None:
            raise ValueError(
                "Only provide the input_shape OR batch_input_shape argument to InputLayer, not "
                "both at the same time."
            )
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments: {list(kwargs)}")
        if ragged:
            raise NotImplementedError("An InputLayer for ragged tensors does not exist.")
        if shape is None and input_shape is not None:
            shape = (batch_size, *_sizes(input_shape))
        if dtype is None:
            dtype = floatx() if input_tensor is None else input_tensor.dtype
        super().__init__(name=name or f"input_{backend.get_uid('input')}", dtype=dtype)
        self.built = True
        self.sparse, self.ragged, self.batch_size = sparse, ragged, batch_size
        self.supports_masking = True
        self.is_placeholder = input_tensor is None
        if input_tensor is None:
            if shape is None:
                raise ValueError("An Input Layer should be passed either a shape or a tensor.")
            with backend.get_graph().as_default(), stacks.name_scope(None):
                make = sparse_placeholder if sparse else placeholder
                input_tensor = make(dtypes.as_dtype(self.dtype), list(shape), name=self.name)
            self._batch_input_shape = tuple(shape)
        else:
            self._batch_input_shape = int_shape(input_tensor) or ()
        input_tensor._keras_mask = None
        backend.note_input()
        Node(self, [input_tensor], [input_tensor]).mark()

    def get_config(self) -> dict[str, Any]:
        return {
            "batch_input_shape": self._batch_input_shape,
            "dtype": self.dtype,
            "sparse": self.sparse,
            "ragged": self.ragged,
            "name": self.name,
        }


def Input(
    shape: Sequence[int | None] | None = None,
    batch_size: int | None = None,
    name: str | None = None,
    dtype: Any = None,
    sparse: bool = False,
    tensor: Any = None,
    ragged: bool = False,
    **kwargs: Any,
) -> Any:
    """A tensor that stands for the data of a model.

    Args:
      shape: the shape of one example, as `(784,)`.
      batch_size: how many examples; open by default.
      name: "input_1" by default.
      dtype: the type; `floatx()` by default.
      sparse: whether the data are a `SparseTensor`.
      tensor: a tensor to take in place of a placeholder.
      ragged: not to be had.
      kwargs: `batch_shape`, the shape with the batch axis, in place of `shape`.

    Raises:
      ValueError: when there is neither a shape nor a tensor, or two shapes.
    Example:
      >>> tf.keras.Input((784,))
      <tf.Tensor 'input_1:0' shape=(?, 784) dtype=float32>
    """
    batch_shape = kwargs.pop("batch_shape", None)
    if shape is not None and batch_shape is not None:
        raise ValueError(
            "Only provide the `shape` OR `batch_shape` argument to Input, not both at the same "
            "time."
        )
    if shape is None and batch_shape is None and tensor is None:
        raise ValueError(
            "Please provide to Input either a `shape` or a `tensor` argument. Note that `shape` "
            "does not include the batch dimension."
        )
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments: {list(kwargs)}")
    if batch_shape is not None:
        batch_size, *shape = _sizes(batch_shape)
    given = shape if tensor is None else None
    layer = InputLayer(given, batch_size, dtype, tensor, sparse, name, ragged)
    outputs = nest.flatten(layer._inbound_nodes[0].output_tensors)
    return outputs[0] if len(outputs) == 1 else outputs


def _sizes(shape: Any) -> tuple[int | None, ...]:
    """A shape as a tuple of numbers and None; one number is a shape with one axis."""
    if isinstance(shape, int):
        return (shape,)
    sizes = (getattr(size, "value", size) for size in shape)
    return tuple(None if size is None else int(size) for size in sizes)


# ---- layers of operations ------------------------------------------------------------------------


_PREFIX = "tf_op_layer_"


class TensorFlowOpLayer(Layer):
    """One operation, as a layer.

    Args:
      node_def: the operation, as a `NodeDef` or its JSON form.
      name: the name of the layer, which begins with "tf_op_layer_".
      constants: by the number of an input its value, where it does not come from an `Input`.
      trainable, dtype: see `Layer`.
    """

    def __init__(
        self,
        node_def: Any,
        name: str,
        constants: dict[int, Any] | None = None,
        trainable: bool = True,
        dtype: Any = None,
    ) -> None:
        name = name if name.startswith(_PREFIX) else _PREFIX + name
        super().__init__(name=name, trainable=trainable, dtype=dtype)
        if isinstance(node_def, dict):  # it may come from a file
            node_def = NodeDef.from_dict(node_def)
            untrusted.check_nodes([node_def])
        self.node_def = node_def
        self.constants = {int(index): value for index, value in (constants or {}).items()}
        self.built = True

    def call(self, inputs: Any) -> Any:
        """Adds the operation anew."""
        flat = list(nest.flatten(inputs))
        for index, value in sorted(self.constants.items()):
            flat.insert(index, constant(value) if isinstance(value, np.ndarray) else value)
        op_def = get_op_def(self.node_def.op)
        attrs = {
            key: value for key, value in self.node_def.attrs.items() if key in op_def.attr_names
        }
        name = self.node_def.name.rpartition("/")[2]
        return call(op_def, *op_def.group(flat), name=name, **attrs)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "node_def": self.node_def.to_dict(),
            "constants": {i: np.asarray(value).tolist() for i, value in self.constants.items()},
        }


def _comes_from_input(tensors: Any) -> bool:
    """Whether some tensor is computed from what an `Input` gave.

    Tensors of which this is known are marked, so that each is looked at once.
    """
    if not backend.has_inputs():
        return False
    waiting = [t for t in nest.flatten(tensors) if is_symbolic(t)]
    seen: list[Any] = []
    known: set[int] = set()
    while waiting:
        tensor = waiting.pop()
        if history_of(tensor) is not None:
            return True
        if id(tensor) in known or getattr(tensor, "_without_history", False):
            continue
        known.add(id(tensor))
        seen.append(tensor)
        waiting += tensor.op.inputs if isinstance(tensor, Tensor) else tensor._components()
    for tensor in seen:
        tensor._without_history = True
    return False


@Layer.finds_history
def find_history(tensors: Any) -> list[Layer]:
    """Makes layers of the operations between what an `Input` gave and `tensors`; returns them."""
    flat = nest.flatten(tensors)
    if all(history_of(t) is not None for t in flat) or not _comes_from_input(flat):
        return []
    made: list[Layer] = []
    waiting = [t for t in flat if is_symbolic(t)]
    while waiting:  # an operation waits on the stack until those before it have layers
        op = waiting[-1].op
        if history_of(waiting[-1]) is not None:
            waiting.pop()
            continue
        inputs = {i: t for i, t in enumerate(op.inputs) if _comes_from_input(t)}
        before = [t for t in inputs.values() if history_of(t) is None]
        if before or not inputs:
            waiting += before
            if not before:
                waiting.pop()  # it does not come from an `Input`
            continue
        constants = {i: _value(t) for i, t in enumerate(op.inputs) if i not in inputs}
        layer = TensorFlowOpLayer(node_def(op), op.name, constants)
        sources = list(inputs.values())
        outputs = list(op.outputs)
        Node(
            layer,
            sources[0] if len(sources) == 1 else sources,
            outputs[0] if len(outputs) == 1 else outputs,
        ).mark()
        made.append(layer)
    return made


def _value(tensor: Tensor) -> Any:
    """The value of a tensor that comes from no `Input`."""
    known = constant_value(tensor)
    if known is not None:
        return np.asarray(known)
    graph: Any = tensor.graph
    if isinstance(graph, FuncGraph):
        if stacks.outermost().runs_at_once:
            values = [getattr(graph.outside_of(each), "_value", None) for each in graph.inputs]
            return np.asarray(compile_graph(graph, [tensor], HOST)(values)[0])
        return tensor
    return np.asarray(backend.get_session().run(tensor))
