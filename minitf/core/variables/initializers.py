"""Initializers: functions from the shape of a variable to its first value.

An initializer is called when the variable is made. Its operations are under
`<variable>/Initializer/`:

    W = tf.get_variable("W", [784, 128])     # floats: glorot_uniform_initializer()
      W/Initializer/random_uniform/...  -->  W/Assign  -->  W

Layers train well when the variance of activations and of gradients stays the same from layer to
layer. Most initializers here are `VarianceScaling` with different settings.
"""

from __future__ import annotations

import inspect
import math
from dataclasses import InitVar, dataclass
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant
from minitf.core.graph.graph import Tensor
from minitf.core.graph.tensor import DTypeLike, TensorLike
from minitf.core.ops import random as random_ops
from minitf.core.ops.array_filling import ones, zeros

# The standard deviation of a standard normal cut off at two standard deviations.
_TRUNCATED_STDDEV = 0.87962566103423978


def compute_fans(shape: Any) -> tuple[int, int]:
    """Returns the number of inputs and outputs of one unit of a weight tensor.

    Args:
      shape: `[inputs, outputs]` for a matrix; `[height, width, ..., inputs, outputs]` for a
        convolution, where each place of the window counts.

    Returns: (fan_in, fan_out).
    """
    sizes = [int(size) for size in shape]
    if not sizes:
        return 1, 1
    if len(sizes) == 1:
        return sizes[0], sizes[0]
    window = math.prod(sizes[:-2])
    return sizes[-2] * window, sizes[-1] * window


def float_dtype(dtype: Any) -> dtypes.DType:
    """The dtype, of floats; raises ValueError for another."""
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype}.")
    return dtype


class Initializer:
    """Base of all initializers: an object that is called with a shape.

    It holds the constructor's arguments as attributes of the same names.
    """

    dtype: Any

    def __post_init__(self) -> None:
        self.dtype = dtypes.as_dtype(self.dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """Builds the operations that compute the first value.

        Args:
          shape: list of int; the shape of the variable, or of the part of it to initialize.
          dtype: overrides the element type given to the constructor.
          partition_info: where the part lies (`.full_shape`, `.var_offset`), or None for the whole.

        Returns: a tensor of that shape and type.
        """
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments, from which `from_config` makes an equal initializer."""
        kind = next(c for c in type(self).__mro__ if c.__module__.startswith("minitf."))
        names = [name for name in inspect.signature(kind).parameters if name in vars(self)]
        return {n: self.dtype.name if n == "dtype" else vars(self)[n] for n in names}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """Makes an initializer from what `get_config` returned."""
        return cls(**config)


@dataclass(eq=False, repr=False)
class Zeros(Initializer):
    """All elements 0 (False for bool, the empty string for string).

    Args:
      dtype: the type of the elements.
    Example:
      >>> v = tf.get_variable("v", [3], initializer=tf.zeros_initializer())
      >>> sess.run(v.initializer)
      >>> sess.run(v)
      array([0., 0., 0.], dtype=float32)
    """

    dtype: DTypeLike = dtypes.float32

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        return zeros(shape, dtype or self.dtype)


@dataclass(eq=False, repr=False)
class Ones(Initializer):
    """All elements 1."""

    dtype: DTypeLike = dtypes.float32

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        return ones(shape, dtype or self.dtype)


@dataclass(eq=False, repr=False)
class Constant(Initializer):
    """Given values, in row-major order; when they run out, the last one is repeated.

    Args:
      value: a Python scalar, a list, a tuple or an array.
      dtype: the element type.
      verify_shape: refuse a value whose shape is not the variable's.

    Raises:
      TypeError: when `value` is none of these.
    Example:
      >>> b = tf.get_variable("b", [3], initializer=tf.constant_initializer(0.1))
    """

    value: TensorLike = 0
    dtype: DTypeLike = dtypes.float32
    verify_shape: InitVar[bool] = False

    def __post_init__(self, verify_shape: bool) -> None:
        super().__post_init__()
        self._verify_shape = verify_shape
        if not (np.isscalar(self.value) or isinstance(self.value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value: {type(self.value)} (expected Python scalar, "
                "list or tuple of values, or numpy.ndarray)."
            )

    def __call__(
        self,
        shape: Any,
        dtype: Any = None,
        partition_info: Any = None,
        verify_shape: bool | None = None,
    ) -> Tensor:
        if verify_shape is None:
            verify_shape = self._verify_shape
        return constant(self.value, dtype or self.dtype, shape, verify_shape=verify_shape)


@dataclass(eq=False, repr=False)
class RandomUniform(Initializer):
    """Each element drawn evenly from [minval, maxval).

    Args:
      minval: the lower end.
      maxval: the upper end; None stands for 1 when the type is floating.
      seed: see `tf.set_random_seed`.
      dtype: the element type.
    Example:
      >>> v = tf.get_variable("v", [1000], initializer=tf.random_uniform_initializer(-1, 1))
      >>> sess.run(v.initializer)
      >>> bool(abs(sess.run(v)).max() <= 1)
      True
    """

    minval: TensorLike = 0.0
    maxval: TensorLike = None
    seed: int | None = None
    dtype: DTypeLike = dtypes.float32

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        return random_ops.random_uniform(
            shape, self.minval, self.maxval, dtype or self.dtype, seed=self.seed
        )


@dataclass(eq=False, repr=False)
class RandomNormal(Initializer):
    """Each element drawn from a normal distribution.

    Args:
      mean: its mean.
      stddev: its standard deviation.
      seed: see `tf.set_random_seed`.
      dtype: a floating element type.
    Example:
      >>> v = tf.get_variable("v", [1000], initializer=tf.random_normal_initializer(stddev=0.01))
      >>> sess.run(v.initializer)
      >>> bool(abs(sess.run(v)).max() < 0.1)
      True
    """

    mean: TensorLike = 0.0
    stddev: TensorLike = 1.0
    seed: int | None = None
    dtype: DTypeLike = dtypes.float32

    def __post_init__(self) -> None:
        self.dtype = float_dtype(self.dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        return random_ops.random_normal(
            shape, self.mean, self.stddev, dtype or self.dtype, seed=self.seed
        )


class TruncatedNormal(RandomNormal):
    """As `RandomNormal`, but values beyond two standard deviations are drawn again.

    Args:
      mean: the mean.
      stddev: the standard deviation before the tails are cut off, at twice its size.
      seed: an integer; with the graph's own seed it fixes the numbers.
      dtype: the type, a float.
    Example:
      >>> v = tf.get_variable("v", [1000], initializer=tf.truncated_normal_initializer(stddev=0.1))
      >>> sess.run(v.initializer)
      >>> bool(abs(sess.run(v)).max() <= 0.2)
      True
    """

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        return random_ops.truncated_normal(
            shape, self.mean, self.stddev, dtype or self.dtype, seed=self.seed
        )


@dataclass(eq=False, repr=False)
class VarianceScaling(Initializer):
    """Draws with variance `scale / n`, where n counts the connections of one unit.

    Args:
      scale: a positive factor; 2 makes up for the half that relu cuts off.
      mode: what n is: "fan_in" (keeps the size of the signal), "fan_out" (that of the gradient) or
        "fan_avg" (their mean).
      distribution: "truncated_normal" ("normal" is the same), "untruncated_normal" or "uniform".
      seed: see `tf.set_random_seed`.
      dtype: a floating element type.

    Raises:
      ValueError: when an argument is none of these.
    Example:
      >>> start = tf.variance_scaling_initializer(2.0)   # for a relu behind 200 inputs
      >>> v = tf.get_variable("v", [200, 300], initializer=start)
      >>> sess.run(v.initializer)
      >>> round(float(sess.run(v).std()), 1)
      0.1
    """

    scale: float = 1.0
    mode: str = "fan_in"
    distribution: str = "truncated_normal"
    seed: int | None = None
    dtype: DTypeLike = dtypes.float32

    def __post_init__(self) -> None:
        if self.scale <= 0.0:
            raise ValueError("`scale` must be positive float.")
        if self.mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError("Invalid `mode` argument:", self.mode)
        self.distribution = self.distribution.lower()
        known = ("normal", "uniform", "truncated_normal", "untruncated_normal")
        if self.distribution not in known:
            raise ValueError("Invalid `distribution` argument:", self.distribution)
        self.dtype = float_dtype(self.dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        dtype = dtype or self.dtype
        whole = shape if partition_info is None else partition_info.full_shape
        fan_in, fan_out = compute_fans(whole)
        connections = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[
            self.mode
        ]
        variance = self.scale / max(1.0, connections)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return random_ops.random_uniform(shape, -limit, limit, dtype, seed=self.seed)
        stddev = math.sqrt(variance)
        if self.distribution == "untruncated_normal":
            return random_ops.random_normal(shape, 0.0, stddev, dtype, seed=self.seed)
        return random_ops.truncated_normal(
            shape, 0.0, stddev / _TRUNCATED_STDDEV, dtype, seed=self.seed
        )


class GlorotUniform(VarianceScaling):
    """Evenly from +-sqrt(6 / (inputs + outputs)); also called Xavier (Glorot and Bengio, 2010)."""

    def __init__(self, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


class GlorotNormal(VarianceScaling):
    """Truncated normal of variance 2 / (inputs + outputs) (Glorot and Bengio, 2010)."""

    def __init__(self, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)


def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """Truncated normal of variance 1 / inputs (LeCun and others, 1998)."""
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """Evenly from +-sqrt(3 / inputs) (LeCun and others, 1998)."""
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


def he_normal(seed: int | None = None) -> VarianceScaling:
    """Truncated normal of variance 2 / inputs, made for relu (He and others, 2015)."""
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: int | None = None) -> VarianceScaling:
    """Evenly from +-sqrt(6 / inputs), made for relu (He and others, 2015)."""
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


zeros_initializer = Zeros
ones_initializer = Ones
constant_initializer = Constant
random_uniform_initializer = RandomUniform
random_normal_initializer = RandomNormal
truncated_normal_initializer = TruncatedNormal
variance_scaling_initializer = VarianceScaling
glorot_uniform_initializer = GlorotUniform
glorot_normal_initializer = GlorotNormal
