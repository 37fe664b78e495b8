"""More helpers of `tf.contrib.seq2seq`: for outputs that are not words, and scheduled sampling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.compat.contrib.seq2seq import Helper, TrainingHelper
from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import fill
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import logical_and, logical_not, where_v2
from minitf.core.ops.math import minimum
from minitf.core.ops.random import multinomial, random_uniform
from minitf.library.layers.rnn.loops import size_of, transpose_batch_time
from minitf.library.nets.embeddings import embedding_lookup


class CustomHelper(Helper):
    """A helper made of three functions.

    Args:
      initialize_fn: gives which sequences have ended, and the first inputs.
      sample_fn: from time, outputs and state to samples.
      next_inputs_fn: from time, outputs, state and samples to: which have ended, inputs, state.
      sample_ids_shape: the shape of a sample, without the batch.
      sample_ids_dtype: the type of a sample.
    """

    def __init__(
        self, initialize_fn: Callable, sample_fn: Callable, next_inputs_fn: Callable,
        sample_ids_shape: Any = None, sample_ids_dtype: Any = None,
    ) -> None:  # fmt: skip
        self._functions = (initialize_fn, sample_fn, next_inputs_fn)
        self.sample_ids_shape = TensorShape(sample_ids_shape or [])
        self.sample_ids_dtype = sample_ids_dtype or dtypes.int32
        self._batch_size: Any = None

    @property
    def batch_size(self) -> Any:
        """How many sequences there are, once initialized."""
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        finished, inputs = self._functions[0]()
        self._batch_size = size_of([convert_to_tensor(finished)], 0)
        return finished, inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        return self._functions[1](time=time, outputs=outputs, state=state)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        return self._functions[2](time=time, outputs=outputs, state=state, sample_ids=sample_ids)


class InferenceHelper(CustomHelper):
    """Feeds samples back as inputs, whatever they are.

    Args:
      sample_fn: from outputs to samples.
      sample_shape: the shape of a sample, without the batch.
      sample_dtype: the type of a sample.
      start_inputs: [batch, ...], the first inputs.
      end_fn: from samples to which sequences have ended.
      next_inputs_fn: from samples to inputs; the samples themselves by default.
    """

    def __init__(
        self, sample_fn: Callable, sample_shape: Any, sample_dtype: Any, start_inputs: Any,
        end_fn: Callable, next_inputs_fn: Callable | None = None,
    ) -> None:  # fmt: skip
        start = convert_to_tensor(start_inputs, name="start_inputs")
        become = next_inputs_fn or (lambda samples: samples)

        def following(time: Any, outputs: Any, state: Any, sample_ids: Any) -> tuple:
            return end_fn(sample_ids), become(sample_ids), state

        super().__init__(
            lambda: (fill([shape_of(start)[0]], False), start),
            lambda time, outputs, state: sample_fn(outputs),
            following,
            sample_shape,
            sample_dtype,
        )
        self._batch_size = size_of([start], 0)


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """A `TrainingHelper` that now and then gives what the net itself says as the next input.

    Bengio et al., "Scheduled Sampling for Sequence Prediction with RNNs" (2015).

    Args:
      inputs, sequence_length, time_major: see `TrainingHelper`.
      embedding: a table of vectors, or a function from words to vectors.
      sampling_probability: how often, from 0 to 1.
      seed, scheduling_seed: make words and choice repeatable.
    """

    def __init__(
        self, inputs: Any, sequence_length: Any, embedding: Any, sampling_probability: Any,
        time_major: bool = False, seed: int | None = None, scheduling_seed: int | None = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(inputs, sequence_length, time_major)
        self._embed = embedding if callable(embedding) else lambda x: embedding_lookup(embedding, x)
        self._probability = convert_to_tensor(sampling_probability, dtypes.float32)
        self._seeds = seed, scheduling_seed

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Tensor:
        """A word where the net speaks for itself, and -1 elsewhere."""
        drawn = cast(reshape(multinomial(outputs, 1, self._seeds[0]), [-1]), dtypes.int32)
        speaks = random_uniform(shape_of(drawn), seed=self._seeds[1]) < self._probability
        return where_v2(speaks, drawn, -1)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        finished, given, state = super().next_inputs(time, outputs, state, sample_ids, name)
        speaks = sample_ids > -1
        said = self._embed(where_v2(speaks, sample_ids, 0))
        return finished, where_v2(speaks[:, None], said, given), state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """A `TrainingHelper` that now and then gives the last output as the next input.

    Args:
      inputs, sequence_length, time_major: see `TrainingHelper`.
      sampling_probability: how often, from 0 to 1; a scalar, or one for each sequence.
      seed: makes the choice repeatable.
      next_inputs_fn: from outputs to inputs; nothing by default.
      auxiliary_inputs: stands beside every input, given or said.
      name: accepted.
    """

    def __init__(
        self, inputs: Any, sequence_length: Any, sampling_probability: Any,
        time_major: bool = False, seed: int | None = None, next_inputs_fn: Any = None,
        auxiliary_inputs: Any = None, name: str | None = None,
    ) -> None:  # fmt: skip
        self._beside = None
        if auxiliary_inputs is not None:
            beside = convert_to_tensor(auxiliary_inputs)
            inputs = concat([convert_to_tensor(inputs), beside], -1)
            self._beside = beside if time_major else transpose_batch_time(beside)
        super().__init__(inputs, sequence_length, time_major)
        self._probability = convert_to_tensor(sampling_probability, dtypes.float32)
        self._seed, self._following = seed, next_inputs_fn or (lambda outputs: outputs)

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Tensor:
        """1 where the net speaks for itself, and 0 elsewhere."""
        drawn = random_uniform([self.batch_size], seed=self._seed)
        return cast(drawn < self._probability, dtypes.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        finished, given, state = super().next_inputs(time, outputs, state, sample_ids, name)
        said = self._following(outputs)
        if self._beside is not None:
            place = minimum(time + 1, shape_of(self._beside)[0] - 1)
            said = concat([said, gather(self._beside, place)], -1)
        speaks = logical_and(cast(sample_ids, dtypes.bool), logical_not(finished))
        return finished, where_v2(speaks[:, None], said, given), state
