"""Calls one function for each replica, so that the calls can meet in the middle.

    replica 0   ├── forward, backward ──┤ merge_call                    ├── the rest ──┤
    replica 1                           ├── forward, backward ──┤       .              ├── ... ──┤
    main                                        merge: reduce, update ──┤

Each replica has a thread, and only one thread runs at a time: the next one starts when the one
before it has returned, or waits in `merge_call`. A function that can stop anywhere, below any
number of callers, and be resumed needs a stack of its own; a generator cannot do that without every
function on the way being one. That only one runs keeps the order of the graph's operations, and so
their names, the same in every run. The speed comes later: a session runs what was built on all
devices at once.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

from minitf.core.graph import stacks
from minitf.core.variables import variables as variables_file
from minitf.core.variables.variable_scope import get_variable_scope, variable_scope
from minitf.core.variables.variables import variable_creator_scope
from minitf.library.distribute.replica_context import Place, ReplicaContext
from minitf.library.distribute.values import regroup, select_replica

#: the stacks that a replica's thread starts with copies of; a tape outside of it does not record it
_INHERITED = (
    stacks.graphs,
    stacks.sessions,
    stacks.strategies,
    variables_file._creators,
    variables_file._watchers,
)


def call_for_each_replica(
    strategy: Any, devices: Sequence[str], fn: Callable, args: Any, kwargs: Any
) -> Any:
    """What `fn` returns in each replica, regrouped.

    Args:
      strategy: the strategy.
      devices: one for each replica.
      fn: the function of a replica.
      args, kwargs: its arguments; a replica gets its own part of a `PerReplica`.
    Raises:
      RuntimeError: when the replicas do not meet equally often.
    """
    if len(devices) == 1:  # nobody to wait for
        with ReplicaContext(strategy), stacks.device(devices[0]):
            return fn(*select_replica(0, args), **select_replica(0, kwargs))
    made: dict[str, list] = {}
    replicas = [
        _Replica(
            strategy,
            i,
            device,
            _sharing(made, i),
            fn,
            select_replica(i, args),
            select_replica(i, kwargs),
        )
        for i, device in enumerate(devices)
    ]
    try:
        while True:
            for replica in replicas:
                replica.advance()
            done = [replica.done for replica in replicas]
            if all(done):
                return regroup([replica.result for replica in replicas])
            if any(done):
                raise RuntimeError(
                    "Some replicas made a different number of replica_context().merge_call() calls."
                )
            _merge(strategy, replicas)
    finally:
        for replica in replicas:
            replica.give_up()


def _merge(strategy: Any, replicas: list[_Replica]) -> None:
    """Calls the function in which the replicas meet, with the scopes of the first one."""
    first = replicas[0]
    fn, _, _ = first.request
    args = regroup([tuple(replica.request[1]) for replica in replicas])
    kwargs = regroup([replica.request[2] for replica in replicas])
    waited_for = [each for replica in replicas for each in replica.scopes["controllers"]]
    graph = stacks.get_default_graph()
    with (
        graph._scopes.opened(
            name=first.scopes["name"], controllers=list(dict.fromkeys(waited_for))
        ),
        variable_scope(first.variable_scope, auxiliary_name_scope=False),
        stacks.strategies.entered(Place(strategy)),
    ):
        answer = fn(strategy, *args, **kwargs)
    for i, replica in enumerate(replicas):
        replica.answer = select_replica(i, answer)


class _GivenUp(BaseException):
    """Ends a replica that waits, since another one failed."""


class _Context(ReplicaContext):
    """The context of a replica that has a thread."""

    def __init__(self, strategy: Any, replica: _Replica) -> None:
        super().__init__(strategy, replica.number)
        self._replica = replica

    def _merge_call(self, merge_fn: Callable, args: Any, kwargs: Any) -> Any:
        return self._replica.meet(merge_fn, args, kwargs)


class _Replica(threading.Thread):
    """The call of the function in one replica.

    Args:
      strategy, fn, args, kwargs: see `call_for_each_replica`.
      number: which replica it is.
      device: where it computes.
      creator: makes or finds its variables.
    """

    def __init__(
        self,
        strategy: Any,
        number: int,
        device: str,
        creator: Callable,
        fn: Callable,
        args: Any,
        kwargs: Any,
    ) -> None:
        super().__init__(name=f"replica_{number}", daemon=True)
        self.number = number
        self._strategy, self._device, self._creator = strategy, device, creator
        self._call = fn, args, kwargs
        self._go, self._back = threading.Semaphore(0), threading.Semaphore(0)
        self._error: BaseException | None = None
        self._ending = False
        self.done = False
        self.result: Any = None
        self.request: Any = None  # what it waits for: a function, and its arguments
        self.answer: Any = None
        self.scopes: dict[str, Any] = {}
        self.variable_scope = get_variable_scope()
        self._graph = stacks.get_default_graph()
        self._items = [list(stack.items) for stack in _INHERITED]
        self._graphs = {id(g): g for g in (self._graph, stacks.outermost(), *stacks.graphs.items)}
        self._open = {key: dict(vars(g._scopes)) for key, g in self._graphs.items()}

    # ---- seen from the main thread -------------------------------------------------------

    def advance(self) -> None:
        """Runs until it waits or has ended; raises what it raised."""
        if self.ident is None:
            self.start()
        else:
            self._go.release()
        self._back.acquire()
        if self._error is not None:
            raise self._error

    def give_up(self) -> None:
        """Ends the thread, if it waits."""
        if self.ident is not None:
            self._ending = True
            self._go.release()
            self.join()

    # ---- in its own thread ---------------------------------------------------------------

    def run(self) -> None:
        """The thread's work."""
        try:
            for stack, items in zip(_INHERITED, self._items, strict=True):
                stack.items = items
            for key, graph in self._graphs.items():
                vars(graph._scopes).update(self._open[key])
            with ExitStack() as scopes:
                scopes.enter_context(_Context(self._strategy, self))
                scopes.enter_context(stacks.device(self._device))
                if self.number:
                    inside = self._graph.get_name_scope()
                    prefix = f"{inside}/" if inside else ""
                    scopes.enter_context(stacks.name_scope(f"{prefix}replica_{self.number}/"))
                scopes.enter_context(variable_scope(self.variable_scope, reuse=self.number > 0))
                scopes.enter_context(variable_creator_scope(self._creator))
                fn, args, kwargs = self._call
                self.result = fn(*args, **kwargs)
                self.done = True
        except _GivenUp:
            pass
        except BaseException as error:  # raised again in the main thread
            self._error = error
        finally:
            self._back.release()

    def meet(self, merge_fn: Callable, args: Any, kwargs: Any) -> Any:
        """Waits until all replicas are here, and gives this one's part of the answer."""
        if stacks.get_default_graph() is not self._graph:
            raise RuntimeError(
                "`merge_call` called while defining a new graph or a tf.function. This can often "
                "happen if the function `fn` passed to `strategy.run()` contains a nested "
                "`@tf.function`, and the nested `@tf.function` contains a synchronization point, "
                "such as aggregating gradients (e.g, optimizer.apply_gradients), or if the "
                "function `fn` uses a control flow statement which contains a synchronization "
                "point in the body. Such behaviors are not yet supported."
            )
        self.request = merge_fn, args, kwargs
        self.scopes = dict(vars(self._graph._scopes))
        self.variable_scope = get_variable_scope()
        self._back.release()
        self._go.acquire()
        if self._ending:
            raise _GivenUp()
        return self.answer


# ---- variables made by the replicas ------------------------------------------------------


def _sharing(made: dict[str, list], replica_id: int) -> Callable:
    """Makes the variables of the first replica; finds them, in the same order, in the others.

    Args:
      made: by name, what the first replica made and the others have not yet asked for.
      replica_id: which replica it is for.
    """

    def make(next_creator: Callable, **kwargs: Any) -> Any:
        variable = next_creator(**kwargs)
        made.setdefault(_without_number(kwargs.get("name")), []).append([variable, 1])
        return variable

    def find(next_creator: Callable, **kwargs: Any) -> Any:
        name = _without_number(kwargs.get("name"))
        for entry in made.get(name, []):
            if entry[1] == replica_id:
                entry[1] += 1
                return entry[0]
        raise RuntimeError(
            f"Tried to create variable {name} with mismatching name on device {replica_id}"
        )

    return find if replica_id else make


def _without_number(name: str | None) -> str:
    """A variable's name without what made it unique: layers of a replica are numbered on."""
    return "Variable" if name is None else re.sub(r"_\d+(?=/|$)", "", name)
