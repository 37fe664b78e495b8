"""Sequences made ready for a model: padded, cut into windows, taken apart into pairs of words."""

from __future__ import annotations

from typing import Any

import numpy as np


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
