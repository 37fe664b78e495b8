"""Layers of each number by itself: activations with settings or weights, and noise while training.

Noise keeps a network from relying on details.
"""

from __future__ import annotations

import math
from typing import Any

from minitf.core.graph.shapes import as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater, greater_equal
from minitf.core.ops.math import negative
from minitf.library.keras.backend.functions import (
    elu,
    in_train_phase,
    random_normal,
    random_uniform,
    relu,
    softmax,
)
from minitf.library.keras.backend.session import cast_to_floatx
from minitf.library.keras.engine.calls import InputSpec
from minitf.library.keras.layers.configured import SameShape

# ---- activations ---------------------------------------------------------------------------------


class LeakyReLU(SameShape):
    """x where it is positive, `alpha * x` elsewhere.

    Args:
      alpha: the slope.
      kwargs: see `Layer`.
    """

    def __init__(self, alpha: float = 0.3, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = cast_to_floatx(alpha)

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        return relu(inputs, alpha=float(self.alpha))


class PReLU(SameShape):
    """As `LeakyReLU`, with a slope that is learned for each element.

    Args:
      alpha_initializer, alpha_regularizer, alpha_constraint: of the slopes.
      shared_axes: axes along which all elements have one slope: [1, 2] for images.
      kwargs: see `Layer`.
    """

    def __init__(
        self,
        alpha_initializer: Any = "zeros",
        alpha_regularizer: Any = None,
        alpha_constraint: Any = None,
        shared_axes: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._keep(locals())
        if shared_axes is not None and not isinstance(shared_axes, (list, tuple)):
            self.shared_axes = [shared_axes]

    def build(self, input_shape: Any) -> None:
        """Makes `alpha`."""
        sizes, shared = as_shape(input_shape).as_list(), self.shared_axes or ()
        shape = [1 if i in shared else size for i, size in enumerate(sizes)][1:]
        self.alpha = self._add_own("alpha", shape)
        axes = {i: size for i, size in enumerate(sizes) if i and i not in shared}
        self.input_spec = InputSpec(ndim=len(sizes), axes=axes)
        self.built = True

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        return relu(inputs) + negative(self.alpha) * relu(negative(inputs))


class ELU(SameShape):
    """x where it is positive, `alpha * (exp(x) - 1)` elsewhere.

    Args:
      alpha: the factor.
      kwargs: see `Layer`.
    """

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = cast_to_floatx(alpha)

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        return elu(inputs, float(self.alpha))


class ThresholdedReLU(SameShape):
    """x where it is greater than `theta`, 0 elsewhere.

    Args:
      theta: the threshold.
      kwargs: see `Layer`.
    """

    def __init__(self, theta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.theta = cast_to_floatx(theta)

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        return inputs * cast(greater(inputs, float(self.theta)), inputs.dtype)


class Softmax(SameShape):
    """exp(x) divided by its sum along an axis.

    Args:
      axis: the axis.
      kwargs: see `Layer`.
    """

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        return softmax(inputs, self.axis)


class ReLU(SameShape):
    """The rectified linear function, with a ceiling, a slope and a threshold.

    Args:
      max_value: what larger values become; None: they stay.
      negative_slope: the slope below the threshold.
      threshold: below it values are 0, or sloped.
      kwargs: see `Layer`.

    Raises:
      ValueError: when the ceiling or the slope is negative.
    """

    def __init__(
        self,
        max_value: float | None = None,
        negative_slope: float = 0,
        threshold: float = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if max_value is not None and max_value < 0.0:
            raise ValueError(f"max_value of Relu layer cannot be negative value: {max_value}")
        if negative_slope < 0.0:
            raise ValueError(
                f"negative_slope of Relu layer cannot be negative value: {negative_slope}"
            )
        self.max_value = None if max_value is None else cast_to_floatx(max_value)
        self.negative_slope = cast_to_floatx(negative_slope)
        self.threshold = cast_to_floatx(threshold)

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        ceiling = None if self.max_value is None else float(self.max_value)
        slope, threshold = float(self.negative_slope), float(self.threshold)
        return relu(inputs, alpha=slope, max_value=ceiling, threshold=threshold)


# ---- noise ---------------------------------------------------------------------------------------


# Where selu ends far below zero, and the number that keeps its mean and variance.
_LOWEST = -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946


class _Noise(SameShape):
    """A layer that disturbs its inputs while training, and else leaves them alone."""

    def _noised(self, inputs: Tensor) -> Tensor:
        raise NotImplementedError

    def call(self, inputs: Tensor, training: Any = None) -> Tensor:
        """Adds the operations; by default the learning phase says whether it is training."""
        return in_train_phase(lambda: self._noised(inputs), inputs, training)


class GaussianNoise(_Noise):
    """Adds normal noise.

    Args:
      stddev: its standard deviation.
      seed: makes it repeatable.
      kwargs: see `Layer`.
    """

    def __init__(self, stddev: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._keep(locals())

    def _noised(self, inputs: Tensor) -> Tensor:
        return inputs + random_normal(
            shape_of(inputs), 0.0, self.stddev, inputs.dtype.base_dtype, self.seed
        )


class GaussianDropout(_Noise):
    """Multiplies by normal noise of mean 1, which disturbs as much as dropping a part would.

    Args:
      rate: that part, from 0 to 1.
      seed: makes it repeatable.
      kwargs: see `Layer`.
    """

    def __init__(self, rate: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._keep(locals())

    def call(self, inputs: Tensor, training: Any = None) -> Tensor:
        """Adds the operations; nothing for a rate of 0 or 1."""
        return super().call(inputs, training) if 0 < self.rate < 1 else inputs

    def _noised(self, inputs: Tensor) -> Tensor:
        stddev = math.sqrt(self.rate / (1.0 - self.rate))
        return inputs * random_normal(
            shape_of(inputs), 1.0, stddev, inputs.dtype.base_dtype, self.seed
        )


class AlphaDropout(_Noise):
    """Dropout for `selu`: what is dropped gets its lowest value, and mean and variance stay.

    Args:
      rate: the part to drop, from 0 to 1.
      noise_shape: the shape in which is decided.
      seed: makes it repeatable.
      kwargs: see `Layer`.
    """

    _untold = (*_Noise._untold, "noise_shape")

    def __init__(
        self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._keep(locals())

    def call(self, inputs: Tensor, training: Any = None) -> Tensor:
        """Adds the operations; nothing for a rate of 0."""
        return super().call(inputs, training) if 0.0 < self.rate < 1.0 else inputs

    def _noised(self, inputs: Tensor) -> Tensor:
        shape = shape_of(inputs) if self.noise_shape is None else self.noise_shape
        drawn = random_uniform(shape, dtype=inputs.dtype.base_dtype, seed=self.seed)
        kept = cast(greater_equal(drawn, self.rate), inputs.dtype.base_dtype)
        factor = ((1 - self.rate) * (1 + self.rate * _LOWEST**2)) ** -0.5
        shift = -factor * _LOWEST * self.rate
        return factor * (inputs * kept + _LOWEST * (1 - kept)) + shift
