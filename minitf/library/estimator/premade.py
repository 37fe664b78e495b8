"""The premade estimators: a model of feature columns under a head.

    features ──columns──> linear model ─────────┐
             ──columns──> layers ──> layers ────┴──> logits ──> head ──> EstimatorSpec

A model is a function that gives the logits and says how to train them; the estimators are the
models with the heads of classes, of numbers, or of the program.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import relu
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
from minitf.library.estimator.head_kinds import RegressionHead, binary_or_multi_class_head
from minitf.library.estimator.heads import Head
from minitf.library.estimator.linear_sdca import LinearSDCA, SdcaLinear
from minitf.library.estimator.run_config import RunConfig
from minitf.library.estimator.spec import EstimatorSpec, ModeKeys, call_with_known
from minitf.library.feature_columns.models import input_layer, linear_model
from minitf.library.layers.core import dense
from minitf.library.layers.core import dropout as dropout_layer
from minitf.library.layers.normalization import batch_normalization
from minitf.library.losses.losses import Reduction
from minitf.library.numeric.statistics import zero_fraction
from minitf.library.optimizers.adagrad import AdagradOptimizer
from minitf.library.optimizers.ftrl import FtrlOptimizer
from minitf.library.optimizers.rmsprop import RMSPropOptimizer
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


def check_features(features: Any) -> None:
    """Raises a ValueError when features are not a dict."""
    if not isinstance(features, dict):
        raise ValueError(
            f"features should be a dictionary of `Tensor`s. Given type: {type(features)}"
        )


def _summarize(value: Tensor, tag: str) -> None:
    summary.scalar(f"{tag}/fraction_of_zero_values", zero_fraction(value))
    summary.histogram(f"{tag}/activation", value)


def call_logit_fn(logit_fn: Callable, features: Any, mode: str, params: Any, config: Any) -> Any:
    """Calls a function of features that gives logits, with what it takes of the other arguments.

    Raises:
      ValueError: when it gives neither a tensor nor a dict of tensors by texts.
    """
    offered = {"mode": mode, "params": params, "config": config}
    logits = call_with_known(logit_fn, offered, features=features)
    parts = logits.items() if isinstance(logits, dict) else [("", logits)]
    if not all(isinstance(name, str) and isinstance(part, Tensor) for name, part in parts):
        raise ValueError(
            "logit_fn should return a Tensor or a dictionary mapping strings to Tensors.  logit_fn "
            f"returned: {logits}"
        )
    return logits


def dnn_logit_fn_builder(
    units: int,
    hidden_units: Sequence[int],
    feature_columns: Any,
    activation_fn: Callable | None,
    dropout: float | None,
    input_layer_partitioner: Any,
    batch_norm: bool = False,
) -> Callable[..., Tensor]:
    """Returns a function of (features, mode) that gives the logits of fully connected layers.

    Args:
      units: how many logits.
      hidden_units: the sizes of the hidden layers.
      feature_columns: dense columns.
      activation_fn: of the hidden layers.
      dropout: the share of outputs to drop while training, or None.
      input_layer_partitioner: splits the variables of the columns.
      batch_norm: whether to normalize each batch after the hidden layers.
    """
    if not isinstance(units, int):
        raise ValueError(f"units must be an int.  Given type: {type(units)}")

    def dnn_logit_fn(features: Mapping[str, Any], mode: str) -> Tensor:
        training = mode == ModeKeys.TRAIN
        with variable_scope("input_from_feature_columns", partitioner=input_layer_partitioner):
            net = input_layer(features, feature_columns)
        for i, size in enumerate([*hidden_units, None]):
            with variable_scope("logits" if size is None else f"hiddenlayer_{i}") as scope:
                start = glorot_uniform_initializer()
                if size is None:
                    net = dense(net, units, kernel_initializer=start, name=scope)
                else:
                    net = dense(net, size, activation_fn, kernel_initializer=start, name=scope)
                    if dropout is not None and training:
                        net = dropout_layer(net, rate=dropout, training=True)
                if size is not None and batch_norm:
                    name = f"batchnorm_{i}"
                    net = batch_normalization(net, momentum=0.999, training=training, name=name)
            _summarize(net, scope.name)
        return net

    return dnn_logit_fn


def linear_logit_fn_builder(
    units: int, feature_columns: Any, sparse_combiner: str = "sum"
) -> Callable[..., Tensor]:
    """Returns a function of features that gives the logits of a linear model.

    Args:
      units: how many logits.
      feature_columns: dense and categorical columns.
      sparse_combiner: how the weights of several ids of an example are combined.
    """

    def linear_logit_fn(features: Mapping[str, Any]) -> Tensor:
        found: dict[Any, Any] = {}
        logits = linear_model(features, feature_columns, units, sparse_combiner, cols_to_vars=found)
        bias = found.pop("bias")
        if units > 1:
            summary.histogram("bias", bias)
        else:
            summary.scalar("bias", bias[0][0])
        weights = [reshape(v, [-1]) for each in found.values() for v in each]
        summary.scalar("fraction_of_zero_weights", zero_fraction(concat(weights, 0)))
        return logits

    return linear_logit_fn


def _baseline_logits(features: Mapping[str, Any], units: int, weight_column: Any) -> Tensor:
    """The same logits for each example: a bias."""
    own = getattr(weight_column, "key", weight_column)
    sizes = [shape_of(value)[0] for key, value in features.items() if key != own]
    checks = [assert_equal(sizes[0], size) for size in sizes[1:]]
    with stacks.control_dependencies(checks), variable_scope("baseline"):
        bias = get_variable("bias", shape=[units], initializer=zeros_initializer())
        return bias * ones([sizes[0], units])


# ---- models ------------------------------------------------------------------------------


class _Model:
    """A model of feature columns: linear, deep, or both; `build` makes its EstimatorSpec.

    Args:
      head: the head.
      linear_feature_columns, dnn_feature_columns: the columns of the two parts.
      linear_optimizer, dnn_optimizer: train the parts; names or optimizers.
      linear_rate, dnn_rate: the learning rates of optimizers that are given by name.
      combined: whether each part has an optimizer of its own.
      partitioner: splits large variables.
      linear_sparse_combiner: see `linear_logit_fn_builder`.
      deep: the rest of the arguments of `dnn_logit_fn_builder`.
    """

    def __init__(
        self,
        head: Head,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        linear_rate: float = 0.2,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_rate: float = 0.05,
        partitioner: Any = None,
        linear_sparse_combiner: str = "sum",
        combined: bool = False,
        **deep: Any,
    ) -> None:
        self._head = head
        self._partitioner = partitioner
        self._parts = {
            "dnn": (tuple(dnn_feature_columns or ()), dnn_optimizer, dnn_rate),
            "linear": (tuple(linear_feature_columns or ()), linear_optimizer, linear_rate),
        }
        self._combiner = linear_sparse_combiner
        self._combined = combined
        self._deep = deep

    def build(self, features: Any, labels: Any, mode: str, config: RunConfig) -> EstimatorSpec:
        """A model_fn."""
        check_features(features)
        servers = config.num_ps_replicas if config else 0
        split = self._partitioner or min_max_variable_partitioner(servers, min_slice_size=LARGE)
        parts = {name: part for name, part in self._parts.items() if part[0]}
        logits: list[Tensor] = []
        trained: list[tuple[Optimizer, str]] = []
        with contextlib.ExitStack() as around:
            for name, (columns, given, rate) in parts.items():
                trained.append((self._optimizer(given, rate), name))
                whole = split if name == "linear" else min_max_variable_partitioner(servers)
                opened = variable_scope(name, values=list(features.values()), partitioner=whole)
                # a model of one kind has its head, and so the slots, in its scope
                with contextlib.ExitStack() as own:
                    scope = (own if self._combined else around).enter_context(opened)
                    logits.append(self._logits(name, columns, features, mode, split))
                    if self._combined and name == "linear":
                        _summarize(logits[-1], scope.name)
            total = logits[0] if len(logits) == 1 else logits[0] + logits[1]
            return self._with_head(features, labels, mode, total, trained)

    def _optimizer(self, given: Any, rate: float) -> Optimizer:
        optimizer = optimizer_instance(given, rate)
        if self._combined and isinstance(optimizer, SyncReplicasOptimizer):
            raise ValueError(
                "SyncReplicasOptimizer does not support multi optimizers case. Therefore, it is "
                "not supported in DNNLinearCombined model. If you want to use this optimizer, "
                "please use either DNN or Linear model."
            )
        return optimizer

    def _logits(self, name: str, columns: Any, features: Any, mode: str, split: Any) -> Tensor:
        units = self._head.logits_dimension
        if name == "linear":
            return linear_logit_fn_builder(units, columns, self._combiner)(features)
        arguments = {"feature_columns": columns, "input_layer_partitioner": split, **self._deep}
        return dnn_logit_fn_builder(units, **arguments)(features, mode)

    def _with_head(
        self, features: Any, labels: Any, mode: str, logits: Tensor, trained: Any
    ) -> EstimatorSpec:
        """The head's spec; each part is trained by its own optimizer, and the step counted once."""

        def train_op_fn(loss: Tensor) -> Any:
            steps = []
            for optimizer, scope in trained:
                own = stacks.get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=f"{scope}/")
                steps.append(optimizer.minimize(loss, var_list=own))
            with stacks.control_dependencies([group(*steps)]):
                return assign_add(get_global_step(), 1).op

        train = {"train_op_fn": train_op_fn} if self._combined else {"optimizer": trained[0][0]}
        return self._head.create_estimator_spec(features, mode, logits, labels, **train)


def _linear(
    head: Head, columns: Any, optimizer: Any, partitioner: Any, combiner: str
) -> _Model | SdcaLinear:
    if isinstance(optimizer, LinearSDCA):
        return SdcaLinear(head, columns, optimizer, combiner)
    rate = min(0.2, 1.0 / math.sqrt(max(len(list(columns or ())), 1)))
    optimizer = optimizer or FtrlOptimizer(learning_rate=rate)
    return _Model(
        head, columns, optimizer, 0.2, partitioner=partitioner, linear_sparse_combiner=combiner
    )


def _combined(head: Head, linear_columns: Any, dnn_columns: Any, **arguments: Any) -> _Model:
    if not linear_columns and not dnn_columns:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
    if dnn_columns and not arguments["hidden_units"]:
        raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
    arguments["linear_rate"] = min(0.005, 1.0 / math.sqrt(max(len(linear_columns or ()), 1)))
    return _Model(
        head,
        linear_columns,
        dnn_feature_columns=dnn_columns,
        dnn_rate=0.001,
        combined=True,
        **arguments,
    )


def _baseline(head: Head, optimizer: Any, weight_column: Any = None) -> Callable[..., Any]:
    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        logits = _baseline_logits(features, head.logits_dimension, weight_column)
        made = optimizer_instance(optimizer, 0.3)
        return head.create_estimator_spec(features, mode, logits, labels, made)

    return model_fn


# ---- estimators --------------------------------------------------------------------------


class LinearClassifier(Estimator):
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
      warm_start_from: a checkpoint, or `WarmStartSettings`.
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

    def __init__(
        self,
        feature_columns: Any,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        labels = (n_classes, weight_column, label_vocabulary, loss_reduction)
        head = binary_or_multi_class_head(*labels)
        model = _linear(head, feature_columns, optimizer, partitioner, sparse_combiner)
        super().__init__(model.build, model_dir, config, warm_start_from=warm_start_from)


class LinearRegressor(Estimator):
    """A linear model of numbers.

    Args:
      label_dimension: how many numbers an example has.
      others: as of `LinearClassifier`.
    """

    def __init__(
        self,
        feature_columns: Any,
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        model = _linear(head, feature_columns, optimizer, partitioner, sparse_combiner)
        super().__init__(model.build, model_dir, config, warm_start_from=warm_start_from)


class LinearEstimator(Estimator):
    """A linear model under any head; the other arguments are those of `LinearClassifier`."""

    def __init__(
        self,
        head: Head,
        feature_columns: Any,
        model_dir: str | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        partitioner: Any = None,
        sparse_combiner: str = "sum",
        warm_start_from: Any = None,
    ) -> None:
        model = _linear(head, feature_columns, optimizer, partitioner, sparse_combiner)
        super().__init__(model.build, model_dir, config, warm_start_from=warm_start_from)


class DNNClassifier(Estimator):
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

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Adagrad",
        activation_fn: Callable | None = relu,
        dropout: float | None = None,
        input_layer_partitioner: Any = None,
        config: RunConfig | None = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        labels = (n_classes, weight_column, label_vocabulary, loss_reduction)
        model = _Model(
            binary_or_multi_class_head(*labels),
            dnn_feature_columns=feature_columns,
            dnn_optimizer=optimizer,
            hidden_units=hidden_units,
            activation_fn=activation_fn,
            dropout=dropout,
            partitioner=input_layer_partitioner,
            batch_norm=batch_norm,
        )
        super().__init__(model.build, model_dir, config, warm_start_from=warm_start_from)


class DNNRegressor(Estimator):
    """Fully connected layers that tell numbers.

    Args:
      label_dimension: how many numbers an example has.
      others: as of `DNNClassifier`.
    """

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Adagrad",
        activation_fn: Callable | None = relu,
        dropout: float | None = None,
        input_layer_partitioner: Any = None,
        config: RunConfig | None = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        model = _Model(
            RegressionHead(label_dimension, weight_column, loss_reduction),
            dnn_feature_columns=feature_columns,
            dnn_optimizer=optimizer,
            hidden_units=hidden_units,
            activation_fn=activation_fn,
            dropout=dropout,
            partitioner=input_layer_partitioner,
            batch_norm=batch_norm,
        )
        super().__init__(model.build, model_dir, config, warm_start_from=warm_start_from)


class DNNEstimator(Estimator):
    """Fully connected layers under any head; the other arguments are those of `DNNClassifier`."""

    def __init__(
        self,
        head: Head,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: str | None = None,
        optimizer: Any = "Adagrad",
        activation_fn: Callable | None = relu,
        dropout: float | None = None,
        input_layer_partitioner: Any = None,
        config: RunConfig | None = None,
        warm_start_from: Any = None,
        batch_norm: bool = False,
    ) -> None:
        model = _Model(
            head,
            dnn_feature_columns=feature_columns,
            dnn_optimizer=optimizer,
            hidden_units=hidden_units,
            activation_fn=activation_fn,
            dropout=dropout,
            partitioner=input_layer_partitioner,
            batch_norm=batch_norm,
        )
        super().__init__(model.build, model_dir, config, warm_start_from=warm_start_from)


class DNNLinearCombinedClassifier(Estimator):
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

    def __init__(
        self,
        model_dir: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable | None = relu,
        dnn_dropout: float | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        input_layer_partitioner: Any = None,
        config: RunConfig | None = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        labels = (n_classes, weight_column, label_vocabulary, loss_reduction)
        model = _combined(
            binary_or_multi_class_head(*labels),
            linear_feature_columns,
            dnn_feature_columns,
            linear_optimizer=linear_optimizer,
            dnn_optimizer=dnn_optimizer,
            hidden_units=dnn_hidden_units,
            activation_fn=dnn_activation_fn,
            dropout=dnn_dropout,
            partitioner=input_layer_partitioner,
            batch_norm=batch_norm,
            linear_sparse_combiner=linear_sparse_combiner,
        )
        super().__init__(model.build, model_dir, config, warm_start_from=warm_start_from)


class DNNLinearCombinedRegressor(Estimator):
    """A linear model and fully connected layers that tell numbers.

    Args:
      label_dimension: how many numbers an example has.
      others: as of `DNNLinearCombinedClassifier`.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable | None = relu,
        dnn_dropout: float | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        input_layer_partitioner: Any = None,
        config: RunConfig | None = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        model = _combined(
            head,
            linear_feature_columns,
            dnn_feature_columns,
            linear_optimizer=linear_optimizer,
            dnn_optimizer=dnn_optimizer,
            hidden_units=dnn_hidden_units,
            activation_fn=dnn_activation_fn,
            dropout=dnn_dropout,
            partitioner=input_layer_partitioner,
            batch_norm=batch_norm,
            linear_sparse_combiner=linear_sparse_combiner,
        )
        super().__init__(model.build, model_dir, config, warm_start_from=warm_start_from)


class DNNLinearCombinedEstimator(Estimator):
    """A linear model and fully connected layers under any head.

    Args:
      head: the head.
      others: as of `DNNLinearCombinedClassifier`.
    """

    def __init__(
        self,
        head: Head,
        model_dir: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable | None = relu,
        dnn_dropout: float | None = None,
        input_layer_partitioner: Any = None,
        config: RunConfig | None = None,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        model = _combined(
            head,
            linear_feature_columns,
            dnn_feature_columns,
            linear_optimizer=linear_optimizer,
            dnn_optimizer=dnn_optimizer,
            hidden_units=dnn_hidden_units,
            activation_fn=dnn_activation_fn,
            dropout=dnn_dropout,
            partitioner=input_layer_partitioner,
            batch_norm=batch_norm,
            linear_sparse_combiner=linear_sparse_combiner,
        )
        super().__init__(model.build, model_dir, config)


class BaselineClassifier(Estimator):
    """Tells how frequent the classes are, whatever the features: what a model has to beat.

    Args:
      all: as of `LinearClassifier`.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        loss_reduction: str = Reduction.SUM,
    ) -> None:
        labels = (n_classes, weight_column, label_vocabulary, loss_reduction)
        head = binary_or_multi_class_head(*labels)
        super().__init__(_baseline(head, optimizer, weight_column), model_dir, config)


class BaselineRegressor(Estimator):
    """Tells the mean of the labels, whatever the features.

    Args:
      all: as of `LinearRegressor`.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        loss_reduction: str = Reduction.SUM,
    ) -> None:
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(_baseline(head, optimizer, weight_column), model_dir, config)


class BaselineEstimator(Estimator):
    """The same logits for each example, under any head."""

    def __init__(
        self,
        head: Head,
        model_dir: str | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
    ) -> None:
        super().__init__(_baseline(head, optimizer), model_dir, config)
