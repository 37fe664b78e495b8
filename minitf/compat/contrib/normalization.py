"""Normalization as `tf.contrib.layers` has it: over the batch, or over the features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.compat.contrib.framework import add_arg_scope
from minitf.compat.contrib.layers import (
    DATA_FORMAT_NHWC,
    activated,
    collect_variable,
    layout_of,
    model_getter,
)
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import GraphKeys
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_shaping import reshape
from minitf.core.variables.initializers import ones_initializer, zeros_initializer
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.layers.layers import BatchNormalization
from minitf.library.nets.basics import moments
from minitf.library.nets.normalization import batch_normalization as normalize


@add_arg_scope
def batch_norm(
    inputs: Any,
    decay: float = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Callable | None = None,
    param_initializers: dict[str, Any] | None = None,
    param_regularizers: dict[str, Any] | None = None,
    updates_collections: Any = GraphKeys.UPDATE_OPS,
    is_training: Any = True,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    batch_weights: Any = None,
    fused: bool | None = None,
    data_format: str = DATA_FORMAT_NHWC,
    zero_debias_moving_mean: bool = False,
    scope: Any = None,
) -> Tensor:
    """Normalizes each feature over the batch; see `tf.layers.BatchNormalization`.

    Args:
      inputs: a float tensor.
      decay: how much of an average stays at each update.
      center: whether there is a `beta`, the shift.
      scale: whether there is a `gamma`, the factor; a layer with weights may follow instead.
      epsilon: added to the variance.
      activation_fn: what follows, or None.
      param_initializers: for "beta", "gamma", "moving_mean", "moving_variance".
      param_regularizers: for "beta", "gamma".
      updates_collections: where to list the updates of the averages; None: they run with the
        layer.
      is_training: a bool, or a bool scalar tensor.
      batch_weights, zero_debias_moving_mean: refused; every example counts alike.
      fused: one op does it all; by default for images.
      data_format: "NHWC" or "NCHW".

    The other arguments are those of `fully_connected`.
    Raises:
      ValueError: when examples are to have weights, or the running mean is to be unbiased.
    """
    if batch_weights is not None or zero_debias_moving_mean:
        raise ValueError("minitf leaves out batch_weights and zero_debias_moving_mean.")
    first = layout_of(data_format) == "channels_first"
    initializers, regularizers = param_initializers or {}, param_regularizers or {}
    with variable_scope(
        scope, "BatchNorm", [inputs], reuse=reuse, custom_getter=model_getter
    ) as sc:
        inputs = convert_to_tensor(inputs)
        flat = inputs.shape.ndims == 2
        images = inputs
        if flat and fused is not False:
            # As images of one pixel: the fused operation averages the variance of a sample.
            channels = inputs.shape[1].value
            images = reshape(inputs, [-1, channels, 1, 1] if first else [-1, 1, 1, channels])
        layer = BatchNormalization(
            axis=1 if first else -1,
            momentum=decay,
            epsilon=epsilon,
            center=center,
            scale=scale,
            **{f"{name}_initializer": value for name, value in initializers.items()},
            **{f"{name}_regularizer": value for name, value in regularizers.items()},
            fused=fused,
            trainable=trainable,
            name=sc.name,
            _scope=sc,
            _reuse=reuse,
        )
        outputs = layer(images, training=is_training)
        if images is not inputs:
            outputs = reshape(outputs, shape_of(inputs))
            outputs.set_shape(inputs.shape)
        for variable in layer.weights:
            collect_variable(
                variable, variables_collections, variable.name.split("/")[-1].split(":")[0]
            )
        _move_updates(layer.updates, updates_collections)
        if updates_collections is None:
            with stacks.control_dependencies(layer.updates):
                outputs = identity(outputs)
        return activated(outputs, activation_fn, outputs_collections, sc.name)


def _move_updates(updates: list, collections: Any) -> None:
    """From UPDATE_OPS, where layers list them, to where they were asked for."""
    if collections == GraphKeys.UPDATE_OPS:
        return
    listed = stacks.get_collection_ref(GraphKeys.UPDATE_OPS)
    listed[:] = [update for update in listed if update not in updates]
    for update in updates if collections else ():
        done = update.outputs[0] if getattr(update, "outputs", None) else update
        stacks.add_to_collections(collections, done)


@add_arg_scope
def layer_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    activation_fn: Callable | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    begin_norm_axis: int = 1,
    begin_params_axis: int = -1,
    scope: Any = None,
) -> Tensor:
    """Normalizes each example over its features, then scales and shifts each feature.

    Ba, Kiros and Hinton, "Layer Normalization" (2016).

    Args:
      inputs: [batch, ...] float.
      center: whether there is a `beta`, the shift.
      scale: whether there is a `gamma`, the factor.
      begin_norm_axis: the mean and the variance are taken over this axis and those after it.
      begin_params_axis: `beta` and `gamma` have this axis and those after it.

    The other arguments are those of `fully_connected`.
    Raises:
      ValueError: when the rank or the sizes of the features are not known.
    """
    with variable_scope(
        scope, "LayerNorm", [inputs], reuse=reuse, custom_getter=model_getter
    ) as sc:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if rank is None:
            raise ValueError(f"Inputs {inputs.name} has undefined rank.")
        if max(begin_norm_axis, begin_params_axis) >= rank:
            raise ValueError(
                f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({begin_norm_axis}) "
                f"must be < rank(inputs) ({rank})"
            )
        shape = inputs.shape[begin_params_axis % rank :]
        if not shape.is_fully_defined():
            raise ValueError(
                f"Inputs {inputs.name}: shape(inputs)[{begin_params_axis}:] is not fully defined: "
                f"{inputs.shape}"
            )
        lists = variables_collections, trainable
        beta = _variable("beta", shape, inputs, zeros_initializer(), *lists) if center else None
        gamma = _variable("gamma", shape, inputs, ones_initializer(), *lists) if scale else None
        axes = list(range(begin_norm_axis % rank, rank))
        mean, variance = moments(inputs, axes, keep_dims=True)
        epsilon = 1e-3 if inputs.dtype == dtypes.float16 else 1e-12
        outputs = normalize(inputs, mean, variance, beta, gamma, epsilon)
        outputs.set_shape(inputs.shape)
        return activated(outputs, activation_fn, outputs_collections, sc.name)


def _variable(
    name: str, shape: Any, inputs: Tensor, start: Any, collections: Any, trainable: bool
) -> Any:
    kind = inputs.dtype.base_dtype
    variable = get_variable(name, shape, kind, start, trainable=trainable)
    collect_variable(variable, collections, name)
    return variable
