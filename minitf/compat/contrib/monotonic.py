"""Attention that only goes forwards: `tf.contrib.seq2seq`'s monotonic mechanisms.

Raffel, Luong, Liu, Weiss and Eck, "Online and Linear-Time Attention by Enforcing Monotonic
Alignments" (2017). A place is taken with the probability `p[i]`, having gone on from those before:

    attention[i] = p[i] * sum_{k <= i} previous[k] * prod_{k <= j < i} (1 - p[j])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.compat.contrib.attention import BahdanauAttention, LuongAttention
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import one_hot, ones_like, zeros
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.math import exp, log, sigmoid
from minitf.core.ops.random import random_normal
from minitf.core.ops.reductions import cumprod, cumsum
from minitf.core.variables.initializers import Constant
from minitf.core.variables.variable_scope import get_variable
from minitf.library.graph_tools.functional import scan
from minitf.library.numeric.clip import clip_by_value


def safe_cumprod(x: Any, *args: Any, **kwargs: Any) -> Tensor:
    """The cumulative product of numbers from 0 to 1, by the sum of logarithms; see `tf.cumprod`."""
    with stacks.name_scope(None, "SafeCumprod", [x]):
        x = convert_to_tensor(x)
        tiny = np.finfo(x.dtype.as_numpy_dtype).tiny
        return exp(cumsum(log(clip_by_value(x, tiny, 1)), *args, **kwargs))


def monotonic_attention(p_choose_i: Any, previous_attention: Any, mode: str) -> Tensor:
    """How much each place is looked at, given where the last look was.

    Args:
      p_choose_i: [batch, time], the probability of stopping at each place.
      previous_attention: [batch, time], the last look.
      mode: "recursive" (exact, place by place), "parallel" (a formula; very small numbers may
        spoil it), or "hard" (the probabilities are 0 or 1).
    Raises:
      ValueError: for another mode.
    """
    p, previous = convert_to_tensor(p_choose_i), convert_to_tensor(previous_attention)
    if mode == "recursive":
        goes_on = concat([ones_like(p[:, :1]), 1 - p[:, :-1]], 1)
        steps = (transpose(goes_on), transpose(previous))
        start = zeros(shape_of(p)[:1], p.dtype)
        return p * transpose(scan(lambda kept, step: step[0] * kept + step[1], steps, start))
    if mode == "parallel":
        passed = safe_cumprod(1 - p, axis=1, exclusive=True)
        return p * passed * cumsum(previous / clip_by_value(passed, 1e-10, 1.0), axis=1)
    if mode == "hard":
        p = p * cumsum(previous, axis=1)
        return p * cumprod(1 - p, axis=1, exclusive=True)
    raise ValueError("mode must be 'recursive', 'parallel', or 'hard'.")


def monotonic_probability_fn(
    score: Any, previous_alignments: Any, sigmoid_noise: float, mode: str, seed: int | None = None
) -> Tensor:
    """From scores to alignments; noise makes the probabilities go to 0 or 1 in training."""
    if sigmoid_noise > 0:
        score += sigmoid_noise * random_normal(shape_of(score), dtype=score.dtype, seed=seed)
    chosen = cast(score > 0, score.dtype) if mode == "hard" else sigmoid(score)
    return monotonic_attention(chosen, previous_alignments, mode)


class _Monotonic:
    """What makes a mechanism monotonic: the first look, a bias, and the alignments."""

    alignments_size: Any
    _bias_start: float
    _choice: dict[str, Any]

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Tensor:
        """Before the first step: all at the first place."""
        first = zeros([batch_size], dtypes.int32)
        return one_hot(first, self.alignments_size, dtype=dtype)

    def _score(self, query: Tensor) -> Tensor:
        score = super()._score(query)  # type: ignore[misc]
        start = Constant(self._bias_start)
        return score + get_variable("attention_score_bias", [], query.dtype, initializer=start)

    def _probability_fn(self, score: Tensor, state: Tensor) -> Tensor:
        self._normalizer = lambda masked: monotonic_probability_fn(masked, state, **self._choice)
        return super()._probability_fn(score, state)  # type: ignore[misc]


class BahdanauMonotonicAttention(_Monotonic, BahdanauAttention):
    """Additive attention that only goes forwards; see `BahdanauAttention`.

    Args:
      sigmoid_noise, sigmoid_noise_seed: how much noise scores get, in training.
      score_bias_init: what the bias of scores begins at; below 0, it starts by going on.
      mode: see `monotonic_attention`.

    The other arguments are those of `BahdanauAttention`.
    """

    _scope = "bahdanau_monotonic_attention"

    def __init__(
        self, num_units: int, memory: Any, memory_sequence_length: Any = None,
        normalize: bool = False, score_mask_value: float | None = None,
        sigmoid_noise: float = 0.0, sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0, mode: str = "parallel", dtype: Any = None,
        name: str = "BahdanauMonotonicAttention",
    ) -> None:  # fmt: skip
        super().__init__(
            num_units,
            memory,
            memory_sequence_length,
            normalize,
            None,
            score_mask_value,
            dtype,
            name,
        )  # fmt: skip
        self._bias_start = score_bias_init
        self._choice = {"sigmoid_noise": sigmoid_noise, "mode": mode, "seed": sigmoid_noise_seed}


class LuongMonotonicAttention(_Monotonic, LuongAttention):
    """Multiplicative attention that only goes forwards; see `BahdanauMonotonicAttention`."""

    _scope = "luong_monotonic_attention"

    def __init__(
        self, num_units: int, memory: Any, memory_sequence_length: Any = None,
        scale: bool = False, score_mask_value: float | None = None, sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None, score_bias_init: float = 0.0,
        mode: str = "parallel", dtype: Any = None, name: str = "LuongMonotonicAttention",
    ) -> None:  # fmt: skip
        super().__init__(
            num_units, memory, memory_sequence_length, scale, None, score_mask_value, dtype,
            name,
        )  # fmt: skip
        self._bias_start = score_bias_init
        self._choice = {"sigmoid_noise": sigmoid_noise, "mode": mode, "seed": sigmoid_noise_seed}
