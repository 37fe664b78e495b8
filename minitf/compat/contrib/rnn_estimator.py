"""`tf.contrib.estimator.RNNClassifier` and `RNNEstimator`: of the cells of `tf.nn.rnn_cell`.

Those of `tf.estimator.experimental` are the same with layers of Keras; see
`minitf/library/estimator/recurrent.py` for what both share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.compat.contrib.estimator_tools import clip_gradients_by_norm
from minitf.core.graph import dtypes
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import array_filling
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.array_slicing import sequence_mask
from minitf.core.ops.cast import cast
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.initializers import glorot_uniform_initializer
from minitf.core.variables.variable_scope import variable_scope
from minitf.library.estimator.estimator import Estimator
from minitf.library.estimator.heads import Head
from minitf.library.estimator.premade import LARGE, check_features, optimizer_instance
from minitf.library.estimator.recurrent import (
    CLIP_NORM,
    LEARNING_RATE,
    USE_DEFAULT,
    check_cells,
    classifier_head,
    with_mask,
)
from minitf.library.estimator.run_config import RunConfig
from minitf.library.estimator.spec import EstimatorSpec, ModeKeys
from minitf.library.feature_columns.models import (
    concatenate_context_input,
    input_layer,
    sequence_input_layer,
)
from minitf.library.layers.core import dense
from minitf.library.layers.rnn.cells import BasicLSTMCell, BasicRNNCell, GRUCell, RNNCell
from minitf.library.layers.rnn.loops import dynamic_rnn
from minitf.library.layers.rnn.wrappers import MultiRNNCell
from minitf.library.losses.losses import Reduction
from minitf.library.summary import summary
from minitf.library.variables.partitioners import min_max_variable_partitioner

CELLS = {"basic_rnn": BasicRNNCell, "lstm": BasicLSTMCell, "gru": GRUCell}


def _cell_fn(num_units: Any, cell_type: Any, given: Callable | None) -> Callable[[str], Any]:
    """The function of the mode that makes the cells."""
    check_cells(given, num_units, cell_type, "num_units")
    if given:
        return given
    kind: Any = "basic_rnn" if cell_type is USE_DEFAULT else cell_type
    kind = CELLS.get(kind, kind)

    def made(mode: str) -> Any:
        if not (isinstance(kind, type) and issubclass(kind, RNNCell)):
            raise ValueError(f"Supported cell types are {list(CELLS)}; got {kind}")
        cells = [kind(num_units=size) for size in num_units]
        return MultiRNNCell(cells) if len(cells) > 1 else cells[0]

    return made


def last_outputs(outputs: Tensor, lengths: Tensor) -> Tensor:
    """[batch, n] the outputs of the last step of each sequence that is real."""
    batch, times, width = (shape_of(outputs)[axis] for axis in range(3))
    places = cast(array_filling.range(batch) * times, dtypes.int64) + lengths - 1
    last = gather(reshape(outputs, [batch * times, width]), places)
    last.set_shape([outputs.shape[0], outputs.shape[2]])
    return last


class RNNEstimator(Estimator):
    """A recurrent network under any head.

    Args:
      head: the head; with `return_sequences` it gets [batch, time, n] logits.
      sequence_feature_columns: the columns of sequences.
      context_feature_columns: dense columns, whose numbers come to each step.
      num_units: the sizes of the cells, a list.
      cell_type: "basic_rnn" (the default), "lstm", "gru", or a class of cells.
      rnn_cell_fn: `rnn_cell_fn(mode)` makes the cell, in place of `num_units` and `cell_type`.
      return_sequences: whether each step has logits, and not the last alone.
      model_dir: where checkpoints and events go.
      optimizer: a name, whose rate is 0.05 and whose gradients together are no longer than 5; an
        optimizer; or a function that returns one.
      input_layer_partitioner: splits the variables of the columns.
      config: a `RunConfig`.
    Raises:
      ValueError: when cells are given in two ways.
    """

    def __init__(
        self, head: Head, sequence_feature_columns: Any, context_feature_columns: Any = None,
        num_units: Any = None, cell_type: Any = USE_DEFAULT, rnn_cell_fn: Callable | None = None,
        return_sequences: bool = False, model_dir: str | None = None, optimizer: Any = "Adagrad",
        input_layer_partitioner: Any = None, config: RunConfig | None = None,
    ) -> None:  # fmt: skip
        cell_fn = _cell_fn(num_units, cell_type, rnn_cell_fn)

        def logits_of(features: Any, mode: str, split: Any) -> tuple[Tensor, Tensor]:
            values = list(features.values())
            with variable_scope("sequence_input_layer", values=values, partitioner=split):
                steps, lengths = sequence_input_layer(features, sequence_feature_columns)
                summary.histogram("sequence_length", lengths)
                if context_feature_columns:
                    context = input_layer(features, context_feature_columns)
                    steps = concatenate_context_input(context, steps)
            net, _ = dynamic_rnn(cell_fn(mode), steps, lengths, dtype=dtypes.float32)
            if not return_sequences:
                net = last_outputs(net, lengths)
            with variable_scope("logits", values=(net,)):
                start = glorot_uniform_initializer()
                logits = dense(net, head.logits_dimension, kernel_initializer=start)
            return logits, sequence_mask(lengths)

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            check_features(features)
            made = optimizer if isinstance(optimizer, Optimizer) else None
            if made is None and mode == ModeKeys.TRAIN:
                made = optimizer_instance(optimizer, LEARNING_RATE)
                made = clip_gradients_by_norm(made, CLIP_NORM)
            servers = config.num_ps_replicas if config else 0
            large = min_max_variable_partitioner(servers, min_slice_size=LARGE)
            whole = min_max_variable_partitioner(servers)
            with variable_scope("rnn", values=list(features.values()), partitioner=whole):
                logits, mask = logits_of(features, mode, input_layer_partitioner or large)
                given = with_mask(features, head, mask)
                return head.create_estimator_spec(given, mode, logits, labels, made)

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
    """

    def __init__(
        self, sequence_feature_columns: Any, context_feature_columns: Any = None,
        num_units: Any = None, cell_type: Any = USE_DEFAULT, rnn_cell_fn: Callable | None = None,
        return_sequences: bool = False, model_dir: str | None = None, n_classes: int = 2,
        weight_column: Any = None, label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Adagrad", loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        sequence_mask: str = "sequence_mask", input_layer_partitioner: Any = None,
        config: RunConfig | None = None,
    ) -> None:  # fmt: skip
        labels = (n_classes, weight_column, label_vocabulary, loss_reduction)
        head = classifier_head(*labels, return_sequences, sequence_mask)
        columns = sequence_feature_columns, context_feature_columns
        cells = num_units, cell_type, rnn_cell_fn, return_sequences
        rest = model_dir, optimizer, input_layer_partitioner, config
        super().__init__(head, *columns, *cells, *rest)
