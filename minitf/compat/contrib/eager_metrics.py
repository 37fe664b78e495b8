"""`tf.contrib.eager.metrics`: running averages as objects that are called with each batch.

accuracy = tfe.metrics.Accuracy()
accuracy(labels, predictions)            once for each batch
accuracy.result()                        the value so far
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.ops.array import size
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal
from minitf.core.ops.control import group
from minitf.core.ops.math import multiply, truediv
from minitf.core.ops.reductions import reduce_sum
from minitf.core.variables.initializers import zeros_initializer
from minitf.core.variables.variables import Variable


class Metric:
    """Base of metrics.

    A subclass makes its variables in `build` with `add_variable`, adds a batch in `call`, and gives
    the value in `result`.

    Args:
      name: the name of its variables' scope.
    """

    def __init__(self, name: str | None = None) -> None:
        self._name = name or type(self).__name__
        self._built = False
        self._vars: list[Variable] = []
        self._initial: list[Any] = []

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def variables(self) -> list[Variable]:
        """The variables that hold what was seen so far."""
        return self._vars

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a batch; the arguments are those of `call`."""
        if not self._built:
            with stacks.name_scope(self._name):
                self.build(*args, **kwargs)
            self._built = True
        return self.call(*args, **kwargs)

    def add_variable(
        self, name: str, shape: Any = None, dtype: Any = None, initializer: Any = None
    ) -> Variable:
        """Makes a variable that holds a part of the state.

        Raises:
          RuntimeError: outside of `build`.
        """
        if self._built:
            raise RuntimeError("Can't call add_variable() except in build().")
        dtype = dtypes.as_dtype(dtype or dtypes.float32)
        make = initializer or zeros_initializer()
        initial = lambda: make(list(shape or ()), dtype)  # noqa: E731
        variable = Variable(initial, trainable=False, name=name, dtype=dtype)
        self._vars.append(variable)
        self._initial.append(initial)
        return variable

    def build(self, *args: Any, **kwargs: Any) -> None:
        """Makes the variables."""

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a batch."""
        raise NotImplementedError("Metrics must define a call() member function")

    def result(self) -> Any:
        """The value so far."""
        raise NotImplementedError("Metrics must define a result() member function")


class _Average(Metric):
    """What is a weighted mean of something.

    Args:
      name: the name.
      dtype: the type to sum in.
    """

    def __init__(self, name: str | None = None, dtype: Any = dtypes.float64) -> None:
        super().__init__(name)
        self.dtype = dtypes.as_dtype(dtype)

    def build(self, *args: Any, **kwargs: Any) -> None:
        """Makes the numerator and the denominator."""
        self.numer = self.add_variable("numer", (), self.dtype)
        self.denom = self.add_variable("denom", (), self.dtype)

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


class Mean(_Average):
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


class Accuracy(_Average):
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
