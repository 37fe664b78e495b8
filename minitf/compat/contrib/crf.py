"""`tf.contrib.crf`: tags of a sequence that know their neighbours (a linear-chain CRF).

A sequence of tags has the score

    sum of inputs[t, tag[t]]  +  sum of transition_params[tag[t - 1], tag[t]]

and the likelihood exp(score) / (the sum of exp(score) over all sequences of tags). That sum, and
the best sequence, take one step a word: each keeps, for every tag, what is best (or the sum) of
all beginnings that end in it.

`inputs` are [batch, length, tags], `tag_indices` [batch, length], `sequence_lengths` [batch].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_joining import stack
from minitf.core.ops.array_shaping import transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import where_v2
from minitf.core.ops.reductions import reduce_sum
from minitf.core.variables.variable_scope import get_variable
from minitf.library.graph_tools.functional import foldl
from minitf.library.numeric.coordinates import gather_nd
from minitf.library.numeric.filling import one_hot, sequence_mask
from minitf.library.numeric.statistics import reduce_logsumexp


def _real(sequence_lengths: Any, inputs: Any) -> Tensor:
    """[batch, length]: which places are words rather than padding."""
    return sequence_mask(sequence_lengths, shape_of(inputs)[1])


def crf_unary_score(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> Tensor:
    """The scores of the tags by themselves: [batch]."""
    chosen = reduce_sum(inputs * one_hot(tag_indices, shape_of(inputs)[2], dtype=inputs.dtype), 2)
    return reduce_sum(chosen * cast(_real(sequence_lengths, inputs), inputs.dtype), 1)


def crf_binary_score(tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Tensor:
    """The scores of the steps from tag to tag: [batch]."""
    transitions, tags = convert_to_tensor(transition_params), convert_to_tensor(tag_indices)
    steps = gather_nd(transitions, stack([tags[:, :-1], tags[:, 1:]], 2))
    real = cast(_real(sequence_lengths, tags)[:, 1:], transitions.dtype)
    return reduce_sum(steps * real, 1)


def crf_sequence_score(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any
) -> Tensor:
    """The scores of sequences of tags, not normalized: [batch]."""
    alone = crf_unary_score(tag_indices, sequence_lengths, inputs)
    return alone + crf_binary_score(tag_indices, sequence_lengths, transition_params)


def _by_step(inputs: Any, sequence_lengths: Any) -> tuple[Any, tuple]:
    """The first scores, and for each later step its scores and whether it is a word."""
    steps, real = transpose(inputs, [1, 0, 2]), transpose(_real(sequence_lengths, inputs))
    return steps[0], (steps[1:], real[1:])


def crf_log_norm(inputs: Any, sequence_lengths: Any, transition_params: Any) -> Tensor:
    """The logarithm of the sum of exp(score) over all sequences of tags: [batch]."""

    def forward(sums: Any, step: tuple) -> Any:
        scores, is_word = step
        following = scores + reduce_logsumexp(sums[:, :, None] + transition_params, 1)
        return where_v2(is_word[:, None], following, sums)

    first, rest = _by_step(convert_to_tensor(inputs), sequence_lengths)
    return reduce_logsumexp(foldl(forward, rest, initializer=first), 1)


def crf_log_likelihood(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any = None
) -> tuple[Tensor, Any]:
    """How likely sequences of tags are.

    Args:
      inputs: [batch, length, tags] float, the score of each tag for each word.
      tag_indices: [batch, length] integers, the tags.
      sequence_lengths: [batch] integers, how many words there are.
      transition_params: [tags, tags] float, the scores of the steps from tag to tag; by default
        the variable "transitions".
    Returns: the log-likelihoods [batch], and the scores of the steps.
    """
    inputs = convert_to_tensor(inputs)
    if transition_params is None:
        tags = inputs.shape[2].value
        transition_params = get_variable("transitions", [tags, tags])
    score = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    norm = crf_log_norm(inputs, sequence_lengths, transition_params)
    return score - norm, transition_params


def viterbi_decode(score: Any, transition_params: Any) -> tuple[list[Any], Any]:
    """The sequence of tags with the highest score, found by NumPy.

    Args:
      score: [length, tags] array, the score of each tag for each word.
      transition_params: [tags, tags] array.
    Returns: the tags, and their score.
    """
    best, origins = score[0], []
    for scores in score[1:]:
        ways = best[:, None] + transition_params
        best = scores + ways.max(0)
        origins.append(ways.argmax(0))
    tags = [np.argmax(best)]
    for came_from in reversed(origins):
        tags.append(came_from[tags[-1]])
    return tags[::-1], best.max()
