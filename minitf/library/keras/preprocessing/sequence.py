"""Sequences made ready for a model: padded, cut into windows, taken apart into pairs of words."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np

from minitf.library.keras.utils.feeding import Sequence


def pad_sequences(
    sequences: Any,
    maxlen: int | None = None,
    dtype: Any = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: Any = 0.0,
) -> np.ndarray:
    """Puts sequences of unequal lengths into one array.

    Args:
      sequences: a list of sequences.
      maxlen: how long they become; as the longest when None.
      dtype: the type of the result.
      padding: "pre" or "post": where to fill up shorter ones.
      truncating: "pre" or "post": where to cut longer ones.
      value: what to fill up with.
    Returns: [len(sequences), maxlen, ...].
    Raises:
      ValueError: when there is something else than sequences in the list, or their elements have
        unequal shapes.
    Example:
      >>> tf.keras.preprocessing.sequence.pad_sequences([[1], [2, 3]])
      array([[0, 1],
             [2, 3]], dtype=int32)
    """
    if not hasattr(sequences, "__len__"):
        raise ValueError("`sequences` must be iterable.")
    for sequence in sequences:
        if not hasattr(sequence, "__len__"):
            raise ValueError(
                f"`sequences` must be a list of iterables. Found non-iterable: {sequence}"
            )
    if maxlen is None:
        maxlen = max(map(len, sequences))
    textual = dtype is object or np.dtype(dtype).kind in "US"
    if isinstance(value, str) and not textual:
        raise ValueError(
            f"`dtype` {dtype} is not compatible with `value`'s type: {type(value)}\n"
            "You should set `dtype=object` for variable length strings."
        )
    shape = next((np.asarray(sequence).shape[1:] for sequence in sequences if len(sequence)), ())
    padded = np.full((len(sequences), maxlen, *shape), value, dtype=dtype)
    for place, sequence in enumerate(sequences):
        if not len(sequence):
            continue
        if truncating not in ("pre", "post"):
            raise ValueError(f'Truncating type "{truncating}" not understood')
        kept = np.asarray(sequence[-maxlen:] if truncating == "pre" else sequence[:maxlen], dtype)
        if kept.shape[1:] != shape:
            raise ValueError(
                f"Shape of sample {kept.shape[1:]} of sequence at position {place} is different "
                f"from expected shape {shape}"
            )
        if padding not in ("pre", "post"):
            raise ValueError(f'Padding type "{padding}" not understood')
        rows = slice(-len(kept), None) if padding == "pre" else slice(len(kept))
        padded[place, rows] = kept
    return padded


def make_sampling_table(size: int, sampling_factor: float = 1e-5) -> np.ndarray:
    """How likely a word is kept, by its rank, when frequent words are thinned out.

    The frequency of a word is taken from its rank, after Zipf.

    Args:
      size: how many words there are.
      sampling_factor: how much frequent words are thinned out.
    Returns: [size] of 0..1.
    """
    rank = np.arange(size)
    rank[0] = 1
    inverse = rank * (np.log(rank) + 0.577) + 0.5 - 1.0 / (12.0 * rank)
    frequency = sampling_factor * inverse
    return np.minimum(1.0, frequency / np.sqrt(frequency))


def skipgrams(
    sequence: Any, vocabulary_size: int, window_size: int = 4, negative_samples: float = 1.0,
    shuffle: bool = True, categorical: bool = False, sampling_table: Any = None,
    seed: int | None = None,
) -> tuple[list[list[int]], list[Any]]:  # fmt: skip
    """Pairs of words that stand close to each other, and pairs that were drawn.

    Args:
      sequence: numbers of words; 0 is no word.
      vocabulary_size: how many words there are, and one more.
      window_size: how far apart the words of a pair are at most.
      negative_samples: how many pairs are drawn for each that was found.
      shuffle: mix the pairs.
      categorical: labels are [0, 1] and [1, 0] in place of 1 and 0.
      sampling_table: how likely a word is kept, as of `make_sampling_table`.
      seed: for the mixing.
    Returns: the pairs, and their labels: 1 for those that were found.
    """
    found, drawn = ([0, 1], [1, 0]) if categorical else (1, 0)
    pairs = []
    for place, word in enumerate(sequence):
        if not word:
            continue
        if sampling_table is not None and sampling_table[word] < random.random():
            continue
        for other in range(
            max(0, place - window_size), min(len(sequence), place + window_size + 1)
        ):
            if other != place and sequence[other]:
                pairs.append([word, sequence[other]])
    labels: list[Any] = [found for _ in pairs]
    if negative_samples > 0:
        count = int(len(pairs) * negative_samples)
        words = [pair[0] for pair in pairs]
        random.shuffle(words)
        pairs += [
            [words[i % len(words)], random.randint(1, vocabulary_size - 1)] for i in range(count)
        ]
        labels += [drawn] * count
    if shuffle:
        seed = random.randint(0, 10**7) if seed is None else seed
        for each in (pairs, labels):
            random.seed(seed)
            random.shuffle(each)
    return pairs, labels


class TimeseriesGenerator(Sequence):
    """Batches of windows of a series, each with what follows it.

    Args:
      data: [n, ...] what was measured, step after step.
      targets: [n, ...] what is to be found at each step.
      length: how many steps a window spans.
      sampling_rate: every so-and-so-many-th step of them is taken.
      stride: how far the next window is off.
      start_index, end_index: which steps of the series are used.
      shuffle: draw the windows.
      reverse: the last step of a window first.
      batch_size: windows a batch.
    Raises:
      ValueError: when data and targets differ in length, or no window fits.
    """

    def __init__(
        self, data: Any, targets: Any, length: int, sampling_rate: int = 1, stride: int = 1,
        start_index: int = 0, end_index: int | None = None, shuffle: bool = False,
        reverse: bool = False, batch_size: int = 128,
    ) -> None:  # fmt: skip
        if len(data) != len(targets):
            raise ValueError(
                f"Data and targets have to be of same length. Data length is {len(data)} while "
                f"target length is {len(targets)}"
            )
        self.data, self.targets, self.length = data, targets, length
        self.sampling_rate, self.stride = sampling_rate, stride
        self.start_index = start_index + length
        self.end_index = len(data) - 1 if end_index is None else end_index
        self.shuffle, self.reverse, self.batch_size = shuffle, reverse, batch_size
        if self.start_index > self.end_index:
            raise ValueError(
                f"`start_index+length={self.start_index} > end_index={self.end_index}` is "
                "disallowed, as no part of the sequence would be left to be used as current step."
            )

    def __len__(self) -> int:
        step = self.batch_size * self.stride
        return (self.end_index - self.start_index + step) // step

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        end = self.end_index + 1
        if self.shuffle:
            rows = np.random.randint(self.start_index, end, size=self.batch_size)  # noqa: NPY002
        else:
            step = self.batch_size * self.stride
            start = self.start_index + step * index
            rows = np.arange(start, min(start + step, end), self.stride)
        windows = [self.data[row - self.length : row : self.sampling_rate] for row in rows]
        samples, targets = np.array(windows), np.array([self.targets[row] for row in rows])
        return samples[:, ::-1] if self.reverse else samples, targets

    def get_config(self) -> dict[str, Any]:
        """The settings, with the data as texts in JSON.

        Raises:
          TypeError: when the data cannot be written so.
        """
        config = {**vars(self)}
        for name in ("data", "targets"):
            each = config[name].tolist() if isinstance(config[name], np.ndarray) else config[name]
            try:
                config[name] = json.dumps(each)
            except TypeError as error:
                raise TypeError(f"{name.capitalize()} not JSON Serializable:", each) from error
        return config

    def to_json(self, **kwargs: Any) -> str:
        """The settings as a text in JSON.

        Args:
          **kwargs: for `json.dumps`.
        """
        return json.dumps(
            {"class_name": type(self).__name__, "config": self.get_config()}, **kwargs
        )
