"""Dense layers over axes that an equation names, and attention of many heads, made of them.

    EinsumDense          einsum("abc,cde->abde", x, kernel) + bias
    MultiHeadAttention   query ──dense──> q ─┐
                         key   ──dense──> k ─┴─ softmax(q k / sqrt(key_dim)) ─┐
                         value ──dense──> v ─────────────────────────────────┴── dense ──>
                                                          Vaswani and others, 2017

They are layers of later releases, for programs that are written for both.
"""

from __future__ import annotations

import functools
import math
import re
import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import softmax
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones
from minitf.core.ops.array_shaping import expand_dims
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import logical_and
from minitf.core.ops.math import exp
from minitf.core.ops.reductions import reduce_logsumexp
from minitf.library.keras.layers.configured import Configured
from minitf.library.keras.layers.core import Dropout
from minitf.library.numeric.diagonals import matrix_band_part
from minitf.library.numeric.einsum import einsum

_FORMS = (r"([a-zA-Z]+),([a-zA-Z]+)->([a-zA-Z]+)", r"0([a-zA-Z]+),([a-zA-Z]+)->0([a-zA-Z]+)",
          r"([a-zA-Z]{2,})0,([a-zA-Z]+)->([a-zA-Z]+)0")  # fmt: skip


class EinsumDense(Configured):
    """A product with a kernel, summed over the axes that an equation says, and a bias.

    Args:
      equation: "ab,bc->ac": the letters of the inputs, of the kernel, of the outputs. Inputs and
        outputs may begin or end with "...".
      output_shape: the sizes of the outputs, without the batch and without what "..." stands for;
        None where the inputs say it.
      activation: of the outputs.
      bias_axes: the letters of the outputs along which the bias has a number each; None: no bias.
      kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
        activity_regularizer, kernel_constraint, bias_constraint, kwargs: as those of `Dense`.

    Raises:
      ValueError: when the equation is not of that form, or does not fit the inputs.
    """

    _untold = (*Configured._untold, "output_shape")

    def __init__(
        self, equation: str, output_shape: Any, activation: Any = None,
        bias_axes: str | None = None, kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
        bias_regularizer: Any = None, activity_regularizer: Any = None,
        kernel_constraint: Any = None, bias_constraint: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self._keep({k: v for k, v in locals().items() if k != "output_shape"})
        sizes = [output_shape] if isinstance(output_shape, int) else list(output_shape)
        self.partial_output_shape = sizes

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` and `bias`, of the shapes that the equation says."""
        kernel, bias, self.full_output_shape = self._shapes(as_shape(input_shape).as_list())
        self.kernel = self._add_own("kernel", kernel)
        self.bias = None if bias is None else self._add_own("bias", bias)
        self.built = True

    def _shapes(self, given: list[int | None]) -> tuple[list, list | None, list]:
        """The shapes of kernel, bias and outputs."""
        text = self.equation.replace("...", "0")
        found = next((m for form in _FORMS if (m := re.fullmatch(form, text))), None)
        if found is None:
            raise ValueError(
                f"Invalid einsum equation '{self.equation}'. Equations must be in the form "
                "[X],[Y]->[Z], ...[X],[Y]->...[Z], or [X]...,[Y]->[Z]...."
            )
        x, kernel, y = found.groups()
        more = len(given) - len(x)
        before = text.startswith("0")
        full = [given[0], *(given[1:more] if before else []), *self.partial_output_shape]
        full += [] if before or not more else given[-more:]
        skip = more if before else 0
        of_x = {letter: given[skip + place] for place, letter in enumerate(x)}
        of_y = {letter: full[skip + place] for place, letter in enumerate(y)}
        for letter in x:
            if of_y.get(letter) not in (None, of_x[letter]):
                raise ValueError(
                    f"Input shape and output shape do not match at shared dimension '{letter}'. "
                    f"Input shape is {of_x[letter]}, and output shape is {of_y[letter]}."
                )
        for letter in y:
            if letter not in x + kernel:
                raise ValueError(
                    f"Dimension '{letter}' was specified in the output '{y}' but has no "
                    f"corresponding dim in the input spec '{x}' or weight spec '{y}'"
                )
        for letter in kernel:
            if letter not in x + y:
                raise ValueError(
                    f"Weight dimension '{letter}' did not have a match in either the input spec "
                    f"'{x}' or the output spec '{y}'. For this layer, the weight must be fully "
                    "specified."
                )
        bias = None
        if self.bias_axes is not None:
            for letter in self.bias_axes:
                if letter not in y:
                    raise ValueError(
                        f"Bias dimension '{letter}' was requested, but is not part of the output "
                        f"spec '{y}'"
                    )
            first = min(map(y.index, self.bias_axes))
            bias = [of_y[letter] if letter in self.bias_axes else 1 for letter in y[first:]]
            bias += [] if before else [1] * more
        return [of_x.get(letter) or of_y[letter] for letter in kernel], bias, full

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        outputs = einsum(self.equation, inputs, self.kernel)
        return self.activation(outputs if self.bias is None else outputs + self.bias)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """As `output_shape` says, with what the inputs say."""
        return TensorShape(self._shapes(as_shape(input_shape).as_list())[2])

    def get_config(self) -> dict[str, Any]:
        """What makes such a layer."""
        return {**super().get_config(), "output_shape": self.partial_output_shape}


class MultiHeadAttention(Configured):
    """For each query a mean of values, weighted by how well their keys fit, in many heads.

    Args:
      num_heads: how many heads there are.
      key_dim: the size of queries and keys in a head.
      value_dim: the size of values in a head; by default `key_dim`.
      dropout: the part of the weights that is dropped while training.
      use_bias: whether the dense layers have a bias.
      output_shape: the sizes of the last axes of the outputs; by default the queries' last.
      attention_axes: the axes along which there are keys; by default all but the first and last.
      kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
        activity_regularizer, kernel_constraint, bias_constraint, kwargs: of the dense layers.

    Example:
      >>> layer = tf.keras.layers.MultiHeadAttention(num_heads=2, key_dim=3)
      >>> x = tf.zeros([4, 7, 5])
      >>> layer(x, x).shape.as_list()
      [4, 7, 5]
    """

    _untold = (*Configured._untold, "output_shape")

    def __init__(
        self, num_heads: int, key_dim: int, value_dim: int | None = None, dropout: float = 0.0,
        use_bias: bool = True, output_shape: Any = None, attention_axes: Any = None,
        kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None, bias_regularizer: Any = None,
        activity_regularizer: Any = None, kernel_constraint: Any = None,
        bias_constraint: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self._keep({k: v for k, v in locals().items() if k != "output_shape"})
        self.supports_masking = True
        self.value_dim = value_dim or key_dim
        sizes = [output_shape] if isinstance(output_shape, int) else output_shape
        self._sizes = sizes
        axes = [attention_axes] if isinstance(attention_axes, int) else attention_axes
        self.attention_axes = None if axes is None else tuple(axes)

    def _dense(self, name: str, rank: int, summed: int, sizes: Sequence[int]) -> EinsumDense:
        """A dense layer from the last axes of a tensor, `summed` of them, to axes of some sizes."""
        letters = string.ascii_lowercase
        free, over = letters[: rank - summed], letters[rank - summed : rank]
        new = letters[rank : rank + len(sizes)]
        options = {
            f"{part}_{kind}": getattr(self, f"{part}_{kind}")
            for part in ("kernel", "bias")
            for kind in ("initializer", "regularizer", "constraint")
        }
        return EinsumDense(
            f"{free}{over},{over}{new}->{free}{new}", [*[None] * (len(free) - 1), *sizes],
            bias_axes=new if self.use_bias else None, name=name, dtype=self._policy or self._dtype,
            activity_regularizer=self.activity_regularizer, **options,
        )  # fmt: skip

    def _make(self, query: Tensor, value: Tensor, key: Tensor) -> None:
        """Makes the dense layers, now that the shapes are known."""
        ranks = [len(each.shape.as_list()) for each in (query, key, value)]
        head, heads = [self.num_heads, self.key_dim], [self.num_heads, self.value_dim]
        self._query_dense = self._dense("query", ranks[0], 1, head)
        self._key_dense = self._dense("key", ranks[1], 1, head)
        self._value_dense = self._dense("value", ranks[2], 1, heads)
        sizes = self._sizes or [query.shape.as_list()[-1]]
        self._output_dense = self._dense("attention_output", ranks[0] + 1, 2, sizes)
        rank = ranks[2] + 1  # of what has heads: batch, ..., head, channels
        if self.attention_axes is None:
            self.attention_axes = tuple(range(1, rank - 2))
        self._equations = _equations(rank, self.attention_axes)
        self._dropout_layer = Dropout(self.dropout, dtype=self._policy or self._dtype)

    def call(
        self, query: Tensor, value: Tensor, key: Any = None, attention_mask: Any = None,
        return_attention_scores: bool = False, training: Any = None, use_causal_mask: bool = False,
    ) -> Any:  # fmt: skip
        """Adds the operations.

        Args:
          query: [batch, ..., features]; `value`, and `key`, which is `value` by default, likewise.
          attention_mask: [batch, queries, keys], true where a query may look at a key.
          return_attention_scores: whether the weights are returned, too.
          training: whether weights are dropped.
          use_causal_mask: whether a query may look at keys before it and at its own place only.
        """
        masks = [getattr(each, "_keras_mask", None) for each in (query, value, key)]
        key = value if key is None else key
        if not hasattr(self, "_query_dense"):
            self._make(query, value, key)
        allowed = [] if attention_mask is None else [cast(attention_mask, dtypes.bool)]
        allowed += [cast(m, dtypes.bool)[:, :, None] for m in masks[:1] if m is not None]
        allowed += [cast(m, dtypes.bool)[:, None, :] for m in masks[1:] if m is not None]
        if use_causal_mask:
            lengths = [1, shape_of(query)[1], shape_of(value)[1]]
            allowed.append(cast(matrix_band_part(ones(lengths), -1, 0), dtypes.bool))
        q, k, v = self._query_dense(query), self._key_dense(key), self._value_dense(value)
        scores = einsum(self._equations[0], k, q * cast(1 / math.sqrt(self.key_dim), q.dtype))
        rank = scores.shape.ndims or 0
        count = len(self.attention_axes or ())
        if allowed:
            seen = functools.reduce(logical_and, allowed)
            for _ in range(rank - (seen.shape.ndims or 0)):
                seen = expand_dims(seen, -2 * count - 1)
            lowest = -1e9 if scores.dtype.base_dtype != dtypes.float16 else -65504.0
            scores += (1.0 - cast(seen, scores.dtype)) * cast(lowest, scores.dtype)
        axes = list(range(rank - count, rank))
        if count == 1:
            weights = softmax(scores)
        else:
            weights = exp(scores - reduce_logsumexp(scores, axes, keepdims=True))
        outputs = einsum(self._equations[1], self._dropout_layer(weights, training=training), v)
        outputs = self._output_dense(outputs)
        return (outputs, weights) if return_attention_scores else outputs

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the queries."""
        return mask[0] if isinstance(mask, (list, tuple)) else mask

    def get_config(self) -> dict[str, Any]:
        """What makes such a layer."""
        return {**super().get_config(), "output_shape": self._sizes}


def _equations(rank: int, axes: tuple[int, ...]) -> tuple[str, str]:
    """How keys and queries make scores, and how scores and values make outputs.

    Of [batch, time, head, channels] with attention along time: "aecd,abcd->acbe" and
    "acbe,aecd->abcd".
    """
    letters = string.ascii_lowercase
    target = letters[:rank]
    new = iter(letters[rank:])
    source = "".join(next(new) if place in axes else target[place] for place in range(rank))
    batch = np.delete(np.arange(rank), [*axes, rank - 1])
    scores = "".join(target[p] for p in batch) + "".join(target[p] for p in axes)
    scores += "".join(source[p] for p in axes)
    return f"{source},{target}->{scores}", f"{scores},{source}->{target}"
