"""Learning rates that change with the global step: the functions `tf.train.*_decay`.

    rate = tf.train.exponential_decay(0.1, global_step, 1000, 0.96)
    train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=global_step)

Each returns a tensor that is computed anew in every step. With eager execution it returns a
function instead, which an optimizer calls in every step.

Moving averages of variables: `tf.train.ExponentialMovingAverage`.

    average <- decay * average + (1 - decay) * value

Averaged weights often do better on new data than the last ones. Training updates the averages, and
an evaluation restores them in place of the variables, `saver = Saver(ema.variables_to_restore())`.
"""

from __future__ import annotations

import contextlib
import itertools
import math as python_math
from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.dtypes import int32
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.stacks import GraphKeys, name_scope
from minitf.core.graph.tensor import TensorLike
from minitf.core.ops import control as control_ops
from minitf.core.ops import math
from minitf.core.ops import state as state_ops
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import stack
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, greater, where
from minitf.core.ops.reductions import reduce_sum
from minitf.core.train.optimizer import create_slot, create_zeros_slot
from minitf.core.variables.initialization import (
    global_variables,
    moving_average_variables,
    trainable_variables,
)
from minitf.core.variables.initializers import zeros_initializer
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.core.variables.variables import Variable


def _schedule(
    name: str | None, default_name: str, rate: Callable[..., Any], learning_rate: Any, *numbers: Any
) -> Any:
    """What all schedules share.

    Args:
      name: the name of the result.
      default_name: the same by default.
      rate: from that name, the first rate and the numbers to the rate.
      learning_rate: the first rate, which gives all numbers their type.
      numbers: what the rate depends on.
    """

    def scheduled() -> Tensor:
        with name_scope(name, default_name) as scope:
            start = convert_to_tensor(learning_rate, name="initial_learning_rate")
            return rate(scope, start, *(cast(number, start.dtype) for number in numbers))

    return scheduled if stacks.executing_eagerly() else scheduled()


def _passed(step: Any, steps: Any, staircase: bool) -> Any:
    """The part of the steps that has passed, which grows in whole numbers on a staircase."""
    return math.floor(step / steps) if staircase else step / steps


def exponential_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """learning_rate * decay_rate ^ (global_step / decay_steps).

    Args:
      learning_rate: the rate at step 0.
      global_step: the step, a number, tensor or variable.
      decay_steps: after so many steps the rate has been multiplied by `decay_rate` once.
      decay_rate: the factor.
      staircase: round the exponent down, so that the rate falls in steps.
      name: the name of the result; "ExponentialDecay" by default.
    Example:
      >>> rate = tf.train.exponential_decay(0.1, 200, decay_steps=100, decay_rate=0.5)
      >>> sess.run(rate).round(4)
      0.025
    """

    def rate(scope: str, start: Any, steps: Any, factor: Any, step: Any) -> Tensor:
        exponent = _passed(step, steps, staircase)
        return math.multiply(start, math.pow(factor, exponent, name="Pow"), name=scope)

    numbers = (decay_steps, decay_rate, global_step)
    return _schedule(name, "ExponentialDecay", rate, learning_rate, *numbers)


def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """learning_rate * exp(-decay_rate * global_step / decay_steps); see `exponential_decay`."""
    factor = math.exp(math.negative(decay_rate))
    return exponential_decay(learning_rate, global_step, decay_steps, factor, staircase, name)


def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """learning_rate / (1 + decay_rate * global_step / decay_steps); see `exponential_decay`."""

    def rate(scope: str, start: Any, steps: Any, factor: Any, step: Any) -> Tensor:
        passed = _passed(step, steps, staircase)
        one, slower = cast(1, start.dtype), math.multiply(factor, passed, name="Mul")
        return math.truediv(start, math.add(one, slower, name="Add"), name=scope)

    numbers = (decay_steps, decay_rate, global_step)
    return _schedule(name, "InverseTimeDecay", rate, learning_rate, *numbers)


def piecewise_constant(
    x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None
) -> Any:
    """values[0] up to boundaries[0], values[1] up to boundaries[1], and so on.

    Args:
      x: the step, a scalar.
      boundaries: increasing numbers of the type of `x`.
      values: one more than the boundaries.
      name: the name scope; "PiecewiseConstant" by default.
    Raises:
      ValueError: when the lengths or types do not fit.
    Example:
      >>> step = tf.constant(1500)
      >>> sess.run(tf.train.piecewise_constant(step, [1000, 5000], [0.1, 0.01, 0.001]))
      0.01
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")

    def rate() -> Tensor:
        edges = [convert_to_tensor(b) for b in boundaries]
        levels = [convert_to_tensor(v) for v in values]
        step = convert_to_tensor(x)
        for i, edge in enumerate(edges):
            if edge.dtype.is_integer and step.dtype.is_integer:
                edges[i] = edge = cast(edge, step.dtype.base_dtype)
            if edge.dtype.base_dtype != step.dtype.base_dtype:
                raise ValueError(
                    f"Boundaries ({edge.dtype}) must have the same dtype as x "
                    f"({step.dtype.base_dtype})."
                )
        for level in levels[1:]:
            if level.dtype.base_dtype != levels[0].dtype.base_dtype:
                raise ValueError(
                    f"Values must have elements all with the same dtype ({levels[0].dtype} vs "
                    f"{level.dtype})."
                )
        with name_scope(name, "PiecewiseConstant"):
            passed = cast(greater(step, stack(edges)), int32)
            return gather(stack(levels), reduce_sum(passed))

    return rate if stacks.executing_eagerly() else rate()


def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    """From learning_rate to end_learning_rate in decay_steps, along (1 - step / decay_steps)^power.

    Args:
      learning_rate: the rate at step 0.
      global_step: the step, a number, tensor or variable.
      decay_steps: when the end is reached.
      end_learning_rate: the rate from then on.
      power: 1 for a straight line.
      cycle: start again above the end, with a longer decay, each time the end is reached.
      name: the name of the result; "PolynomialDecay" by default.
    """

    def rate(scope: str, start: Any, end: Any, exponent: Any, step: Any, steps: Any) -> Tensor:
        if cycle:
            rounds = where(equal(step, 0), cast(1, start.dtype), math.ceil(step / steps))
            steps = math.multiply(steps, rounds, name="Mul")
        else:
            step = math.minimum(step, steps)
        left = math.pow(1 - step / steps, exponent, name="Pow")
        return math.add(math.multiply(start - end, left, name="Mul"), end, name=scope)

    numbers = (end_learning_rate, power, global_step, decay_steps)
    return _schedule(name, "PolynomialDecay", rate, learning_rate, *numbers)


# ---- cosines -----------------------------------------------------------------------------


def _wave(passed: Any, dtype: Any) -> Any:
    """(1 + cos(pi * passed)) / 2: from 1 to 0 while `passed` goes from 0 to 1."""
    pi = convert_to_tensor(python_math.pi, dtype, name="Const")
    return 0.5 * (1.0 + math.cos(pi * passed))


def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: float = 0.0,
    name: str | None = None,
) -> Any:
    """From learning_rate to alpha * learning_rate in decay_steps, along half a cosine wave.

    Args:
      learning_rate: the rate at step 0.
      global_step: the step, a number, tensor or variable.
      decay_steps: when the end is reached.
      alpha: the part of the rate that is left.
      name: the name scope; "CosineDecay" by default.
    """

    def rate(scope: str, start: Any, steps: Any, step: Any) -> Tensor:
        passed = math.minimum(step, steps) / steps
        left = (1 - alpha) * _wave(passed, start.dtype) + alpha
        return math.multiply(start, left)

    return _schedule(name, "CosineDecay", rate, learning_rate, decay_steps, global_step)


# ---- moving averages -----------------------------------------------------------------------------


def assign_moving_average(
    variable: Variable, value: Any, decay: Any, zero_debias: bool = True, name: str | None = None
) -> Any:
    """Adds the update of a moving average.

    Args:
      variable: the average.
      value: the new value, of the same shape.
      decay: how much of the average stays.
      zero_debias: undo the pull of a start at zero; needs variables of its own.
      name: the name of the operation; "AssignMovingAvg" by default.
    Returns: the new average.
    """
    with name_scope(name, "AssignMovingAvg", [variable, value, decay]) as scope:
        with stacks.colocate_with(variable.op):
            share = 1.0 - decay
            dtype = variable.dtype.base_dtype
            if isinstance(share, float) or share.dtype.base_dtype != dtype:
                share = cast(convert_to_tensor(share, name="decay"), dtype)
            if zero_debias:
                return state_ops.assign(variable, _unbiased(variable, value, share), name=scope)
            delta = (variable - value) * share
            return state_ops.assign_sub(variable, delta, name=scope)


def _zeros(name: str, shape: Any, dtype: Any, collections: Any = None) -> Variable:
    return get_variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=zeros_initializer(),
        trainable=False,
        collections=collections,
    )


def _unused(name: str, scope: Any) -> str:
    """A name that no variable of a scope has; the name itself where variables are reused."""
    known = set() if scope.reuse else {v.op.name for v in scope.global_variables()}
    numbered = (f"{name}_{count}" for count in itertools.count(1))
    free = (n for n in itertools.chain([name], numbered) if f"{scope.name}/{n}" not in known)
    return next(free)


def _unbiased(variable: Variable, value: Any, share: Any) -> Any:
    """The average of all values so far: what began at zero, divided by the weights it has got."""
    with variable_scope(variable.op.name) as scope, name_scope(None):
        dtype = variable.dtype.base_dtype
        biased = _zeros(_unused("biased", scope), variable.shape, dtype)
        steps = _zeros(_unused("local_step", scope), [], dtype)
    moved = state_ops.assign_sub(biased, (biased - value) * share, name="AssignSub")
    count = state_ops.assign_add(steps, 1, name="AssignAdd")
    return moved / (1 - math.pow(1.0 - share, count, name="Pow"))


def _current(var: Any) -> Any:
    """What a variable holds after the control inputs that are open here, if there are any.

    Its snapshot may have been read before them, as when a training step is one of them.
    """
    if stacks.executing_eagerly() or not isinstance(var, Variable) or var.is_resource:
        return var
    waits = stacks.get_default_graph()._control_inputs_for(set())
    return var._as_ref_tensor() if waits else var


class ExponentialMovingAverage:
    """Keeps moving averages of variables.

    Args:
      decay: how much of the average stays from one update to the next, near 1.
      num_updates: the number of updates so far; with it the decay is at most
        (1 + num_updates) / (10 + num_updates), so that the averages catch up early on.
      zero_debias: undo the pull to the start at zero, for averages of tensors.
      name: the name of the averages: "W/ExponentialMovingAverage".

    Example:
      >>> ema, W = tf.train.ExponentialMovingAverage(decay=0.999), tf.Variable(1.0)
      >>> train_step = W.assign_sub(0.1)
      >>> with tf.control_dependencies([train_step]):
      ...     train_op = ema.apply(tf.trainable_variables())
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages: dict[Any, Variable] = {}

    @property
    def name(self) -> str:
        """The name of the averages."""
        return self._name

    def apply(self, var_list: Sequence[Any] | None = None) -> Operation:
        """Makes averages for what has none yet, and returns the operation that updates them.

        Args:
          var_list: variables and tensors; the trainable variables by default.
        Raises:
          TypeError: when one does not hold floating-point numbers.
        """
        var_list = trainable_variables() if var_list is None else var_list
        unbiased = set()
        for var in var_list:
            if var.dtype.base_dtype not in dtypes.FLOATS:
                raise TypeError(f"The variables must be half, float, or double: {var.name}")
            if var in self._averages:
                continue
            with stacks.init_scope():
                self._averages[var] = self._make_average(var)
            if self._zero_debias and not isinstance(var, Variable):
                unbiased.add(var)
        with name_scope(self.name) as scope:
            decay = convert_to_tensor(self._decay, dtypes.float32, name="decay")
            if self._num_updates is not None:
                updates = cast(self._num_updates, dtypes.float32, name="num_updates")
                decay = math.minimum(decay, (1.0 + updates) / (10.0 + updates))
            done = [
                assign_moving_average(
                    self._averages[var], _current(var), decay, zero_debias=var in unbiased
                )
                for var in var_list
            ]
            return control_ops.group(*done, name=scope)

    def _make_average(self, var: Any) -> Variable:
        if not isinstance(var, Variable):
            stored = var.op.type in ("Variable", "VariableV2", "VarHandleOp")
            with stacks.colocate_with(var.op) if stored else contextlib.nullcontext():
                return create_zeros_slot(var, self.name)
        average = create_slot(var, var.initialized_value(), self.name)
        stacks.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, var)
        return average

    def average(self, var: Any) -> Variable | None:
        """Returns the average of `var`, None when it has none."""
        return self._averages.get(var)

    def average_name(self, var: Any) -> str:
        """Returns the name of the average of `var`, also when it is yet to be made."""
        if var in self._averages:
            return self._averages[var].op.name
        name = f"{var.name.removesuffix(':0')}/{self.name}"
        return stacks.get_default_graph().unique_name(name, mark_as_used=False)

    def variables_to_restore(
        self, moving_avg_variables: Sequence[Variable] | None = None
    ) -> dict[str, Variable]:
        """Returns what `Saver` needs to restore averages in place of their variables.

        Args:
          moving_avg_variables: the variables that have averages; the trainable ones and those
            averaged in this graph by default.
        """
        if moving_avg_variables is None:
            moving_avg_variables = [*trainable_variables(), *moving_average_variables()]
        averaged = list(dict.fromkeys(moving_avg_variables))
        names = {self.average_name(var): var for var in averaged}
        for var in global_variables():
            if var not in averaged:
                names.setdefault(var.op.name, var)
        return names
