"""One step of a model: from the arrays of a batch to what is reported of it.

    in a graph     placeholders --> loss, metrics, updates    built once, one `session.run` a step
    eagerly        a `tf.function`, or Python itself with `run_eagerly`

A step is a function from a flat list, x then y then weights, to a list of results. Which of
the outputs have weights is known when it is built.
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
from minitf.library.eager.function import function
from minitf.library.keras import losses
from minitf.library.keras.backend import session as backend
from minitf.library.keras.backend.config import floatx
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


def called(model: Any, x: list[Tensor], mode: str) -> list[Tensor]:
    """The outputs of a model that is called on tensors."""
    inputs = model._in_own_types(x)
    known = {"training": mode == "train"}
    known = {k: v for k, v in known.items() if k in model._call_arguments}
    return nest.flatten(model(model._packed(inputs), **known))


# ---- in a graph ----------------------------------------------------------------------------------


def target_of(endpoint: Endpoint, output: Tensor, given: Any) -> Tensor:
    """The tensor of the labels of an output: what `target_tensors` says, or a placeholder."""
    if given is not None:
        return given
    shape = None if output.shape.ndims is None else [None] * output.shape.ndims
    return placeholder(output.dtype, shape, name=f"{endpoint.name}_target")


def weights_of(endpoint: Endpoint) -> Tensor:
    """A placeholder for the weights of the examples, or of their steps."""
    rank = 2 if endpoint.mode == "temporal" else 1
    default = constant(np.ones([1] * rank), dtypes.as_dtype(floatx()))
    name = f"{endpoint.name}_sample_weights"
    return placeholder_with_default(default, [None] * rank, name=name)


class GraphStep:
    """A step in a session's graph.

    Args:
      model: it.
      mode: "train", "test" or "predict".
      weighted: for each trained output, whether its examples have weights.
    """

    def __init__(self, model: Any, mode: str, weighted: Sequence[bool]) -> None:
        compiled = model._compiled
        feeds, updates = list(model._feed_inputs), []
        if mode == "predict":
            fetches = [convert_to_tensor(each) for each in model.outputs]
            updates = _state_updates(model)
        else:
            loss, fetches, weights = model._losses_in_graph(tuple(weighted))
            fetches = [loss, *fetches, *(m._call_result for m in layer_metrics(model))]
            fetches = [fetch for fetch in fetches if fetch is not None]
            feeds += [e.target for e in compiled.trained if e.is_fed]
            feeds += [w for w in weights if w is not None]
            updates = _state_updates(model)
        if mode == "train":
            with stacks.name_scope("training"):
                updates = model.optimizer.get_updates(loss=loss, params=model._compiled_weights)
            updates = [*updates, *model._compiled_updates]
        self._phase = backend.learning_phase()
        if not isinstance(self._phase, int):
            feeds.append(self._phase)
        self._fetches, self._updates, self._feeds = fetches, updates, feeds
        sparse = losses.sparse_categorical_crossentropy
        trained = () if mode == "predict" else compiled.trained
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


def _state_updates(model: Any) -> list[Any]:
    """What recurrent layers do that keep a state: in every mode."""
    kept = [layer for layer in model.layers if layer.stateful]
    return [op for each in kept for op in for_own_inputs(model, each.get_updates_for)]


# ---- eagerly -------------------------------------------------------------------------------------


class EagerStep:
    """A step under eager execution; see `GraphStep`."""

    def __init__(self, model: Any, mode: str, weighted: Sequence[bool]) -> None:
        self._model, self._mode, self._weighted = model, mode, list(weighted)
        self._call: Any = self._compute if model.run_eagerly else function(self._traced)

    def _traced(self, values: list[Tensor]) -> list[Tensor]:
        return self._compute(values)

    def bound(self) -> Step:
        """The step itself."""
        model, mode = self._model, self._mode
        if mode == "train":  # made here, so that tracing makes no variables
            with stacks.init_scope():
                model.optimizer._create_all(model._compiled_weights)

        def step(values: Sequence[Any]) -> list[Any]:
            with backend.learning_phase_scope(int(mode == "train")):
                results = self._call([convert_to_tensor(value) for value in values])
            return [result.numpy() for result in results]

        return step

    def _compute(self, values: list[Tensor]) -> list[Tensor]:
        model, compiled = self._model, self._model._compiled
        count = len(values) - sum(self._weighted) - len(compiled.trained if compiled else ())
        if self._mode == "predict":
            return called(model, list(values), "predict")
        x, rest = list(values[:count]), iter(values[count:])
        y = [next(rest) for _ in compiled.trained]
        weights = [next(rest) if has else None for has in self._weighted]
        with GradientTape() as tape:
            outputs = called(model, x, self._mode)
            kept = [out for e, out in zip(compiled.endpoints, outputs) if e.loss is not None]
            y = [cast(t, o.dtype) if t.dtype.is_floating else t for t, o in zip(y, kept)]
            loss, of_outputs = compiled.total(outputs, y, weights, list(model.losses))
            to_lower = model.optimizer._scaled(loss) if self._mode == "train" else loss
        if self._mode == "train":
            variables = model._compiled_weights
            found = tape.gradient(to_lower, variables)
            found = model.optimizer._clipped(found)
            model.optimizer.apply_gradients(zip(found, variables, strict=True))
        results = compiled.results(outputs, y, weights, of_outputs)
        return [loss, *results, *(m.result() for m in layer_metrics(model))]
