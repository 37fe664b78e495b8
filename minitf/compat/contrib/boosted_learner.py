"""`tf.contrib.boosted_trees`: boosted trees by a `LearnerConfig`, as `tf.contrib.learn` has them.

    learner_config = learner_pb2.LearnerConfig()
    learner_config.learning_rate_tuner.fixed.learning_rate = 0.1
    learner_config.constraints.max_tree_depth = 4
    GradientBoostedDecisionTreeClassifier(learner_config, examples_per_layer=1000, num_trees=10)

The trees are those of `library/trees/`. A dict of features without columns is taken as numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from minitf.compat.contrib.feature_columns import named
from minitf.compat.contrib.learn import Estimator
from minitf.core.graph import logging
from minitf.core.graph.messages import Message
from minitf.library.estimator.estimator import Estimator as CoreEstimator
from minitf.library.estimator.head_kinds import binary_or_multi_class_head
from minitf.library.estimator.heads import Head
from minitf.library.estimator.spec import EstimatorSpec
from minitf.library.feature_columns.numeric import numeric_column
from minitf.library.losses.losses import Reduction
from minitf.library.trees.boosted_trees import BoostedModel
from minitf.library.trees.forest import Growth

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


class _Boosted(Estimator):
    def _build(
        self,
        head: Head,
        learner_config: LearnerConfig,
        examples_per_layer: int,
        num_trees: int | None,
        feature_columns: Any,
        model_dir: str | None,
        config: Any,
        engineer: Callable | None,
        center_bias: bool,
        num_quantiles: int,
        **ignored: Any,
    ) -> None:
        growth = learner_config.growth(num_trees)
        for name, value in ignored.items():
            if value:
                logging.warning("%s is not followed by minitf: %s", name, value)

        def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
            if engineer is not None:
                features, labels = engineer(features, labels)
            features = named(features)
            columns = feature_columns or [
                numeric_column(name, tuple(tensor.shape.as_list()[1:]) or (1,))
                for name, tensor in features.items()
            ]
            batch = next(iter(features.values())).shape.as_list()[0]
            n_batches = math.ceil(examples_per_layer / batch) if batch else 1
            model = BoostedModel(columns, head, n_batches, growth, center_bias, 1.0 / num_quantiles)
            return model.build(features, labels, mode)

        self._take(CoreEstimator(model_fn, model_dir=model_dir, config=config))


class GradientBoostedDecisionTreeClassifier(_Boosted):
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
      feature_engineering_fn: changes features and labels.
      center_bias: whether the first root begins with the best single value.
      num_quantiles: how many buckets a number is cut into.
      logits_modifier_function, output_leaf_index, override_global_step_value: not followed.
      use_core_libs: accepted.
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
        feature_engineering_fn: Callable | None = None,
        logits_modifier_function: Callable | None = None,
        center_bias: bool = True,
        use_core_libs: bool = False,
        output_leaf_index: bool = False,
        override_global_step_value: int | None = None,
        num_quantiles: int = 100,
    ) -> None:
        if learner_config.num_classes not in (0, n_classes):
            raise ValueError(f"n_classes ({n_classes}) doesn't match learner_config.")
        head = binary_or_multi_class_head(
            n_classes, weight_column_name, label_keys, Reduction.SUM_OVER_BATCH_SIZE
        )
        self._build(
            head,
            learner_config,
            examples_per_layer,
            num_trees,
            feature_columns,
            model_dir,
            config,
            feature_engineering_fn,
            center_bias,
            num_quantiles,
            logits_modifier_function=logits_modifier_function,
            output_leaf_index=output_leaf_index,
        )
