"""`tf.contrib.integrate`: ordinary differential equations, dy/dt = f(y, t), by Runge and Kutta.

odeint         steps that are as long as an error allows (Dormand and Prince, 1980); between
               two of them, values come from a polynomial (Shampine, 1986)
odeint_fixed   steps of one length
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.gradients.cond import cond
from minitf.core.gradients.while_loop import while_loop
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity, size
from minitf.core.ops.cast import cast
from minitf.core.ops.control import group
from minitf.core.ops.logging_ops import Assert
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import add_n, ceil, is_finite, maximum, minimum, sqrt, square
from minitf.core.ops.reductions import reduce_all, reduce_mean
from minitf.library.graph_tools.tensor_array import TensorArray

_PLACES = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_SLOPES = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)  # the last row is the step of order 5 itself
_ERROR = (
    71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40,
)  # fmt: skip
_MIDDLE = (
    6025192743 / 30085553152 / 2, 0, 51252292925 / 65400821598 / 2, -2691868925 / 45128329728 / 2,
    187940372067 / 1594534317056 / 2, -1776094331 / 19743644256 / 2, 11237099 / 235043384 / 2,
)  # fmt: skip

Slope = Callable[[Any, Any], Any]


def _checked(y0: Any, t: Any) -> tuple[Tensor, Tensor]:
    y0 = convert_to_tensor(y0)
    t = convert_to_tensor(t, preferred_dtype=dtypes.float64)
    if not (y0.dtype.is_floating or y0.dtype.is_complex):
        raise TypeError("`y0` must have a floating point or complex floating point dtype")
    if not t.dtype.is_floating:
        raise TypeError("`t` must have a floating point dtype")
    ordered = Assert(reduce_all(t[1:] > t[:-1]), ["`t` must be monotonic increasing"])
    with stacks.control_dependencies([ordered]):
        return y0, identity(t)


def _mixed(dt: Any, weights: Sequence[float], slopes: list) -> Tensor:
    return add_n([(dt * w) * k for w, k in zip(weights, slopes, strict=True) if w])


def odeint(
    func: Slope, y0: Any, t: Any, rtol: float = 1e-6, atol: float = 1e-12,
    method: str | None = None, options: dict[str, Any] | None = None, full_output: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Integrates a system of equations.

    Args:
      func: from the state and the time to the derivative of the state.
      y0: the state at the first time, of any shape.
      t: [times], growing; the state is wanted at each.
      rtol, atol: how large the error of a step may be, relative and absolute.
      method: "dopri5".
      options: `first_step`, `safety`, `ifactor`, `dfactor`, `max_num_steps`.
      full_output: whether to return a dict of what was done as well.
      name: of the scope.
    Returns: [times, ...] the states.
    Raises:
      InvalidArgumentError: when it runs and there are too many steps, or a value is not finite.
    Example:
      >>> sess.run(tf.contrib.integrate.odeint(lambda y, t: -y, 1.0, [0.0, 1.0])).round(4)
      array([1.    , 0.3679], dtype=float32)
    """
    if method not in (None, "dopri5"):
        raise ValueError(f"invalid method: {method!r}")
    if options is not None and method is None:
        raise ValueError("cannot supply `options` without specifying `method`")
    chosen = {
        "first_step": 1.0, "safety": 0.9, "ifactor": 10.0, "dfactor": 0.2, "max_num_steps": 1000,
        **(options or {}),
    }  # fmt: skip
    with stacks.name_scope(name, "odeint", [y0, t]) as scope:
        start, times = _checked(y0, t)

        def advance(y: Any, f: Any, t0: Any, t1: Any, dt: Any, line: list, log: Any, steps: Any):
            checks = group(
                Assert(t1 + dt > t1, ["underflow in dt", dt]),
                Assert(steps < chosen["max_num_steps"], ["max_num_steps exceeded"]),
                Assert(reduce_all(is_finite(absolute(y))), ["non-finite values in state `y`", y]),
            )
            with stacks.control_dependencies([checks]):
                h = cast(dt, start.dtype)
            slopes = [f]
            for place, weights in zip(_PLACES, _SLOPES, strict=True):
                new = y + _mixed(h, weights, slopes)
                slopes.append(func(new, t1 + place * dt))
            allowed = atol + rtol * maximum(absolute(y), absolute(new))
            error = sqrt(reduce_mean(square(absolute(_mixed(h, _ERROR, slopes)) / allowed)))
            middle = y + _mixed(h, _MIDDLE, slopes)
            both = [f, slopes[-1], y, new, middle]

            def fitted(weights: tuple) -> Tensor:
                parts = zip((h * weights[0], h * weights[1], *weights[2:]), both, strict=True)
                return add_n([weight * value for weight, value in parts])

            def accepted() -> list:
                rows = ((-2, 2, -8, -8, 16), (5, -3, 18, 14, -32), (-4, 1, -11, -5, 16))
                fit = [*(fitted(row) for row in rows), h * f, identity(y)]
                return [new, slopes[-1], identity(t1), t1 + dt, *fit]

            kept = [y, f, t0, t1, *line]
            after = cond(error <= 1, accepted, lambda: [identity(each) for each in kept])
            ratio = cast(error, dt.dtype) ** (1 / 5) / chosen["safety"]
            factor = maximum(1 / chosen["ifactor"], minimum(ratio, 1 / chosen["dfactor"]))
            log = [
                log[0].write(log[0].size(), t1 + dt), log[1].write(log[1].size(), error),
            ]  # fmt: skip
            return *after[:4], dt / factor, after[4:], log, steps + 1

        def reach(solution: Any, state: Any, log: Any, n: Any) -> tuple:
            *state, log, _ = while_loop(
                lambda y, f, t0, t1, *_: times[n] > t1, advance, [*state, log, 0]
            )
            _, _, t0, t1, _, line = state
            x = cast((times[n] - t0) / (t1 - t0), start.dtype)
            value = line[0]
            for coefficient in line[1:]:
                value = value * x + coefficient
            return solution.write(n, value), state, log, n + 1

        count, real = size(times), absolute(start).dtype
        first = convert_to_tensor(chosen["first_step"], times.dtype)
        state = [start, func(start, times[0]), times[0], times[0], first, [start] * 5]
        log = [TensorArray(kind, 0, dynamic_size=True) for kind in (times.dtype, real)]
        solution, _, log, _ = while_loop(
            lambda solution, state, log, n: n < count, reach,
            [TensorArray(start.dtype, count).write(0, start), state, log, 1],
        )  # fmt: skip
        y = solution.stack(name=scope)
        y.set_shape(times.shape.concatenate(start.shape))
        if not full_output:
            return y
        points, ratios = (each.stack() for each in log)
        evaluations = 6 * size(points) + 1
        info = {"num_func_evals": evaluations, "integrate_points": points, "error_ratio": ratios}
        return y, info


def _midpoint(func: Slope, y: Any, t: Any, dt: Any) -> Any:
    h = cast(dt, y.dtype)
    return h * func(y + func(y, t) * h / 2, t + dt / 2)


def _rk4(func: Slope, y: Any, t: Any, dt: Any) -> Any:
    h, half = cast(dt, y.dtype), t + dt / 2
    one = func(y, t)
    two = func(y + h * one / 2, half)
    three = func(y + h * two / 2, half)
    return (one + 2 * two + 2 * three + func(y + h * three, t + dt)) * (h / 6)


def odeint_fixed(
    func: Slope, y0: Any, t: Any, dt: Any = None, method: str = "rk4", name: str | None = None
) -> Tensor:
    """Integrates a system of equations in steps of one length; see `odeint`.

    Args:
      dt: how long the steps of each interval are, [times - 1]; as long as the interval by default.
      method: "rk4" or "midpoint".
    """
    if method not in ("rk4", "midpoint"):
        raise ValueError(f"method not supported: {method}")
    step = _rk4 if method == "rk4" else _midpoint
    with stacks.name_scope(name, "odeint_fixed", [y0, t]):
        start, times = _checked(y0, t)
        wide = times[1:] - times[:-1]
        counts = ceil(wide / (wide if dt is None else cast(dt, times.dtype)))
        lengths, counts = wide / counts, cast(counts, dtypes.int32)

        def interval(solution: Any, y: Any, n: Any) -> tuple:
            h = lengths[n - 1]

            def once(y: Any, t: Any, k: Any) -> tuple:
                return y + cast(step(func, y, t, h), y.dtype), t + h, k + 1

            y, _, _ = while_loop(lambda y, t, k: k < counts[n - 1], once, [y, times[n - 1], 0])
            return solution.write(n, y), y, n + 1

        count = size(times)
        solution = TensorArray(start.dtype, count).write(0, start)
        solution, _, _ = while_loop(lambda a, y, n: n < count, interval, [solution, start, 1])
        states = solution.stack()
        states.set_shape(times.shape.concatenate(start.shape))
        return states
