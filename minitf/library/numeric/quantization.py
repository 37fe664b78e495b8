"""Numbers as a network of few bits will have them: `tf.quantization`, while it is trained.

    x ──> clipped to [min, max] ──> the nearest of 2^num_bits steps, as a float again
    dx <── dy where x is inside; where it is not, dy goes to min or max

The range is moved a little, so that 0 is one of the steps ("nudged"). The rounding is added as a
constant, so the gradient is that of the clipping: the straight-through estimator.
"""

from __future__ import annotations

from typing import Any

from minitf.core.gradients.gradients import gradients as gradients_of
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import none_is_default
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity, stop_gradient
from minitf.core.ops.array_filling import ones_like, zeros_like
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.comparisons import equal, greater, less, logical_and, where_v2
from minitf.core.ops.math import add, floor, maximum, minimum, round
from minitf.core.ops.reductions import reduce_max, reduce_min


def _nudged(low: Any, high: Any, num_bits: int, narrow_range: bool) -> tuple[Any, Any, Any]:
    """The range in which 0 is a step, and the size of a step."""
    first, last = float(narrow_range), float(2**num_bits - 1)
    step = (high - low) / (last - first)
    zero = first - low / step
    zero = minimum(maximum(floor(zero + 0.5), first), last)
    return (first - zero) * step, (last - zero) * step, step


def _check_bits(num_bits: int) -> None:
    if not 2 <= num_bits <= 16:
        raise ValueError(f"num_bits must be between 2 and 16, inclusive; got {num_bits}")


def _fake_quant(
    inputs: Any, low: Any, high: Any, num_bits: int, narrow_range: bool, name: str | None = None
) -> Tensor:
    _check_bits(num_bits)
    nothing = logical_and(equal(low, 0.0), equal(high, 0.0))
    safe = where_v2(nothing, ones_like(high), high)
    first, last, step = _nudged(low, safe, num_bits, narrow_range)
    first, last = low + stop_gradient(first - low), high + stop_gradient(last - high)
    clipped = minimum(maximum(inputs, first), last)
    steps = floor((clipped - first) / step + 0.5) * step + first
    steps = where_v2(nothing, zeros_like(steps), steps)
    return add(clipped, stop_gradient(steps - clipped), name=name)


@none_is_default
def fake_quant_with_min_max_vars(
    inputs: Any, min: Any, max: Any, num_bits: int = 8, narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Rounds to steps between two numbers that training may change.

    Args:
      inputs: a float32 tensor.
      min, max: scalars, the range.
      num_bits: from 2 to 16; there are 2^num_bits steps.
      narrow_range: whether there is one step less, so that the range is symmetric.
      name: the name of the scope.
    Example:
      >>> sess.run(tf.quantization.fake_quant_with_min_max_vars([0.2, 0.6, 7.0], 0.0, 3.0, num_bits=2))
      array([0., 1., 3.], dtype=float32)
    """  # noqa: E501
    with name_scope(name, "FakeQuantWithMinMaxVars") as scope:
        inputs, low, high = (convert_to_tensor(x, dtypes.float32) for x in (inputs, min, max))
        return _fake_quant(inputs, low, high, num_bits, narrow_range, scope)


@none_is_default
def fake_quant_with_min_max_vars_per_channel(
    inputs: Any, min: Any, max: Any, num_bits: int = 8, narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """As `fake_quant_with_min_max_vars`, with a range for each index of the last axis."""
    with name_scope(name, "FakeQuantWithMinMaxVarsPerChannel") as scope:
        inputs, low, high = (convert_to_tensor(x, dtypes.float32) for x in (inputs, min, max))
        return _fake_quant(inputs, low, high, num_bits, narrow_range, scope)


@none_is_default
def fake_quant_with_min_max_args(
    inputs: Any, min: float = -6, max: float = 6, num_bits: int = 8, narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """As `fake_quant_with_min_max_vars`, with a fixed range."""
    with name_scope(name, "FakeQuantWithMinMaxArgs") as scope:
        inputs, low, high = (convert_to_tensor(x, dtypes.float32) for x in (inputs, min, max))
        return _fake_quant(inputs, low, high, num_bits, narrow_range, scope)


@none_is_default
def fake_quant_with_min_max_vars_gradient(
    gradients: Any, inputs: Any, min: Any, max: Any, num_bits: int = 8, narrow_range: bool = False,
    name: str | None = None,
) -> list[Tensor]:  # fmt: skip
    """The gradients of `fake_quant_with_min_max_vars` by its inputs, `min` and `max`."""
    with name_scope(name, "FakeQuantWithMinMaxVarsGradient"):
        given = [identity(convert_to_tensor(x, dtypes.float32)) for x in (inputs, min, max)]
        made = _fake_quant(*given, num_bits, narrow_range)
        return gradients_of(made, given, grad_ys=convert_to_tensor(gradients))


@none_is_default
def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: Any, inputs: Any, min: Any, max: Any, num_bits: int = 8, narrow_range: bool = False,
    name: str | None = None,
) -> list[Tensor]:  # fmt: skip
    """The gradients of `fake_quant_with_min_max_vars_per_channel`."""
    return fake_quant_with_min_max_vars_gradient(
        gradients, inputs, min, max, num_bits, narrow_range, name
    )


@none_is_default
def fake_quant_with_min_max_args_gradient(
    gradients: Any, inputs: Any, min: float = -6, max: float = 6, num_bits: int = 8,
    narrow_range: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The gradient of `fake_quant_with_min_max_args` by its inputs."""
    return fake_quant_with_min_max_vars_gradient(
        gradients, inputs, min, max, num_bits, narrow_range, name
    )[0]


def quantize_and_dequantize(
    input: Any, input_min: Any, input_max: Any, signed_input: bool = True, num_bits: int = 8,
    range_given: bool = False, round_mode: str = "HALF_TO_EVEN", name: str | None = None,
    narrow_range: bool = False, axis: int | None = None,
) -> Tensor:  # fmt: skip
    """Rounds to steps on both sides of 0, as many as `num_bits` bits can count.

    Args:
      input: a float tensor.
      input_min, input_max: the range; with `axis`, one for each of its indices.
      signed_input: whether the steps reach below 0.
      num_bits: how many bits.
      range_given: whether the range holds, or the smallest and the largest number of `input`.
      round_mode: "HALF_TO_EVEN" or "HALF_UP".
      name: the name of the scope.
      narrow_range: whether there is one step less below 0, so that the steps are symmetric.
      axis: of the channels, each of which has a range of its own.
    """
    if round_mode not in ("HALF_TO_EVEN", "HALF_UP"):
        raise ValueError(f"Round mode must be HALF_TO_EVEN or HALF_UP which is '{round_mode}'")
    with name_scope(name, "QuantizeAndDequantizeV2"):
        x = convert_to_tensor(input)
        kind, rank = x.dtype.base_dtype, x.shape.ndims or 0
        others = [n for n in range(rank) if axis is None or n != axis % rank]
        if range_given:
            shape = [-1 if n == axis % rank else 1 for n in range(rank)] if axis is not None else []
            low, high = (
                reshape(convert_to_tensor(each, kind), shape) for each in (input_min, input_max)
            )
        else:
            low = reduce_min(x, others, keepdims=axis is not None)
            high = reduce_max(x, others, keepdims=axis is not None)
        last = float(2 ** (num_bits - signed_input) - 1)
        first = float(narrow_range - 2 ** (num_bits - 1)) if signed_input else 0.0
        # A step is as large as the side needs that has fewer steps for its numbers.
        step, scale = high / last, last / high
        if first:
            below = logical_and(less(low, 0.0), greater(low / first, step))
            step, scale = where_v2(below, low / first, step), where_v2(below, first / low, scale)
        nothing = equal(step, 0.0)
        step, scale = (where_v2(nothing, ones_like(each), each) for each in (step, scale))
        if range_given:
            with stacks.control_dependencies([] if first else [low]):  # not used, yet computed
                x = minimum(maximum(x, first * step), last * step)
        scaled = x * scale
        steps = round(scaled) if round_mode == "HALF_TO_EVEN" else floor(scaled + 0.5)
        steps = minimum(steps, last)
        return x + stop_gradient(steps * step - x)


quantize_and_dequantize_v2 = quantize_and_dequantize
