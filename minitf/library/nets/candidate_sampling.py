"""Candidate sampling: training a classifier of very many classes on a few of them at a time.

A softmax over a vocabulary costs as much as the vocabulary is large. Noise-contrastive estimation
and sampled softmax compare the true class with some drawn classes only, and correct for how likely
each was to be drawn:

    sampler ──> sampled classes, expected counts of the true and of the sampled ones
    weights[labels], weights[sampled] ──> logits - log(expected count) ──> a loss for each example

The samplers draw from [0, range_max). The log-uniform one fits classes that are sorted by falling
frequency, as words in a dictionary are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import OpDef, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import stop_gradient
from minitf.core.ops.array_filling import ones, ones_like, zeros_like
from minitf.core.ops.array_joining import concat, stack
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.examples import named
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import log
from minitf.core.ops.random import seed_attrs, stream_of
from minitf.core.ops.reductions import reduce_sum
from minitf.library.nets.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
)
from minitf.library.nets.embeddings import embedding_lookup
from minitf.library.numeric.coordinates import tensor_scatter_update


@dataclass(frozen=True)
class _Sampling:
    """The attributes of a sampler, which are the arguments of its function."""

    num_true: int
    num_sampled: int
    unique: bool
    range_max: int
    seed: int = 0
    seed2: int = 0


_SIGNATURE = (
    "true_classes: int64 -> sampled_candidates: int64, true_expected_count: float32, "
    "sampled_expected_count: float32"
)
_OPTIONS: dict[str, Any] = {"attrs": _Sampling, "host_only": True, "differentiable": False}

# ---- distributions -----------------------------------------------------------------------


class _LogUniform:
    """P(k) = (log(k + 2) - log(k + 1)) / log(range + 1)."""

    def __init__(self, range_max: int) -> None:
        self.range = range_max
        self._log_range = np.log1p(range_max)

    def draw(self, generator: Any, count: int) -> Any:
        numbers = np.exp(generator.random(count) * self._log_range).astype(np.int64) - 1
        return numbers % self.range

    def probability(self, classes: Any) -> Any:
        return np.log1p(1.0 / (classes + 1.0)) / self._log_range


class _Uniform(_LogUniform):
    """P(k) = 1 / range."""

    def draw(self, generator: Any, count: int) -> Any:
        return generator.integers(0, self.range, count)

    def probability(self, classes: Any) -> Any:
        return np.full(classes.shape, 1.0 / self.range)


def _distinct(distribution: Any, generator: Any, count: int) -> tuple[Any, int]:
    """The first `count` different classes of an endless sequence, and how long it had to be."""
    drawn: list[int] = []
    while True:
        drawn += distribution.draw(generator, count + count // 2 + 8).tolist()
        found = [*dict.fromkeys(drawn)][:count]  # in the order in which they first come
        if len(found) == count:
            tries = drawn.index(found[-1]) + 1 if count else 0
            return np.array(found, np.int64), tries


def _sample(
    ctx: Any, true_classes: Any, make: Callable[[], Any], asked: _Sampling
) -> tuple[Any, Any, Any]:
    """The kernel of a sampler whose distribution `make` gives, when the first batch comes."""
    num_true, num_sampled, unique = asked.num_true, asked.num_sampled, asked.unique
    if true_classes.ndim != 2:
        raise invalid("true_classes must be a matrix")
    if true_classes.shape[1] != num_true:
        raise invalid(
            f"true_classes must have num_true columns, expected: {true_classes.shape[1]} was: "
            f"{num_true}"
        )
    stream = stream_of(ctx, asked.seed, asked.seed2)
    with stream.lock:
        distribution = stream.__dict__.setdefault("distribution", None) or make()
        stream.distribution = distribution
        if unique and num_sampled > distribution.range:
            raise invalid("Sampler's range is too small.")
        if unique:
            sampled, tries = _distinct(distribution, stream.generator, num_sampled)
        else:
            sampled, tries = distribution.draw(stream.generator, num_sampled), num_sampled

        def expected(classes: Any) -> Any:
            inside = (classes >= 0) & (classes < distribution.range)
            chance = distribution.probability(np.where(inside, classes, 0)) * inside
            if unique and tries != num_sampled:  # how likely it comes at least once
                return -np.expm1(tries * np.log1p(-chance))
            return chance * num_sampled

        counts = expected(true_classes), expected(sampled)
    true_count, sampled_count = (c.astype(np.float32) for c in counts)
    return sampled.astype(np.int64), true_count, sampled_count


def _sampled_shapes(true_classes: Any, *, num_true: int, num_sampled: int, **attrs: Any) -> list:
    rows = true_classes.shape.with_rank(2)[:1]
    count = TensorShape([num_sampled])
    return [count, rows.concatenate([num_true]), count]


@cache
def _outputs(op_type: str) -> Any:
    """The type of what a sampler gives, which is named after its op."""
    fields = ("sampled_candidates", "true_expected_count", "sampled_expected_count")
    return NamedTuple(op_type, [(field, Tensor) for field in fields])


def _drawn_once_each(op_def: OpDef, **attrs: Any) -> list:
    """The program of a sampler: of four classes all are drawn, each once; their sum is known."""
    four = _Sampling(num_true=1, num_sampled=4, unique=True, range_max=4)
    sampled, _, _ = op_def(np.array([[1]]), **vars(four), **attrs)
    return [(reduce_sum(sampled), np.int64(6))]


def _sampler(name: str, kind: Callable[[int], Any], sentence: str) -> Callable[..., Any]:
    """Declares a sampler that knows nothing but its range, and its public function."""

    def kernel(ctx: Any, true_classes: Any, **attrs: Any) -> Any:
        asked = _Sampling(**attrs)
        return _sample(ctx, true_classes, lambda: kind(asked.range_max), asked)

    kernel.__doc__ = sentence
    op_type = "".join(part.capitalize() for part in name.split("_"))
    declare = op(op_type, _SIGNATURE, program=lambda folder: _drawn_once_each(op_def), **_OPTIONS)
    op_def: OpDef = declare(kernel)
    op_def.shape(_sampled_shapes)

    def function(
        true_classes: Any,
        num_true: int,
        num_sampled: int,
        unique: bool,
        range_max: int,
        seed: int | None = None,
        name: str | None = None,
    ) -> Any:
        attrs = _Sampling(num_true, num_sampled, unique, range_max, **seed_attrs(seed))
        return _outputs(op_type)(*op_def(true_classes, name=name, **vars(attrs)))

    doc = f"""{sentence}

    Args:
      true_classes: [batch, num_true] int64.
      num_true: how many true classes an example has.
      num_sampled: how many classes to draw for the whole batch.
      unique: whether no class is drawn twice.
      range_max: classes are drawn from [0, range_max).
      seed: makes the sequence repeatable.
      name: the name.
    Returns: `(sampled_candidates, true_expected_count, sampled_expected_count)`: [num_sampled]
      int64, [batch, num_true] and [num_sampled] float32.
    """
    return named(function, name, doc)


log_uniform_candidate_sampler = _sampler(
    "log_uniform_candidate_sampler",
    _LogUniform,
    "Draws classes with a chance that falls as their number grows, as that of words does.",
)
uniform_candidate_sampler = _sampler(
    "uniform_candidate_sampler", _Uniform, "Draws classes evenly from [0, range_max)."
)

# ---- ComputeAccidentalHits ---------------------------------------------------------------


class ComputeAccidentalHits(NamedTuple):
    """What `compute_accidental_hits` gives."""

    indices: Tensor
    ids: Tensor
    weights: Tensor


@op(
    "ComputeAccidentalHits",
    "true_classes: int64, sampled_candidates: int64 -> indices: int32, ids: int64, "
    "weights: float32",
    sized_by_values=True,
    host_only=True,
    differentiable=False,
    samples=[lambda rng: (np.array([[1, 2], [3, 4]]), np.array([5, 3, 1]), {"num_true": 2})],
)
def compute_accidental_hits_op(
    xp: Any, true_classes: Any, sampled_candidates: Any, *, num_true: int
) -> Any:
    """Finds the sampled classes that are a true class of an example.

    Of a class that was sampled several times the last place alone counts, as in TensorFlow.
    """
    again = np.triu(sampled_candidates[:, None] == sampled_candidates, 1).any(axis=1)
    hits = (true_classes[:, :, None] == sampled_candidates) & ~again
    rows, _, places = xp.nonzero(hits)
    weights = xp.full(rows.shape, -np.finfo(np.float32).max, np.float32)
    return rows.astype(np.int32), places, weights


compute_accidental_hits_op.shape(lambda *inputs, **attrs: [TensorShape([None])] * 3)


def compute_accidental_hits(
    true_classes: Any,
    sampled_candidates: Any,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> ComputeAccidentalHits:
    """The sampled classes that happen to be a true class.

    Returns: `(indices, ids, weights)`: the row of the example, the place among the sampled ones,
      and a number so negative that adding it to a logit takes the class out of a softmax.
    """
    return ComputeAccidentalHits(
        *compute_accidental_hits_op(true_classes, sampled_candidates, num_true=num_true, name=name)
    )


# ---- the losses --------------------------------------------------------------------------


def _compute_sampled_logits(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    subtract_log_q: bool = True,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str | None = None,
    seed: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Logits of the true and the sampled classes, [batch, num_true + num_sampled], and labels."""
    inputs = convert_to_tensor(inputs, name="inputs")
    labels = cast(convert_to_tensor(labels, name="labels"), dtypes.int64)
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(
            labels, num_true, num_sampled, True, num_classes, seed
        )
    sampled, true_expected, sampled_expected = (stop_gradient(v) for v in sampled_values)
    sampled = cast(sampled, dtypes.int64)
    flat_labels = reshape(labels, [-1])

    def rows(table: Any, ids: Tensor) -> Tensor:
        return cast(embedding_lookup(table, ids, partition_strategy), inputs.dtype)

    true_weights, true_biases = rows(weights, flat_labels), rows(biases, flat_labels)
    if num_true == 1:
        dots = reduce_sum(inputs * true_weights, axis=1, keepdims=True)
    else:
        depth = inputs.shape.as_list()[-1] if inputs.shape.ndims else None
        depth = shape_of(true_weights)[1] if depth is None else depth
        per_class = reshape(true_weights, [-1, num_true, depth])
        dots = reduce_sum(expand_dims(inputs, 1) * per_class, axis=2)
    true_logits = dots + reshape(true_biases, [-1, num_true])
    sampled_logits = matmul(inputs, rows(weights, sampled), transpose_b=True)
    sampled_logits = sampled_logits + rows(biases, sampled)
    if remove_accidental_hits:
        row, place, weight = compute_accidental_hits(labels, sampled, num_true)
        where = concat([expand_dims(row, 1), expand_dims(cast(place, dtypes.int32), 1)], 1)
        # A class that is true twice is taken out once: twice were minus infinity.
        nothing = zeros_like(sampled_logits, dtype=dtypes.float32)
        taken_out = tensor_scatter_update(nothing, where, weight)
        sampled_logits = sampled_logits + cast(taken_out, inputs.dtype)
    if subtract_log_q:
        true_logits = true_logits - log(cast(true_expected, inputs.dtype))
        sampled_logits = sampled_logits - log(cast(sampled_expected, inputs.dtype))
    logits = concat([true_logits, sampled_logits], 1)
    targets = concat([ones_like(true_logits) / num_true, zeros_like(sampled_logits)], 1)
    return logits, targets


def nce_loss(
    weights: TensorLike,
    biases: Any,
    labels: TensorLike,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str = "nce_loss",
) -> Tensor:
    """The noise-contrastive estimation loss: telling true classes from drawn ones.

    Args:
      weights: [num_classes, dim], or a list of tables that together are that.
      biases: [num_classes].
      labels: [batch, num_true] int64, the true classes.
      inputs: [batch, dim] the activations.
      num_sampled: how many classes to draw for a batch.
      num_classes: how many there are.
      num_true: how many true classes an example has.
      sampled_values: what a sampler gave; `log_uniform_candidate_sampler` by default.
      remove_accidental_hits: whether drawn classes that are true ones do not count.
      partition_strategy: see `embedding_lookup`.
      name: the name of the scope.
    Returns: [batch] the loss of each example.
    Example:
      >>> W, b = tf.Variable(tf.zeros([50, 8])), tf.Variable(tf.zeros([50]))
      >>> labels, embed = tf.constant([[3], [7]]), tf.ones([2, 8])
      >>> loss = tf.reduce_mean(tf.nn.nce_loss(W, b, labels, embed, num_sampled=16, num_classes=50))
    """
    with name_scope(name, "nce_loss"):
        given = (weights, biases, labels, inputs, num_sampled, num_classes, num_true)
        options = (sampled_values, True, remove_accidental_hits, partition_strategy)
        logits, targets = _compute_sampled_logits(*given, *options)
    losses = sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name="sampled_losses")
    each = ones(stack([shape_of(losses)[1], 1]), losses.dtype.base_dtype)
    return reshape(matmul(losses, each), [-1])  # the sum of each row


def sampled_softmax_loss(
    weights: TensorLike,
    biases: Any,
    labels: TensorLike,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_softmax_loss",
    seed: int | None = None,
) -> Tensor:
    """The softmax cross entropy over the true and some drawn classes, for training only.

    The arguments are those of `nce_loss`; `seed` is that of the default sampler.

    Returns: [batch] the loss of each example.
    """
    with name_scope(name, "sampled_softmax_loss"):
        given = (weights, biases, labels, inputs, num_sampled, num_classes, num_true)
        options = (sampled_values, True, remove_accidental_hits, partition_strategy)
        logits, targets = _compute_sampled_logits(*given, *options, seed=seed)
    targets = stop_gradient(targets, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits_v2(labels=targets, logits=logits)
