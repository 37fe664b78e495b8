"""Layers that disturb their inputs while training, so that a network does not rely on details."""

from __future__ import annotations

import math
from typing import Any

from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater_equal
from minitf.library.keras.backend.functions import in_train_phase, random_normal, random_uniform
from minitf.library.keras.layers.configured import SameShape

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
