"""One step of a model: from the arrays of a batch to what is reported of it.

    in a graph         placeholders ──> loss, metrics, updates    built once, a `session.run` each
    eagerly            a `tf.function`, or Python itself with `run_eagerly`
    under a strategy   batch ──cut──> part 0 ──> outputs, loss * share, gradients ──┐
                                      part 1 ──> outputs, loss * share, gradients ──┴──> their sums

A step is a function from a flat list, x then y then weights, to a list of results. Which of the
outputs have weights is known when it is built. `share` is which part of the batch a replica has.
The losses are means, so that the sum of each mean times its share is the mean over the batch, also
where the parts differ in size; gradients likewise. So what is learned is what one device learns
from the whole batch, but for batch normalization: each replica normalizes by the moments of its own
part, as in TensorFlow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.gradients.tape import GradientTape
from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import placeholder, placeholder_with_default
from minitf.core.ops.cast import cast
from minitf.library.distribute.cross_device_ops import ReduceOp
from minitf.library.distribute.values import PerReplica, local_results, replica_here
from minitf.library.eager.function import function
from minitf.library.keras import losses
from minitf.library.keras.backend import session as backend
from minitf.library.keras.backend.session import floatx
from minitf.library.keras.engine.compiled import Endpoint

Step = Callable[[Sequence[Any]], list[Any]]


def layer_metrics(model: Any) -> list[Any]:
    """The metrics that layers added, not `compile`."""
    own = {id(m) for m in model._compiled.metrics} if model._compiled else set()
    return [m for m in model._added_metrics() if id(m) not in own]


def for_own_inputs(model: Any, get: Callable[[Any], list]) -> list:
    """The losses or updates that a step of a model needs: its layers may be called elsewhere, too.

    Args:
      model: it.
      get: `get_losses_for` or `get_updates_for`, of the model or of a layer.
    """
    return [*get(None), *get(model.inputs)]


# ---- in a graph ----------------------------------------------------------------------------------


def target_of(endpoint: Endpoint, output: Tensor, given: Any) -> Tensor:
    """The tensor of the labels of an output: what `target_tensors` says, or a placeholder."""
    if given is not None:
        return given
    shape = None if output.shape.ndims is None else [None] * output.shape.ndims
    return placeholder(output.dtype, shape, name=f"{endpoint.name}_target")


def weights_of(endpoint: Endpoint) -> Tensor:
    """A placeholder for the weights of the examples."""
    default = constant(np.ones([1]), dtypes.as_dtype(floatx()))
    return placeholder_with_default(default, [None], name=f"{endpoint.name}_sample_weights")


class GraphStep:
    """A step in a session's graph, on the tensors that the model was built on.

    Args:
      model: it.
      mode: "train", "test" or "predict".
      weighted: for each trained output, whether its examples have weights.
    """

    def __init__(self, model: Any, mode: str, weighted: Sequence[bool]) -> None:
        feeds, trained = model._data.feeds, () if mode == "predict" else model._compiled.trained
        if mode == "predict":
            fetches = [convert_to_tensor(each) for each in model.outputs]
        else:
            loss, results, weights = model._losses_in_graph(tuple(weighted))
            results = [loss, *results, *(m._call_result for m in layer_metrics(model))]
            fetches = [fetch for fetch in results if fetch is not None]
            feeds += [e.target for e in trained if e.is_fed]
            feeds += [w for w in weights if w is not None]
        if mode == "train":
            with stacks.name_scope("training"):
                updates = model.optimizer.get_updates(loss=loss, params=model._compiled_weights)
            updates = [*updates, *model._compiled_updates]
        else:  # what recurrent layers do that keep a state
            kept = [layer for layer in model.layers if layer.stateful]
            updates = [op for each in kept for op in for_own_inputs(model, each.get_updates_for)]
        self._phase = backend.learning_phase()
        if not isinstance(self._phase, int):
            feeds.append(self._phase)
        self._fetches, self._updates, self._feeds = fetches, updates, feeds
        sparse = losses.sparse_categorical_crossentropy
        self._classes = [e.target for e in trained if losses.computes(e.loss, sparse)]
        self._training = mode == "train"
        self._options = model._run_options

    def bound(self) -> Step:
        """The step in the session that Keras uses now, with all variables initialized."""
        session, count = backend.get_session(), len(self._fetches)
        fetches, feeds = [*self._fetches, *self._updates], self._feeds
        last = [] if isinstance(self._phase, int) else [self._training]
        options = self._options

        def step(values: Sequence[Any]) -> list[Any]:
            fed = dict(zip(feeds, [*values, *last], strict=True))
            for labels in self._classes:  # which may come without the axis of the probabilities
                if labels in fed and np.ndim(fed[labels]) == (labels.shape.ndims or 0) - 1:
                    fed[labels] = np.expand_dims(fed[labels], -1)
            return session.run(fetches, fed, **options)[:count]

        return step


# ---- eagerly, and for replicas -------------------------------------------------------------------


class TracedStep:
    """A step that calls the model on tensors: once eagerly, in each replica under a strategy.

    Args:
      model, mode, weighted: see `GraphStep`.
    """

    def __init__(self, model: Any, mode: str, weighted: Sequence[bool]) -> None:
        self._model, self._mode, self._weighted = model, mode, list(weighted)
        self._strategy = strategy = model._distribution_strategy
        self._devices = [None] if strategy is None else strategy.extended.worker_devices
        self._steps: dict[bool, Any] = {}

    def bound(self) -> Step:
        """The step, with all variables initialized."""
        eagerly = stacks.outermost().runs_at_once
        if eagerly and self._mode == "train":  # made here, so that tracing makes no variables
            with stacks.init_scope():
                self._model.optimizer._create_all(self._model._compiled_weights)

        def step(values: Sequence[Any]) -> list[Any]:
            parts, shares = self._shared_out(values)
            padded = 0.0 in shares
            if padded not in self._steps:
                self._steps[padded] = (self._eager if eagerly else self._graph)(padded)
            results = self._steps[padded](parts, shares)
            if self._mode != "predict" or self._strategy is None:
                return results
            count = len(results) // len(parts)  # the outputs of one replica after another
            outputs = [results[i::count] for i in range(count)]
            return [np.concatenate([p for p, s in zip(each, shares) if s]) for each in outputs]

        return step

    def _shared_out(self, values: Sequence[Any]) -> tuple[list[Sequence[Any]], list[float]]:
        """What each replica here gets of a batch, and which part of the batch that is.

        Where there are more replicas than examples, the others get one that does not count.
        """
        if self._strategy is None:
            return [values], [1.0]
        rows = len(values[0])
        here = everywhere = len(self._devices)
        first = 0
        if self._mode != "predict" and spans_workers(self._strategy):
            place = self._strategy.extended._input_contexts()[0]
            everywhere, first = place.num_replicas_in_sync, place.input_pipeline_id * here
        bounds = [rows * i // everywhere for i in range(everywhere + 1)]
        parts: list[Sequence[Any]] = []
        shares = []
        for start, stop in zip(bounds[first : first + here], bounds[first + 1 :]):
            shares.append((stop - start) / rows)
            parts.append([v[start:stop] if stop > start else v[:1] for v in values])
        return parts, shares

    def _graph(self, padded: bool) -> Any:
        """Builds the step in a session's graph."""
        model = self._model
        templates = model._data.feeds
        if self._mode != "predict":
            fed = [e for e in model._compiled.trained if e.is_fed]
            templates += [e.target for e in fed]
            templates += [weights_of(e) for e, has in zip(fed, self._weighted) if has]
        feeds = []
        for device in self._devices:
            with stacks.device(device):
                feeds.append([_open(each) for each in templates])
        shares = [placeholder("float32", [], name="share") for _ in feeds]
        fetches, updates = self._built(feeds, shares, padded)
        options = model._run_options

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
        with backend.learning_phase_scope(int(self._mode == "train")):
            noted = _Noted(model)
            if strategy is None:
                outcome = self._compute(parts[0], None, False)
            else:
                columns = [PerReplica(column) for column in zip(*parts, strict=True)]
                arguments = (columns, PerReplica(shares), padded)
                outcome = strategy.extended.call_for_each_replica(self._compute, args=arguments)
            updates = noted.take_back("_updates") + noted.take_back("_update_ops")
            noted.take_back("_losses")
            if self._mode == "predict":
                by_replica = [local_results(each) for each in outcome]
                return [out for outs in zip(*by_replica) for out in outs], updates
            loss, applied = outcome
            updates += [op for op in local_results(applied) if op is not None]
            reported = model._all_metrics()
            with stacks.control_dependencies(updates):
                if strategy is not None:
                    loss = strategy.reduce(ReduceOp.SUM, loss, axis=None)
                results = [convert_to_tensor(metric.result()) for metric in reported]
                return [loss, *results], updates

    def _compute(self, values: Sequence[Tensor], share: Any, padded: bool) -> Any:
        """The outputs; or the share of the loss, after the update of variables and metrics."""
        model, compiled, training = self._model, self._model._compiled, self._mode == "train"
        if self._mode == "predict":
            return model._data.call(list(values), "predict")
        count = len(values) - sum(self._weighted) - len(compiled.trained)
        rest = iter(values[count:])
        y = [next(rest) for _ in compiled.trained]
        weights = [next(rest) if has else None for has in self._weighted]
        noted = _Noted(model)
        with GradientTape() as tape:
            outputs = model._data.call(list(values[:count]), self._mode)
            kept = [out for e, out in zip(compiled.endpoints, outputs) if e.loss is not None]
            y = [cast(t, o.dtype) if t.dtype.is_floating else t for t, o in zip(y, kept)]
            loss, of_outputs = compiled.total(outputs, y, weights, noted.losses(), share)
        applied = None
        if training:
            variables = model._compiled_weights
            found = model.optimizer._clipped(tape.gradient(loss, variables))
            applied = model.optimizer.apply_gradients(zip(found, variables, strict=True))
        counts = cast(share > 0, "float32") if padded else None
        compiled.results(outputs, y, weights, of_outputs, share, counts)
        return loss, applied


class _Noted:
    """What layers and metrics have noted in a graph so far; what a call adds is its own.

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


# ---- strategies ----------------------------------------------------------------------------------


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
