"""Layers around a layer: one for each step of sequences, and one that reads them both ways."""

from __future__ import annotations

import inspect
from typing import Any

from minitf.core.graph import nest, stacks
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reshape, reverse
from minitf.core.ops.reductions import reduce_any
from minitf.library.keras.backend.session import int_shape
from minitf.library.keras.engine.base_layer import Layer
from minitf.library.keras.engine.calls import InputSpec
from minitf.library.keras.engine.structure import deserialize_layer
from minitf.library.keras.layers.configured import Configured
from minitf.library.keras.objects import serialize_keras_object


class Wrapper(Configured):
    """A layer around another.

    Args:
      layer: the layer inside.
      kwargs: see `Layer`.
    """

    _untold = (*Configured._untold, "layer")

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        self.layer = layer
        super().__init__(**kwargs)

    def build(self, input_shape: Any) -> None:
        """Builds the layer inside."""
        if not self.layer.built:
            self.layer.build(input_shape)
            self.layer.built = True
        self.built = True

    def get_config(self) -> dict[str, Any]:
        """The arguments, with the configuration of the layer inside."""
        return {**super().get_config(), "layer": serialize_keras_object(self.layer)}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Makes the layer again, and that inside."""
        config = dict(config)
        layer = deserialize_layer(config.pop("layer"), custom_objects)
        return cls(layer, **config)


def _takes(layer: Any, argument: str) -> bool:
    return argument in inspect.signature(layer.call).parameters


class TimeDistributed(Wrapper):
    """A layer for each step of sequences [batch, time, ...], always the same.

    Args:
      layer: the layer inside, for [batch, ...].
      kwargs: see `Layer`.

    Raises:
      ValueError: when it is no layer.
    Example:
      >>> layer = tf.keras.layers.TimeDistributed(tf.keras.layers.Dense(8))
      >>> layer(tf.zeros([2, 5, 3])).shape.as_list()
      [2, 5, 8]
    """

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(
                "Please initialize `TimeDistributed` layer with a `tf.keras.layers.Layer` "
                f"instance. You passed: {layer}"
            )
        super().__init__(layer, **kwargs)
        self.supports_masking = True

    def _step_shape(self, input_shape: Any) -> TensorShape:
        sizes = as_shape(input_shape).as_list()
        if len(sizes) < 3:
            raise ValueError(
                "`TimeDistributed` Layer should be passed an `input_shape ` with at least 3 "
                f"dimensions, received: {input_shape}"
            )
        return TensorShape([sizes[0], *sizes[2:]])

    def build(self, input_shape: Any) -> None:
        """Builds the layer inside on one step."""
        step = self._step_shape(input_shape)
        self.input_spec = InputSpec(shape=(None, None, *as_shape(input_shape).as_list()[2:]))
        super().build(step)

    def call(self, inputs: Tensor, training: Any = None, mask: Any = None) -> Tensor:
        """Calls the layer inside once, on all steps as one batch."""
        more: dict[str, Any] = {}
        if _takes(self.layer, "training"):
            more["training"] = training
        if mask is not None and _takes(self.layer, "mask"):
            more["mask"] = self._joined(mask)
        outputs = self.layer(self._joined(inputs), **more)
        sizes = shape_of(inputs)
        batch, steps = (size.value for size in inputs.shape[:2])
        rest = [
            shape_of(outputs)[i + 1] if size is None else size
            for i, size in enumerate((int_shape(outputs) or ())[1:])
        ]
        split = [-1, sizes[1] if steps is None else steps, *rest]
        result = reshape(outputs, split)
        result.set_shape(TensorShape([batch, steps]).concatenate(outputs.shape[1:]))
        return result

    def _joined(self, inputs: Tensor) -> Tensor:
        known, sizes = (int_shape(inputs) or ())[2:], shape_of(inputs)
        rest = [sizes[i + 2] if size is None else size for i, size in enumerate(known)]
        joined = reshape(inputs, [-1, *rest])
        joined.set_shape(TensorShape([None]).concatenate(inputs.shape[2:]))
        return joined

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """What the layer inside makes of the masks of single steps; else the mask as it is."""
        if mask is not None and inputs.shape[0].value:
            return mask
        inner = None if mask is None else self._joined(mask)
        made = self.layer.compute_mask(self._joined(inputs), inner)
        if made is None:  # a step counts where any part of it does
            rank = 0 if mask is None else mask.shape.ndims
            return reduce_any(mask, axis=list(range(2, rank))) if rank > 2 else mask
        sizes = [shape_of(made)[i + 1] for i in range(made.shape.ndims - 1)]
        return reshape(made, [-1, shape_of(inputs)[1], *sizes])


class Bidirectional(Wrapper):
    """A recurrent layer that reads sequences from both ends.

    Args:
      layer: a recurrent layer, which reads forwards; a copy of it reads backwards.
      merge_mode: what becomes of both outputs: "sum", "mul", "concat" or "ave"; None gives a list.
      kwargs: see `Layer`.

    Raises:
      ValueError: when it is no layer, or for another mode.
    Example:
      >>> layer = tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(4))
      >>> layer(tf.zeros([2, 5, 3])).shape.as_list()
      [2, 8]
    """

    def __init__(self, layer: Any, merge_mode: str | None = "concat", **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(
                "Please initialize `Bidirectional` layer with a `Layer` instance. You passed: "
                f"{layer}"
            )
        if merge_mode not in ("sum", "mul", "ave", "concat", None):
            raise ValueError(
                "Invalid merge mode. Merge mode should be one of {'sum', 'mul', 'ave', 'concat', "
                "None}"
            )
        super().__init__(layer, **kwargs)
        self.merge_mode = merge_mode
        backwards = bool(getattr(layer, "go_backwards", False))
        self.forward_layer = _copy(layer, backwards)
        self.backward_layer = _copy(layer, not backwards)
        self.forward_layer._name = "forward_" + layer.name
        self.backward_layer._name = "backward_" + layer.name
        for option in ("stateful", "return_sequences", "return_state"):
            setattr(self, option, getattr(layer, option))
        for each in self._children():
            each.zero_output_for_mask = self.return_sequences  # what was not seen adds nothing
        self.supports_masking = True
        self.input_spec = layer.input_spec

    def _children(self) -> list:
        """The two that compute; the layer given is only what they were copied from."""
        return [self.forward_layer, self.backward_layer]

    def build(self, input_shape: Any) -> None:
        """Builds both layers."""
        for layer in self._children():
            with stacks.name_scope(layer.name):
                layer._build_for(input_shape)
        self.built = True

    def __call__(self, inputs: Any, initial_state: Any = None, **kwargs: Any) -> Any:
        """Runs both layers; see `RNN`. Half of the initial states are for each."""
        inputs, state = self.forward_layer._divided(inputs, initial_state)
        if not state:
            return super().__call__(inputs, **kwargs)
        if len(state) % 2:
            raise ValueError(
                "When passing `initial_state` to a Bidirectional RNN, the state should be a list "
                "containing the states of the underlying RNNs. Found: " + str(state)
            )
        if not all(hasattr(x, "_keras_history") for x in nest.flatten(state)):
            return super().__call__(inputs, initial_state=state, **kwargs)
        own, self.input_spec = self.input_spec, None
        outputs = super().__call__([inputs, *state], **kwargs)
        self.input_spec = own
        return outputs

    def call(
        self, inputs: Any, training: Any = None, mask: Any = None, initial_state: Any = None
    ) -> Any:
        """Adds the operations."""
        inputs, state = self.forward_layer._divided(inputs, initial_state)
        mask = mask[0] if isinstance(mask, list) else mask
        half = len(state or ()) // 2
        outputs, states = [], []
        for number, layer in enumerate(self._children()):
            more = {"mask": mask, "training": training}
            more = {key: value for key, value in more.items() if _takes(layer, key)}
            if state is not None:
                more["initial_state"] = state[number * half : (number + 1) * half]
            output = layer(inputs, **more)
            if self.return_state:
                output, *own = output
                states += own
            outputs.append(output)
        forward, backward = outputs
        if self.return_sequences:
            backward = reverse(backward, [0 if getattr(self.layer, "time_major", False) else 1])
        merged = self._merged(forward, backward)
        if not self.return_state:
            return merged
        return [*(merged if isinstance(merged, list) else [merged]), *states]

    def _merged(self, forward: Tensor, backward: Tensor) -> Any:
        if self.merge_mode == "concat":
            return concat([forward, backward], -1)
        if self.merge_mode == "sum":
            return forward + backward
        if self.merge_mode == "ave":
            return (forward + backward) / 2
        return forward * backward if self.merge_mode == "mul" else [forward, backward]

    def reset_states(self) -> None:
        """Sets the states of both to zeros."""
        for layer in self._children():
            layer.reset_states()

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """That of the inputs, where all outputs are given."""
        mask = mask[0] if isinstance(mask, list) else mask
        own = mask if self.return_sequences else None
        outputs = [own] if self.merge_mode else [own, own]
        count = 2 * len(self.forward_layer._sizes) if self.return_state else 0
        every = [*outputs, *[None] * count]
        return every if len(every) > 1 else own


def _copy(layer: Any, go_backwards: bool) -> Any:
    """A layer of the same configuration, which reads in the direction given."""
    config = {**layer.get_config(), "go_backwards": go_backwards}
    cell = getattr(layer, "cell", None)
    if cell is None:
        return type(layer).from_config(config)
    cells = [cell, *getattr(cell, "cells", ())]
    return type(layer).from_config(config, {type(each).__name__: type(each) for each in cells})
