"""The premade estimators: a table of models of feature columns, each under two heads.

    features ──columns──> linear model ─────────┐
             ──columns──> layers ──> layers ────┴──> logits ──> head ──> EstimatorSpec

                            Classifier                     Regressor
    LINEAR                  LinearClassifier               LinearRegressor
    DNN                     DNNClassifier                  DNNRegressor
    COMBINED                DNNLinearCombinedClassifier    DNNLinearCombinedRegressor
    BASELINE                BaselineClassifier             BaselineRegressor

A model is the arguments of its estimators, and a function that makes the model_fn of a head and
these arguments. `Premade` is the constructor of all.
"""

from __future__ import annotations

import contextlib
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.stacks import GraphKeys
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.control import group
from minitf.core.ops.state import assign_add
from minitf.core.train.optimizer import Optimizer
from minitf.core.train.optimizers import AdamOptimizer, GradientDescentOptimizer
from minitf.core.variables.initializers import glorot_uniform_initializer, zeros_initializer
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.checks.assertions import assert_equal
from minitf.library.estimator.estimator import Estimator
from minitf.library.estimator.heads import (
    Head,
    RegressionHead,
    binary_or_multi_class_head,
    minimizer,
)
from minitf.library.estimator.linear_sdca import LinearSDCA, sdca_model_fn
from minitf.library.estimator.spec import EstimatorSpec, ModeKeys
from minitf.library.feature_columns.models import input_layer, linear_model
from minitf.library.layers.layers import batch_normalization, dense
from minitf.library.layers.layers import dropout as dropout_layer
from minitf.library.losses import Reduction
from minitf.library.nets.activations import relu
from minitf.library.nets.basics import zero_fraction
from minitf.library.optimizers.optimizers import AdagradOptimizer, FtrlOptimizer, RMSPropOptimizer
from minitf.library.sessions.sync_replicas import SyncReplicasOptimizer
from minitf.library.sessions.training_util import get_global_step
from minitf.library.summary import summary
from minitf.library.variables.partitioners import min_max_variable_partitioner

_OPTIMIZERS: dict[str, Callable[..., Optimizer]] = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}
LARGE = 64 << 20  # bytes from which on a variable is split over parameter servers


def optimizer_instance(given: Any, learning_rate: float) -> Optimizer:
    """Returns the optimizer of a name, of a function, or the given one.

    Args:
      given: a name as "Adagrad", a function that returns an optimizer, or an optimizer.
      learning_rate: that of an optimizer of a name.
    Raises:
      ValueError: when there is none of that name, or it is no optimizer.
    """
    if isinstance(given, str):
        if given not in _OPTIMIZERS:
            raise ValueError(
                f"Unsupported optimizer name: {given}. Supported names are: "
                f"{tuple(sorted(_OPTIMIZERS))}"
            )
        return _OPTIMIZERS[given](learning_rate=learning_rate)
    made = given() if callable(given) else given
    if not isinstance(made, Optimizer):
        raise ValueError(f"The given object is not an Optimizer instance. Given: {made}")
    return made


# ---- logits ------------------------------------------------------------------------------


def _summarize(value: Tensor, tag: str) -> None:
    summary.scalar(f"{tag}/fraction_of_zero_values", zero_fraction(value))
    summary.histogram(f"{tag}/activation", value)


@dataclass(frozen=True)
class _Linear:
    """The linear part of a model, in a variable scope of its name.

    Args:
      columns: dense and categorical columns.
      optimizer, learning_rate: see `optimizer_instance`.
      combiner: how the weights of several ids of an example are combined.
    """

    columns: Any
    optimizer: Any
    learning_rate: float
    combiner: str
    name = "linear"

    def logits(self, features: Any, units: int, mode: str, split: Any) -> Tensor:
        """[batch, units] of the examples; `split` is the partitioner of the columns."""
        found: dict[Any, Any] = {}
        logits = linear_model(features, self.columns, units, self.combiner, cols_to_vars=found)
        bias = found.pop("bias")
        if units > 1:
            summary.histogram("bias", bias)
        else:
            summary.scalar("bias", bias[0][0])
        weights = [reshape(v, [-1]) for each in found.values() for v in each]
        summary.scalar("fraction_of_zero_weights", zero_fraction(concat(weights, 0)))
        return logits


@dataclass(frozen=True)
class _Deep:
    """Fully connected layers; as `_Linear`.

    Args:
      hidden_units: the sizes of the hidden layers.
      activation: of the hidden layers.
      dropout: the share of outputs to drop while training, or None.
      batch_norm: whether to normalize each batch after the hidden layers.
    """

    columns: Any
    optimizer: Any
    learning_rate: float
    hidden_units: Any
    activation: Callable | None
    dropout: float | None
    batch_norm: bool
    name = "dnn"

    def logits(self, features: Any, units: int, mode: str, split: Any) -> Tensor:
        """[batch, units] of the examples."""
        training = mode == ModeKeys.TRAIN
        start = glorot_uniform_initializer()
        with variable_scope("input_from_feature_columns", partitioner=split):
            net = input_layer(features, self.columns)
        for i, size in enumerate(self.hidden_units):
            with variable_scope(f"hiddenlayer_{i}") as scope:
                net = dense(net, size, self.activation, kernel_initializer=start, name=scope)
                if self.dropout is not None and training:
                    net = dropout_layer(net, rate=self.dropout, training=True)
                if self.batch_norm:
                    name = f"batchnorm_{i}"
                    net = batch_normalization(net, momentum=0.999, training=training, name=name)
            _summarize(net, scope.name)
        with variable_scope("logits") as scope:
            net = dense(net, units, kernel_initializer=start, name=scope)
        _summarize(net, scope.name)
        return net


# ---- models ------------------------------------------------------------------------------


def _of_columns(head: Head, partitioner: Any, *parts: _Linear | _Deep) -> Callable:
    """The model_fn of one part, or of both, the deep one first."""
    combined = len(parts) > 1
    parts = tuple(part for part in parts if part.columns)

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        if not isinstance(features, dict):
            raise ValueError(
                f"features should be a dictionary of `Tensor`s. Given type: {type(features)}"
            )
        servers = config.num_ps_replicas if config else 0
        split = partitioner or min_max_variable_partitioner(servers, min_slice_size=LARGE)
        logits: list[Tensor] = []
        optimizers: list[Optimizer] = []
        with contextlib.ExitStack() as around:
            for part in parts:
                optimizers.append(optimizer_instance(part.optimizer, part.learning_rate))
                linear = isinstance(part, _Linear)
                whole = split if linear else min_max_variable_partitioner(servers)
                values = list(features.values())
                opened = variable_scope(part.name, values=values, partitioner=whole)
                # a model of one kind has its head, and so the slots, in its scope
                with contextlib.ExitStack() as own:
                    scope = (own if combined else around).enter_context(opened)
                    logits.append(part.logits(features, head.logits_dimension, mode, split))
                    if combined and linear:
                        _summarize(logits[-1], scope.name)
            if combined:
                train = _each_its_own(optimizers, [part.name for part in parts])
            else:
                train = minimizer(optimizers[0])
            total = logits[0] if len(logits) == 1 else logits[0] + logits[1]
            return head.create_estimator_spec(features, mode, total, labels, train)

    return model_fn


def _each_its_own(optimizers: list[Optimizer], scopes: list[str]) -> Callable[[Tensor], Any]:
    """Each part of a model is trained by its own optimizer, and the step counted once."""
    if any(isinstance(optimizer, SyncReplicasOptimizer) for optimizer in optimizers):
        raise ValueError(
            "SyncReplicasOptimizer does not support multi optimizers case. Therefore, it is "
            "not supported in DNNLinearCombined model. If you want to use this optimizer, "
            "please use either DNN or Linear model."
        )

    def train_op_fn(loss: Tensor) -> Any:
        steps = []
        for optimizer, scope in zip(optimizers, scopes, strict=True):
            own = stacks.get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=f"{scope}/")
            steps.append(optimizer.minimize(loss, var_list=own))
        with stacks.control_dependencies([group(*steps)]):
            return assign_add(get_global_step(), 1).op

    return train_op_fn


def _linear(head: Head, given: Any) -> Callable:
    columns, optimizer = tuple(given.feature_columns or ()), given.optimizer
    if isinstance(optimizer, LinearSDCA):
        return sdca_model_fn(head, columns, optimizer, given.sparse_combiner)
    if not optimizer:
        optimizer = FtrlOptimizer(min(0.2, 1.0 / math.sqrt(max(len(columns), 1))))
    part = _Linear(columns, optimizer, 0.2, given.sparse_combiner)
    return _of_columns(head, given.partitioner, part)


def _dnn(head: Head, given: Any) -> Callable:
    how = given.hidden_units, given.activation_fn, given.dropout, given.batch_norm
    part = _Deep(tuple(given.feature_columns or ()), given.optimizer, 0.05, *how)
    return _of_columns(head, given.input_layer_partitioner, part)


def _combined(head: Head, given: Any) -> Callable:
    wide = tuple(given.linear_feature_columns or ())
    deep = tuple(given.dnn_feature_columns or ())
    if not wide and not deep:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
    if deep and not given.dnn_hidden_units:
        raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
    how = given.dnn_hidden_units, given.dnn_activation_fn, given.dnn_dropout, given.batch_norm
    rate = min(0.005, 1.0 / math.sqrt(max(len(wide), 1)))
    return _of_columns(
        head,
        given.input_layer_partitioner,
        _Deep(deep, given.dnn_optimizer, 0.001, *how),
        _Linear(wide, given.linear_optimizer, rate, given.linear_sparse_combiner),
    )


def _baseline(head: Head, given: Any) -> Callable:
    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        logits = _baseline_logits(features, head.logits_dimension, given.weight_column)
        train = minimizer(optimizer_instance(given.optimizer, 0.3))
        return head.create_estimator_spec(features, mode, logits, labels, train)

    return model_fn


def _baseline_logits(features: Mapping[str, Any], units: int, weight_column: Any) -> Tensor:
    """The same logits for each example: a bias."""
    own = getattr(weight_column, "key", weight_column)
    sizes = [shape_of(value)[0] for key, value in features.items() if key != own]
    checks = [assert_equal(sizes[0], size) for size in sizes[1:]]
    with stacks.control_dependencies(checks), variable_scope("baseline"):
        bias = get_variable("bias", shape=[units], initializer=zeros_initializer())
        return bias * ones([sizes[0], units])


# ---- the table ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Model:
    """One row of the table.

    Args:
      model_fn: makes the model_fn of a head and of the arguments of the estimator.
      arguments: their names in order; HEAD stands for those of the head.
      defaults: of the arguments that are not in `_DEFAULTS`; without one they must be given.
    """

    model_fn: Callable[[Head, Any], Callable]
    arguments: str
    defaults: Mapping[str, Any] = field(default_factory=dict)


_DEFAULTS: dict[str, Any] = {
    **dict.fromkeys(("model_dir", "config", "warm_start_from", "weight_column"), None),
    **dict.fromkeys(("dropout", "partitioner", "input_layer_partitioner"), None),
    **dict.fromkeys(("linear_feature_columns", "dnn_feature_columns"), None),
    **dict.fromkeys(("dnn_hidden_units", "dnn_dropout", "label_vocabulary"), None),
    **dict.fromkeys(("activation_fn", "dnn_activation_fn"), relu),
    **dict.fromkeys(("sparse_combiner", "linear_sparse_combiner"), "sum"),
    "n_classes": 2,
    "label_dimension": 1,
    "loss_reduction": Reduction.SUM,
    "batch_norm": False,
}

_HEADS: dict[str, str] = {
    "Classifier": "n_classes weight_column label_vocabulary",
    "Regressor": "label_dimension weight_column",
}

LINEAR = Model(
    _linear,
    "feature_columns model_dir HEAD optimizer config partitioner warm_start_from loss_reduction "
    "sparse_combiner",
    {"optimizer": "Ftrl"},
)
DNN = Model(
    _dnn,
    "hidden_units feature_columns model_dir HEAD optimizer activation_fn dropout "
    "input_layer_partitioner config warm_start_from loss_reduction batch_norm",
    {"optimizer": "Adagrad"},
)
COMBINED = Model(
    _combined,
    "model_dir linear_feature_columns linear_optimizer dnn_feature_columns dnn_optimizer "
    "dnn_hidden_units dnn_activation_fn dnn_dropout HEAD input_layer_partitioner config "
    "warm_start_from loss_reduction batch_norm linear_sparse_combiner",
    {"linear_optimizer": "Ftrl", "dnn_optimizer": "Adagrad"},
)
BASELINE = Model(_baseline, "model_dir HEAD optimizer config loss_reduction", {"optimizer": "Ftrl"})


class Premade(Estimator):
    """An estimator of a model of the table, under the head that its name ends in."""

    _row: Model
    __signature__: inspect.Signature

    def __init_subclass__(cls, model: Model | None = None) -> None:
        if model is None:  # a class that a program has derived
            return
        head = next(names for end, names in _HEADS.items() if cls.__name__.endswith(end))
        defaults = {**_DEFAULTS, **model.defaults}
        cls._row = model
        kind, empty = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
        names = model.arguments.replace("HEAD", head).split()
        parameters = [inspect.Parameter(n, kind, default=defaults.get(n, empty)) for n in names]
        cls.__signature__ = inspect.Signature(parameters)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        try:
            bound = self.__signature__.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{type(self).__name__}.__init__() {error}") from None
        bound.apply_defaults()
        given = SimpleNamespace(**bound.arguments)
        reduction = getattr(given, "loss_reduction", Reduction.SUM_OVER_BATCH_SIZE)
        if hasattr(given, "n_classes"):
            labels = given.n_classes, given.weight_column, given.label_vocabulary
            self._head: Any = binary_or_multi_class_head(*labels, reduction)
        else:
            self._head = RegressionHead(given.label_dimension, given.weight_column, reduction)
        self._given = given
        model_fn = self._row.model_fn(self._head, given)
        start = getattr(given, "warm_start_from", None)
        super().__init__(model_fn, given.model_dir, given.config, warm_start_from=start)


class LinearClassifier(Premade, model=LINEAR):
    """A linear model of classes.

    Args:
      feature_columns: dense and categorical columns.
      model_dir: where checkpoints and events go.
      n_classes: how many classes; labels are numbers below it.
      weight_column: the feature that weighs the examples.
      label_vocabulary: the labels, when they are words.
      optimizer: a name ("Adagrad", "Adam", "Ftrl", "RMSProp", "SGD"), an optimizer, a function
        that returns one, or a `LinearSDCA`.
      config: a `RunConfig`.
      partitioner: splits large variables over parameter servers.
      warm_start_from: a checkpoint.
      loss_reduction: how the losses of a batch become one; see `tf.losses.Reduction`.
      sparse_combiner: how the weights of several ids of an example are combined.
    Example:
      >>> color = tf.feature_column.categorical_column_with_vocabulary_list("color", ["r", "g"])
      >>> model = tf.estimator.LinearClassifier([color], model_dir="/tmp/colors")
      >>> input_fn = tf.estimator.inputs.numpy_input_fn(
      ...     {"color": np.array(["r", "g"])}, np.array([0, 1]), num_epochs=50, shuffle=False)
      >>> [int(p["class_ids"][0]) for p in model.train(input_fn).predict(input_fn)][:2]
      [0, 1]
    """


class LinearRegressor(Premade, model=LINEAR):
    """A linear model of numbers.

    Args:
      label_dimension: how many numbers an example has.
      others: as of `LinearClassifier`.
    """


class DNNClassifier(Premade, model=DNN):
    """Fully connected layers that tell classes.

    Args:
      hidden_units: the sizes of the hidden layers, as [64, 32].
      feature_columns: dense columns.
      activation_fn: of the hidden layers.
      dropout: the share of outputs to drop while training.
      input_layer_partitioner: splits large variables of the columns.
      batch_norm: whether to normalize each batch after the hidden layers.
      others: as of `LinearClassifier`.
    Example:
      >>> x = tf.feature_column.numeric_column("x", shape=[64])
      >>> model = tf.estimator.DNNClassifier([32], [x], n_classes=10, model_dir="/tmp/digits")
      >>> input_fn = tf.estimator.inputs.numpy_input_fn(
      ...     {"x": np.ones([8, 64], np.float32)}, np.arange(8), shuffle=False)
      >>> _ = model.train(input_fn)
      >>> model.get_variable_value("dnn/hiddenlayer_0/kernel").shape
      (64, 32)
    """


class DNNRegressor(Premade, model=DNN):
    """Fully connected layers that tell numbers.

    Args:
      label_dimension: how many numbers an example has.
      others: as of `DNNClassifier`.
    """


class DNNLinearCombinedClassifier(Premade, model=COMBINED):
    """A linear model and fully connected layers, trained together: wide and deep.

    Args:
      linear_feature_columns: the columns of the linear model.
      linear_optimizer: trains it.
      dnn_feature_columns: the dense columns of the layers.
      dnn_optimizer: trains them.
      dnn_hidden_units: the sizes of the hidden layers.
      dnn_activation_fn, dnn_dropout: as of `DNNClassifier`.
      linear_sparse_combiner: how the weights of several ids of an example are combined.
      others: as of `DNNClassifier`.
    Raises:
      ValueError: when there are no columns, or no sizes of layers.
    """


class DNNLinearCombinedRegressor(Premade, model=COMBINED):
    """A linear model and fully connected layers that tell numbers.

    Args:
      label_dimension: how many numbers an example has.
      others: as of `DNNLinearCombinedClassifier`.
    """


class BaselineClassifier(Premade, model=BASELINE):
    """Tells how frequent the classes are, whatever the features: what a model has to beat.

    Args:
      all: as of `LinearClassifier`.
    """


class BaselineRegressor(Premade, model=BASELINE):
    """Tells the mean of the labels, whatever the features.

    Args:
      all: as of `LinearRegressor`.
    """
