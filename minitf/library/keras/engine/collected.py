"""What a layer collects for training: losses, updates, metrics.

regularizers   a function for each, which gives the loss of the variables as they are
add_loss       in a graph a tensor; while operations run at once the value of the last call
add_update     an operation that runs with each step, such as a moving average
add_metric     a number to show
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from minitf.core.graph import nest, stacks
from minitf.core.graph.composites import is_composite
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import GraphKeys
from minitf.core.graph.tensor import Tensor
from minitf.library.distribute.values import replica_here
from minitf.library.keras.backend import session as backend
from minitf.library.keras.engine.calls import call_context, is_symbolic


class Collected:
    """The part of `Layer` that collects."""

    _is_metric: ClassVar[bool] = False
    #: by the name of an aggregation the class of metrics that does it; see `aggregates`
    _aggregations: ClassVar[dict[str, type]] = {}
    trainable: Any
    stateful: Any
    _metrics: list[Any]
    # With each: whether it depends on no input; with losses, too, the replica they are of.
    _losses: list[tuple[Any, bool, int | None]]
    _updates: list[tuple[Any, bool]]
    _inbound_nodes: list[Any]
    _eager_losses: dict[int, list[Any]]  # of the last call, by replica: they take turns
    _callable_losses: list[Callable[[], Any]]  # of the variables: what they are now

    def _children(self) -> list[Any]:
        """The layers in it."""
        raise NotImplementedError

    def _attributes(self, kind: type) -> list[Any]:
        raise NotImplementedError

    def _collect(self, collection: str, items: list) -> None:
        """Tells the graph about losses or updates."""

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Adds losses, such as those of regularizers, to the layer.

        Args:
          losses: a tensor, a function without arguments that makes one, or a list of these.
          inputs: what they depend on; None when they depend on variables alone.

        Raises:
          ValueError: when a value is given outside of `call`: it would never change.
        """
        made = []
        for loss in nest.flatten(losses):
            if callable(loss):
                self._callable_losses.append(loss)
                continue
            if loss is None:
                continue
            loss = convert_to_tensor(loss)
            made.append(loss)
            if is_symbolic(loss) and not _in_tf_function():
                self._losses.append((loss, inputs is None, replica_here()))
            elif call_context.in_call:
                self._eager_losses.setdefault(replica_here() or 0, []).append(loss)
            else:
                raise ValueError(
                    "Expected a symbolic Tensors or a callable for the loss value. Please wrap "
                    "your loss computation in a zero argument `lambda`."
                )
        self._collect(GraphKeys.REGULARIZATION_LOSSES, made)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Adds operations that are to run with each training step, such as moving averages.

        Args:
          updates: an operation or tensor, a function that makes one, or a list of them. While
            operations run at once, a function is not called in a layer that is not trainable.
          inputs: what they depend on; None to find out whether they depend on the layer's inputs.
        """
        nodes = [node.input_tensors for node in self._inbound_nodes]
        given = call_context.inputs if call_context.in_call else nodes
        frozen = call_context.frozen and (stacks.executing_eagerly() or _in_tf_function())
        wanted = [each for each in nest.flatten(updates) if not (frozen and callable(each))]
        made = [each() if callable(each) else each for each in wanted]
        if not stacks.executing_eagerly():
            ops = [_op(each) for each in made if each is not None]
            dependent = following(given) if inputs is None else set(ops)
            self._updates += [(op, op not in dependent) for op in ops]

    def add_metric(self, value: Any, aggregation: str | None = None, name: Any = None) -> None:
        """Adds a number to be shown while training.

        Args:
          value: a tensor, or the result of calling a metric.
          aggregation: "mean" over the batches; None when `value` comes from a metric.
          name: what it is called.

        Raises:
          ValueError: when there is no name, two metrics have it, or another aggregation is asked
            for.
        """
        if aggregation is not None and aggregation not in self._aggregations:
            raise ValueError(
                "We currently support only `mean` sample-wise metric aggregation. You provided "
                f"aggregation=`{aggregation}`"
            )
        metric = getattr(value, "_metric_obj", None)
        if metric is None and name is None:
            raise ValueError(
                "Please provide a name for your metric like `self.add_metric("
                "tf.reduce_sum(inputs), name='mean_activation', aggregation='mean')`"
            )
        alike = [m for m in self._own_metrics() if m.name == (metric.name if metric else name)]
        if len(alike) > 1:
            raise ValueError(
                "Please provide different names for the metrics you have added. We found "
                f'{len(alike)} metrics with the name: "{alike[0].name}"'
            )
        if metric is None and alike and aggregation is None:
            return  # the result of a call, which has counted
        if metric is None:
            metric = alike[0] if alike else self._aggregations[aggregation or "mean"](name=name)
            metric(value)
        if all(metric is not known for known in self._own_metrics()):
            self._metrics.append(metric)

    @classmethod
    def aggregates(cls, name: str) -> Callable[[type], type]:
        """Registers the class of metrics that `add_metric` makes for an aggregation."""

        def register(metric_class: type) -> type:
            cls._aggregations[name] = metric_class
            return metric_class

        return register

    def _clear_losses(self) -> None:
        """Forgets what the last call left, which says nothing about the next one."""
        self._eager_losses.pop(replica_here() or 0, None)
        for layer in self._children():
            layer._clear_losses()

    @property
    def losses(self) -> list:
        """The losses of this layer and of those in it."""
        own = self._eager_losses.get(replica_here() or 0) or [loss for loss, *_ in self._losses]
        of_variables = [loss() for loss in self._callable_losses]
        own = own + [convert_to_tensor(loss) for loss in of_variables if loss is not None]
        return own + [loss for layer in self._children() for loss in layer.losses]

    @property
    def updates(self) -> list:
        """The updates of this layer and of those in it; none when it is not to be trained."""
        if not self.trainable and not self.stateful:
            return []
        own = [update for update, _ in self._updates]
        return own + [update for layer in self._children() for update in layer.updates]

    @property
    def metrics(self) -> list:
        """The metrics in this layer and in those in it."""
        return self._added_metrics()

    def _added_metrics(self) -> list:
        """The metrics that layers added, without those that a model inside was compiled with."""
        inside = [child for child in self._children() if not child._is_metric]
        return self._own_metrics() + [m for child in inside for m in child._added_metrics()]

    def _own_metrics(self) -> list:
        """Those in attributes, which are made first, and those that `add_metric` made."""
        return [*(child for child in self._children() if child._is_metric), *self._metrics]

    def get_losses_for(self, inputs: Any) -> list:
        """The losses that depend on `inputs`; with None those that depend on no input."""
        return _of(self.losses, [each[:2] for x in self._walk() for each in x._losses], inputs)

    def get_updates_for(self, inputs: Any) -> list:
        """The updates that depend on `inputs`; with None those that depend on no input."""
        return _of(self.updates, [each for x in self._walk() for each in x._updates], inputs)

    def _walk(self) -> Iterator[Any]:
        """This layer and all in it."""
        yield self
        for layer in self._children():
            yield from layer._walk()


def _in_tf_function() -> bool:
    """Whether a function is being traced under eager execution, whose losses are of this call."""
    return stacks.outermost().runs_at_once and not backend.in_workspace()


def following(tensors: Any) -> set[Any]:
    """The operations that are computed from some tensors and variables."""
    found: set[Any] = set()
    waiting: list[Any] = []
    for each in nest.flatten(tensors):
        if not isinstance(each, Tensor) and hasattr(each, "_as_tensor"):  # a variable
            waiting += getattr(each.op, "outputs", [])
        elif isinstance(each, Tensor) and not each.has_value:
            waiting.append(each)
        elif is_composite(each):
            waiting += each._components()
    while waiting:
        for op in waiting.pop()._consumers:
            if op not in found:
                found.add(op)
                waiting += op.outputs
    return found


def _of(items: list, noted: list[tuple[Any, bool]], inputs: Any) -> list:
    """The losses or updates that depend on `inputs`; with None those that depend on no input.

    Args:
      items: all of them.
      noted: what calls added, and whether it depends on no input.
      inputs: tensors, or None.
    """
    conditional = {id(item) for item, alone in noted if not alone}
    if inputs is None:
        return [x for x in items if id(x) not in conditional]
    followers = following(inputs)
    return [x for x in items if id(x) in conditional and _op(x) in followers]


def _op(item: Any) -> Any:
    return getattr(item, "op", item)
