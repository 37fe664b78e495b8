"""Premade estimators of sequences: columns of sequences, a recurrent layer, logits, a head.

    features ──sequence columns──> [batch, time, n] ──┐
             ──context columns───> the same each step ┴──> cells ──> logits ──> head

The head sees the last step of each sequence; or, with `return_sequences`, all steps that are real:
`SequentialHead` takes the padding out of logits and labels, and hands the rest to another head.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minitf.core.graph.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_shaping import expand_dims
from minitf.core.ops.array_slicing import boolean_mask, sequence_mask
from minitf.core.ops.control import group
from minitf.library.estimator.estimator import Estimator
from minitf.library.estimator.head_kinds import MultiHead, binary_or_multi_class_head
from minitf.library.estimator.heads import Head, LossSpec, Metrics
from minitf.library.estimator.premade import check_features, optimizer_instance
from minitf.library.estimator.run_config import RunConfig
from minitf.library.estimator.spec import EstimatorSpec, ModeKeys
from minitf.library.feature_columns.layers import DenseFeatures, SequenceFeatures
from minitf.library.feature_columns.models import concatenate_context_input
from minitf.library.keras.engine.model import Model
from minitf.library.keras.layers.core import Dense
from minitf.library.keras.layers.recurrent import RNN
from minitf.library.keras.layers.recurrent_cells import GRUCell, LSTMCell, SimpleRNNCell
from minitf.library.keras.layers.recurrent_layers import GRU, LSTM, SimpleRNN
from minitf.library.keras.metrics.base import Metric
from minitf.library.keras.optimizers import optimizers
from minitf.library.keras.optimizers.base import OptimizerV2
from minitf.library.losses.losses import Reduction
from minitf.library.sessions.training_util import get_or_create_global_step
from minitf.library.sparse.sparse_shaping import sparse_reorder
from minitf.library.summary import summary

#: In place of a type of cells: none was asked for.
USE_DEFAULT: Any = object()
LEARNING_RATE, CLIP_NORM = 0.05, 5.0  # of optimizers that are given by name
_LAYERS = {"simple_rnn": SimpleRNN, "lstm": LSTM, "gru": GRU}
_CELLS = {"simple_rnn": SimpleRNNCell, "lstm": LSTMCell, "gru": GRUCell}
#: What TensorFlow 2, in whose names these estimators stand, has by default.
_OPTIONS: dict[Any, dict[str, Any]] = {
    "lstm": {"recurrent_activation": "sigmoid"},
    "gru": {"recurrent_activation": "sigmoid", "reset_after": True},
}
_OPTIMIZERS: dict[str, Callable[..., OptimizerV2]] = {
    "Adagrad": optimizers.Adagrad,
    "Adam": optimizers.Adam,
    "Ftrl": optimizers.Ftrl,
    "RMSProp": optimizers.RMSprop,
    "SGD": optimizers.SGD,
}


class SequentialHead(Head):
    """A head of steps: what is real of all sequences, one after the other, for another head.

    Args:
      head: the head of single steps.
      sequence_mask: the key under which the features have [batch, time] booleans: what is real.
      feature_columns: the features that the other head needs, as of weights; [batch, time].
    Raises:
      TypeError: when these are no texts.
      ValueError: when the head is a `MultiHead`.
    """

    def __init__(
        self, head: Head, sequence_mask: str = "sequence_mask", feature_columns: Any = None
    ) -> None:
        columns = [feature_columns] if isinstance(feature_columns, str) else feature_columns or []
        if not isinstance(sequence_mask, str):
            raise TypeError(
                f"`sequence_mask` column must be a string. Given type: {type(sequence_mask)}."
            )
        for column in columns:
            if not isinstance(column, str):
                raise TypeError(f"Column must a string. Given type: {type(column)}.")
        if isinstance(head, MultiHead):
            raise ValueError("`MultiHead` is not supported with `SequentialHeadWrapper`.")
        self._head, self._columns = head, list(columns)
        self.input_sequence_mask_key = sequence_mask

    @property
    def name(self) -> str | None:
        """That of the other head, and "_sequential"."""
        return f"{self._head.name}_sequential" if self._head.name else None

    @property
    def logits_dimension(self) -> int:
        return self._head.logits_dimension

    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> LossSpec:
        features, logits, labels = self._flat(features, logits, labels)
        return self._head.create_loss(features, mode, logits, labels)

    def _predictions(self, logits: Any) -> dict[Any, Tensor]:
        return self._head.predictions(logits)

    def metrics(self, regularization_losses: Sequence | None = None) -> dict[str, Metric]:
        return self._head.metrics(regularization_losses)

    def update_metrics(
        self, eval_metrics: dict[str, Metric], features: Any, logits: Any, labels: Any,
        regularization_losses: Sequence | None = None,
    ) -> dict[str, Metric]:  # fmt: skip
        flat = self._flat(features, logits, labels)
        return self._head.update_metrics(eval_metrics, *flat, regularization_losses)

    def create_estimator_spec(
        self, features: Any, mode: str, logits: Any, labels: Any = None, *args: Any, **kwargs: Any
    ) -> EstimatorSpec:
        """See `Head`; predictions have all steps, and the mask that says which are real."""
        if mode == ModeKeys.PREDICT:
            spec = self._head.create_estimator_spec(features, mode, logits)
            mask = {self.input_sequence_mask_key: features[self.input_sequence_mask_key]}
            return spec._replace(predictions={**spec.predictions, **mask})
        features, logits, labels = self._flat(features, logits, labels)
        return self._head.create_estimator_spec(features, mode, logits, labels, *args, **kwargs)

    def _flat(self, features: Any, logits: Any, labels: Any) -> tuple[dict[str, Any], Any, Any]:
        """Features, logits and labels as [steps, ...], without padding."""
        for key in (self.input_sequence_mask_key, *self._columns):
            if key not in features:
                raise ValueError(
                    f"`{key}` column expected in features dictionary. Found keys: {list(features)}."
                )
        mask = features[self.input_sequence_mask_key]

        def flat(given: Any) -> Any:
            if given is None:
                return None
            given = convert_to_tensor_or_sparse_tensor(given)
            sparse = isinstance(given, SparseTensor)
            values = sparse_reorder(given).values if sparse else boolean_mask(given, mask)
            return expand_dims(values, -1) if given.shape.ndims == 2 else values

        with name_scope("flatten"):
            return {key: flat(features[key]) for key in self._columns}, flat(logits), flat(labels)

    def _served(self, predictions: Mapping[Any, Tensor]) -> dict[str, Any]:
        return self._head._served(predictions)

    def _all_metrics(self, spec: LossSpec, predictions: Any, extra: Any) -> Metrics:
        return self._head._all_metrics(spec, predictions, extra)


def classifier_head(
    n_classes: int, weight_column: Any, label_vocabulary: Any, loss_reduction: str,
    return_sequences: bool, mask: str,
) -> Head:  # fmt: skip
    """The head of a classifier of sequences, or of each of their steps."""
    head = binary_or_multi_class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
    return SequentialHead(head, mask, weight_column) if return_sequences else head


def with_mask(features: dict[str, Any], head: Head, mask: Tensor) -> dict[str, Any]:
    """The features, and which steps are real, unless they say it already."""
    key = getattr(head, "input_sequence_mask_key", None)
    return features if key is None else {key: mask, **features}


class _RNNModel(Model):
    """From features to the logits, and to [batch, time] booleans: which steps are real."""

    def __init__(self, layer: RNN, units: int, sequences: Any, context: Any) -> None:
        super().__init__(name="rnn_model")
        self._sequences = SequenceFeatures(sequences)
        self._context = DenseFeatures(context) if context else None
        self._layer, self._logits = layer, Dense(units, name="logits")

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> tuple[Tensor, Tensor]:
        with name_scope("sequence_input_layer"):
            steps, lengths = self._sequences(inputs)
            summary.histogram("sequence_length", lengths)
            if self._context is not None:
                steps = concatenate_context_input(self._context(inputs), steps)
        real = sequence_mask(lengths)
        return self._logits(self._layer(steps, mask=real, training=training)), real


def _layer(units: Any, cell_type: Any, rnn_cell_fn: Callable | None, all_steps: bool) -> RNN:
    """The recurrent layer that was asked for."""
    if rnn_cell_fn is not None:
        return RNN(rnn_cell_fn(), return_sequences=all_steps)
    options = _OPTIONS.get(cell_type, {})
    if cell_type in _LAYERS and isinstance(units, int):
        return _LAYERS[cell_type](units, return_sequences=all_steps, **options)
    kind = "simple_rnn" if cell_type is USE_DEFAULT else cell_type
    kind = _CELLS.get(kind, kind)
    if not callable(kind):
        raise ValueError(
            "`cell_type` should be a class producing a RNN cell, or a string specifying the cell "
            f"type. Supported strings are: {list(_CELLS)}."
        )
    cells = [kind(units=size, **options) for size in units]
    return RNN(cells if len(cells) > 1 else cells[0], return_sequences=all_steps)


def check_cells(rnn_cell_fn: Any, units: Any, cell_type: Any, word: str) -> None:
    """Raises a ValueError when cells were given in two ways."""
    if rnn_cell_fn and (units or cell_type is not USE_DEFAULT):
        raise ValueError(f"{word} and cell_type must not be specified when using rnn_cell_fn")


def _training(optimizer: Any, model: Model) -> dict[str, Any]:
    """How a head is to train the model: with an optimizer of either kind."""
    if isinstance(optimizer, str) and optimizer in _OPTIMIZERS:
        made: Any = _OPTIMIZERS[optimizer](learning_rate=LEARNING_RATE)
        made.clipnorm = CLIP_NORM
    else:
        made = optimizer() if callable(optimizer) else optimizer
    if not isinstance(made, OptimizerV2):
        return {"optimizer": optimizer_instance(made, LEARNING_RATE)}
    made.iterations = get_or_create_global_step()
    return {"train_op_fn": lambda loss: group(*made.get_updates(loss, model.trainable_variables))}


class RNNEstimator(Estimator):
    """A recurrent network under any head.

    Args:
      head: the head; a `SequentialHead` with `return_sequences`.
      sequence_feature_columns: the columns of sequences.
      context_feature_columns: dense columns, whose numbers come to each step.
      units: the sizes of the layers, one or several.
      cell_type: "simple_rnn" (the default), "lstm", "gru", or a class of Keras cells.
      rnn_cell_fn: makes the cells, in place of `units` and `cell_type`.
      return_sequences: whether each step has logits, and not the last alone.
      model_dir: where checkpoints and events go.
      optimizer: a name ("Adagrad", "Adam", "Ftrl", "RMSProp", "SGD"), whose rate is 0.05 and whose
        gradients are no longer than 5; an optimizer, also of Keras; or a function that returns one.
      config: a `RunConfig`.
    Raises:
      ValueError: when cells are given in two ways, or the head is not one of steps.
    """

    def __init__(
        self, head: Head, sequence_feature_columns: Any, context_feature_columns: Any = None,
        units: Any = None, cell_type: Any = USE_DEFAULT, rnn_cell_fn: Callable | None = None,
        return_sequences: bool = False, model_dir: str | None = None, optimizer: Any = "Adagrad",
        config: RunConfig | None = None,
    ) -> None:  # fmt: skip
        if return_sequences and not isinstance(head, SequentialHead):
            raise ValueError(
                "Provided head must be a `_SequentialHead` object when `return_sequences` is set "
                "to True."
            )
        check_cells(rnn_cell_fn, units, cell_type, "units")

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            check_features(features)
            layer = _layer(units, cell_type, rnn_cell_fn, return_sequences)
            columns = sequence_feature_columns, context_feature_columns
            model = _RNNModel(layer, head.logits_dimension, *columns)
            training = mode == ModeKeys.TRAIN
            logits, mask = model(features, training=training)
            how = _training(optimizer, model) if training else {}
            how |= {"trainable_variables": model.trainable_variables, "update_ops": model.updates}
            given = with_mask(features, head, mask)
            return head.create_estimator_spec(given, mode, logits, labels, **how)

        super().__init__(model_fn, model_dir, config)


class RNNClassifier(RNNEstimator):
    """A recurrent network of classes: of a sequence, or of each of its steps.

    Args:
      n_classes: how many classes; labels are numbers below it.
      weight_column: the feature that weighs the examples.
      label_vocabulary: the labels, when they are words.
      loss_reduction: how the losses of a batch become one; see `tf.losses.Reduction`.
      sequence_mask: where the features have, or else get, what of the steps is real.
      others: as of `RNNEstimator`.
    Example:
      >>> words = tf.feature_column.sequence_categorical_column_with_identity("words", 100)
      >>> model = tf.estimator.experimental.RNNClassifier(
      ...     [tf.feature_column.embedding_column(words, 8)], units=[16], cell_type="gru",
      ...     model_dir="/tmp/sentences")
      >>> input_fn = lambda: tf.data.Dataset.from_tensors(
      ...     ({"words": tf.constant([[3, 7, 2], [4, -1, -1]])}, [1, 0])).repeat(50)
      >>> [int(p["class_ids"][0]) for p in model.train(input_fn).predict(input_fn)][:2]
      [1, 0]
    """

    def __init__(
        self, sequence_feature_columns: Any, context_feature_columns: Any = None,
        units: Any = None, cell_type: Any = USE_DEFAULT, rnn_cell_fn: Callable | None = None,
        return_sequences: bool = False, model_dir: str | None = None, n_classes: int = 2,
        weight_column: Any = None, label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Adagrad", loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        sequence_mask: str = "sequence_mask", config: RunConfig | None = None,
    ) -> None:  # fmt: skip
        labels = (n_classes, weight_column, label_vocabulary, loss_reduction)
        head = classifier_head(*labels, return_sequences, sequence_mask)
        columns = sequence_feature_columns, context_feature_columns
        cells = units, cell_type, rnn_cell_fn, return_sequences
        super().__init__(head, *columns, *cells, model_dir, optimizer, config)
