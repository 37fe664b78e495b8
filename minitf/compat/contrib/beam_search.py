"""Beam search: `tf.contrib.seq2seq.BeamSearchDecoder` keeps the best few beginnings of each text.

    beams [batch, width] ──> cell ──> log-probabilities of all words after all beams
         ^                                 │ those of a beam that has ended: the end again, for free
         └── the states of the parents <── the `width` best of width * words, per text

A step notes each word and the beam it came from; at the end `gather_tree` walks back along the
parents, from the last step to the first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minitf.compat.contrib.seq2seq import Decoder
from minitf.core.graph import dtypes, nest
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import log_softmax
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import fill, one_hot, range, zeros, zeros_like
from minitf.core.ops.array_gathering import batch_gather
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims, reshape, tile
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, logical_not, logical_or, not_equal, where_v2
from minitf.core.ops.math import floordiv, floormod
from minitf.core.ops.reductions import cumsum, reduce_max
from minitf.library.graph_tools.functional import scan
from minitf.library.graph_tools.tensor_array import TensorArray
from minitf.library.layers.rnn.loops import size_of
from minitf.library.layers.rnn.wrappers import assert_like_rnncell
from minitf.library.nets.embeddings import embedding_lookup
from minitf.library.numeric.sorting import top_k


class BeamSearchDecoderState(NamedTuple):
    """The state of all beams: the cell's, and of each its log-probability, end and length."""

    cell_state: Any
    log_probs: Any
    finished: Any
    lengths: Any


class BeamSearchDecoderOutput(NamedTuple):
    """What a step gives for each beam: its score, its word, and the beam it came from."""

    scores: Any
    predicted_ids: Any
    parent_ids: Any


class FinalBeamSearchDecoderOutput(NamedTuple):
    """The words of each beam from the first to the last, [time, batch, width]; and the steps."""

    predicted_ids: Any
    beam_search_decoder_output: Any


class BeamSearchDecoder(Decoder):
    """Decodes with a beam; what the cell knows at the start is repeated by `tile_batch`.

    Args:
      cell: an RNN cell.
      embedding: a table of vectors, or a function from words to vectors.
      start_tokens: [batch] int32, the first words.
      end_token: the word at which a text ends.
      initial_state: of the cell, for batch * beam_width rows.
      beam_width: how many beginnings are kept.
      output_layer: from the cell's outputs to a number for each word.
      length_penalty_weight: the larger, the better long texts fare; 0 for no difference.
      coverage_penalty_weight: only 0, for none, can be had.
      reorder_tensor_arrays: accepted; histories of attention stay in the order of the steps.
    Raises:
      ValueError: when a token has the wrong shape.
    """

    tracks_own_finished = True

    def __init__(
        self, cell: Any, embedding: Any, start_tokens: Any, end_token: Any, initial_state: Any,
        beam_width: int, output_layer: Any = None, length_penalty_weight: float = 0.0,
        coverage_penalty_weight: float = 0.0, reorder_tensor_arrays: bool = True,
    ) -> None:  # fmt: skip
        assert_like_rnncell("cell", cell)
        if coverage_penalty_weight:
            raise NotImplementedError("Beam search has no coverage penalty here.")
        self._cell, self._layer, self._width = cell, output_layer, beam_width
        self._penalty = length_penalty_weight
        self._start = convert_to_tensor(start_tokens, dtypes.int32, name="start_tokens")
        self._end = convert_to_tensor(end_token, dtypes.int32, name="end_token")
        if self._start.shape.ndims != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end.shape.ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._lookup = embedding if callable(embedding) else self._row_of(embedding)
        self._batch_size = size_of([self._start], 0)
        self._initial = nest.map_structure(self._split, initial_state)

    @staticmethod
    def _row_of(table: Any) -> Any:
        return lambda ids: embedding_lookup(table, ids)

    @property
    def batch_size(self) -> Any:
        """How many texts there are."""
        return self._batch_size

    @property
    def output_size(self) -> BeamSearchDecoderOutput:
        """As many numbers as there are beams."""
        return BeamSearchDecoderOutput(self._width, self._width, self._width)

    @property
    def output_dtype(self) -> BeamSearchDecoderOutput:
        """The types of scores, words and parents."""
        kind = nest.flatten(self._initial)[0].dtype
        return BeamSearchDecoderOutput(kind, dtypes.int32, dtypes.int32)

    def _split(self, t: Any) -> Any:
        """[batch * width, ...] as [batch, width, ...]; numbers and histories stay as they are."""
        if isinstance(t, TensorArray) or t.shape.ndims == 0:
            return t
        result = reshape(t, concat([[self._batch_size, self._width], shape_of(t)[1:]], 0))
        known = self._batch_size if isinstance(self._batch_size, int) else None
        result.set_shape([known, self._width, *t.shape[1:]])
        return result

    def _merge(self, t: Any) -> Any:
        """[batch, width, ...] as [batch * width, ...]."""
        if isinstance(t, TensorArray) or t.shape.ndims == 0:
            return t
        result = reshape(t, concat([[self._batch_size * self._width], shape_of(t)[2:]], 0))
        known = self._batch_size * self._width if isinstance(self._batch_size, int) else None
        result.set_shape([known, *t.shape[2:]])
        return result

    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        """No text has ended; the first words; and all beams but the first are impossible."""
        shape = [self._batch_size, self._width]
        kind = nest.flatten(self._initial)[0].dtype
        first = one_hot(
            zeros([self._batch_size], dtypes.int32), self._width, 0.0, -np.inf, dtype=kind
        )
        finished, lengths = fill(shape, False), zeros(shape, dtypes.int64)
        state = BeamSearchDecoderState(self._initial, first, finished, lengths)
        return finished, self._lookup(tile(expand_dims(self._start, 1), [1, self._width])), state

    def step(
        self, time: Any, inputs: Any, state: Any, name: str | None = None
    ) -> tuple[Any, Any, Any, Any]:
        """Lets all beams say all words, and keeps the best."""
        with name_scope(name, "BeamSearchDecoderStep"):
            cell_state = nest.map_structure(self._merge, state.cell_state)
            outputs, cell_state = self._cell(nest.map_structure(self._merge, inputs), cell_state)
            outputs = self._split(outputs)
            logits = outputs if self._layer is None else self._layer(outputs)
            words = logits.shape[-1].value
            chances = log_softmax(logits)
            # A beam that has ended says its end again, which costs nothing.
            only_end = one_hot(self._end, words, 0.0, chances.dtype.min, dtype=chances.dtype)
            over = state.finished[:, :, None]
            totals = state.log_probs[:, :, None] + where_v2(over, only_end + chances * 0, chances)
            longer = one_hot(self._end, words, 0, 1, dtype=dtypes.int64)
            going = cast(logical_not(state.finished), dtypes.int64)[:, :, None]
            scores = totals / self._length_factor(state.lengths[:, :, None] + going * longer)
            flat = [self._batch_size, self._width * words]
            best, places = top_k(reshape(scores, flat), k=self._width)
            parents, said = floordiv(places, words), floormod(places, words)

            def of_parents(t: Any) -> Any:
                if isinstance(t, TensorArray) or t.shape.ndims == 0:
                    return t
                return batch_gather(t, parents)

            ended = of_parents(state.finished)
            next_state = BeamSearchDecoderState(
                nest.map_structure(lambda t: of_parents(self._split(t)), cell_state),
                batch_gather(reshape(totals, flat), places),
                logical_or(ended, equal(said, self._end)),
                of_parents(state.lengths) + cast(logical_not(ended), dtypes.int64),
            )
            output = BeamSearchDecoderOutput(best, said, parents)
            return output, next_state, self._lookup(said), next_state.finished

    def _length_factor(self, lengths: Tensor) -> Any:
        """What a log-probability is divided by: ((5 + length) / 6)^weight (Wu et al., 2016)."""
        return ((5.0 + cast(lengths, dtypes.float32)) / 6.0) ** self._penalty

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """The words of each beam, along its parents."""
        lengths = cast(reduce_max(final_state.lengths, 1), dtypes.int32)
        words = gather_tree(outputs.predicted_ids, outputs.parent_ids, lengths, self._end)
        return FinalBeamSearchDecoderOutput(words, outputs), final_state


def gather_tree(
    step_ids: Any, parent_ids: Any, max_sequence_lengths: Any, end_token: Any,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Walks back from the last step's beams along their parents.

    Args:
      step_ids: [time, batch, width] int32, the word of each step.
      parent_ids: the same shape, the beam that it came from.
      max_sequence_lengths: [batch] int32, after how many steps a text is over.
      end_token: stands after the end.
      name: the name of the scope.
    Returns: [time, batch, width] int32, the words of each beam.
    """
    with name_scope(name, "GatherTree"):
        words, parents = convert_to_tensor(step_ids), convert_to_tensor(parent_ids)
        itself = zeros_like(words[0]) + range(shape_of(words)[2])
        steps = range(shape_of(words)[0])

        def back(state: tuple, step: tuple) -> tuple:
            beam, (said, came_from, time) = state[0], step
            is_there = (time < max_sequence_lengths)[:, None]
            word = where_v2(is_there, batch_gather(said, beam), end_token)
            return where_v2(is_there, batch_gather(came_from, beam), beam), word

        found = scan(back, (words, parents, steps), initializer=(itself, itself), reverse=True)[1]
        ends = cumsum(cast(equal(found, end_token), dtypes.int32), 0, exclusive=True)
        return where_v2(not_equal(ends, 0), zeros_like(found) + end_token, found)
