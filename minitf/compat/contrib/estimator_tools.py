"""`tf.contrib.estimator`: heads by their older names, and additions to an estimator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph.sparse_tensor import SparseTensor
from minitf.core.train.optimizer import Optimizer
from minitf.library.estimator.estimator import Estimator
from minitf.library.estimator.head_kinds import PoissonRegressionHead, RegressionHead
from minitf.library.estimator.spec import EstimatorSpec, ModeKeys
from minitf.library.losses.losses import Reduction
from minitf.library.numeric.clip import clip_by_global_norm
from minitf.library.sparse.sparse import sparse_tensor_to_dense


def regression_head(
    weight_column: Any = None, label_dimension: int = 1,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE, loss_fn: Callable | None = None,
    inverse_link_fn: Callable | None = None, name: str | None = None,
) -> RegressionHead:  # fmt: skip
    """`tf.estimator.RegressionHead`, with the arguments in the older order."""
    return RegressionHead(
        label_dimension, weight_column, loss_reduction, loss_fn, inverse_link_fn, name
    )


def poisson_regression_head(
    weight_column: Any = None, label_dimension: int = 1,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE, compute_full_loss: bool = True,
    name: str | None = None,
) -> PoissonRegressionHead:  # fmt: skip
    """`tf.estimator.PoissonRegressionHead`, with the arguments in the older order."""
    return PoissonRegressionHead(
        label_dimension, weight_column, loss_reduction, compute_full_loss, name
    )


class _Clipped(Optimizer):
    """An optimizer whose gradients together are no longer than `norm`."""

    def __init__(self, optimizer: Optimizer, norm: float) -> None:
        super().__init__(False, optimizer.get_name())
        self._optimizer, self._norm = optimizer, norm

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        gradients, variables = zip(*grads_and_vars)
        clipped, _ = clip_by_global_norm(gradients, self._norm)
        pairs = list(zip(clipped, variables))
        return self._optimizer.apply_gradients(pairs, global_step, name)


def clip_gradients_by_norm(optimizer: Optimizer, clip_norm: float) -> Optimizer:
    """An optimizer that shortens its gradients when they are longer than `clip_norm` together."""
    return _Clipped(optimizer, clip_norm)


def forward_features(
    estimator: Estimator, keys: str | Sequence[str] | None = None, sparse_default_values: Any = None
) -> Estimator:
    """An estimator whose predictions have features with them, as to tell which example it was.

    Args:
      estimator: the estimator.
      keys: the features; all by default.
      sparse_default_values: what stands in the gaps of sparse features, by name.
    Raises:
      ValueError: when a feature is missing, or has the name of a prediction.
    """
    wanted = [keys] if isinstance(keys, str) else keys

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        spec = estimator.model_fn(features, labels, mode, config)
        if mode != ModeKeys.PREDICT:
            return spec
        predictions = dict(spec.predictions)
        for key in sorted(features) if wanted is None else wanted:
            if key not in features:
                raise ValueError(f"keys should be exist in features. Key {key} is not in features.")
            if key in predictions:
                raise ValueError(
                    f"Cannot forward feature key ({key}). Since it does exist in predictions."
                )
            feature = features[key]
            if isinstance(feature, SparseTensor):
                feature = sparse_tensor_to_dense(feature, (sparse_default_values or {}).get(key))
            predictions[key] = feature
        return spec._replace(predictions=predictions)

    return Estimator(model_fn, model_dir=estimator.model_dir, config=estimator.config)
