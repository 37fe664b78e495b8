"""Estimators made from estimators: with more metrics, or with features among the predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minitf.library.estimator.estimator import Estimator
from minitf.library.estimator.export_outputs import PredictOutput
from minitf.library.estimator.run_config import RunConfig
from minitf.library.estimator.spec import (
    EstimatorSpec,
    ModeKeys,
    argument_names,
    call_with_known,
)

Change = Callable[[EstimatorSpec, Any, Any, RunConfig], EstimatorSpec]


def _changed(estimator: Estimator, mode: str, change: Change) -> Estimator:
    """An estimator of the same model_dir whose spec is changed in one mode."""

    def model_fn(features: Any, labels: Any, mode: str, config: RunConfig) -> EstimatorSpec:
        spec = estimator.model_fn(features, labels, mode, config)
        return change(spec, features, labels, config) if mode == wanted else spec

    wanted = mode
    start = estimator._warm_start_settings
    return Estimator(model_fn, estimator.model_dir, estimator.config, warm_start_from=start)


def add_metrics(estimator: Estimator, metric_fn: Callable[..., Mapping[str, Any]]) -> Estimator:
    """Returns an estimator like the given one that evaluates more metrics.

    Args:
      estimator: the estimator; both have one model_dir.
      metric_fn: a function of those of `features`, `labels`, `predictions`, `config` that it
        needs, which returns a dict of metrics.
    Raises:
      ValueError: when it has other arguments.
    """
    allowed = ("features", "labels", "predictions", "config")
    if others := [name for name in argument_names(metric_fn) if name not in allowed]:
        raise ValueError(f"metric_fn ({metric_fn}) has following not expected args: {others}")

    def change(spec: EstimatorSpec, features: Any, labels: Any, config: Any) -> EstimatorSpec:
        offered = dict(zip(allowed, (features, labels, spec.predictions, config), strict=True))
        added = call_with_known(metric_fn, offered)
        return spec._replace(eval_metric_ops={**spec.eval_metric_ops, **added})

    return _changed(estimator, ModeKeys.EVAL, change)


def forward_features(estimator: Estimator, keys: str | Sequence[str] | None = None) -> Estimator:
    """Returns an estimator like the given one whose predictions hold features as well.

    Args:
      estimator: the estimator, whose predictions are a dict; both have one model_dir.
      keys: which features, a name or a list; all when None.
    Raises:
      ValueError: later, when a feature is missing, or a prediction has its name.
    Example:
      >>> model = tf.estimator.BaselineRegressor(model_dir="/tmp/with_ids")
      >>> model = tf.contrib.estimator.forward_features(model, "id")
      >>> predictions = model.predict(
      ...     lambda: tf.data.Dataset.from_tensors({"id": [7], "x": [1.0]}))
      >>> sorted(next(predictions))
      ['id', 'predictions']
    """

    def change(spec: EstimatorSpec, features: Any, labels: Any, config: Any) -> EstimatorSpec:
        wanted = [keys] if isinstance(keys, str) else list(features if keys is None else keys)
        for key in wanted:
            if key not in features:
                raise ValueError(f"There is no feature {key!r} to forward, only {list(features)}")
            if key in spec.predictions:
                raise ValueError(
                    f"Cannot forward the feature {key!r}: a prediction has this name, among "
                    f"{list(spec.predictions)}"
                )
        added = {key: features[key] for key in wanted}
        outputs = {
            name: PredictOutput({**output.outputs, **added})
            if isinstance(output, PredictOutput)
            else output
            for name, output in spec.export_outputs.items()
        }
        return spec._replace(predictions={**spec.predictions, **added}, export_outputs=outputs)

    return _changed(estimator, ModeKeys.PREDICT, change)
