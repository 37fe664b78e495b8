"""One step of a model under a strategy: the batch is shared out, one part for each replica.

    batch --_cut--> part 0 --> outputs, loss * share, gradients --+
                    part 1 --> outputs, loss * share, gradients --+--> optimizer: their sum
                    ...                                           +--> metrics: all copies

`share` is which part of the batch a replica has. The losses are means, so that the sum of each mean
times its share is the mean over the batch, also where the parts differ in size; gradients likewise.
So what is learned is what one device learns from the whole batch, but for batch normalization: each
replica normalizes by the moments of its own part, as in TensorFlow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.gradients.tape import GradientTape
from minitf.core.graph import nest, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import placeholder
from minitf.core.ops.cast import cast
from minitf.library.distribute.cross_device_ops import ReduceOp
from minitf.library.distribute.values import PerReplica, local_results, replica_here
from minitf.library.eager.function import function
from minitf.library.keras.backend import session as backend
from minitf.library.keras.engine.steps import Step, called, weights_of


class ReplicaStep:
    """A step whose batch is shared out to the replicas; see `GraphStep` for the arguments.

    Args:
      strategy: says which replicas there are.
    """

    def __init__(self, model: Any, mode: str, weighted: Sequence[bool], strategy: Any) -> None:
        self._model, self._mode, self._weighted = model, mode, list(weighted)
        self._strategy = strategy
        self._count = len(strategy.extended.worker_devices)
        self._steps: dict[bool, Any] = {}

    def bound(self) -> Step:
        """The step, with all variables initialized."""
        eagerly = stacks.outermost().runs_at_once
        if eagerly and self._mode == "train":  # made here, so that tracing makes no variables
            with self._strategy.scope(), stacks.init_scope():
                self._model.optimizer._create_all(self._model._compiled_weights)

        def step(values: Sequence[Any]) -> list[Any]:
            parts, shares = self._shared_out(values)
            padded = 0.0 in shares
            if padded not in self._steps:
                self._steps[padded] = (self._eager if eagerly else self._graph)(padded)
            results = self._steps[padded](parts, shares)
            return results if self._mode != "predict" else self._joined(results, shares)

        return step

    # ---- batches -----------------------------------------------------------------------------

    def _shared_out(self, values: Sequence[Any]) -> tuple[list[list[Any]], list[float]]:
        """What each replica here gets of a batch, and which part of the batch that is.

        Where there are more replicas than examples, the others get one that does not count.
        """
        rows = len(values[0])
        everywhere, first = self._count, 0
        if self._mode != "predict" and spans_workers(self._strategy):
            place = self._strategy.extended._input_contexts()[0]
            everywhere, first = place.num_replicas_in_sync, place.input_pipeline_id * self._count
        bounds = [rows * i // everywhere for i in range(everywhere + 1)]
        parts, shares = [], []
        for i in range(first, first + self._count):
            start, stop = bounds[i], bounds[i + 1]
            shares.append((stop - start) / rows)
            parts.append([v[start:stop] if stop > start else v[:1] for v in values])
        return parts, shares

    def _joined(self, results: list[Any], shares: list[float]) -> list[Any]:
        """The outputs of the whole batch, from those of each replica."""
        outputs = [
            results[i :: len(results) // self._count] for i in range(len(results) // self._count)
        ]
        return [np.concatenate([p for p, s in zip(parts, shares) if s]) for parts in outputs]

    # ---- the two ways to run it ----------------------------------------------------------------

    def _graph(self, padded: bool) -> Any:
        """Builds the step in a session's graph."""
        model = self._model
        templates = list(model._feed_inputs)
        if self._mode != "predict":
            fed = [e for e in model._compiled.trained if e.is_fed]
            templates += [e.target for e in fed]
            templates += [weights_of(e) for e, has in zip(fed, self._weighted) if has]
        feeds = []
        for device in self._strategy.extended.worker_devices:
            with stacks.device(device):
                feeds.append([_open(each) for each in templates])
        shares = [placeholder("float32", [], name="share") for _ in feeds]
        fetches, updates = self._built(feeds, shares, padded)
        options = self._model._run_options

        def step(parts: list[list[Any]], of_batch: list[float]) -> list[Any]:
            flat = zip(nest.flatten(feeds), nest.flatten(parts), strict=True)
            fed = {**dict(flat), **dict(zip(shares, of_batch))}
            session = backend.get_session()
            return session.run([*fetches, *updates], fed, **options)[: len(fetches)]

        return step

    def _eager(self, padded: bool) -> Any:
        """The step as a function of tensors, or as Python with `run_eagerly`."""

        def compute(parts: list[list[Tensor]], shares: list[Tensor]) -> list[Any]:
            return self._built(parts, shares, padded)[0]

        call = compute if self._model.run_eagerly else function(compute)

        def step(parts: list[list[Any]], of_batch: list[float]) -> list[Any]:
            tensors = [[convert_to_tensor(value) for value in part] for part in parts]
            results = call(tensors, [convert_to_tensor(np.float32(s)) for s in of_batch])
            return [result.numpy() for result in results]

        return step

    def _built(self, parts: list, shares: list, padded: bool) -> tuple[list[Any], list[Any]]:
        """What is reported, and in a graph the operations to run beside it."""
        model, strategy = self._model, self._strategy
        columns = [PerReplica(column) for column in zip(*parts, strict=True)]
        training = self._mode == "train"
        with strategy.scope(), backend.learning_phase_scope(int(training)):
            noted = _Noted(model)
            outcome = strategy.extended.call_for_each_replica(
                self._in_replica, args=(columns, PerReplica(shares), padded)
            )
            updates = noted.take_back("_updates") + noted.take_back("_update_ops")
            noted.take_back("_losses")
            if self._mode == "predict":
                by_replica = [local_results(each) for each in outcome]
                return [out for outs in zip(*by_replica) for out in outs], updates
            loss, applied = outcome
            updates += [op for op in local_results(applied) if op is not None]
            reported = model._all_metrics()
            with stacks.control_dependencies(updates):
                total = strategy.reduce(ReduceOp.SUM, loss, axis=None)
                return [total, *(metric.result() for metric in reported)], updates

    # ---- in a replica --------------------------------------------------------------------------

    def _in_replica(self, values: list[Any], share: Any, padded: bool) -> Any:
        """The outputs; or the share of the loss, after the update of variables and metrics."""
        model, compiled = self._model, self._model._compiled
        if self._mode == "predict":
            return called(model, values, "predict")
        count = len(values) - sum(self._weighted) - len(compiled.trained)
        x, rest = list(values[:count]), iter(values[count:])
        y = [next(rest) for _ in compiled.trained]
        weights = [next(rest) if has else None for has in self._weighted]
        noted = _Noted(model)
        with GradientTape() as tape:
            outputs = called(model, x, self._mode)
            kept = [out for e, out in zip(compiled.endpoints, outputs) if e.loss is not None]
            y = [cast(t, o.dtype) if t.dtype.is_floating else t for t, o in zip(y, kept)]
            others = noted.losses()
            loss, of_outputs = compiled.total(outputs, y, weights, others, share)
            to_lower = model.optimizer._scaled(loss) if self._mode == "train" else loss
        counts = cast(share > 0, "float32") if padded else None
        compiled.results(outputs, y, weights, of_outputs, share, counts)
        applied = None
        if self._mode == "train":
            variables = model._compiled_weights
            found = model.optimizer._clipped(tape.gradient(to_lower, variables))
            applied = model.optimizer.apply_gradients(zip(found, variables, strict=True))
        return loss, applied


class _Noted:
    """What layers and metrics have noted in a graph so far; what replicas add is theirs alone.

    Args:
      model: it.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        metrics = model._all_metrics() if model._compiled is not None else []
        holders = list(dict.fromkeys([*model._walk(), *metrics]))
        found = [
            (name, kept)
            for holder in holders
            for name in ("_updates", "_losses", "_update_ops")
            if isinstance(kept := getattr(holder, name, None), list)
        ]
        self._lists = [(name, kept, len(kept)) for name, kept in found]

    def take_back(self, name: str) -> list[Any]:
        """What was noted since then, which is forgotten."""
        taken = []
        for each, kept, before in self._lists:
            if each == name:
                taken += [item[0] if isinstance(item, tuple) else item for item in kept[before:]]
                del kept[before:]
        return [] if stacks.executing_eagerly() else taken

    def losses(self) -> list[Any]:
        """The losses of the layers in this call, of this replica: others may be in their midst."""
        if stacks.outermost().runs_at_once:
            return list(self._model.losses)
        of_variables = [loss() for layer in self._model._walk() for loss in layer._callable_losses]
        new = [item for name, k, n in self._lists if name == "_losses" for item in k[n:]]
        every = [loss for loss, _, replica in new if replica == replica_here()]
        every += [loss for loss in of_variables if loss is not None]
        return [convert_to_tensor(loss) for loss in every]


def _open(like: Tensor) -> Tensor:
    """A placeholder for some rows of what another one is fed."""
    sizes = like.shape.as_list() if like.shape.ndims else None
    return placeholder(like.dtype, sizes and [None, *sizes[1:]])


def spans_workers(strategy: Any) -> bool:
    """Whether the replicas of several workers make one step together."""
    return strategy is not None and (
        strategy.num_replicas_in_sync > len(strategy.extended.worker_devices)
    )


def check_scope(strategy: Any, variables: Sequence[Any]) -> None:
    """Raises ValueError when one of the variables was made outside of the strategy's scope."""
    for variable in variables:
        if not strategy.extended.variable_created_in_scope(variable):
            raise ValueError(
                f"Variable ({variable}) was not created in the distribution strategy scope of "
                f"({strategy}). It is most likely due to not all layers or the model or optimizer "
                "being created outside the distribution strategy scope. Try to make sure your code "
                "looks similar to the following.\nwith strategy.scope():\n"
                "  model=_create_model()\n  model.compile(...)"
            )


def strategy_of(model: Any) -> Any:
    """The strategy that a model is compiled for: that in scope, or that of its variables."""
    place = stacks.strategies.top()
    if place is not None:
        return place.strategy
    found = {getattr(v, "distribute_strategy", None) for v in model.weights} if model.built else {}
    return next((each for each in found if each is not None), None)
