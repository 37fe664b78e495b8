"""`tf.contrib.kernel_methods`: a kernel as a map of features, before a linear model.

    sqrt(2 / D) cos(x Omega + b)     whose products are near exp(-|x - y|^2 / (2 sigma^2))

Rahimi and Recht, "Random Features for Large-Scale Kernel Machines" (2007).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from minitf.compat.contrib.feature_columns import real_valued_column
from minitf.compat.contrib.learn import LinearClassifier
from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_filling import one_hot
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import squeeze
from minitf.core.ops.cast import cast
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import cos, maximum
from minitf.core.ops.reductions import reduce_max, reduce_sum
from minitf.library.losses.losses import Reduction, compute_weighted_loss


class InvalidShapeError(Exception):
    """The features have another shape than the mapper takes."""


class DenseKernelMapper(ABC):
    """Maps features to those of another space, [batch, n] -> [batch, m]."""

    @abstractmethod
    def map(self, input_tensor: Tensor) -> Tensor:
        """The features in the other space."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What the mapper is called."""

    @property
    @abstractmethod
    def output_dim(self) -> int:
        """How many features the other space has."""


class RandomFourierFeatureMapper(DenseKernelMapper):
    """Features whose products are near a Gaussian kernel.

    Args:
      input_dim: how many features come.
      output_dim: how many go; the more, the nearer.
      stddev: the sigma of the kernel.
      seed: of the random directions; one seed gives one map.
      name: what the mapper is called.
    """

    def __init__(
        self, input_dim: int, output_dim: int, stddev: float = 1.0, seed: int = 1,
        name: str | None = None,
    ) -> None:  # fmt: skip
        self._input_dim, self._output_dim = input_dim, output_dim
        self._stddev, self._seed, self._name = stddev, seed, name

    @property
    def name(self) -> str:
        """What the mapper is called, or a number of its own."""
        return self._name or str(id(self))

    @property
    def input_dim(self) -> int:
        """How many features come."""
        return self._input_dim

    @property
    def output_dim(self) -> int:
        """How many features go."""
        return self._output_dim

    def map(self, input_tensor: Tensor) -> Tensor:
        """The features in the other space, [batch, output_dim].

        Raises:
          InvalidShapeError: when the input is not [batch, input_dim].
        """
        shape = input_tensor.shape.as_list()
        if len(shape) != 2:
            raise InvalidShapeError(
                f"The shape of the tensor should be 2. Got {len(shape)} instead."
            )
        if shape[1] != self._input_dim:
            raise InvalidShapeError(
                f"Invalid dimension: expected {self._input_dim} input features, got {shape[1]} "
                "instead."
            )
        draw = np.random.RandomState(self._seed)  # noqa: NPY002  the numbers that theirs draws
        directions = draw.normal(scale=1.0 / self._stddev, size=(self._input_dim, self._output_dim))
        shifts = draw.uniform(0.0, 2 * np.pi, self._output_dim)
        turned = matmul(input_tensor, constant(directions, dtypes.float32))
        return math.sqrt(2.0 / self._output_dim) * cos(turned + constant(shifts, dtypes.float32))


class KernelLinearClassifier(LinearClassifier):
    """A linear classifier over columns, and over what mappers make of some of them.

    Args:
      feature_columns: columns that are taken as they are.
      model_dir, n_classes, weight_column_name, optimizer, config: see
        `tf.contrib.learn.LinearClassifier`.
      kernel_mappers: by the column lists of mappers.
    Raises:
      ValueError: when there are neither columns nor mappers.
    """

    def __init__(
        self, feature_columns: Any = None, model_dir: str | None = None, n_classes: int = 2,
        weight_column_name: str | None = None, optimizer: Any = None,
        kernel_mappers: Mapping[Any, Sequence[DenseKernelMapper]] | None = None, config: Any = None,
    ) -> None:  # fmt: skip
        if not feature_columns and not kernel_mappers:
            raise ValueError("You should set at least one of feature_columns, kernel_mappers.")
        mappers = dict(kernel_mappers or {})
        every = [mapper for several in mappers.values() for mapper in several]
        if not all(isinstance(mapper, DenseKernelMapper) for mapper in every):
            raise ValueError("Invalid kernel mappers.")
        mapped = [
            real_valued_column(f"{column.name}_MAPPED", sum(each.output_dim for each in several))
            for column, several in mappers.items()
        ]
        super().__init__(
            [*(feature_columns or ()), *mapped], model_dir, n_classes, weight_column_name,
            optimizer, config=config, feature_engineering_fn=_adding(mappers),
        )  # fmt: skip


def _adding(mappers: Mapping[Any, Sequence[DenseKernelMapper]]) -> Callable:
    """Adds the mapped features to the others."""

    def add(features: Any, labels: Any) -> tuple[Any, Any]:
        made = {
            f"{column.name}_MAPPED": concat(
                [each.map(features[column.name]) for each in several], 1
            )
            for column, several in mappers.items()
        }
        return {**features, **made}, labels

    return add


def sparse_multiclass_hinge_loss(
    labels: Tensor, logits: Tensor, weights: Any = 1.0, scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:  # fmt: skip
    """max(0, 1 + the largest wrong logit - the right one).

    Args:
      labels: [batch] or [batch, 1] numbers of classes.
      logits: [batch, classes].

    The other arguments are those of `tf.losses.compute_weighted_loss`.
    Raises:
      ValueError: when the shapes do not fit.
    """
    with name_scope(scope, "sparse_multiclass_hinge_loss", (logits, labels)) as scope:
        if logits.shape.ndims != 2:
            raise ValueError(
                f"Logits should have rank 2. Given logits have rank {logits.shape.ndims}"
            )
        if labels.shape.ndims == 2:
            labels = squeeze(labels, [1])
        count = logits.shape.as_list()[1]
        right = one_hot(cast(labels, dtypes.int32), count, dtype=logits.dtype)
        chosen = reduce_sum(right * logits, 1)
        largest = float(logits.dtype.max)
        wrong = reduce_max(logits - right * largest, 1)
        losses = maximum(0.0, 1.0 + wrong - chosen)
        given: Any = weights
        if isinstance(given, Tensor) and given.shape.ndims == 2:
            given = squeeze(given, [1])
        return compute_weighted_loss(losses, given, scope, loss_collection, reduction)
