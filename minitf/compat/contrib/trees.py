"""`tf.contrib.boosted_trees` and `tf.contrib.tensor_forest`: trees under older names.

    learner_config = learner_pb2.LearnerConfig()
    learner_config.learning_rate_tuner.fixed.learning_rate = 0.1
    GradientBoostedDecisionTreeClassifier(learner_config, examples_per_layer=1000, num_trees=10)

    params = ForestHParams(num_classes=10, num_features=784, num_trees=10, max_nodes=1000).fill()
    forest = RandomForestGraphs(params)
    train, loss = forest.training_graph(x, y), forest.training_loss(x, y)

Boosted trees take a dict of features without columns as numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from minitf.compat.contrib.feature_columns import named
from minitf.compat.contrib.learn import Estimator
from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.messages import Message
from minitf.core.graph.tensor import Operation, Tensor
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.control import group
from minitf.core.ops.math import negative
from minitf.core.ops.reductions import reduce_mean
from minitf.core.ops.state import assign
from minitf.core.variables.initializers import constant_initializer
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.estimator.estimator import Estimator as CoreEstimator
from minitf.library.estimator.heads import binary_or_multi_class_head
from minitf.library.estimator.spec import EstimatorSpec
from minitf.library.feature_columns.dense import numeric_column
from minitf.library.losses import Reduction
from minitf.library.numeric.filling import one_hot
from minitf.library.trees import random_forest
from minitf.library.trees.boosted_trees import BoostedModel
from minitf.library.trees.forest import Growth

# ---- boosted trees -----------------------------------------------------------------------------


# ---- learner_pb2 -------------------------------------------------------------------------


@dataclass
class TreeRegularizationConfig(Message):
    """What leaves cost: by their values, by their squares, and each."""

    l1: float = 0.0
    l2: float = 0.0
    tree_complexity: float = 0.0


@dataclass
class TreeConstraintsConfig(Message):
    """How far trees may grow."""

    max_tree_depth: int = 0
    min_node_weight: float = 0.0
    max_number_of_unique_feature_columns: int = 0


@dataclass
class LearningRateFixedConfig(Message):
    """One learning rate."""

    learning_rate: float = 0.0


@dataclass
class LearningRateConfig(Message):
    """How the learning rate is chosen; only a fixed one is followed."""

    fixed: LearningRateFixedConfig = field(default_factory=LearningRateFixedConfig)


@dataclass
class LearnerConfig(Message):
    """How trees are learned."""

    PRUNING_MODE_UNSPECIFIED: ClassVar = 0
    PRE_PRUNE: ClassVar = 1
    POST_PRUNE: ClassVar = 2
    GROWING_MODE_UNSPECIFIED: ClassVar = 0
    WHOLE_TREE: ClassVar = 1
    LAYER_BY_LAYER: ClassVar = 2
    MULTI_CLASS_STRATEGY_UNSPECIFIED: ClassVar = 0
    TREE_PER_CLASS: ClassVar = 1
    FULL_HESSIAN: ClassVar = 2
    DIAGONAL_HESSIAN: ClassVar = 3

    num_classes: int = 0
    feature_fraction_per_tree: float = 0.0
    feature_fraction_per_level: float = 0.0
    regularization: TreeRegularizationConfig = field(default_factory=TreeRegularizationConfig)
    constraints: TreeConstraintsConfig = field(default_factory=TreeConstraintsConfig)
    pruning_mode: int = 0
    growing_mode: int = 0
    learning_rate_tuner: LearningRateConfig = field(default_factory=LearningRateConfig)
    multi_class_strategy: int = 0

    def growth(self, num_trees: int | None) -> Growth:
        """The same in the words of `library/trees/`."""
        costs, pruning = self.regularization, "none"
        if costs.tree_complexity > 0:
            pruning = "pre" if self.pruning_mode == self.PRE_PRUNE else "post"
        return Growth(
            num_trees or 100,
            self.constraints.max_tree_depth or 6,
            self.learning_rate_tuner.fixed.learning_rate or 0.1,
            costs.l1,
            costs.l2,
            costs.tree_complexity,
            self.constraints.min_node_weight,
            pruning,
        )


# ---- the estimators ----------------------------------------------------------------------


class GradientBoostedDecisionTreeClassifier(Estimator):
    """Boosted trees that tell classes.

    Args:
      learner_config: a `LearnerConfig`.
      examples_per_layer: how many examples are seen before a layer is split; whole batches.
      n_classes: how many classes.
      num_trees: how many trees; 100 by default.
      feature_columns: columns; all features, as numbers, by default.
      weight_column_name: the feature that weighs the examples.
      model_dir, config: see `tf.contrib.learn.Estimator`.
      label_keys: the labels when they are words.
      center_bias: whether the first root begins with the best single value.
      num_quantiles: how many buckets a number is cut into.
    """

    def __init__(
        self,
        learner_config: LearnerConfig,
        examples_per_layer: int,
        n_classes: int = 2,
        num_trees: int | None = None,
        feature_columns: Any = None,
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        config: Any = None,
        label_keys: Sequence[str] | None = None,
        center_bias: bool = True,
        num_quantiles: int = 100,
    ) -> None:
        if learner_config.num_classes not in (0, n_classes):
            raise ValueError(f"n_classes ({n_classes}) doesn't match learner_config.")
        growth = learner_config.growth(num_trees)
        head = binary_or_multi_class_head(
            n_classes, weight_column_name, label_keys, Reduction.SUM_OVER_BATCH_SIZE
        )

        def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
            features = named(features)
            columns = feature_columns or [
                numeric_column(name, tuple(tensor.shape.as_list()[1:]) or (1,))
                for name, tensor in features.items()
            ]
            batch = next(iter(features.values())).shape.as_list()[0]
            n_batches = math.ceil(examples_per_layer / batch) if batch else 1
            model = BoostedModel(columns, head, n_batches, growth, center_bias, 1.0 / num_quantiles)
            return model.model_fn(features, labels, mode)

        self._take(CoreEstimator(model_fn, model_dir=model_dir, config=config))


# ---- random forests ----------------------------------------------------------------------------


class ForestHParams:
    """The settings of a random forest, as attributes.

    Args:
      num_trees: how many trees.
      max_nodes: how many nodes a tree has at most.
      bagging_fraction: which part of the examples each tree sees.
      num_splits_to_consider: how many splits a leaf compares; 0 for the root of the features.
      split_after_samples: how many examples a leaf sees before it is split.
      base_random_seed: decides proposals and bags.
      num_classes, num_features: must be told.
      others: TensorFlow's other settings are accepted and mean nothing.
    """

    num_classes: int
    num_features: int
    num_trees = 100
    max_nodes = 10000
    bagging_fraction = 1.0
    num_splits_to_consider = 0
    split_after_samples = 250
    base_random_seed = 0

    def __init__(self, **settings: Any) -> None:
        vars(self).update(settings)

    def fill(self) -> ForestHParams:
        """Works out what follows from the other settings.

        Raises:
          RuntimeError: when the number of classes or of features is not told.
        """
        for name in ("num_classes", "num_features"):
            if getattr(self, name, None) is None:
                raise RuntimeError(f"{name} must be set for a random forest.")
        if self.num_splits_to_consider == 0:
            self.num_splits_to_consider = max(10, math.floor(math.sqrt(self.num_features)))
        return self


class ForestInference(NamedTuple):
    """What a forest tells; where a tensor is wanted, it is the predictions.

    Releases before 1.5 gave the predictions alone, and programs of that time go on with them.
    """

    predictions: Tensor
    tree_paths: Tensor | None
    regression_variance: Tensor | None

    def _as_tensor(self) -> Tensor:
        return self.predictions


class RandomForestGraphs:
    """The operations of a random forest.

    Args:
      params: a filled `ForestHParams`.
      device_assigner, variables, tree_variables_class, tree_graphs, training: accepted; the trees
        are variables of the scope that is open here.
    """

    def __init__(
        self,
        params: Any,
        device_assigner: Any = None,
        variables: Any = None,
        tree_variables_class: Any = None,
        tree_graphs: Any = None,
        training: bool = True,
    ) -> None:
        self.params = params
        seeds = random_forest.seeds(
            params.num_trees, params.max_nodes, params.num_classes, params.num_splits_to_consider
        )
        with variable_scope("random_forest"):
            self.variables = random_forest.Trees(
                *(
                    get_variable(
                        name,
                        shape,
                        dtypes.as_dtype(kind),
                        constant_initializer(value),
                        trainable=False,
                    )
                    for name, (shape, kind, value) in seeds.items()
                )
            )

    def training_graph(
        self,
        input_data: Any,
        input_labels: Any,
        num_trainers: int = 1,
        trainer_id: int = 0,
        **tree_kwargs: Any,
    ) -> Operation:
        """The operation that lets the trees see a batch.

        Args:
          input_data: [batch, features] numbers, or a dict of columns.
          input_labels: [batch] classes.
          num_trainers, trainer_id, tree_kwargs: accepted.
        """
        params, labels = self.params, convert_to_tensor(input_labels)
        added = one_hot(reshape(cast(labels, dtypes.int32), [-1]), params.num_classes)
        learned = random_forest.learn_op(
            _matrix(input_data),
            added,
            *self.variables,
            split_after=params.split_after_samples,
            bagging=float(params.bagging_fraction),
            seed=params.base_random_seed,
        )
        return group(*map(assign, self.variables, learned), name="train")

    def inference_graph(self, input_data: Any, **inference_args: Any) -> ForestInference:
        """The predictions: [batch, classes] probabilities.

        Args:
          input_data: see `training_graph`.
          inference_args: accepted.
        Returns: the predictions; there are no paths, nor variances.
        """
        found = random_forest.predict_op(_matrix(input_data), *self.variables[:3])
        return ForestInference(found, None, None)

    def average_size(self) -> Tensor:
        """A scalar: how many nodes a tree has in the mean."""
        return reduce_mean(cast(self.variables.used, dtypes.float32))

    def training_loss(self, features: Any, labels: Any, name: str = "training_loss") -> Tensor:
        """A scalar that falls while the forest grows: less the size of its trees."""
        return negative(self.average_size(), name=name)


def _matrix(data: Any) -> Tensor:
    """[batch, features] float32 of a matrix, or of the columns of a dict side by side."""
    if not isinstance(data, dict):
        return cast(convert_to_tensor(data), dtypes.float32)
    columns = [cast(convert_to_tensor(data[name]), dtypes.float32) for name in sorted(data)]
    return concat([c if c.shape.ndims == 2 else reshape(c, [-1, 1]) for c in columns], 1)
