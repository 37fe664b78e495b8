"""The default graph and the default session of each thread.

The stacks are `threading.local`, as in TensorFlow: a new thread starts with the global default
graph of the process and without a session. The functions here (`name_scope`, `device`, ...) act on
the current graph.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minitf.core.graph.graph import Graph


class DefaultStack(threading.local):
    """A stack of current objects for each thread; the last one entered is on top."""

    def __init__(self) -> None:
        super().__init__()
        self.items: list[Any] = []
        self.enforce_nesting = True

    def top(self) -> Any:
        """The current object, or None."""
        return self.items[-1] if self.items else None

    @contextmanager
    def entered(self, item: Any) -> Iterator[Any]:
        """Makes `item` current inside the `with` block.

        Raises:
          AssertionError: when something entered later is still current at the end.
        """
        self.items.append(item)
        try:
            yield item
        finally:
            if self.items and self.items[-1] is item:
                self.items.pop()  # not `remove`: the same item may stand further down, too
            elif self.items:
                if self.enforce_nesting:
                    raise AssertionError(
                        f"Nesting violated for default stack of {type(item)} objects"
                    )
                self.items.remove(item)


graphs = DefaultStack()
sessions = DefaultStack()
#: the gradient tapes that record what this thread computes
tapes = DefaultStack()
tapes.enforce_nesting = False
#: the distribution strategies that this thread is in; minitf/library/distribute says what it puts
#: here. Each has a `strategy`, and a `replica_context`, which is None outside of the replicas.
strategies = DefaultStack()

_global_graph: Graph | None = None
_new_graph: Callable[[], Graph]


def set_graph_factory(factory: Callable[[], Graph]) -> None:
    """Sets how a default graph is made; called by graph.py, which this file cannot import."""
    global _new_graph
    _new_graph = factory


def get_default_graph() -> Graph:
    """The graph that new operations go into: the innermost `as_default()`, or the global one.

    Example:
      >>> x = tf.constant(1.0)
      >>> tf.get_default_graph() is x.graph
      True
    """
    return graphs.items[-1] if graphs.items else _global_default()


def _global_default() -> Graph:
    global _global_graph
    if _global_graph is None:
        _global_graph = _new_graph()
    return _global_graph


def set_global_default(graph: Graph | None) -> Graph | None:
    """Replaces the global default graph; returns the one before."""
    global _global_graph
    before, _global_graph = _global_graph, graph
    return before


def executing_eagerly() -> bool:
    """Whether operations run at once here, instead of being added to a graph.

    Example:
      >>> tf.executing_eagerly()
      False
    """
    items = graphs.items
    current = items[-1] if items else _global_graph
    return current is not None and current.runs_at_once


def outermost() -> Any:
    """The graph, or eager execution, outside of all functions being built."""
    for item in reversed(graphs.items):
        if not item.captures_from_outside:
            return item
    return _global_default()


@contextmanager
def init_scope() -> Iterator[None]:
    """A context outside of all functions that are being built, and of control dependencies.

    Variables made in it do not belong to the surrounding branch, loop body or function, and no
    gradient tape records it. Under eager execution operations run at once in it, even while a
    `tf.function` is traced. The name scope and the devices stay. In a graph that was entered, the
    devices around a colocation apply again, as in TensorFlow, so that a device function for
    parameter servers sees the slots of optimizers.
    """
    graph, outside = get_default_graph(), outermost()
    devices, around = graph._scopes.devices, graph._scopes.around if graphs.items else []
    with ExitStack() as contexts:
        contexts.enter_context(outside.as_default())
        if outside is not graph:
            scope = graph.get_name_scope()
            contexts.enter_context(outside.name_scope(f"{scope}/" if scope else None))
        contexts.enter_context(outside._scopes.opened(devices=devices or around))
        contexts.enter_context(outside.control_dependencies(None))
        contexts.callback(setattr, tapes, "items", tapes.items)
        tapes.items = []
        yield


def reset_default_graph() -> None:
    """Forgets the global default graph; the next operation starts an empty one.

    Raises:
      AssertionError: inside a `with graph.as_default()` block.
    Example:
      >>> _ = tf.constant(1.0)
      >>> tf.reset_default_graph()
      >>> tf.get_default_graph().get_operations()
      []
    """
    global _global_graph
    if graphs.items:
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. "
            "If you need a cleared graph, exit the nesting and create a new graph."
        )
    if _global_graph is not None and not _global_graph.runs_at_once:
        _global_graph = None


def get_default_session() -> Any:
    """The innermost session that was entered in this thread, or None."""
    return sessions.top()


def session_of(doing: str, method: str, graph: Graph, given: Any = None) -> Any:
    """The session in which `Tensor.eval` or `Operation.run` runs.

    Args:
      doing: in words: "evaluate tensor".
      method: "eval" or "run".
      graph: of the tensor or operation.
      given: by the caller; the default session when None.
    Raises:
      ValueError: when there is no session, or it runs another graph.
    """
    session = sessions.top() if given is None else given
    if session is None:
        entered = "`with sess.as_default()" + ("`" if method == "eval" else ":`")
        raise ValueError(
            f"Cannot {doing} using `{method}()`: No default session is registered. Use {entered} "
            f"or pass an explicit session to `{method}(session=sess)`"
        )
    if session.graph is not graph:
        which, thing = "default" if given is None else "given", doing.split()[-1]
        quote = "`" if method == "eval" else ""
        advice = f"Pass an explicit session to {quote}{method}(session=sess){quote}."
        raise ValueError(
            f"Cannot use the {which} session to {doing}: the {thing}'s graph is different from the "
            f"session's graph.{'' if given else ' ' + advice}"
        )
    return session


class name_scope:
    """A context that puts `name/` before the names of the operations made in it.

    Args:
      name: the scope's name; None takes `default_name`. One ending in '/' is entered again as it
        is.
      default_name: the name when `name` is None.
      values: tensors that must belong to one graph; that graph is entered.

    Example:
      >>> with tf.name_scope("layer1") as scope:
      ...     print(scope, tf.constant(1.0, name="w").name)
      layer1/ layer1/w:0
    """

    def __init__(self, name: Any, default_name: str | None = None, values: Any = None) -> None:
        if name is not None and not isinstance(name, str):
            raise TypeError(f"name for name_scope must be a string, got {name!r}.")
        self._name = default_name if name is None else name
        self._values = values
        if self._name is None and values is not None:
            raise ValueError(
                f"At least one of name ({name}) and default_name ({default_name}) must be provided."
            )
        self._contexts: list[Any] = []

    @property
    def name(self) -> str | None:
        """The name the scope was asked for under."""
        return self._name

    def __enter__(self) -> str:
        graph = get_default_graph()
        owner = graph if graph.captures_from_outside else owner_of(self._values or ())
        if owner is not None and owner is not graph:
            self._contexts.append(owner.as_default())
            self._contexts[-1].__enter__()
            graph = owner
        scope = graph.name_scope(self._name)
        self._contexts.append(scope)
        return scope.__enter__()

    def __exit__(self, *exc_info: Any) -> None:
        while self._contexts:
            self._contexts.pop().__exit__(*exc_info)


def owner_of(values: Any) -> Any:
    """The common graph of the values, finished functions aside; None if none has one.

    Raises:
      ValueError: when they have several.
    """
    having = [
        value
        for value in values
        if hasattr(graph := getattr(value, "graph", None), "as_default")
        and not getattr(graph, "sealed", False)
    ]
    for value in having:
        if value.graph is not having[0].graph:
            raise ValueError(f"{value} must be from the same graph as {having[0]}.")
    return having[0].graph if having else None


def device(device_name_or_function: Any) -> AbstractContextManager[None]:
    """A context whose operations go to the named device; see `Graph.device`.

    Args:
      device_name_or_function: a name such as "/gpu:0" or "/job:ps/task:1", a function from an
        operation to a name, or None, which forgets the devices around it.
    Example:
      >>> with tf.device("/cpu:0"):
      ...     x = tf.constant(1.0)
      >>> x.device
      '/device:CPU:0'
    """
    return get_default_graph().device(device_name_or_function)


def container(container_name: str) -> AbstractContextManager[str]:
    """`Graph.container` of the default graph."""
    return get_default_graph().container(container_name)


def control_dependencies(control_inputs: Any) -> AbstractContextManager[Any]:
    """A context whose operations run after `control_inputs`; see `Graph.control_dependencies`.

    Args:
      control_inputs: a list of operations and tensors; None forgets those around it.
    Example:
      >>> v = tf.Variable(1.0)
      >>> with tf.control_dependencies([v.assign_add(1.0)]):
      ...     later = tf.identity(v.read_value())
      >>> sess.run(v.initializer)
      >>> sess.run(later)
      2.0
    """
    return get_default_graph().control_dependencies(control_inputs)


def colocate_with(op: Any, ignore_existing: bool = False) -> AbstractContextManager[None]:
    """A context whose operations go where `op` is; see `Graph.colocate_with`."""
    return get_default_graph().colocate_with(op, ignore_existing)


# ---- collections -------------------------------------------------------------------------
#
# A collection is a named list that belongs to a graph. One part of a program adds objects to it,
# and a later part finds them by its name.
#
#     tf.Variable(...)   ---> GLOBAL_VARIABLES ---> tf.global_variables_initializer()
#                        ---> TRAINABLE_VARIABLES -> optimizer.minimize(loss)
#     regularizer=...    ---> REGULARIZATION_LOSSES


class GraphKeys:
    """The names of the collections that the library uses.

    Any other string works as a name as well.

    Example:
      >>> tf.add_to_collection(tf.GraphKeys.LOSSES, tf.constant(0.5, name="loss"))
      >>> tf.get_collection(tf.GraphKeys.LOSSES)
      [<tf.Tensor 'loss:0' shape=() dtype=float32>]
    """

    # Variables: shared by all tasks, held by one process, used as metric accumulators.
    GLOBAL_VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    CONCATENATED_VARIABLES = "concatenated_variables"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"

    # Training.
    GLOBAL_STEP = "global_step"
    TRAIN_OP = "train_op"
    LOSSES = "losses"
    REGULARIZATION_LOSSES = "regularization_losses"
    UPDATE_OPS = "update_ops"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    EVAL_STEP = "eval_step"

    # Start-up of a session, as a supervisor performs it.
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    SAVERS = "savers"
    SAVEABLE_OBJECTS = "saveable_objects"

    # Summaries, queues, control flow.
    SUMMARIES = "summaries"
    SUMMARY_OP = "summary_op"
    QUEUE_RUNNERS = "queue_runners"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"

    # The spelling of the first releases.
    VARIABLES = GLOBAL_VARIABLES


def add_to_collection(name: str, value: Any) -> None:
    """Adds `value` to a collection of the default graph.

    Args:
      name: the collection's name; it is made when it is new.
      value: anything.
    Example:
      >>> tf.add_to_collection("best", 7)
      >>> tf.get_collection("best")
      [7]
    """
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Adds `value` to several collections of the default graph."""
    get_default_graph().add_to_collections(names, value)


def get_collection(key: Any, scope: str | None = None) -> list:
    """The values of a collection of the default graph; see `Graph.get_collection`.

    Args:
      key: the collection's name, such as `tf.GraphKeys.LOSSES`.
      scope: a regular expression; only what has a name that it matches at the beginning.
    Returns: a list, a copy.
    Example:
      >>> tf.add_to_collection("best", 7)
      >>> tf.get_collection("best")
      [7]
    """
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: Any) -> list:
    """The collection itself: changing the list changes the collection."""
    return get_default_graph().get_collection_ref(key)
