"""Names of `tf.contrib.distributions` that TensorFlow 1.15 has no more.

Like old_tensorflow.py; this file, and distributions with it, few programs need.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.ops.math import sigmoid
from minitf.library.distributions.base import kl_divergence
from minitf.library.distributions.discrete import Bernoulli


def bernoulli_with_sigmoid_probs(
    logits: Any = None, dtype: Any = dtypes.int32, validate_args: bool = False,
    allow_nan_stats: bool = True, name: str = "BernoulliWithSigmoidProbs",
) -> Bernoulli:  # fmt: skip
    """`Bernoulli`, of log-odds that become chances at once."""
    return Bernoulli(None, sigmoid(logits), dtype, validate_args, allow_nan_stats, name)


def kl(dist_a: Any, dist_b: Any, allow_nan: bool = False, name: str | None = None) -> Any:
    """`kl_divergence`."""
    return kl_divergence(dist_a, dist_b, allow_nan, name)


DISTRIBUTIONS = SimpleNamespace(BernoulliWithSigmoidProbs=bernoulli_with_sigmoid_probs, kl=kl)
