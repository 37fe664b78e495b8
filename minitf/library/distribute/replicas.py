"""Where a program is: between the replicas of a strategy, or in one of them.

    with strategy.scope():               Place(strategy, None)             between the replicas
        strategy.run(step)  --------->   Place(strategy, ReplicaContext)   in each replica
            context.merge_call(f)  --->  Place(strategy, None)             where the replicas meet
                extended.update(v, g) -> Place(strategy, None, copy=i)     at each copy

The places stand on `stacks.strategies`, where the layers below find them: an optimizer asks for
`top()`, and outside of everything there is none.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.convert import constant
from minitf.core.kernels.threads import can_start
from minitf.core.variables import variables as variables_file
from minitf.core.variables.variable_scope import get_variable_scope, variable_scope
from minitf.core.variables.variables import variable_creator_scope
from minitf.library.distribute.cross_device_ops import ReduceOp
from minitf.library.distribute.values import Mirrored, regroup, select_replica
from minitf.library.eager.custom_gradient import custom_gradient


@dataclass(frozen=True)
class Place:
    """One item of `stacks.strategies`.

    Args:
      strategy: the strategy.
      replica_context: of the replica; None between the replicas.
      copy: which copy of a variable is being updated; None where none is.
    """

    strategy: Any
    replica_context: ReplicaContext | None = None
    copy: int | None = None

    @property
    def replica_id(self) -> int | None:
        """Which replica, or which copy, it is; None between replicas."""
        return self.copy if self.replica_context is None else self.replica_context._replica_id


class ReplicaContext:
    """What a replica knows of itself; `tf.distribute.get_replica_context()` gives it.

    Args:
      strategy: the strategy whose replica it is.
      replica_id_in_sync_group: its number, an integer.
    """

    def __init__(self, strategy: Any, replica_id_in_sync_group: int = 0) -> None:
        self._strategy = strategy
        self._replica_id = replica_id_in_sync_group
        self._entered: list[AbstractContextManager] = []

    def __enter__(self) -> ReplicaContext:
        self._entered.append(stacks.strategies.entered(Place(self._strategy, self)))
        self._entered[-1].__enter__()
        return self

    def __exit__(self, *exc_info: Any) -> None:
        self._entered.pop().__exit__(*exc_info)

    @property
    def strategy(self) -> Any:
        """The strategy."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas whose gradients are added."""
        return self._strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The replica's number among them, a scalar int32 tensor."""
        return constant(
            self._strategy.extended._replica_id_in_sync_group(self._replica_id),
            dtypes.int32,
            name="replica_id_in_sync_group",
        )

    @property
    def devices(self) -> list[str]:
        """The devices of this replica, a list of one."""
        return [self._strategy.extended.worker_devices[self._replica_id]]

    def merge_call(self, merge_fn: Callable, args: Any = (), kwargs: Any = None) -> Any:
        """Waits for all replicas, and calls a function once with the values of all of them.

        Args:
          merge_fn: called as `merge_fn(strategy, *args, **kwargs)` between the replicas; the
            arguments are `PerReplica`s where the replicas gave different values.
          args, kwargs: this replica's arguments.
        Returns: what the function returned, this replica's part of it.
        """
        return self._merge_call(merge_fn, args, {} if kwargs is None else kwargs)

    def _merge_call(self, merge_fn: Callable, args: Any, kwargs: Any) -> Any:
        """There is one replica alone: nobody is to be waited for."""
        with stacks.strategies.entered(Place(self._strategy)):
            return select_replica(0, merge_fn(self._strategy, *args, **kwargs))

    def all_reduce(self, reduce_op: Any, value: Any) -> Any:
        """The sum or mean of the values of all replicas.

        Args:
          reduce_op: a `ReduceOp`.
          value: this replica's: a tensor or a structure of them.
        """
        operation = ReduceOp.of(reduce_op)

        def reduce(strategy: Any, *flat: Any) -> list:
            found = strategy.extended.batch_reduce_to(operation, [(each, each) for each in flat])
            return [each if isinstance(each, Mirrored) else Mirrored([each]) for each in found]

        @custom_gradient  # what reaches one replica's result depends on the values of all
        def reduced(*flat: Any) -> tuple:
            found = self.merge_call(reduce, flat)
            return found, lambda *dy: nest.flatten(self.all_reduce(operation, list(dy)))

        found = reduced(*nest.flatten(value))
        return nest.pack_sequence_as(value, nest.flatten(found))


@dataclass(frozen=True)
class InputContext:
    """What an input function knows of the pipelines beside its own.

    Args:
      num_input_pipelines: how many there are: one a worker.
      input_pipeline_id: which of them this one is.
      num_replicas_in_sync: how many replicas a global batch is for.
    """

    num_input_pipelines: int = 1
    input_pipeline_id: int = 0
    num_replicas_in_sync: int = 1

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The rows of a global batch that each replica gets.

        Raises:
          ValueError: when they cannot be shared out evenly.
        """
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size} is not divisible by "
                f"`num_replicas_in_sync` {self.num_replicas_in_sync} "
            )
        return global_batch_size // self.num_replicas_in_sync

    def __str__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, "
            f"total: {self.num_input_pipelines})"
        )


# ---- one thread a replica -----------------------------------------------------------------
#
#     replica 0   ├── forward, backward ──┤ merge_call                    ├── the rest ──┤
#     replica 1                           ├── forward, backward ──┤       .              ├── ... ──┤
#     main                                        merge: reduce, update ──┤
#
# Each replica has a thread, and only one thread runs at a time: the next one starts when the one
# before it has returned, or waits in `merge_call`. A function that can stop anywhere, below any
# number of callers, and be resumed needs a stack of its own; a generator cannot do that without
# every function on the way being one. That only one runs keeps the order of the graph's
# operations, and so their names, the same in every run. The speed comes later: a session runs
# what was built on all devices at once. Where no thread can start, as in a browser, the function
# of each replica is called from `merge_call` of the one before.

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
        _Replica(strategy, i, device, _sharing(made, i), (fn, args, kwargs))
        for i, device in enumerate(devices)
    ]
    if not can_start():
        for replica in replicas:
            replica.everyone = replicas
        while not all(replica.done for replica in replicas):
            next(replica for replica in replicas if not replica.done).run()
        return regroup([replica.result for replica in replicas])
    try:
        while True:
            for replica in replicas:
                replica.advance()
            done = [replica.done for replica in replicas]
            if all(done):
                return regroup([replica.result for replica in replicas])
            if any(done):
                raise RuntimeError(_UNEQUAL)
            _merge(strategy, replicas)
    finally:
        for replica in replicas:
            replica.give_up()


_UNEQUAL = "Some replicas made a different number of replica_context().merge_call() calls."


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


class _Replica(threading.Thread):
    """The call of the function in one replica.

    Args:
      strategy: the strategy.
      number: which replica it is.
      device: where it computes.
      creator: makes or finds its variables.
      call: the function, and the arguments of all replicas; see `call_for_each_replica`.
    """

    def __init__(
        self, strategy: Any, number: int, device: str, creator: Callable, call: Sequence[Any]
    ) -> None:
        super().__init__(name=f"replica_{number}", daemon=True)
        self.number = number
        self._strategy, self._device, self._creator = strategy, device, creator
        self._call = call
        self._go, self._back = threading.Semaphore(0), threading.Semaphore(0)
        self._error: BaseException | None = None
        self._ending = False
        self.done = self.met = False
        self.everyone: list[_Replica] = []  # where no thread can start
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
            with ExitStack() as scopes:
                scopes.enter_context(self._outside())
                context = scopes.enter_context(ReplicaContext(self._strategy, self.number))
                context._merge_call = self.meet  # type: ignore[method-assign]
                scopes.enter_context(stacks.device(self._device))
                if self.number:
                    inside = self._graph.get_name_scope()
                    prefix = f"{inside}/" if inside else ""
                    scopes.enter_context(stacks.name_scope(f"{prefix}replica_{self.number}/"))
                scopes.enter_context(variable_scope(self.variable_scope, reuse=self.number > 0))
                scopes.enter_context(variable_creator_scope(self._creator))
                fn, args, kwargs = self._call
                args, kwargs = (select_replica(self.number, each) for each in (args, kwargs))
                self.result = fn(*args, **kwargs)
                self.done = True
        except _GivenUp:
            pass
        except BaseException as error:  # raised again in the main thread
            self._error = error
            if self.everyone:
                raise
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
        if self.everyone:
            self._meet_here()
            return self.answer
        self._back.release()
        self._go.acquire()
        if self._ending:
            raise _GivenUp()
        return self.answer

    @contextmanager
    def _outside(self) -> Iterator[None]:
        """A context with the stacks and scopes of the caller of all replicas."""
        items = [stack.items for stack in _INHERITED]
        scopes = {key: dict(vars(graph._scopes)) for key, graph in self._graphs.items()}
        self._enter(self._items, self._open)
        try:
            yield
        finally:
            self._enter(items, scopes)

    def _enter(self, stacks_items: list[list], scopes: dict[int, dict]) -> None:
        for stack, items in zip(_INHERITED, stacks_items, strict=True):
            stack.items = list(items)
        for key, graph in self._graphs.items():
            vars(graph._scopes).update(scopes[key])

    # ---- where no thread can start -------------------------------------------------------

    def _meet_here(self) -> None:
        """Calls the function of the next replica from that of this one; the last one merges.

        The others have ended when this one goes on, so they can meet only once.
        """
        if self.met:
            raise RuntimeError(
                "The replicas of a strategy wait for each other a second time in one call. That "
                "takes a thread for each, and here none can start."
            )
        self.met = True
        following = self.everyone[self.number + 1 :]
        if following:
            following[0].run()
        if not all(each.met for each in self.everyone):
            raise RuntimeError(_UNEQUAL)
        if not following:
            with self._outside():
                _merge(self._strategy, self.everyone)


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
