"""Normalization as `tf.contrib.layers` has it: over the batch, or over the features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.compat.contrib.arg_scope import add_arg_scope
from minitf.compat.contrib.slim import (
    DATA_FORMAT_NCHW,
    DATA_FORMAT_NHWC,
    collect_named_outputs,
    collect_variable,
    model_getter,
)
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.variables.initializers import ones_initializer, zeros_initializer
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.layers.normalization import BatchNormalization
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
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_decay: float = 0.99,
    adjustment: Callable | None = None,
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
      fused: one op does it all; by default for images.
      data_format: "NHWC" or "NCHW".
      renorm, renorm_clipping, renorm_decay, adjustment: see `tf.layers.BatchNormalization`.

    The other arguments are those of `fully_connected`.
    Raises:
      NotImplementedError: for `batch_weights` and `zero_debias_moving_mean`.
    """
    if batch_weights is not None or zero_debias_moving_mean:
        raise NotImplementedError("batch_norm knows no batch_weights, zero_debias_moving_mean.")
    initializers, regularizers = param_initializers or {}, param_regularizers or {}
    with variable_scope(
        scope, "BatchNorm", [inputs], reuse=reuse, custom_getter=model_getter
    ) as sc:
        inputs = convert_to_tensor(inputs)
        layer = BatchNormalization(
            axis=1 if data_format == DATA_FORMAT_NCHW else -1,
            momentum=decay,
            epsilon=epsilon,
            center=center,
            scale=scale,
            **{f"{name}_initializer": value for name, value in initializers.items()},
            **{f"{name}_regularizer": value for name, value in regularizers.items()},
            fused=fused,
            renorm=renorm,
            renorm_clipping=renorm_clipping,
            renorm_momentum=renorm_decay,
            adjustment=adjustment,
            trainable=trainable,
            name=sc.name,
            _scope=sc,
            _reuse=reuse,
        )
        outputs = layer(inputs, training=is_training)
        for variable in layer.weights:
            collect_variable(variable, variables_collections, variable.op.name.split("/")[-1])
        _move_updates(layer.updates, updates_collections)
        if updates_collections is None:
            with stacks.control_dependencies(layer.updates):
                outputs = identity(outputs)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


def _move_updates(updates: list, collections: Any) -> None:
    """From UPDATE_OPS, where layers list them, to where they were asked for."""
    if collections == GraphKeys.UPDATE_OPS:
        return
    listed = stacks.get_collection_ref(GraphKeys.UPDATE_OPS)
    listed[:] = [update for update in listed if update not in updates]
    for update in updates if collections else ():
        stacks.add_to_collections(collections, update)


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
        made: dict[str, Any] = {"beta": None, "gamma": None}
        for name, wanted, start in (
            ("beta", center, zeros_initializer()),
            ("gamma", scale, ones_initializer()),
        ):
            if wanted:
                made[name] = get_variable(
                    name,
                    shape=shape,
                    dtype=inputs.dtype.base_dtype,
                    initializer=start,
                    trainable=trainable,
                )
                collect_variable(made[name], variables_collections, name)
        axes = list(range(begin_norm_axis % rank, rank))
        mean, variance = moments(inputs, axes, keep_dims=True)
        epsilon = 1e-3 if inputs.dtype == dtypes.float16 else 1e-12
        outputs = normalize(inputs, mean, variance, made["beta"], made["gamma"], epsilon)
        outputs.set_shape(inputs.shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, sc.name, outputs)
