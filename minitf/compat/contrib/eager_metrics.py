"""`tf.contrib.eager`: devices, networks, and averages that are called with each batch.

accuracy = tfe.metrics.Accuracy()
accuracy(labels, predictions)            once for each batch
accuracy.result()                        the value so far

`tf.contrib.metrics`: the metrics of `tf.metrics` as they were before, predictions first.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.ops.array import size
from minitf.core.ops.array_filling import zeros
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal
from minitf.core.ops.control import group
from minitf.core.ops.math import multiply, truediv
from minitf.core.ops.reductions import reduce_sum
from minitf.core.runtime.run.devices import make_devices
from minitf.core.variables.variables import Variable
from minitf.library.keras.engine.training import Model
from minitf.library.metrics import metrics


class Metric:
    """A running weighted mean of something that each batch has.

    Args:
      name: the name of its variables' scope.
      dtype: the type to sum in.
    """

    def __init__(self, name: str | None = None, dtype: Any = dtypes.float64) -> None:
        self.name = name or type(self).__name__
        self.dtype = dtypes.as_dtype(dtype)
        self.variables: list[Variable] = []

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a batch; the arguments are those of `call`."""
        if not self.variables:
            with stacks.name_scope(self.name):
                for name in ("numer", "denom"):
                    start = functools.partial(zeros, [], self.dtype)
                    variable = Variable(start, trainable=False, name=name, dtype=self.dtype)
                    self.variables.append(variable)
            self.numer, self.denom = self.variables
        return self.call(*args, **kwargs)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a batch."""
        raise NotImplementedError("Metrics must define a call() member function")

    def add(self, values: Any, weights: Any) -> Any:
        """Adds values; in a graph, returns the operation that does."""
        given = convert_to_tensor(values)
        numbers = cast(given, self.dtype)
        if weights is None:
            count: Any = cast(size(numbers), self.dtype)
        else:
            scale = multiply(cast(convert_to_tensor(weights), self.dtype), numbers * 0 + 1)
            count, numbers = reduce_sum(scale), multiply(numbers, scale)
        updates = [self.numer.assign_add(reduce_sum(numbers)), self.denom.assign_add(count)]
        return group(*updates)

    def result(self) -> Any:
        """The mean so far."""
        return truediv(self.numer, self.denom)


class Mean(Metric):
    """The weighted mean of all values. The arguments are those of every metric here:

    Args:
      name: the name.
      dtype: the type to sum in.
    """

    def call(self, values: Any, weights: Any = None) -> Any:
        """Adds values; returns them.

        Args:
          values: a tensor.
          weights: of the shape of `values` or broadcasting to it; ones when None.
        """
        added = self.add(values, weights)
        return values if stacks.executing_eagerly() else added


class Accuracy(Metric):
    """How often the predictions equal the labels.

    Args:
      name: the name.
      dtype: the type to sum in.
    """

    def call(self, labels: Any, predictions: Any, weights: Any = None) -> Any:
        """Adds labels and predictions of one shape; returns them."""
        matches = equal(convert_to_tensor(labels), convert_to_tensor(predictions))
        added = self.add(matches, weights)
        if stacks.executing_eagerly():
            return (labels, predictions) if weights is None else (labels, predictions, weights)
        return added


# ---- networks and devices --------------------------------------------------------------------


class Network(Model):
    """A model of layers that are named to it with `track_layer`.

    Args:
      name: the name.
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name=name)
        self._tracked: list[Any] = []

    def track_layer(self, layer: Any) -> Any:
        """Takes a layer, or another network, into this one, and returns it."""
        self._tracked.append(layer)
        return layer


def list_devices() -> list[str]:
    """The full names of the devices of this process."""
    return [device.name for device in make_devices()]


# ---- tf.contrib.metrics --------------------------------------------------------------------------


def _streaming(metric: Callable, name: str = "") -> Callable:
    """A metric of `tf.metrics` with its first two arguments, labels and predictions, exchanged."""
    labels, predictions, *others = inspect.signature(metric).parameters.values()
    signature = inspect.Signature([predictions, labels, *others])

    def streaming(*args: Any, **kwargs: Any) -> tuple:
        return metric(**signature.bind(*args, **kwargs).arguments)

    streaming.__signature__ = signature  # type: ignore[attr-defined]
    streaming.__name__ = streaming.__qualname__ = f"streaming_{name or metric.__name__}"
    streaming.__doc__ = f"""`tf.metrics.{metric.__name__}`, with the predictions first.

    Args:
      {", ".join(signature.parameters)}: its.
    Returns: the value, and the operation that takes a batch into account.
    """
    return streaming


streaming_accuracy = _streaming(metrics.accuracy)
streaming_mean_absolute_error = _streaming(metrics.mean_absolute_error)
streaming_precision = _streaming(metrics.precision)
streaming_recall = _streaming(metrics.recall)
streaming_root_mean_squared_error = _streaming(metrics.root_mean_squared_error)
streaming_sparse_average_precision_at_k = _streaming(
    metrics.average_precision_at_k, "sparse_average_precision_at_k"
)
streaming_sparse_precision_at_k = _streaming(metrics.precision_at_k, "sparse_precision_at_k")
streaming_sparse_recall_at_k = _streaming(metrics.recall_at_k, "sparse_recall_at_k")


def aggregate_metrics(*value_update_tuples: Any) -> tuple[list, list]:
    """The values and the updates of several metrics, as two lists.

    Raises:
      ValueError: when there are none.
    """
    if not value_update_tuples:
        raise ValueError("Expected at least one value_tensor/update_op pair")
    values, updates = zip(*value_update_tuples, strict=True)
    return list(values), list(updates)


def aggregate_metric_map(names_to_tuples: dict[str, Any]) -> tuple[dict, dict]:
    """The values and the updates of several metrics, as two dicts by their names."""
    values, updates = aggregate_metrics(*names_to_tuples.values())
    return (
        dict(zip(names_to_tuples, values, strict=True)),
        dict(zip(names_to_tuples, updates, strict=True)),
    )
