"""`tf.estimator.BoostedTreesClassifier` and its kin: trees grown a layer at a time.

Each step predicts a batch with the trees that stand, and adds the slopes and curvatures of its loss
to the histograms of the layer that grows now. After `n_batches_per_layer` batches the layer is
split, and after `max_depth` layers the next tree begins. Columns of plain numbers are cut into
buckets first: their first batches are collected, and cut where equal shares of them lie.
"""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from minitf.core.gradients.gradients import gradients
from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import GraphKeys
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_joining import concat, stack
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.control import group, no_op
from minitf.core.ops.state import assign, assign_add
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.estimator.estimator import Estimator
from minitf.library.estimator.heads import Head, RegressionHead
from minitf.library.estimator.premade import Model, Premade
from minitf.library.estimator.spec import EstimatorSpec, ModeKeys
from minitf.library.feature_columns.base import FeatureCache, normalized
from minitf.library.feature_columns.dense import BucketizedColumn, IndicatorColumn, NumericColumn
from minitf.library.saving.checkpoint_utils import load_variable
from minitf.library.sessions.basic_hooks import SessionRunArgs, SessionRunHook
from minitf.library.sessions.training_util import get_or_create_global_step
from minitf.library.summary import summary
from minitf.library.trees import forest
from minitf.library.trees.forest import Growth

_SCOPE = "boosted_trees"
_NAMES = ("splits", "values", "gains", "roots", "progress")


def _kept(name: str, value: Any, saved: bool = True) -> Any:
    """A variable of any shape that no optimizer changes."""
    key = GraphKeys.GLOBAL_VARIABLES if saved else GraphKeys.LOCAL_VARIABLES
    return get_variable(
        name,
        initializer=convert_to_tensor(value),
        trainable=False,
        collections=[key],
        validate_shape=False,
        use_resource=True,
    )


def _updated(variables: Iterable[Any], values: Iterable[Tensor]) -> Any:
    pairs = zip(variables, values, strict=True)
    return group(*(assign(variable, value, validate_shape=False) for variable, value in pairs))


class StopWhenGrown(SessionRunHook):
    """Ends training when all trees are complete.

    Args:
      progress: the numbers of `forest.Progress`, after the step.
      n_trees: how many trees there are to be.
    """

    def __init__(self, progress: Tensor, n_trees: int) -> None:
        self._progress, self._n_trees = progress, n_trees

    def before_run(self, run_context: Any) -> SessionRunArgs:
        return SessionRunArgs(self._progress)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if run_values.results[0] >= self._n_trees:
            run_context.request_stop()


class BoostedModel:
    """What a boosted estimator builds in each of its graphs.

    Args:
      columns: bucketized, indicator and numeric columns.
      head: turns the sum of the trees into predictions and a loss.
      n_batches: how many batches a layer takes.
      growth: how trees grow.
      center_bias: whether the first root begins with the best single value.
      epsilon: 1 / how many buckets a numeric column is cut into.
    """

    def __init__(
        self,
        columns: Any,
        head: Head,
        n_batches: int,
        growth: Growth,
        center_bias: bool = False,
        epsilon: float = 0.01,
    ) -> None:
        if growth.pruning not in ("none", "pre", "post"):
            raise ValueError(f"{growth.pruning} not supported: use none, pre or post.")
        if growth.tree_complexity > 0 and growth.pruning == "none":
            raise ValueError("Tree complexity have no effect unless pruning mode is chosen.")
        if growth.tree_complexity <= 0 and growth.pruning != "none":
            raise ValueError("For pruning, tree_complexity must be positive.")
        for column in normalized(columns):
            if not isinstance(column, (BucketizedColumn, IndicatorColumn, NumericColumn)):
                raise ValueError(
                    "For now, only bucketized_column, indicator_column, numeric_column is "
                    f"supported but got: {column}"
                )
        # Numeric columns come last: their buckets are found all at once.
        self.columns: list[Any] = sorted(
            normalized(columns), key=lambda c: (isinstance(c, NumericColumn), c.name)
        )
        self.head, self.growth = head, growth
        self._n_batches, self._center_bias = n_batches, center_bias
        self._quantiles = max(int(1.0 / epsilon), 2)

    @property
    def feature_names(self) -> list[str]:
        """Of each feature the name of its column."""
        return [name for column in self.columns for name in _names_of(column)]

    def model_fn(self, features: Any, labels: Any, mode: str) -> EstimatorSpec:
        """The model_fn of an estimator."""
        return self._build(features, labels, mode)

    def explaining_model_fn(self, features: Any, mode: str) -> EstimatorSpec:
        """The model_fn that predicts with the way of each example through the trees."""
        return self._build(features, None, mode, explained=True)

    def _build(
        self, features: Any, labels: Any, mode: str, explained: bool = False
    ) -> EstimatorSpec:
        head, step = self.head, get_or_create_global_step()
        with variable_scope(_SCOPE):
            start = forest.sapling(head.logits_dimension, self._center_bias).arrays()
            trees = [_kept(name, value) for name, value in zip(_NAMES, start)]
            buckets, ready, collect = self._buckets(features)
            splits, values, _, roots, _ = trees
            logits, leaves = forest.predict_op(
                buckets, splits, values, roots, dims=head.logits_dimension
            )
            if mode != ModeKeys.TRAIN:
                spec = head.create_estimator_spec(features, mode, logits, labels)
                if explained:
                    asked, sums = forest.paths_op(buckets, splits, values, roots)
                    spec.predictions.update(_asked=asked, _sums=sums)
                return spec
            width = 2 * head.logits_dimension
            stats = _kept("stats", np.zeros((1, 1, 1, width), np.float32), saved=False)
            batches = _kept("batches", np.int64(0), saved=False)
            kept, progress = [*trees, stats, batches], []

            def train_op_fn(loss: Tensor) -> Any:
                grown = forest.grow_op(
                    buckets,
                    leaves,
                    slopes_of(loss, logits),
                    ready,
                    *kept,
                    n_batches=self._n_batches,
                    buckets=self._most_buckets(),
                    **dataclasses.asdict(self.growth),
                )
                progress.append(grown[4])
                for place, name in enumerate(("finalized_trees", "attempted_layers")):
                    summary.scalar(f"ensemble/num_{name}", grown[4][place])
                counted = assign_add(step, cast(ready, dtypes.int64))
                return group(_updated(kept, grown), collect, counted)

            spec = head.create_estimator_spec(features, mode, logits, labels, train_op_fn)
        hook = StopWhenGrown(progress[0], self.growth.n_trees)
        return spec._replace(training_hooks=[*spec.training_hooks, hook])

    def _most_buckets(self) -> int:
        sizes = [len(c.boundaries) + 1 for c in self.columns if isinstance(c, BucketizedColumn)]
        numeric = any(isinstance(c, NumericColumn) for c in self.columns)
        return max([2, *sizes, self._quantiles if numeric else 0])

    def _buckets(self, features: Any) -> tuple[Tensor, Tensor, Any]:
        """[batch, features] int32; whether they are to be used; and what collects numbers."""
        cache = FeatureCache(features)
        found: list[Tensor] = []
        numbers: list[Tensor] = []
        for column in self.columns:
            tensor = cache.get(column)
            tensor = reshape(tensor, [-1, len(_names_of(column))])
            (numbers if isinstance(column, NumericColumn) else found).append(tensor)
        found = [cast(tensor, dtypes.int32) for tensor in found]
        if not numbers:
            return concat(found, 1), convert_to_tensor(True), no_op()
        values = concat(numbers, 1)
        count: int = values.shape.as_list()[1]  # type: ignore[assignment]
        bounds = np.zeros((count, self._quantiles - 1), np.float32)
        boundaries, ready = _kept("boundaries", bounds), _kept("are_boundaries_ready", False)
        seen = _kept("seen", np.zeros((0, count), np.float32), saved=False)
        batches = _kept("seen_batches", np.int64(0), saved=False)
        kept = [seen, batches, boundaries, ready]
        new = forest.quantiles_op(*kept, values, n_batches=self._n_batches)
        found.append(forest.bucketize_op(values, boundaries))
        return concat(found, 1), convert_to_tensor(ready), _updated(kept, new)


def _names_of(column: Any) -> list[str]:
    if isinstance(column, IndicatorColumn):
        return [column.categorical_column.name] * column.categorical_column.num_buckets
    source = column.source_column if isinstance(column, BucketizedColumn) else column
    return [column.name] * int(np.prod(source.shape))


def slopes_of(loss: Tensor, logits: Tensor) -> Tensor:
    """[batch, 2 * dims] the slope of a loss along each logit, then its curvature along each."""
    slope: Any = gradients(loss, [logits])[0]
    dims: int = logits.shape.as_list()[1]  # type: ignore[assignment]
    along: list[Any] = [gradients(slope[:, d], [logits])[0] for d in range(dims)]
    curves = [curve[:, d] for d, curve in enumerate(along)]
    return concat([slope, stack(curves, 1)], 1)


# ---- the estimators ----------------------------------------------------------------------


_HYPERPARAMETERS: dict[str, Any] = {
    "n_trees": 100,
    "max_depth": 6,
    "learning_rate": 0.1,
    "l1_regularization": 0.0,
    "l2_regularization": 0.0,
    "tree_complexity": 0.0,
    "min_node_weight": 0.0,
    "pruning_mode": "none",
}
_BOOSTED = Model(
    lambda head, given: _boosted_model(head, given).model_fn,
    "feature_columns n_batches_per_layer model_dir HEAD n_trees max_depth learning_rate "
    "l1_regularization l2_regularization tree_complexity min_node_weight config center_bias "
    "pruning_mode quantile_sketch_epsilon train_in_memory",
    {
        **_HYPERPARAMETERS,
        "center_bias": False,
        "quantile_sketch_epsilon": 0.01,
        "train_in_memory": False,
    },
)


def _boosted_model(head: Head, given: Any) -> BoostedModel:
    """The model of the arguments of an estimator."""
    if given.train_in_memory and given.n_batches_per_layer != 1:
        raise ValueError(
            "When train_in_memory is enabled, input_fn should return the entire dataset as a "
            "single batch, and n_batches_per_layer should be set as 1."
        )
    growth = Growth(*(getattr(given, name) for name in _HYPERPARAMETERS))
    columns, epsilon = given.feature_columns, given.quantile_sketch_epsilon
    return BoostedModel(
        columns, head, given.n_batches_per_layer, growth, given.center_bias, epsilon
    )


class BoostedTrees(Premade):
    """What both boosted estimators have in common."""

    @property
    def _model(self) -> BoostedModel:
        return _boosted_model(self._head, self._given)

    def experimental_feature_importances(self, normalize: bool = False) -> OrderedDict:
        """By column how much its splits lowered the loss, the most important first.

        Args:
          normalize: whether they sum up to 1.
        Raises:
          ValueError: when nothing was trained.
          AssertionError: when there is nothing to normalize.
        """
        self._check_trained()
        splits, gains = (
            load_variable(self.model_dir, f"{_SCOPE}/{n}") for n in ("splits", "gains")
        )
        names, sums = self._model.feature_names, {}  # type: ignore[var-annotated]
        inner = splits[:, forest.FEATURE] >= 0
        for feature, gain in zip(splits[inner, forest.FEATURE], gains[inner]):
            sums[names[feature]] = sums.get(names[feature], 0.0) + float(gain)
        sums = {**dict.fromkeys(names, 0.0), **sums}
        if normalize:
            total = sum(sums.values())
            assert all(gain >= 0 for gain in sums.values()), (
                "feature_importances must be non-negative."
            )
            assert total > 0, "Trees are all empty or contain only a root node."
            sums = {name: gain / total for name, gain in sums.items()}
        return OrderedDict(sorted(sums.items(), key=lambda item: -item[1]))

    def experimental_predict_with_explanations(
        self,
        input_fn: Callable,
        predict_keys: Sequence[str] | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        checkpoint_path: str | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Predictions, with what each column added to them.

        The sum of "bias" and all of "dfc" (directional feature contributions) is the prediction: of
        a classifier the probability of class 1, of a regressor the number.

        Args: see `Estimator.predict`.
        Returns: dicts of the predictions, "bias" and "dfc", the largest contribution first.
        Raises:
          ValueError: when `center_bias` is not set, or there are several logits.
        """
        model = self._model
        if not model._center_bias:
            raise ValueError(
                "center_bias must be enabled during estimator instantiation when using "
                "experimental_predict_with_explanations."
            )
        if model.head.logits_dimension != 1:
            raise ValueError("Explanations are for models of one logit.")
        fn, folder = model.explaining_model_fn, self.model_dir
        estimator = Estimator(fn, folder, self.config)
        keys = None if predict_keys is None else [*predict_keys, "_asked", "_sums"]
        for found in estimator.predict(input_fn, keys, hooks, checkpoint_path):
            asked, sums = found.pop("_asked"), found.pop("_sums").astype(np.float64)
            if isinstance(model.head, RegressionHead):
                reached = sums
            else:
                reached = 1.0 / (1.0 + np.exp(-sums))
            yield {**found, **self._explained(asked, reached)}

    def _explained(self, asked: Any, reached: Any) -> dict[str, Any]:
        names = self._model.feature_names
        parts = dict.fromkeys(names, 0.0)
        for feature, change in zip(asked, np.diff(reached)):
            if feature >= 0:
                parts[names[feature]] += float(change)
        ordered = sorted(parts.items(), key=lambda item: -abs(item[1]))
        return {"bias": float(reached[0]), "dfc": OrderedDict(ordered)}


class BoostedTreesClassifier(BoostedTrees, model=_BOOSTED):
    """Gradient boosted trees that tell classes.

    Args:
      feature_columns: bucketized, indicator and numeric columns.
      n_batches_per_layer: how many batches are seen before a layer is split.
      model_dir, config: see `tf.estimator.Estimator`.
      n_classes: how many classes; each has a value of its own in every leaf when there are more
        than two.
      weight_column: the feature that weighs the examples.
      label_vocabulary: the labels when they are texts.
      n_trees, max_depth: how many trees, and how many layers of each.
      learning_rate: which part of the best step a leaf takes.
      l1_regularization, l2_regularization: what the values of leaves cost.
      tree_complexity: what a leaf costs; needs pruning.
      min_node_weight: the least curvature of a leaf that may be split.
      center_bias: whether the first root begins with the best single value.
      pruning_mode: "none"; "pre": no split that costs more than it gains; "post": they are taken
        back when the tree is complete.
      quantile_sketch_epsilon: 1 / how many buckets a numeric column is cut into.
      train_in_memory: whether a batch is all the data; `n_batches_per_layer` is 1 then.

    Example:
      >>> age = tf.feature_column.numeric_column("age")
      >>> def data():
      ...     return tf.data.Dataset.from_tensors(({"age": [3.0, 5.0, 40.0]}, [0, 0, 1])).repeat()
      >>> trees = tf.estimator.BoostedTreesClassifier(
      ...     [age], 1, model_dir="/tmp/trees", n_trees=2, max_depth=1)
      >>> _ = trees.train(data)
      >>> trees.evaluate(data, steps=1)["accuracy"]
      1.0
    """


class BoostedTreesRegressor(BoostedTrees, model=_BOOSTED):
    """Gradient boosted trees that tell numbers.

    Args:
      label_dimension: how many numbers an example has.

    The other arguments are those of `BoostedTreesClassifier`.
    """


# ---- all data in one batch ---------------------------------------------------------------


def boosted_trees_classifier_train_in_memory(
    train_input_fn: Callable,
    feature_columns: Any,
    *args: Any,
    train_hooks: Any = None,
    **kwargs: Any,
) -> Any:
    """Trains a classifier on data that is one batch.

    Args:
      train_input_fn: returns a `Dataset` of one batch, or the batch.
      feature_columns: see `BoostedTreesClassifier`, as the other arguments.
      train_hooks: more hooks.
    Returns: the trained estimator.
    """

    def forever() -> Any:
        data = train_input_fn()
        return data.take(1).cache().repeat() if hasattr(data, "repeat") else data

    trees = BoostedTreesClassifier(feature_columns, 1, *args, train_in_memory=True, **kwargs)
    return trees.train(forever, hooks=train_hooks)
