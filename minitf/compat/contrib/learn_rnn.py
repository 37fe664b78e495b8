"""`tf.contrib.learn.DynamicRnnEstimator`: cells over sequences, and a value for each or each step.

features ──columns──> [batch, time, n] ──┐
         ──context, the same each step───┴──> cells ──> logits ──> a head's predictions and loss
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minitf.compat.contrib.feature_columns import named, sequence_input_from_feature_columns
from minitf.compat.contrib.learn import Estimator
from minitf.compat.contrib.learn_head_base import SingleHead
from minitf.compat.contrib.learn_heads import multi_class_head, regression_head
from minitf.compat.contrib.learn_keys import (
    ModeKeys,
    ModelFnOps,
    PredictionKey,
    PredictionType,
    ProblemType,
    RNNKeys,
)
from minitf.compat.contrib.optimize_loss import OPTIMIZER_SUMMARIES, optimize_loss
from minitf.compat.contrib.rnn_estimator import CELLS, last_outputs
from minitf.compat.slim.layers import linear
from minitf.core.graph import dtypes, nest
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import array_filling
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.array_slicing import boolean_mask, sequence_mask
from minitf.core.ops.cast import cast
from minitf.core.train.momentum import MomentumOptimizer
from minitf.library.feature_columns.models import concatenate_context_input, input_layer
from minitf.library.layers.rnn.loops import dynamic_rnn
from minitf.library.layers.rnn.wrappers import DropoutWrapper, MultiRNNCell
from minitf.library.metrics.errors import accuracy


def construct_rnn_cell(
    num_units: Any, cell_type: Any = "basic_rnn",
    dropout_keep_probabilities: Sequence[float] | None = None,
) -> Any:  # fmt: skip
    """The cells of a network, one above the other.

    Args:
      num_units: the size of the cell, or a list of sizes.
      cell_type: "basic_rnn", "lstm", "gru", or a class of cells.
      dropout_keep_probabilities: the part that is kept before each cell, and after the last one.
    Raises:
      ValueError: when there are more or fewer probabilities.
    """
    sizes = num_units if isinstance(num_units, list | tuple) else [num_units]
    kind = CELLS.get(cell_type, cell_type)
    cells: list[Any] = [kind(size) for size in sizes]
    if keep := dropout_keep_probabilities:
        if len(keep) != len(cells) + 1:
            raise ValueError(
                "A dropout probability must be provided for each cell and the output. Expected "
                f"{len(cells) + 1}, got {len(keep)}."
            )
        after = [1.0] * (len(cells) - 1) + [keep[-1]]
        cells = [DropoutWrapper(*each) for each in zip(cells, keep, after)]
    return MultiRNNCell(cells) if len(cells) > 1 else cells[0]


def _state(features: Mapping[str, Any], cell: Any) -> Any:
    """The first state, of features with the names of its parts; None without them."""
    count = len(nest.flatten(cell.state_size))
    keys = [f"{RNNKeys.STATE_PREFIX}_{i}" for i in range(count)]
    given = [features[key] for key in keys if key in features]
    if given and len(given) != count:
        raise ValueError(
            f"RNN state was partially specified.Expected zero or {count} state Tensors; got "
            f"{len(given)}"
        )
    return nest.pack_sequence_as(cell.zero_state(1, dtypes.float32), given) if given else None


class DynamicRnnEstimator(Estimator):
    """A recurrent network of sequences of any length.

    Sequences in a batch have different lengths when there is a feature "sequence_length", [batch];
    features "rnn_cell_state_0" ... may hold the first state, and the predictions hold the last one.

    Args:
      problem_type: `ProblemType.CLASSIFICATION` or `LINEAR_REGRESSION`.
      prediction_type: `PredictionType.SINGLE_VALUE`, one for a sequence, or `MULTIPLE_VALUE`.
      sequence_feature_columns: columns of the steps; features are [batch, time, n], or sparse.
      context_feature_columns: dense columns, whose numbers come to each step.
      num_classes: how many classes.
      num_units, cell_type, dropout_keep_probabilities: see `construct_rnn_cell`.
      optimizer, learning_rate: see `tf.contrib.layers.optimize_loss`.
      predict_probabilities: whether the probabilities of the classes are predicted too.
      momentum: of the optimizer "Momentum".
      gradient_clipping_norm: gradients that are longer together are shortened to it.
      model_dir, feature_engineering_fn, config: see `Estimator`.
    Raises:
      ValueError: when a type is another one, or classes are not counted.
    """

    def __init__(
        self, problem_type: int, prediction_type: int, sequence_feature_columns: Any,
        context_feature_columns: Any = None, num_classes: int | None = None, num_units: Any = None,
        cell_type: Any = "basic_rnn", optimizer: Any = "SGD", learning_rate: float = 0.1,
        predict_probabilities: bool = False, momentum: float | None = None,
        gradient_clipping_norm: float | None = 5.0,
        dropout_keep_probabilities: Sequence[float] | None = None, model_dir: str | None = None,
        feature_engineering_fn: Callable | None = None, config: Any = None,
    ) -> None:  # fmt: skip
        multiple = prediction_type == PredictionType.MULTIPLE_VALUE
        if not multiple and prediction_type != PredictionType.SINGLE_VALUE:
            raise ValueError(
                "prediction_type must be one of PredictionType.MULTIPLE_VALUE or "
                f"PredictionType.SINGLE_VALUE; got {prediction_type}"
            )
        head: Any
        if problem_type == ProblemType.LINEAR_REGRESSION:
            head, shown = regression_head(), {PredictionKey.SCORES}
        elif problem_type == ProblemType.CLASSIFICATION:
            if not num_classes:
                raise ValueError("For CLASSIFICATION problem_type, num_classes must be specified.")
            head, shown = multi_class_head(num_classes), {PredictionKey.CLASSES}
        else:
            raise ValueError(
                "problem_type must be either ProblemType.LINEAR_REGRESSION or "
                f"ProblemType.CLASSIFICATION; got {problem_type}"
            )
        if predict_probabilities:
            if problem_type != ProblemType.CLASSIFICATION:
                raise ValueError(
                    "predict_probabilities can only be set to True for problem_type "
                    f"ProblemType.CLASSIFICATION; got {problem_type}."
                )
            shown.add(PredictionKey.PROBABILITIES)
        if optimizer == "Momentum":
            optimizer = MomentumOptimizer(learning_rate, momentum)

        def network(features: Any, mode: str) -> tuple[Tensor, Any]:
            """[batch, time, n] logits, and the last state."""
            steps = sequence_input_from_feature_columns(features, sequence_feature_columns)
            if context_feature_columns is not None:
                context = input_layer(features, context_feature_columns)
                steps = concatenate_context_input(context, steps)
            keep = dropout_keep_probabilities if mode == ModeKeys.TRAIN else None
            cell = construct_rnn_cell(num_units, cell_type, keep)
            state = _state(features, cell)
            outputs, state = dynamic_rnn(cell, steps, None, state, dtypes.float32)
            return linear(outputs, head.logits_dimension), state

        def model_fn(features: Any, labels: Any, mode: str) -> ModelFnOps:
            features = named(features)
            outputs, state = network(features, mode)
            size = shape_of(outputs)
            lengths = features.get(RNNKeys.SEQUENCE_LENGTH_KEY)
            if lengths is None:
                lengths = size[1] + array_filling.zeros(size[:1], dtypes.int32)
            lengths = cast(lengths, dtypes.int64)
            if multiple:
                logits = reshape(outputs, [-1, head.logits_dimension])
                real = sequence_mask(lengths, size[1])
            else:
                logits, real = last_outputs(outputs, lengths), None
            predictions = _predicted(head, logits, shown, size if multiple else None)
            loss, train_op, metrics = None, None, {}
            if mode != ModeKeys.INFER:
                guesses = predictions.get(PredictionKey.CLASSES)
                if real is not None:
                    logits, labels = boolean_mask(outputs, real), boolean_mask(labels, real)
                    guesses = None if guesses is None else boolean_mask(guesses, real)
                loss = head.losses(labels, logits)[0]
                if guesses is not None:
                    metrics["accuracy"] = accuracy(reshape(labels, [-1]), guesses)
            if mode == ModeKeys.TRAIN:
                train_op = optimize_loss(
                    loss, None, learning_rate, optimizer, clip_gradients=gradient_clipping_norm,
                    summaries=OPTIMIZER_SUMMARIES,
                )  # fmt: skip
            served = None if multiple else {"dynamic_rnn_output": (problem_type, predictions)}
            states = {
                f"{RNNKeys.STATE_PREFIX}_{i}": identity(part)
                for i, part in enumerate(nest.flatten(state))
            }
            return ModelFnOps(mode, {**predictions, **states}, loss, train_op, metrics, served)

        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)


def _predicted(head: SingleHead, logits: Tensor, shown: set[str], size: Any) -> dict[str, Tensor]:
    """The predictions that are asked for; of each step when `size` is given, [batch, time, n]."""
    found = {key: value for key, value in head.predictions(logits).items() if key in shown}
    if size is None:
        return found
    return {
        key: reshape(value, concat([size[:2], shape_of(value)[1:]], 0))
        for key, value in found.items()
    }
