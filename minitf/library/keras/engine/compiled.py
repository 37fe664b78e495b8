"""What `compile` makes of its arguments: for each output of a model a loss and metrics.

outputs, labels, weights --Compiled.results--> [loss, a loss for each output, metrics ...]

The results are tensors: of a session's graph, or of a function that is traced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from minitf.core.graph import logging, stacks
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.cast import cast
from minitf.core.ops.math import add_n
from minitf.library.keras import losses
from minitf.library.keras.engine.calls import distinct
from minitf.library.keras.losses import compute_weighted_loss, loss_object, masked_weights
from minitf.library.keras.metrics import metrics as known_metrics
from minitf.library.keras.metrics.base import Mean, MeanMetricWrapper, Metric

#: What "accuracy" and "crossentropy" stand for: of one number or yes-or-no answers, of classes that
#: are numbers, and of classes that are rows.
_GENERAL = {
    "acc": (
        known_metrics.binary_accuracy,
        known_metrics.sparse_categorical_accuracy,
        known_metrics.categorical_accuracy,
    ),
    "ce": (
        losses.binary_crossentropy,
        losses.sparse_categorical_crossentropy,
        losses.categorical_crossentropy,
    ),
}
_SHORT = {"accuracy": "acc", "acc": "acc", "crossentropy": "ce", "ce": "ce"}
_SUM = losses.Reduction.SUM
_ONE_HOT = (
    "You are passing a target array of shape {shape} while using as loss "
    "`categorical_crossentropy`. `categorical_crossentropy` expects targets to be binary matrices "
    "(1s and 0s) of shape (samples, classes). If your targets are integer classes, you can convert "
    "them to the expected format via:\n```\nfrom keras.utils import to_categorical\ny_binary = "
    "to_categorical(y_int)\n```\n\nAlternatively, you can use the loss function "
    "`sparse_categorical_crossentropy` instead, which does expect integer targets."
)
#: The losses that compare each number of the output with one of the labels.
_AS_LARGE: tuple[Any, ...] = (
    losses.mean_squared_error,
    losses.binary_crossentropy,
    losses.categorical_crossentropy,
)


class Endpoint:
    """One output of a model: its loss and metrics.

    Attributes:
      name: the output's.
      loss: a `Loss`, or None for an output that is not trained.
      loss_weight: what it counts.
      metrics, weighted_metrics: lists of `Metric`.
      loss_metric: the mean of the loss, where there are several outputs.
      target: in a graph, the tensor of the labels.
    """

    def __init__(self, name: str, shape: Any, loss: Any, loss_weight: Any) -> None:
        self.name, self.shape = name, shape
        self.loss, self.loss_weight = loss, loss_weight
        self.metrics: list[Metric] = []
        self.weighted_metrics: list[Metric] = []
        self.loss_metric: Mean | None = None
        self.target: Any = None

    @property
    def is_fed(self) -> bool:
        """Whether labels are passed: not when they come from a tensor."""
        return self.target is None or self.target.op.type == "Placeholder"

    def check(self, labels: Any) -> None:
        """Raises ValueError when labels have not the shape that the loss expects of them."""
        if isinstance(labels, Tensor) or self.shape is None:
            return
        if losses.computes(self.loss, losses.categorical_crossentropy) and labels.shape[-1] == 1:
            raise ValueError(_ONE_HOT.format(shape=labels.shape))
        if losses.computes(self.loss, *_AS_LARGE):
            for size, right in zip(labels.shape[1:], self.shape[1:]):
                if right is not None and size != right:
                    raise ValueError(
                        f"A target array with shape {labels.shape} was passed for an output of "
                        f"shape {tuple(self.shape)} while using as loss `{self.loss.name}`. This "
                        "loss expects targets to have the same shape as the output."
                    )

    def metric(self, given: Any, weighted: bool) -> Metric:
        """The metric that a program meant."""
        prefix = "weighted_" if weighted else ""
        if isinstance(given, str) and given in _SHORT:
            short, loss = _SHORT[given], self.loss
            binary, sparse, rows = _GENERAL[short]
            function: Any = rows
            if self.shape[-1] == 1 or losses.computes(loss, losses.binary_crossentropy):
                function = binary
            elif losses.computes(loss, losses.sparse_categorical_crossentropy):
                function = sparse
            return MeanMetricWrapper(function, name=prefix + short)
        found = known_metrics.get(given)
        if not isinstance(found, Metric):
            return MeanMetricWrapper(found, name=prefix + found.__name__)
        found._name = prefix + found.name
        return found


class Compiled:
    """The losses and metrics of all outputs.

    Args:
      names: of the outputs.
      shapes: of the outputs, as tuples.
      loss, metrics, weighted_metrics, loss_weights: see `Model.compile`.

    Attributes:
      endpoints, trained: all outputs, and those with a loss.
      reported: the metrics of outputs and layers, once a step was made.
    """

    def __init__(
        self,
        names: Sequence[str],
        shapes: Sequence[Any],
        loss: Any,
        metrics: Any,
        weighted_metrics: Any,
        loss_weights: Any,
    ) -> None:
        functions_ = _losses(loss, names)
        weights = _loss_weights(loss_weights, names)
        self.endpoints = [Endpoint(*each) for each in zip(names, shapes, functions_, weights)]
        self.trained = [e for e in self.endpoints if e.loss is not None]
        self.reported: list[Metric] | None = None
        several = len(names) > 1
        taken = ["loss", *(f"{e.name}_loss" for e in self.trained if several)]
        for weighted, given in ((False, metrics), (True, weighted_metrics)):
            for endpoint, wanted in zip(self.endpoints, _metrics(given, names)):
                if endpoint.loss is None:
                    continue
                own = endpoint.weighted_metrics if weighted else endpoint.metrics
                made = [endpoint.metric(each, weighted) for each in wanted]
                own += {metric.name: metric for metric in made}.values()
        for endpoint in self.trained:
            if several:
                endpoint.loss_metric = Mean(name=f"{endpoint.name}_loss")
            for metric in (*endpoint.metrics, *endpoint.weighted_metrics):
                base = f"{endpoint.name}_{metric.name}" if several else metric.name
                metric._name = distinct(base, taken)
                taken.append(metric._name)

    @property
    def loss_metrics(self) -> list[Metric]:
        """The means of the losses of the outputs, where there are several."""
        return [e.loss_metric for e in self.trained if e.loss_metric is not None]

    @property
    def metrics(self) -> list[Metric]:
        """The metrics that were asked for."""
        return [m for e in self.trained for m in (*e.metrics, *e.weighted_metrics)]

    def total(
        self,
        outputs: Sequence[Any],
        y: Sequence[Any],
        weights: Sequence[Any],
        others: list[Any],
        share: Any = None,
    ) -> tuple[Any, list[Any]]:
        """The loss to be made smaller, and that of each output.

        Args:
          outputs: of all endpoints.
          y, weights: labels and weights of the trained ones; weights may be None.
          others: losses of the layers.
          share: which part of the batch these are; None for all of it. Means count so much.

        Raises:
          ValueError: when there is nothing to be made smaller.
        """
        of_outputs = []
        outputs = [out for e, out in zip(self.endpoints, outputs) if e.loss is not None]
        with stacks.name_scope("loss"):
            for endpoint, output, labels, weight in zip(self.trained, outputs, y, weights):
                with stacks.name_scope(f"{endpoint.name}_loss"):
                    of_outputs.append(_output_loss(endpoint.loss, labels, output, weight))
            if not of_outputs and not others:
                raise ValueError("The model cannot be compiled because it has no loss to optimize.")
            parts = [e.loss_weight * loss for e, loss in zip(self.trained, of_outputs)]
            parts += [add_n(others)] if others else []
            if share is not None:
                sums = [getattr(e.loss, "reduction", None) == _SUM for e in self.trained]
                pairs = zip(parts, [*sums, False], strict=False)
                parts = [p if is_sum else p * cast(share, p.dtype) for p, is_sum in pairs]
            dtype = max((part.dtype for part in parts), key=lambda d: d.size)
            return add_n([cast(part, dtype) for part in parts]), of_outputs

    def results(
        self,
        outputs: Sequence[Any],
        y: Sequence[Any],
        weights: Sequence[Any],
        of_outputs: list,
        share: Any = None,
        counts: Any = None,
    ) -> list[Any]:
        """What is reported of a batch beside the loss: adds it to all metrics.

        Args:
          outputs, y, weights, share: see `total`.
          of_outputs: the loss of each output.
          counts: 1, or 0 where the metrics are not to count the batch; None is 1.
        """
        outputs = [out for e, out in zip(self.endpoints, outputs) if e.loss is not None]
        results = [
            e.loss_metric(loss) if share is None else e.loss_metric.update_state(loss, share)
            for e, loss in zip(self.trained, of_outputs)
            if e.loss_metric
        ]
        with stacks.name_scope("metrics"):
            for endpoint, output, labels, weight in zip(self.trained, outputs, y, weights):
                mask = getattr(output, "_keras_mask", None)
                if counts is not None and weight is not None:
                    weight = weight * cast(counts, weight.dtype)
                weight = counts if weight is None else weight
                for own, each in ((endpoint.metrics, counts), (endpoint.weighted_metrics, weight)):
                    for metric in own:
                        with stacks.name_scope(metric.name):
                            counted = masked_weights(each, mask, output.dtype)
                            call = metric if share is None else metric.update_state
                            results.append(call(labels, output, sample_weight=counted))
        return results


def _output_loss(loss: Any, labels: Tensor, output: Tensor, weight: Any) -> Tensor:
    weight = masked_weights(weight, getattr(output, "_keras_mask", None), output.dtype)
    if not hasattr(loss, "reduction"):
        return loss(labels, output, sample_weight=weight)
    return compute_weighted_loss(loss.call(labels, output), weight, _reduction(loss))


def _reduction(loss: Any) -> str:
    kinds = losses.Reduction
    return kinds.SUM_OVER_BATCH_SIZE if loss.reduction == kinds.AUTO else loss.reduction


# ---- arguments for several outputs ---------------------------------------------------------------


def check_keys(kind: str, given: Mapping[str, Any], names: Sequence[str]) -> None:
    """Raises ValueError when a key is the name of no output."""
    unknown = set(given) - set(names)
    if unknown:
        raise ValueError(
            f"Unknown entries in {kind} dictionary: {sorted(unknown)}. Only expected following "
            f"keys: {list(names)}"
        )


def _of_each(kind: str, given: Any, names: Sequence[str], default: Any, told: str) -> list[Any]:
    """What a dict or a list says of each output."""
    if isinstance(given, Mapping):
        check_keys(kind, given, names)
        return [given.get(name, default) for name in names]
    if len(given) != len(names):
        raise ValueError(
            f"When passing {told}. The model has {len(names)} outputs, but you passed "
            f"{kind}={given}"
        )
    return list(given)


def _losses(given: Any, names: Sequence[str]) -> list[Any]:
    if not isinstance(given, (list, tuple, Mapping)):
        return [loss_object(given) for _ in names]
    told = "a list as loss, it should have one entry per model outputs"
    found = _of_each("loss", given, names, None, told)
    for name in names if isinstance(given, Mapping) else ():
        if name not in given:
            logging.warning(
                "Output %s missing from loss dictionary. We assume this was done on purpose. "
                "The fit and evaluate APIs will not be expecting any data to be passed to %s.",
                name,
                name,
            )
    return [loss_object(each) for each in found]


def _loss_weights(given: Any, names: Sequence[str]) -> list[Any]:
    if given is None:
        return [1.0] * len(names)
    if isinstance(given, (list, Mapping)):
        told = "a list as loss_weights, it should have one entry per model output"
        return _of_each("loss_weights", given, names, 1.0, told)
    raise TypeError(
        f"Could not interpret loss_weights argument: {given} - expected a list of dicts."
    )


def _metrics(given: Any, names: Sequence[str]) -> list[list[Any]]:
    if not given:
        return [[] for _ in names]
    if not isinstance(given, (list, tuple, Mapping)):
        raise TypeError(
            "Type of `metrics` argument not understood. Expected a list or dictionary, found: "
            f"{given}"
        )
    if isinstance(given, Mapping) or any(isinstance(each, list) for each in given):
        told = "a list of lists as `metrics`, it should have one entry per model output"
        found = _of_each("metrics", given, names, [], told)
        return [list(each) if isinstance(each, (list, tuple)) else [each] for each in found]
    if len(names) == 1:
        return [list(given)]
    return [[_cloned(each) for each in given] for _ in names]


def _cloned(metric: Any) -> Any:
    """A metric of its own for each output."""
    return type(metric).from_config(metric.get_config()) if isinstance(metric, Metric) else metric
