"""Recurrent networks of before TensorFlow 1.0: `tf.nn.rnn`, `tf.nn.seq2seq`.

Like old_tensorflow.py, which most programs need; this file, and layers with it, few.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from minitf.compat.contrib import legacy_seq2seq
from minitf.compat.tensorflow.old_tensorflow import ordered_by
from minitf.library.layers.rnn import loops

NN = SimpleNamespace(
    rnn=loops.static_rnn,
    bidirectional_rnn=loops.static_bidirectional_rnn,
)


def _sized_by_cell(function: Callable[..., Any]) -> Any:
    """A model without an `embedding_size`: vectors are as long as the cell's outputs."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def sized(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind_partial(*args, **kwargs).arguments
        if "embedding_size" not in given and "cell" in given:
            kwargs["embedding_size"] = given["cell"].output_size
        return function(*args, **kwargs)

    return sized


def _without_symbols(*args: Any) -> tuple | None:
    """`model_with_buckets(..., buckets, num_decoder_symbols, seq2seq)`."""
    counted = len(args) > 6 and isinstance(args[5], int)
    return (*args[:5], *args[6:]) if counted else None


def _with_older_loss(function: Callable[..., Any]) -> Any:
    """A loss whose `softmax_loss_function` is one of `(inputs, labels)`, in whichever order."""

    def named(loss: Callable[..., Any]) -> Any:
        names = list(inspect.signature(loss).parameters)
        if "logits" in names or "labels" not in names or len(names) != 2:
            return loss
        inputs = next(name for name in names if name != "labels")
        return lambda labels, logits: loss(**{"labels": labels, inputs: logits})

    @functools.wraps(function)
    def with_loss(*args: Any, softmax_loss_function: Any = None, **kwargs: Any) -> Any:
        loss = softmax_loss_function and named(softmax_loss_function)
        return function(*args, softmax_loss_function=loss, **kwargs)

    return with_loss


SEQ2SEQ = SimpleNamespace(
    model_with_buckets=_with_older_loss(
        ordered_by(legacy_seq2seq.model_with_buckets, _without_symbols)
    ),
    sequence_loss=_with_older_loss(legacy_seq2seq.sequence_loss),
    sequence_loss_by_example=_with_older_loss(legacy_seq2seq.sequence_loss_by_example),
    **{
        name: _sized_by_cell(function)
        for name, function in vars(legacy_seq2seq).items()
        if name.startswith(("embedding_", "one2many_"))
    },
)
