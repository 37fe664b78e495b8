"""The layers of `tf.contrib.layers`, which `tf.contrib.slim` uses: short programs of deep networks.

    with arg_scope([conv2d], weights_regularizer=l2_regularizer(5e-4)):
        net = conv2d(images, 64, [3, 3], scope="conv1")
        net = max_pool2d(net, [2, 2], scope="pool1")

They stand on the layers of `tf.layers` and differ in their defaults (a relu follows, padding is
"SAME"), in the names of variables (`weights`, `biases`), and in that a normalizer may take the
place of the bias. Their variables are listed in `GraphKeys.MODEL_VARIABLES`, too.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

from minitf.compat.contrib.framework import add_arg_scope
from minitf.core.graph import dtypes, logging, stacks
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.stacks import GraphKeys, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater, less_equal
from minitf.core.ops.examples import named
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import add_n, multiply
from minitf.core.ops.random import random_uniform, truncated_normal
from minitf.core.ops.reductions import reduce_mean, reduce_sum
from minitf.core.variables.initializers import compute_fans, zeros_initializer
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.layers.layers import (
    AveragePooling2D,
    Conv2D,
    Dense,
    Dropout,
    Flatten,
    MaxPooling2D,
)
from minitf.library.nets.activations import relu as relu_op
from minitf.library.nets.activations import softmax as softmax_op
from minitf.library.nets.cross_entropy import l2_loss
from minitf.library.nets.embeddings import embedding_lookup
from minitf.library.numeric.filling import one_hot
from minitf.library.summary import summary

# ---- initializers ------------------------------------------------------------------------------


def variance_scaling_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: int | None = None,
    dtype: Any = dtypes.float32,
) -> Callable[..., Tensor]:
    """Makes an initializer of variance factor / n, which keeps the size of a signal.

    Args:
      factor: 2 suits layers with a relu, 1 others.
      mode: n is the number of inputs ("FAN_IN"), of outputs ("FAN_OUT") or their mean ("FAN_AVG").
      uniform: draws from a range; otherwise from a normal distribution cut off at two deviations.
      seed: makes the draw repeatable.
      dtype: the type.
    Raises:
      TypeError: when the type is not float, or there is no such mode.
    """
    if not dtypes.as_dtype(dtype).is_floating:
        raise TypeError("Cannot create initializer for non-floating point type.")
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError(f"Unknown mode {mode} [FAN_IN, FAN_OUT, FAN_AVG]")

    def initializer(shape: Any, dtype: Any = dtype, partition_info: Any = None) -> Tensor:
        if not dtypes.as_dtype(dtype).is_floating:
            raise TypeError("Cannot create initializer for non-floating point type.")
        if not len(shape):
            inputs = outputs = 1
        else:
            inputs, outputs = compute_fans(shape)
        n = {"FAN_IN": inputs, "FAN_OUT": outputs, "FAN_AVG": (inputs + outputs) / 2.0}[mode]
        if uniform:
            limit = math.sqrt(3.0 * factor / n)
            return random_uniform(shape, -limit, limit, dtype, seed=seed)
        # A normal distribution that is cut off has a smaller deviation; 1.3 makes up for it.
        return truncated_normal(shape, 0.0, math.sqrt(1.3 * factor / n), dtype, seed=seed)

    return initializer


def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: Any = dtypes.float32
) -> Callable[..., Tensor]:
    """Makes Xavier Glorot's initializer: variance 2 / (inputs + outputs).

    Args:
      uniform: draws from a range; otherwise from a normal distribution.
      seed: makes the draw repeatable.
      dtype: the type.
    """
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)


# ---- regularizers ------------------------------------------------------------------------------


Regularizer = Callable[[Any], Tensor | None]


def _checked(scale: Any, name: str = "scale") -> None:
    if isinstance(scale, Integral):
        raise ValueError(f"{name} cannot be an integer: {scale}")
    if isinstance(scale, Real) and scale < 0.0:
        raise ValueError(f"Setting a {name} less than 0 on a regularizer: {scale:g}.")


def _scaled(scale: Any, norm: Callable[[Any], Tensor], name: str, scope: str | None) -> Regularizer:
    _checked(scale)
    if isinstance(scale, Real) and scale == 0.0:
        logging.info("Scale of 0 disables regularizer.")
        return lambda _: None

    def regularizer(weights: Any) -> Tensor:
        with name_scope(scope, name, [weights]) as full_name:
            factor = convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return multiply(factor, norm(weights), name=full_name)

    return regularizer


def l1_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """Makes a regularizer: scale * sum |w|, which brings weights to 0.

    Args:
      scale: a float; 0 adds nothing.
      scope: the name of the scope.
    Raises:
      ValueError: when `scale` is negative or an integer.
    """
    return _scaled(scale, lambda w: reduce_sum(absolute(w)), "l1_regularizer", scope)


def l2_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """Makes a regularizer: scale * sum w**2 / 2, which keeps weights small.

    Args:
      scale: a float; 0 adds nothing.
      scope: the name of the scope.
    Raises:
      ValueError: when `scale` is negative or an integer.
    Example:
      >>> W = tf.get_variable("W", [3], regularizer=tf.contrib.layers.l2_regularizer(0.01))
    """
    return _scaled(scale, l2_loss, "l2_regularizer", scope)


def apply_regularization(regularizer: Regularizer, weights_list: Any = None) -> Tensor:
    """The sum of a regularizer's losses of several variables.

    Args:
      regularizer: the regularizer.
      weights_list: the variables; by default those in `GraphKeys.WEIGHTS`.

    Returns: a scalar, which is also listed in `GraphKeys.REGULARIZATION_LOSSES`.
    Raises:
      ValueError: when there are no variables, or a loss is no scalar.
    """
    weights_list = weights_list or stacks.get_collection(GraphKeys.WEIGHTS)
    if not weights_list:
        raise ValueError("No weights to regularize.")
    with name_scope("get_regularization_penalty", values=weights_list) as scope:
        losses = [regularizer(weights) for weights in weights_list]
        tensors = [constant(0.0) if loss is None else loss for loss in losses]
        for loss in tensors:
            if loss.shape.ndims != 0:
                raise ValueError(
                    "regularizer must return a scalar Tensor instead of a Tensor with rank "
                    f"{loss.shape.ndims}."
                )
        total = add_n(tensors, name=scope)
        stacks.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
        return total


# ---- layers ------------------------------------------------------------------------------------


DATA_FORMAT_NHWC = "NHWC"
_RENAMED = {
    "kernel": "weights",
    "bias": "biases",
}


def model_getter(getter: Callable, name: str, *args: Any, **kwargs: Any) -> Any:
    """A custom getter: renames a layer's variables, and lists them in MODEL_VARIABLES."""
    scope, slash, last = name.rpartition("/")
    kwargs["collections"] = [
        *(kwargs.get("collections") or [GraphKeys.GLOBAL_VARIABLES]),
        GraphKeys.MODEL_VARIABLES,
    ]
    return getter(scope + slash + _RENAMED.get(last, last), *args, **kwargs)


def collect_named_outputs(collections: Any, alias: str, outputs: Any) -> Any:
    """Lists a layer's output in collections, if there are any, and notes the layer's name."""
    if collections:
        append_tensor_alias(outputs, alias)
        stacks.add_to_collections(collections, outputs)
    return outputs


def activated(
    outputs: Tensor, activation_fn: Callable | None, collections: Any, alias: str
) -> Tensor:
    """A layer's output after its activation, if it has one, listed in collections."""
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return collect_named_outputs(collections, alias, outputs)


def append_tensor_alias(tensor: Any, alias: str) -> Any:
    """Notes one more name of a tensor."""
    tensor.aliases = [*getattr(tensor, "aliases", ()), alias.rstrip("/")]
    return tensor


def collect_variable(variable: Any, collections: Any, kind: str) -> None:
    """Lists a variable in a list of collections, or in those that a dict has for its kind."""
    if isinstance(collections, dict):
        collections = collections.get(kind)
    for key in collections or ():
        if all(variable is not known for known in stacks.get_collection(key)):
            stacks.add_to_collection(key, variable)


def _layer(
    default_name: str, options: dict[str, Any], choose: Callable[[Tensor], tuple[type, dict]]
) -> Tensor:
    """Calls a layer, then the normalizer and the activation; lists variables and the output.

    Args:
      default_name: of the variable scope.
      options: the arguments of the function here.
      choose: from the inputs to the layer's class and the arguments that it alone has.
    """
    start, scope, kinds = options["inputs"], options["scope"], options["variables_collections"]
    with variable_scope(
        scope, default_name, [start], reuse=options["reuse"], custom_getter=model_getter
    ) as sc:
        inputs = convert_to_tensor(start)
        layer_class, own = choose(inputs)
        unbiased = options["normalizer_fn"] is not None or options["biases_initializer"] is None
        layer = layer_class(
            **own,
            use_bias=not unbiased,
            kernel_initializer=options["weights_initializer"],
            kernel_regularizer=options["weights_regularizer"],
            bias_initializer=options["biases_initializer"],
            bias_regularizer=options["biases_regularizer"],
            trainable=options["trainable"],
            name=sc.name,
            dtype=inputs.dtype.base_dtype,
            _scope=sc,
            _reuse=options["reuse"],
        )
        outputs = layer(inputs)
        for variable in layer.weights:
            if variable is not layer.bias:
                collect_variable(variable, kinds, "weights")
        if layer.bias is not None:
            collect_variable(layer.bias, kinds, "biases")
        if options["normalizer_fn"] is not None:
            outputs = options["normalizer_fn"](outputs, **(options["normalizer_params"] or {}))
        collections = options["outputs_collections"]
        return activated(outputs, options["activation_fn"], collections, sc.name)


@add_arg_scope
def fully_connected(
    inputs: Any,
    num_outputs: int,
    activation_fn: Callable | None = relu_op,
    normalizer_fn: Callable | None = None,
    normalizer_params: dict | None = None,
    weights_initializer: Any = xavier_initializer(),  # noqa: B008
    weights_regularizer: Callable | None = None,
    biases_initializer: Any = zeros_initializer(),  # noqa: B008
    biases_regularizer: Callable | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tensor:
    """Adds a fully connected layer; a relu follows by default.

    Args:
      inputs: [..., n].
      num_outputs: how many numbers each output row has.
      activation_fn: what follows, or None.
      normalizer_fn: what comes between, as `batch_norm`; there is no bias then.
      normalizer_params: its further arguments.
      weights_initializer, weights_regularizer, biases_initializer, biases_regularizer: see
        `tf.get_variable`.
      reuse: whether to take the variables of the scope.
      variables_collections: where to list the variables; a list, or a dict of lists for "weights"
        and "biases".
      outputs_collections: where to list the output.
      trainable: whether the variables are for optimizers to change.
      scope: the name of the variable scope.
    Raises:
      ValueError: when `num_outputs` is no integer.
    """
    options = dict(locals())
    if not isinstance(num_outputs, int):
        raise ValueError(f"num_outputs type should be one of [int], got {type(num_outputs)}.")
    return _layer("fully_connected", options, lambda _: (Dense, {"units": num_outputs}))


@add_arg_scope
def convolution2d(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Any = 1,
    activation_fn: Callable | None = relu_op,
    normalizer_fn: Callable | None = None,
    normalizer_params: dict | None = None,
    weights_initializer: Any = xavier_initializer(),  # noqa: B008
    weights_regularizer: Callable | None = None,
    biases_initializer: Any = zeros_initializer(),  # noqa: B008
    biases_regularizer: Callable | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tensor:
    """Slides filters over images; a relu follows by default.

    Args:
      inputs: [batch, height, width, channels], or channels second for NCHW.
      num_outputs: how many features each place gets.
      kernel_size: the size of the window, a number or one for each axis.
      stride: from one window to the next, likewise.
      padding: "SAME" or "VALID".
      data_format: "NHWC" or "NCHW".
      rate: the distance between the elements of a window.

    The other arguments are those of `fully_connected`.
    Raises:
      ValueError: when the rank of `inputs` is not 4.
    """
    options = dict(locals())

    def choose(inputs: Tensor) -> tuple[type, dict]:
        if inputs.shape.ndims != 4:
            raise ValueError(f"Convolution expects input with rank 4, got {inputs.shape.ndims}")
        own = {
            "filters": num_outputs,
            "kernel_size": kernel_size,
            "strides": stride,
            "padding": padding,
            "data_format": layout_of(data_format),
            "dilation_rate": rate,
        }
        return Conv2D, own

    return _layer("Conv", options, choose)


conv2d = convolution2d


def layout_of(data_format: str | None) -> str:
    """Keras's word for where the channels are: last, unless the format begins with "NC".

    Raises:
      ValueError: when there is no such format.
    """
    if data_format not in (None, "NWC", "NCW", "NHWC", "NCHW"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    first = data_format is not None and data_format.startswith("NC")
    return "channels_first" if first else "channels_last"


# ---- layers without variables ------------------------------------------------------------------


def _pooling(name: str, layer_class: type, scope_name: str, sentence: str) -> Callable[..., Tensor]:
    def function(
        inputs: Any,
        kernel_size: Any,
        stride: Any = 2,
        padding: str = "VALID",
        data_format: str = DATA_FORMAT_NHWC,
        outputs_collections: Any = None,
        scope: str | None = None,
    ) -> Tensor:
        with stacks.name_scope(scope, scope_name, [inputs]) as sc:
            layer = layer_class(
                kernel_size, stride, padding, data_format=layout_of(data_format), _scope=sc
            )
            outputs = layer(convert_to_tensor(inputs))
            return collect_named_outputs(outputs_collections, sc, outputs)

    doc = f"""{sentence}

    Args:
      inputs: [batch, *space, channels].
      kernel_size: the size of the window, a number or one for each axis.
      stride: from one window to the next, likewise.
      padding: "VALID" or "SAME".
      data_format: "NHWC" or "NCHW".
      outputs_collections: where to list the output.
      scope: the name of the scope.
    """
    return add_arg_scope(named(function, name, doc))


_LARGEST, _MEAN = "The largest of each window.", "The mean of each window."
max_pool2d = _pooling("max_pool2d", MaxPooling2D, "MaxPool2D", _LARGEST)
avg_pool2d = _pooling("avg_pool2d", AveragePooling2D, "AvgPool2D", _MEAN)


@add_arg_scope
def flatten(inputs: Any, outputs_collections: Any = None, scope: str | None = None) -> Tensor:
    """Makes one vector of each example of a batch.

    Args:
      inputs: [batch, ...].
      outputs_collections: where to list the output.
      scope: the name of the scope.
    Example:
      >>> tf.contrib.layers.flatten(tf.zeros([8, 7, 7, 64])).shape.as_list()
      [8, 3136]
    """
    with stacks.name_scope(scope, "Flatten", [inputs]) as sc:
        outputs = Flatten()(convert_to_tensor(inputs))
        return collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def dropout(
    inputs: Any,
    keep_prob: Any = 0.5,
    noise_shape: Any = None,
    is_training: Any = True,
    outputs_collections: Any = None,
    scope: Any = None,
    seed: int | None = None,
) -> Tensor:
    """Keeps each number with probability `keep_prob` while training, and sets the others to 0.

    Args:
      inputs: a float tensor.
      keep_prob: the part to keep, from 0 to 1.
      noise_shape: see `tf.nn.dropout`.
      is_training: a bool, or a bool scalar tensor.
      outputs_collections: where to list the output.
      scope: the name of the scope.
      seed: makes the choice repeatable.
    """
    with variable_scope(scope, "Dropout", [inputs], custom_getter=model_getter) as sc:
        inputs = convert_to_tensor(inputs)
        layer = Dropout(
            rate=1 - keep_prob, noise_shape=noise_shape, seed=seed, name=sc.name, _scope=sc
        )
        outputs = layer(inputs, training=is_training)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def softmax(logits: Any, scope: str | None = None) -> Tensor:
    """Makes probabilities of the numbers along the last axis."""
    with variable_scope(scope, "softmax", [logits]):
        logits = convert_to_tensor(logits)
        if logits.shape.with_rank_at_least(2)[-1].value is None:
            raise ValueError("dimension of shape must be known")
        return softmax_op(logits)


# ---- symbols -----------------------------------------------------------------------------------


@add_arg_scope
def one_hot_encoding(
    labels: Any,
    num_classes: int,
    on_value: float = 1.0,
    off_value: float = 0.0,
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Tensor:
    """Writes class numbers as vectors with a 1 at the place of the class."""
    with stacks.name_scope(scope, "OneHotEncoding", [labels, num_classes]) as sc:
        labels = convert_to_tensor(labels)
        if labels.dtype == dtypes.int32:
            labels = cast(labels, dtypes.int64)
        outputs = one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return collect_named_outputs(outputs_collections, sc, outputs)


def embed_sequence(
    ids: Any,
    vocab_size: int | None = None,
    embed_dim: int | None = None,
    unique: bool = False,
    initializer: Any = None,
    regularizer: Callable | None = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> Tensor:
    """Looks up the rows of a table, one for each symbol.

    Args:
      ids: [batch, length] int32 or int64.
      vocab_size: how many rows the table has.
      embed_dim: how long they are.
      unique: accepted; each row is looked up once for each id.
      initializer, regularizer: of the table.
      trainable: whether the table is for optimizers to change.
      scope: the name of the variable scope.
      reuse: whether the table of the scope is taken.

    Returns: [batch, length, embed_dim].
    Raises:
      ValueError: when a size is missing and nothing is reused.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            "Must specify vocab size and embedding dimension when not reusing. Got "
            f"vocab_size={vocab_size} and embed_dim={embed_dim}"
        )
    with variable_scope(scope, "EmbedSequence", [ids], reuse=reuse, custom_getter=model_getter):
        shape: Any = [vocab_size, embed_dim]
        if reuse and (vocab_size is None or embed_dim is None):
            shape = None
        table = get_variable(
            "embeddings",
            shape=shape,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        return embedding_lookup(table, ids)


# ---- several layers at once --------------------------------------------------------------------


def _name_of(layer: Callable, otherwise: str) -> str:
    return getattr(getattr(layer, "func", layer), "__name__", otherwise)


@add_arg_scope
def stack(inputs: Any, layer: Callable, stack_args: Any, **kwargs: Any) -> Tensor:
    """Puts one layer on another, with other arguments each time.

    Args:
      inputs: what the first gets.
      layer: a function as `fully_connected`.
      stack_args: the arguments of each layer: a list of values, lists or dicts.
      kwargs: arguments of all of them; `scope` names the scope, in which they are `scope_1`, ...
    Example:
      >>> slim = tf.contrib.slim
      >>> slim.stack(tf.zeros([1, 4]), slim.fully_connected, [32, 64], scope="fc")  # fc_1, fc_2
      <tf.Tensor 'fc/fc_2/Relu:0' shape=(1, 64) dtype=float32>
    """
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Stack", [inputs]):
        outputs, prefix = inputs, scope or _name_of(layer, "stack")
        for number, arguments in enumerate(stack_args, 1):
            layer_kwargs = {**kwargs, "scope": f"{prefix}_{number}"}
            if isinstance(arguments, dict):
                outputs = layer(outputs, **{**layer_kwargs, **arguments})
            elif isinstance(arguments, (list, tuple)):
                outputs = layer(outputs, *arguments, **layer_kwargs)
            else:
                outputs = layer(outputs, arguments, **layer_kwargs)
        return outputs


linear = functools.partial(fully_connected, activation_fn=None)
relu = functools.partial(fully_connected, activation_fn=relu_op)


# ---- summaries ---------------------------------------------------------------------------------


def summarize_activation(op: Tensor) -> Tensor:
    """A histogram of what a layer gives; of a relu also how much of it is 0 (or 6)."""
    if op.op.type in ("Relu", "Softplus", "Relu6"):
        zeros = reduce_mean(cast(less_equal(op, cast(0, op.dtype)), dtypes.float32))
        summary.scalar(f"{op.op.name}/zeros", zeros)
    if op.op.type == "Relu6":
        sixes = reduce_mean(cast(greater(op, cast(6, op.dtype)), dtypes.float32))
        summary.scalar(f"{op.op.name}/sixes", sixes)
    return summary.histogram(f"{op.op.name}/activation", op)
