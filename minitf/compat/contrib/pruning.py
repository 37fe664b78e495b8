"""`tf.contrib.model_pruning`: weights near 0 are left out, more and more while a model trains.

    weights * mask ──> the layer         apply_mask, masked_fully_connected, masked_conv2d
    Pruning.conditional_mask_update_op   now and then: mask <- |weights| > threshold

The threshold follows the magnitude below which the wanted share of the weights is, read off a
histogram (Zhu and Gupta, "To Prune, or Not to Prune", 2017).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from minitf.compat.contrib.arg_scope import add_arg_scope
from minitf.compat.contrib.hparams import HParams
from minitf.compat.slim import layers
from minitf.core.gradients.cond import cond
from minitf.core.graph import dtypes, logging, stacks
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_filling import ones_like
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import (
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_or,
)
from minitf.core.ops.control import no_op
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import add, floor, maximum, minimum, multiply, pow
from minitf.core.ops.reductions import cumsum, reduce_max, reduce_sum
from minitf.core.ops.segments import unsorted_segment_sum
from minitf.core.ops.state import assign
from minitf.core.variables.initializers import ones_initializer, zeros_initializer
from minitf.core.variables.variable_scope import (
    AUTO_REUSE,
    get_variable,
    get_variable_scope,
    variable_scope,
)
from minitf.library.layers.rnn.cells import BasicLSTMCell, LSTMCell, RNNCell
from minitf.library.numeric.clip import clip_by_value
from minitf.library.numeric.statistics import zero_fraction
from minitf.library.sessions.training_util import get_global_step
from minitf.library.summary import summary

MASK_COLLECTION = "masks"
THRESHOLD_COLLECTION = "thresholds"
MASKED_WEIGHT_COLLECTION = "masked_weights"
WEIGHT_COLLECTION = "kernel"
MASKED_WEIGHT_NAME = "weights/masked_weight"

# ---- masks ---------------------------------------------------------------------------------


def _masked(weights: Any, make: Callable[..., Any]) -> Tensor:
    """Weights times a mask, which `make` makes beside a threshold."""
    dtype = weights.dtype.base_dtype
    mask = make("mask", weights.shape, dtype, ones_initializer(), trainable=False)
    threshold = make("threshold", [], dtype, zeros_initializer(), trainable=False)
    masked = multiply(mask, weights, MASKED_WEIGHT_NAME)
    if all(each is not mask for each in get_masks()):  # a cell may be called each step
        stacks.add_to_collection(THRESHOLD_COLLECTION, threshold)
        stacks.add_to_collection(MASK_COLLECTION, mask)
        stacks.add_to_collection(MASKED_WEIGHT_COLLECTION, masked)
        stacks.add_to_collection(WEIGHT_COLLECTION, weights)
    return masked


def apply_mask(x: Any, scope: Any = "") -> Tensor:
    """Weights times a mask of their shape, at first all 1, which is a variable.

    Args:
      x: the weights, a variable.
      scope: where the variables `mask` and `threshold` are made.
    """
    with variable_scope(scope):
        return _masked(x, get_variable)


def get_masks() -> list[Any]:
    """All masks."""
    return stacks.get_collection(MASK_COLLECTION)


def get_masked_weights() -> list[Tensor]:
    """All weights times their masks."""
    return stacks.get_collection(MASKED_WEIGHT_COLLECTION)


def get_thresholds() -> list[Any]:
    """All thresholds."""
    return stacks.get_collection(THRESHOLD_COLLECTION)


def get_weights() -> list[Any]:
    """All weights that have masks."""
    return stacks.get_collection(WEIGHT_COLLECTION)


def get_weight_sparsity() -> list[Tensor]:
    """Which share of each mask is 0."""
    return [zero_fraction(mask) for mask in get_masks()]


# ---- layers and cells ----------------------------------------------------------------------


def _masking(getter: Callable, name: str, *args: Any, **kwargs: Any) -> Any:
    """The `custom_getter` that gives the weights of a layer masked."""
    found = getter(name, *args, **kwargs)
    return _masked(found, get_variable) if name.rpartition("/")[2] == "weights" else found


def _with_masks(layer: Callable[..., Tensor]) -> Callable[..., Tensor]:
    @add_arg_scope
    @functools.wraps(layer)
    def masked(*args: Any, **kwargs: Any) -> Tensor:
        with variable_scope(
            get_variable_scope(), custom_getter=_masking, auxiliary_name_scope=False
        ):
            return layer(*args, **kwargs)

    masked.__doc__ = f"As `tf.contrib.layers.{layer.__name__}`, with masked weights."
    return masked


masked_fully_connected = _with_masks(layers.fully_connected)
masked_convolution = masked_conv2d = _with_masks(layers.conv2d)


class _Masked(RNNCell):
    """A cell whose kernel is masked; `mask` and `threshold` stand beside it."""

    _kernel: Any

    def _add_kernel(self, *args: Any) -> None:
        super()._add_kernel(*args)  # type: ignore[misc]
        self._kernel = _masked(self._kernel, self._made)

    def _made(self, name: str, shape: Any, dtype: Any, initializer: Any, trainable: bool) -> Any:
        return self.add_variable(name, shape, dtype, initializer, trainable=trainable)


class MaskedBasicLSTMCell(_Masked, BasicLSTMCell):
    """A `BasicLSTMCell` whose kernel is masked."""


class MaskedLSTMCell(_Masked, LSTMCell):
    """An `LSTMCell` whose kernel is masked."""


# ---- when and how much ---------------------------------------------------------------------


def get_pruning_hparams() -> HParams:
    """The settings of `Pruning`, by default.

    name: of the scope of its operations.
    begin_pruning_step, end_pruning_step: between which steps masks change; -1 for no end.
    do_not_prune: parts of names of masks that stay.
    threshold_decay: how slowly thresholds follow.
    pruning_frequency: every how many steps masks change.
    nbins: of the histogram.
    initial_sparsity, target_sparsity: which share is 0, at first and at last.
    sparsity_function_begin_step, sparsity_function_end_step: from when to when the share grows.
    sparsity_function_exponent: how much sooner it grows at first.
    """
    return HParams(
        name="model_pruning", begin_pruning_step=0, end_pruning_step=-1, do_not_prune=[""],
        threshold_decay=0.9, pruning_frequency=10, nbins=255, initial_sparsity=0,
        target_sparsity=0.5, sparsity_function_begin_step=0, sparsity_function_end_step=100,
        sparsity_function_exponent=3,
    )  # fmt: skip


class Pruning:
    """Changes the masks of a graph while it trains.

    Args:
      spec: settings, as `get_pruning_hparams` gives them.
      global_step: what counts the steps; by default that of the graph.
      sparsity: the wanted share of zeros, a tensor, in place of that of the settings.
      partitioner: not None when weights are variables in parts.
    Raises:
      ValueError: when the share ends to grow before it begins.
    """

    def __init__(
        self, spec: Any = None, global_step: Any = None, sparsity: Any = None,
        partitioner: Any = None,
    ) -> None:  # fmt: skip
        chosen: Any = get_pruning_hparams() if spec is None else spec
        self._spec = chosen
        step = get_global_step() if global_step is None else global_step
        self._step, self._partitioned = cast(step, dtypes.int32), partitioner is not None
        self._sparsity = self._growing() if sparsity is None else sparsity
        self._assigned: list[Any] = []
        with variable_scope(chosen.name, reuse=AUTO_REUSE):
            self._last = get_variable(
                "last_mask_update_step", [], dtypes.int32, zeros_initializer(), trainable=False
            )

    def _growing(self) -> Tensor:
        """target + (initial - target) (1 - progress)^exponent."""
        spec = self._spec
        begin, end = spec.sparsity_function_begin_step, spec.sparsity_function_end_step
        if begin >= end:
            raise ValueError(
                f"Pruning must begin before it can end. begin_step={begin}, end_step={end}"
            )
        with stacks.name_scope(spec.name):
            progress = cast(self._step - begin, dtypes.float32) / (end - begin)
            left = pow(1.0 - minimum(1.0, maximum(0.0, progress)), spec.sparsity_function_exponent)
            apart = spec.initial_sparsity - spec.target_sparsity
            return add(multiply(float(apart), left), spec.target_sparsity, name="sparsity")

    def _pruned(self, name: str) -> bool:
        kept = self._spec.do_not_prune
        return not kept[0] or not any(part in name for part in kept)

    def _new(self, weights: Any, threshold: Any) -> tuple[Tensor, Tensor]:
        """The new threshold, and the new mask."""
        spec = self._spec
        with stacks.name_scope(weights.op.name + "_pruning_ops"):
            sizes = absolute(weights)
            largest = reduce_max(sizes)
            place = floor(reshape(sizes, [-1]) / largest * float(spec.nbins))
            place = cast(clip_by_value(place, 0.0, spec.nbins - 1.0), dtypes.int32)
            counts = unsorted_segment_sum(ones_like(place, dtypes.float32), place, spec.nbins)
            share = cumsum(counts) / reduce_sum(counts)
            below = reduce_sum(cast(less(share, self._sparsity), dtypes.float32))
            found = below / float(spec.nbins) * largest
            smooth = found * (1 - spec.threshold_decay) + threshold * spec.threshold_decay
            return smooth, cast(greater(sizes, smooth), dtypes.float32)

    def mask_update_op(self) -> Any:
        """An operation that changes all masks."""
        with stacks.name_scope(self._spec.name):
            if not self._assigned:
                for mask, threshold, weights in zip(
                    get_masks(), get_thresholds(), get_weights(), strict=True
                ):
                    if self._pruned(mask.name):
                        whole = weights.as_tensor() if self._partitioned else weights
                        new = self._new(whole, threshold)
                        self._assigned += [assign(threshold, new[0]), assign(mask, new[1])]
            with stacks.control_dependencies([assign(self._last, self._step), *self._assigned]):
                logging.info("Updating masks.")
                return no_op("mask_update")

    def conditional_mask_update_op(self) -> Any:
        """The same, at the steps that the settings say."""
        spec = self._spec
        with stacks.name_scope(spec.name):
            begun = greater_equal(self._step, spec.begin_pruning_step)
            end = spec.end_pruning_step
            going = logical_or(less_equal(self._step, end), less(end, 0))
            due = less_equal(self._last + spec.pruning_frequency, self._step)
            now = logical_and(logical_and(begun, going), due)
        return cond(now, self.mask_update_op, no_op)

    def add_pruning_summaries(self) -> None:
        """Adds the wanted share of zeros, that of each mask, and the thresholds."""
        with stacks.name_scope(self._spec.name + "_summaries"):
            summary.scalar("sparsity", self._sparsity)
            summary.scalar("last_mask_update_step", self._last)
            for mask, threshold in zip(get_masks(), get_thresholds(), strict=True):
                if self._pruned(mask.name):
                    summary.scalar(mask.op.name + "/sparsity", zero_fraction(mask))
                    summary.scalar(threshold.op.name + "/threshold", threshold)

    def print_hparams(self) -> None:
        """Logs the settings."""
        logging.info(self._spec.to_json())
