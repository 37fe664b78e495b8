"""Names of `tf.contrib.distributions` that TensorFlow 1.15 has no more.

Like old_tensorflow.py; this file, and distributions with it, few programs need.
"""

from __future__ import annotations

from operator import attrgetter
from types import SimpleNamespace
from typing import Any

from minitf.compat.tensorflow.old_packages import renamed
from minitf.core.graph import dtypes
from minitf.core.ops.math import sigmoid
from minitf.library.distributions import (
    Bernoulli,
    Categorical,
    Distribution,
    Normal,
    kl_divergence,
)


def bernoulli_with_sigmoid_probs(
    logits: Any = None,
    dtype: Any = dtypes.int32,
    validate_args: bool = False,
    allow_nan_stats: bool = True,
    name: str = "BernoulliWithSigmoidProbs",
) -> Bernoulli:
    """`Bernoulli`, of log-odds that become chances at once."""
    return Bernoulli(None, sigmoid(logits), dtype, validate_args, allow_nan_stats, name)


def kl(dist_a: Any, dist_b: Any, allow_nan: bool = False, name: str | None = None) -> Any:
    """`kl_divergence`."""
    return kl_divergence(dist_a, dist_b, allow_nan, name)


#: Today's names of the parameters, for those of before 1.0.
_PLACE = {"mu": "loc", "sigma": "scale"}
_CHANCES = {"p": "probs"}
_NEWER: dict[Any, dict[str, str]] = {
    Normal: _PLACE,
    **dict.fromkeys((Bernoulli, Categorical), _CHANCES),
}
for _kind, _names in _NEWER.items():
    _kind.__init__ = renamed(_kind.__init__, **_names)
    for _older, _today in _names.items():
        setattr(_kind, _older, property(attrgetter(_today), doc=f"`{_today}`, as it was."))

for _today, _olds in {
    "prob": ("pdf", "pmf"),
    "log_prob": ("log_pdf", "log_pmf"),
    "stddev": ("std",),
    "sample": ("sample_n",),
}.items():
    for _older in _olds:
        setattr(Distribution, _older, getattr(Distribution, _today))
for _today in ("batch_shape", "event_shape"):
    setattr(Distribution, f"get_{_today}", getattr(Distribution, _today).fget)

DISTRIBUTIONS = SimpleNamespace(
    BernoulliWithSigmoidProbs=bernoulli_with_sigmoid_probs,
    BernoulliWithSigmoidP=bernoulli_with_sigmoid_probs,
    kl=kl,
)
