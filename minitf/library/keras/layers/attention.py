"""Attention: for each query a mean of the values, by how well their keys fit the query.

scores  = query . key               [batch, queries, keys]
weights = softmax(scores)           keys that do not count get none
result  = weights @ value           [batch, queries, size]
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import softmax
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.array_shaping import expand_dims
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater_equal, logical_and, logical_not
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import tanh
from minitf.core.ops.reductions import reduce_sum
from minitf.library.keras.layers.configured import Configured


class _DenseAttention(Configured):
    """What both kinds of attention have in common.

    Args:
      use_scale: whether the scores have a factor that is learned.
      causal: whether a query sees only keys up to its own place.
      kwargs: see `Layer`.
    """

    def __init__(self, use_scale: bool = False, causal: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._keep(locals())
        self.supports_masking = True

    def _scores(self, query: Tensor, key: Tensor) -> Tensor:
        raise NotImplementedError

    def call(self, inputs: list, mask: Any = None) -> Tensor:
        """Adds the operations.

        Args:
          inputs: query [batch, queries, size], value [batch, keys, size], and perhaps key.
          mask: that of the query and that of the value, where they have some.
        """
        self._check(inputs, mask)
        query, value, *key = inputs
        scores = self._scores(query, key[0] if key else value)
        seen_query, seen_value = (*(mask or ()), None, None)[:2]
        seen = None if seen_value is None else expand_dims(seen_value, -2)
        if self.causal:
            queries, keys = shape_of(scores)[-2], shape_of(scores)[-1]
            before = greater_equal(expand_dims(range_of(queries), 1), range_of(keys))
            seen = before if seen is None else logical_and(seen, before)
        if seen is not None:
            scores -= 1.0e9 * cast(logical_not(seen), scores.dtype)
        result = matmul(softmax(scores), value)
        if seen_query is not None:
            result *= cast(expand_dims(seen_query, -1), result.dtype)
        return result

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """That of the query."""
        return mask[0] if mask else None

    def _check(self, inputs: Any, mask: Any) -> None:
        name = type(self).__name__
        if not isinstance(inputs, list):
            raise ValueError(
                f"{name} layer must be called on a list of inputs, namely [query, value] or "
                "[query, value, key]."
            )
        if not 2 <= len(inputs) <= 3:
            raise ValueError(
                f"{name} layer accepts inputs list of length 2 or 3, namely [query, value] or "
                f"[query, value, key]. Given length: {len(inputs)}"
            )
        if mask is not None and (not isinstance(mask, list) or len(mask) < 2):
            raise ValueError(f"{name} layer mask must be a list, namely [query_mask, value_mask].")


class Attention(_DenseAttention):
    """Attention whose scores are products (Luong).

    Example:
      >>> q, v = tf.zeros([2, 3, 4]), tf.zeros([2, 5, 4])
      >>> tf.keras.layers.Attention()([q, v]).shape.as_list()
      [2, 3, 4]
    """

    def build(self, input_shape: Any) -> None:
        """Makes `scale`, where it is asked for."""
        self.scale = self.add_weight("scale", [], initializer="ones") if self.use_scale else None
        self.built = True

    def _scores(self, query: Tensor, key: Tensor) -> Tensor:
        scores = matmul(query, key, transpose_b=True)
        return scores if self.scale is None else scores * self.scale


class AdditiveAttention(_DenseAttention):
    """Attention whose scores are sums of tanh(query + key) (Bahdanau).

    Args:
      use_scale: whether the sum has weights that are learned.
      kwargs: see `Attention`.
    """

    def __init__(self, use_scale: bool = True, **kwargs: Any) -> None:
        super().__init__(use_scale, **kwargs)

    def build(self, input_shape: Any) -> None:
        """Makes `scale` [size], where it is asked for."""
        size = input_shape[1].as_list()[-1]
        self.scale = None
        if self.use_scale:
            self.scale = self.add_weight("scale", [size], initializer="glorot_uniform")
        self.built = True

    def _scores(self, query: Tensor, key: Tensor) -> Tensor:
        fits = tanh(expand_dims(query, -2) + expand_dims(key, -3))
        return reduce_sum(fits if self.scale is None else self.scale * fits, axis=-1)
