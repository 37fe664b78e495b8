"""`Metric`: variables that add up over the batches, and a value made of them.

m = tf.keras.metrics.Mean()
m.update_state(values)   adds a batch; in a graph, the operation that does
m.result()               the value so far
m(values)                both
m.reset_states()         begins anew: `fit` does so at each epoch
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from minitf.core.graph import nest, stacks
from minitf.core.graph.stacks import control_dependencies
from minitf.core.ops.array import identity, size
from minitf.core.ops.cast import cast
from minitf.core.ops.math import div_no_nan, multiply
from minitf.core.ops.reductions import reduce_mean, reduce_sum
from minitf.core.variables.variable_def import VariableAggregation, VariableSynchronization
from minitf.library.distribute.values import local_results
from minitf.library.eager.function import function
from minitf.library.keras.backend.session import batch_set_value, floatx
from minitf.library.keras.engine.base_layer import Layer
from minitf.library.keras.losses import fit_ranks
from minitf.library.losses import fit_weights
from minitf.library.numeric.weights import broadcast_weights

_LIBRARY = __name__.partition(".")[0] + "."


def _noting(update_state: Callable[..., Any]) -> Callable[..., Any]:
    """`update_state` of a class: it also notes the operation among the metric's updates.

    What a program's own class does in a graph is brought into order, as in a `tf.function`.
    """
    own = (update_state.__module__ or "").startswith(_LIBRARY)

    @functools.wraps(update_state)
    def wrapper(self: Metric, *args: Any, **kwargs: Any) -> Any:
        if self._in_update:  # the method of a base class
            return update_state(self, *args, **kwargs)
        self._in_update = True
        try:
            if own or stacks.executing_eagerly():
                update = update_state(self, *args, **kwargs)
            else:
                bound = functools.partial(update_state, self)
                update = function(functools.update_wrapper(bound, update_state))(*args, **kwargs)
        finally:
            self._in_update = False
        if update is not None and not stacks.executing_eagerly():
            self._update_ops.append(update)
        return update

    return wrapper


def _keeping(result: Callable[..., Any]) -> Callable[..., Any]:
    """`result` of a class: the metric keeps the tensor, which a model fetches in each step."""

    @functools.wraps(result)
    def wrapper(self: Metric) -> Any:
        place = stacks.strategies.top()
        context = None if place is None else place.replica_context
        if context is None:
            value = result(self)
        else:  # what all replicas have counted
            value = context.merge_call(lambda strategy: result(self))
        if not stacks.executing_eagerly():
            value = self._call_result = identity(value)
        return value

    return wrapper


class Metric(Layer):
    """Base of the metrics. A subclass makes variables, and says `update_state` and `result`.

    Args:
      name: the name, by which a model reports it.
      dtype: the type of the variables; by default that of `floatx()`.

    Example:
      >>> class Largest(tf.keras.metrics.Metric):
      ...     def __init__(self, name="largest", **kwargs):
      ...         super().__init__(name=name, **kwargs)
      ...         self.seen = self.add_weight("seen", initializer="zeros")
      ...     def update_state(self, y_true, y_pred, sample_weight=None):
      ...         return self.seen.assign(tf.maximum(self.seen, tf.reduce_max(y_pred)))
      ...     def result(self):
      ...         return self.seen
    """

    _is_metric: ClassVar[bool] = True
    _call_result: Any = None
    _in_update = False
    _config: Mapping[str, Any] = {}  # noqa: RUF012  what `from_config` needs besides

    def __init__(self, name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype=dtype or floatx(), **kwargs)
        self.stateful = True
        self.built = True
        self._update_ops: list[Any] = []

    @property
    def updates(self) -> list:
        """The operations that add a batch."""
        return self._update_ops

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = vars(cls)
        if "reset_state" in own and "reset_states" not in own:  # a class of a later release
            cls.reset_states = cls.reset_state  # type: ignore[method-assign]
        elif "reset_states" in own and "reset_state" not in own:
            cls.reset_state = cls.reset_states
        if "update_state" in vars(cls):
            cls.update_state = _noting(cls.update_state)  # type: ignore[method-assign]
        if "result" in vars(cls):
            cls.result = _keeping(cls.result)  # type: ignore[method-assign]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a batch, then gives the value; the arguments are those of `update_state`."""
        place = stacks.strategies.top()
        update: Any
        if place is not None and place.replica_id is None:  # each replica counts for itself
            call = place.strategy.extended.call_for_each_replica
            update = list(local_results(call(self.update_state, args, kwargs)))
        else:
            update = self.update_state(*args, **kwargs)
        updates = [op for op in nest.flatten(update) if op is not None]
        if stacks.executing_eagerly():
            return self.result()
        with control_dependencies(updates):
            value = self.result()
        value._metric_obj = self
        return value

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a batch to the variables; returns the operation."""
        raise NotImplementedError("Must be implemented in subclasses.")

    def result(self) -> Any:
        """The value so far."""
        raise NotImplementedError("Must be implemented in subclasses.")

    def reset_states(self) -> None:
        """Begins anew: all variables become 0."""
        own = type(self).__module__.startswith(_LIBRARY)  # which needs no search of attributes
        variables = self._non_trainable_weights if own else self.variables
        batch_set_value([(v, np.zeros(v.shape.as_list())) for v in variables])

    reset_state = reset_states

    def add_weight(  # type: ignore[override]
        self,
        name: str,
        shape: Any = (),
        aggregation: Any = VariableAggregation.SUM,
        synchronization: Any = VariableSynchronization.ON_READ,
        initializer: Any = None,
        dtype: Any = None,
    ) -> Any:
        """Makes a variable of the metric, which no optimizer changes and no graph lists.

        Under a strategy each replica counts for itself, and reading it adds the counts.
        """
        with stacks.init_scope():
            return super().add_weight(
                name,
                shape,
                dtype=dtype or self._dtype,
                trainable=False,
                initializer=initializer,
                collections=[],
                aggregation=aggregation,
                synchronization=synchronization,
            )

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs."""
        return {"name": self.name, "dtype": self.dtype, **self._config}

    def _weighted(self, values: Any, sample_weight: Any) -> tuple[Any, Any]:
        """The values times their weights, and the weights in the shape of the values.

        Where weights have fewer axes, the values are averaged over the others first.
        """
        values = cast(values, self._dtype)
        if sample_weight is None:
            return values, None
        weights = fit_weights(cast(sample_weight, self._dtype), values)
        try:
            weights = broadcast_weights(weights, values)
        except ValueError:
            axes = list(range(weights.shape.ndims or 0, values.shape.ndims or 0))
            values = self._fewer_axes(values, axes)
        return multiply(values, weights), weights

    _fewer_axes = staticmethod(reduce_mean)


class Sum(Metric):
    """The (weighted) sum of all values.

    Args:
      name, dtype: see `Metric`.
    """

    _fewer_axes = staticmethod(reduce_sum)

    def __init__(self, name: str | None = "sum", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.total = self.add_weight("total", initializer="zeros")

    def update_state(self, values: Any, sample_weight: Any = None) -> Any:
        """Adds values, times their weights."""
        values, _ = self._weighted(values, sample_weight)
        return self.total.assign_add(reduce_sum(values))

    def result(self) -> Any:
        """The sum so far."""
        return identity(self.total)


@Layer.aggregates("mean")
class Mean(Metric):
    """The (weighted) mean of all values.

    Args:
      name, dtype: see `Metric`.

    Example:
      >>> tf.enable_eager_execution()
      >>> m = tf.keras.metrics.Mean()
      >>> m(3.0).numpy(), m(5.0).numpy()
      (3.0, 4.0)
    """

    def __init__(self, name: str | None = "mean", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.total = self.add_weight("total", initializer="zeros")
        self.count = self.add_weight("count", initializer="zeros")

    def update_state(self, values: Any, sample_weight: Any = None) -> Any:
        """Adds values, each as often as its weight says."""
        values, weights = self._weighted(values, sample_weight)
        number = cast(size(values), self._dtype) if weights is None else reduce_sum(weights)
        with control_dependencies([self.total.assign_add(reduce_sum(values))]):
            return self.count.assign_add(number)

    def result(self) -> Any:
        """The mean so far; 0 before there is any value."""
        return div_no_nan(self.total, self.count)


class MeanMetricWrapper(Mean):
    """The mean of what a function from `y_true` and `y_pred` gives.

    Args:
      fn: the function.
      name, dtype: see `Metric`.

    Further arguments go to the function.
    """

    def __init__(
        self, fn: Callable[..., Any], name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self._fn, self._fn_kwargs = fn, kwargs
        self._config = {**({"fn": fn} if type(self) is MeanMetricWrapper else {}), **kwargs}

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Any:
        """Adds a batch.

        Args:
          y_true, y_pred: labels and predictions.
          sample_weight: what each example counts.
        """
        y_true, y_pred = cast(y_true, self._dtype), cast(y_pred, self._dtype)
        y_pred, y_true = fit_ranks(y_pred, y_true)
        values = self._fn(y_true, y_pred, **self._fn_kwargs)
        return super().update_state(values, sample_weight=sample_weight)
