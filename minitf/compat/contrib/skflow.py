"""`tf.contrib.skflow` of 2016: estimators in the manner of scikit-learn, from functions of (x, y).

    TensorFlowEstimator(model_fn, n_classes)         model_fn(x, y) -> (predictions, loss)
      fit(x, y)       y becomes one-hot, optimize_loss steps; an Estimator of learn does the work
      predict(x)      the likeliest class, or the number
      save, restore   the graph for predictions, its variables and the arguments, in a folder

`tf.contrib.learn` had these classes too, until TensorFlow 0.12.
"""

from __future__ import annotations

import glob
import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minitf.compat.contrib import learn_models as models
from minitf.compat.contrib.learn import Estimator, RunConfig
from minitf.compat.contrib.learn_estimators import NotFittedError
from minitf.compat.contrib.learn_keys import ModeKeys, ModelFnOps
from minitf.compat.contrib.learn_ops import IS_TRAINING
from minitf.compat.contrib.optimize_loss import optimize_loss
from minitf.compat.contrib.skflow_monitors import BaseMonitor
from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant
from minitf.core.graph.graph import Graph
from minitf.core.graph.stacks import add_to_collection, get_collection
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import placeholder
from minitf.core.ops.array_filling import one_hot
from minitf.core.ops.cast import cast
from minitf.library.input.data.dataset import Dataset
from minitf.library.saving.checkpoint_state import latest_checkpoint, update_checkpoint_state
from minitf.library.saving.meta_graph import export_meta_graph
from minitf.library.saving.saver import import_meta_graph
from minitf.library.sessions.training_util import get_global_step

_MODEL = "skflow_model"  # the collection of the predictions and the loss of a saved graph


class TensorFlowEstimator(Estimator):
    """Trains what a function of features and labels builds.

    Args:
      model_fn: `model_fn(x, y)` returns predictions, probabilities if there are classes, and loss;
        x is int64 or float32, y float32, one-hot for classes.
      n_classes: how many classes; 0 or 1 for numbers.
      batch_size: how many examples a step takes; all when it is below 1.
      steps: how many steps a `fit` takes.
      optimizer: see `tf.contrib.layers.optimize_loss`.
      learning_rate: a number, or a function from the global step to a tensor.
      clip_gradients: the largest norm of all gradients.
      class_weight: a factor for each class, the tensor "class_weight:0".
      continue_training: whether each `fit` goes on where the last one ended.
      config: a `RunConfig`; by default one with the seed `tf_random_seed`.
      verbose: 0 prints nothing.
      tf_random_seed: of variables and shuffles, as before TensorFlow 0.8.
      tf_master, max_to_keep, keep_checkpoint_every_n_hours: accepted; a `RunConfig` says these.

    Example:
      >>> classifier = tf.contrib.skflow.TensorFlowDNNClassifier([8], n_classes=2, verbose=0)
      >>> x = np.random.RandomState(0).normal(size=(100, 2))
      >>> classifier.fit(x, x[:, 0] > 0).predict([[5.0, 0.0], [-5.0, 0.0]])
      array([1, 0])
    """

    def __init__(
        self, model_fn: Callable[[Any, Any], Any] | None = None, n_classes: int = 0,
        batch_size: int = 32, steps: int = 200, optimizer: Any = "Adagrad",
        learning_rate: Any = 0.1,
        clip_gradients: Any = 5.0, class_weight: Sequence[float] | None = None,
        continue_training: bool = False, config: Any = None, verbose: int = 1,
        tf_random_seed: int = 42, tf_master: str = "", max_to_keep: int = 5,
        keep_checkpoint_every_n_hours: float = 10000,
    ) -> None:  # fmt: skip
        self.model_fn, self.n_classes, self.batch_size = model_fn, n_classes, batch_size
        self.steps, self.optimizer, self.learning_rate = steps, optimizer, learning_rate
        self.clip_gradients, self.class_weight = clip_gradients, class_weight
        self.continue_training, self.verbose, self._fitted = continue_training, verbose, False
        self._given_config = config or RunConfig(tf_random_seed=tf_random_seed)

    def _begin(self, model_dir: str | None) -> None:
        """Begins anew, or with what a folder holds."""
        super().__init__(self._model_ops, model_dir, self._given_config)

    def _model_ops(self, features: Any, labels: Any, mode: str) -> ModelFnOps:
        add_to_collection(IS_TRAINING, mode == ModeKeys.TRAIN)
        x = features if features.dtype == dtypes.int64 else cast(features, dtypes.float32)
        y = None if labels is None else cast(labels, dtypes.float32)
        if y is not None and self.n_classes > 1:
            y = one_hot(cast(labels, dtypes.int64), self.n_classes)
        predictions, loss = self._build(x, y)
        if mode != ModeKeys.TRAIN:
            return ModelFnOps(mode, predictions, loss)
        self._fed, self._loss, self._built_with = (features, labels), loss, (x, y)
        step, rate = get_global_step(), self.learning_rate
        rate = rate(step) if callable(rate) else float(rate)
        clip = self.clip_gradients
        train = optimize_loss(loss, step, rate, self.optimizer, clip_gradients=clip)
        return ModelFnOps(mode, predictions, loss, train)

    def _build(self, x: Tensor, y: Any) -> Any:
        if self.class_weight:
            constant(self.class_weight, dtypes.float32, name="class_weight")
        return self.model_fn(x, y)  # type: ignore[misc]

    def fit(  # type: ignore[override]
        self, x: Any = None, y: Any = None, monitor: Any = None, logdir: str | None = None, *,
        steps: int | None = None, monitors: Any = None, batch_size: int | None = None,
        go_on: bool = False, X: Any = None,  # noqa: N803, the name of `x` before TensorFlow 0.9
    ) -> Any:  # fmt: skip
        """Trains; from the beginning, unless `continue_training`.

        Args:
          x: [examples, ...] features, an array or a table.
          y: [examples] or [examples, n] labels.
          monitor: a monitor; or a number of steps, which was the third argument from 0.9 on.
          logdir: where checkpoints and events go.
          steps, batch_size: in place of the estimator's own.
          monitors: several monitors, or hooks.
          go_on: whether to continue, as `continue_training`.
        Returns: itself.
        """
        x, y = np.asarray(X if x is None else x), np.asarray(y)
        x = x[:, None] if x.ndim == 1 else x
        y = y[:, 0] if y.shape[1:2] == (1,) else y
        if isinstance(monitor, int):
            steps, monitor = monitor, None
        if logdir or not (self._fitted and (go_on or self.continue_training)):
            self._begin(logdir)
        self._fitted, size = True, batch_size or self.batch_size
        given = _batches(x, y, size if size > 0 else len(x))
        watching = monitors or [monitor or BaseMonitor(verbose=self.verbose)]
        return super().fit(None, None, given, steps or self.steps, None, watching)

    def partial_fit(self, x: Any, y: Any, **options: Any) -> Any:  # type: ignore[override]
        """Goes on training, with the same or other data; see `fit`."""
        return self.fit(x, y, go_on=True, **options)

    def predict(self, x: Any, axis: int = 1, batch_size: Any = None) -> Any:  # type: ignore
        """The likeliest class of each example, along `axis`, or its number.

        Raises:
          NotFittedError: before `fit`.
        """
        found = self.predict_proba(x, batch_size)
        return found.argmax(axis) if self.n_classes > 1 and axis != -1 else found

    def predict_proba(self, x: Any, batch_size: int | None = None) -> np.ndarray:
        """What the model function predicts: the probabilities of the classes."""
        self._check_fitted()
        size = max(batch_size or self.batch_size, 0) or len(x)
        return super().predict(np.asarray(x), None, size, as_iterable=False)

    def _check_fitted(self) -> None:
        if not self._fitted:
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet")

    def get_tensor_value(self, name: str) -> Any:
        """The value of a variable, by the name of its tensor: "linear_regression/bias:0"."""
        return self.get_variable_value(name.removesuffix(":0"))

    # ---- files ---------------------------------------------------------------------------

    def save(self, path: str) -> None:
        """Writes arguments, graph and variables into a folder.

        Raises:
          NotFittedError: before `fit`.
        """
        self._check_fitted()
        plain = (str, int, float, bool, list, tuple)
        kept = {name: value for name, value in self.get_params().items() if type(value) in plain}
        os.makedirs(path, exist_ok=True)
        Path(path, "model.def").write_text(json.dumps({"class_name": type(self).__name__, **kept}))
        with Graph().as_default():
            add_to_collection(IS_TRAINING, False)
            given = zip(self._built_with, ("input", "output"))
            for each in self._build(*(placeholder(t.dtype, t.shape, name) for t, name in given)):
                add_to_collection(_MODEL, each)
            export_meta_graph(os.path.join(path, "model.meta"))
        newest = latest_checkpoint(self.model_dir) or ""
        for file in glob.glob(f"{glob.escape(newest)}.*"):
            shutil.copy(file, path)
        update_checkpoint_state(path, os.path.join(path, os.path.basename(newest)))

    @classmethod
    def restore(cls, path: str, config: Any = None) -> Any:
        """The estimator that `save` wrote; its model is the saved graph.

        Raises:
          ValueError: when the folder holds none.
        """
        written = Path(path, "model.def")
        if not written.exists():
            raise ValueError("Restore folder doesn't contain model definition.")
        params = json.loads(written.read_text())
        name = params.pop("class_name")
        kind: Any = globals().get(name) if name.startswith("TensorFlow") else cls
        made = kind(config=config, **params)

        def build(x: Any, y: Any) -> list[Any]:
            given = {"input:0": x} if y is None else {"input:0": x, "output:0": y}
            import_meta_graph(os.path.join(path, "model.meta"), input_map=given)
            return get_collection(_MODEL)

        made._build, made._fitted = build, True
        made._begin(path)
        return made


def _batches(x: np.ndarray, y: np.ndarray, size: int) -> Callable[[], Any]:
    """An input function of all examples in one order after the other, the same in every program."""

    def generate() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        random = np.random.RandomState(42)
        while True:
            order = random.permutation(len(x))
            for rows in np.split(order, range(size, len(x), size)):
                yield x[rows], y[rows]

    kinds, shapes = (x.dtype, y.dtype), ([None, *x.shape[1:]], [None, *y.shape[1:]])
    return lambda: Dataset.from_generator(generate, kinds, shapes)


class _Known(TensorFlowEstimator):
    """One whose model is known; it ends in a linear function.

    Args:
      n_classes: see `TensorFlowEstimator`.
      arguments: the others, as far as they are given.
    """

    _end: Any = staticmethod(models.logistic_regression)

    def __init__(self, n_classes: int = 0, *arguments: Any, **named: Any) -> None:
        names = ["batch_size", "steps", "optimizer", "learning_rate", "class_weight"]
        if self._end is models.linear_regression:
            names.pop()
        names += ["clip_gradients", "continue_training", "config", "verbose"]
        super().__init__(self._model_fn, n_classes, **dict(zip(names, arguments)), **named)

    def _model_fn(self, x: Any, y: Any) -> Any:
        return self._end(x, y)

    def _values(self, kind: str) -> Any:
        return self.get_variable_value(f"{self._end.__name__}/{kind}")

    @property
    def weights_(self) -> Any:
        """The weights, of layers a list."""
        return self._values("weights")

    @property
    def bias_(self) -> Any:
        """The biases, of layers a list."""
        return self._values("bias")


class TensorFlowLinearClassifier(_Known):
    """A linear model of classes; the arguments are those of `TensorFlowEstimator` without one."""


class TensorFlowLinearRegressor(_Known):
    """A linear model of numbers; see `TensorFlowLinearClassifier`."""

    _end = staticmethod(models.linear_regression)


class TensorFlowDNNClassifier(_Known):
    """Fully connected layers that tell classes.

    Args:
      hidden_units: the sizes of the layers.
      n_classes, arguments: see `TensorFlowLinearClassifier`.
      dropout: the part of each layer's outputs to set to 0 while training.
    """

    def __init__(
        self, hidden_units: Sequence[int], n_classes: int = 0, *arguments: Any,
        dropout: float | None = None, **named: Any,
    ) -> None:  # fmt: skip
        self.hidden_units, self.dropout = hidden_units, dropout
        super().__init__(n_classes, *arguments, **named)

    def _model_fn(self, x: Any, y: Any) -> Any:
        return models.get_dnn_model(self.hidden_units, self._end, self.dropout)(x, y)

    def _values(self, kind: str) -> Any:
        layers = [f"dnn/layer{i}/fully_connected/{kind}" for i in range(len(self.hidden_units))]
        return [*map(self.get_variable_value, layers), super()._values(kind)]


class TensorFlowDNNRegressor(TensorFlowDNNClassifier):
    """Fully connected layers that tell numbers; see `TensorFlowDNNClassifier`."""

    _end = staticmethod(models.linear_regression)


class TensorFlowRNNClassifier(_Known):
    """Cells over a sequence, of whose last state a class is told.

    Args: as of `tf.contrib.learn.models.get_rnn_model`, then those of `TensorFlowLinearClassifier`.
    """

    def __init__(
        self, rnn_size: int, n_classes: int, cell_type: str = "gru", num_layers: int = 1,
        input_op_fn: Callable[[Any], Any] = lambda x: x, initial_state: Any = None,
        bidirectional: bool = False, sequence_length: Any = None, *arguments: Any, **named: Any,
    ) -> None:  # fmt: skip
        self.rnn_size, self.cell_type, self.num_layers = rnn_size, cell_type, num_layers
        self.input_op_fn, self.bidirectional = input_op_fn, bidirectional
        self.initial_state, self.sequence_length = initial_state, sequence_length
        steps = {} if len(arguments) > 1 else {"steps": 50}
        super().__init__(n_classes, *arguments, **steps | named)

    def _model_fn(self, x: Any, y: Any) -> Any:
        return models.get_rnn_model(
            self.rnn_size, self.cell_type, self.num_layers, self.input_op_fn, self.bidirectional,
            self._end, self.sequence_length, self.initial_state,
        )(x, y)  # fmt: skip


class TensorFlowRNNRegressor(TensorFlowRNNClassifier):
    """Cells over a sequence, of whose last state numbers are told; see the classifier."""

    _end = staticmethod(models.linear_regression)

    def __init__(self, rnn_size: int, cell_type: str = "gru", *args: Any, **named: Any) -> None:
        super().__init__(rnn_size, named.pop("n_classes", 0), cell_type, *args, **named)


TensorFlowClassifier, TensorFlowRegressor = TensorFlowLinearClassifier, TensorFlowLinearRegressor
