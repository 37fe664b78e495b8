"""A plan: what one combination of fetches and feeds compiles to, and how it runs.

fetches, feeds
  prune       the nodes that the fetches need                        subgraph.py
  place       a device for each                                      placer.py
  partition   one list of nodes a device, Send and Recv between      partition.py
  optimize    each list rewritten, pass by pass                      passes/
  schedule    what is sent early, what is received late              partition.py
  emit        a straight-line Python program a device                emit/
programs
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from minitf.core.graph import dtypes
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.graph import Graph
from minitf.core.graph.graph_def import GraphDef
from minitf.core.graph.tensor import Tensor
from minitf.core.runtime.emit.control_flow import body_nodes
from minitf.core.runtime.emit.emit import Program, Target, emit, emitter
from minitf.core.runtime.passes import PASSES, Pass, optimize
from minitf.core.runtime.plan.explanation import Explanation, Stage, explanation
from minitf.core.runtime.plan.partition import partition, schedule
from minitf.core.runtime.plan.placer import Placer
from minitf.core.runtime.plan.read_again import read_again
from minitf.core.runtime.plan.subgraph import (
    Node,
    Snapshot,
    group_of,
    operations_of,
    prune,
    to_node_defs,
)
from minitf.core.runtime.run import resources as resources_file
from minitf.core.runtime.run.devices import Device
from minitf.core.runtime.run.executor import Tracer, raise_located, run_into, run_programs
from minitf.core.runtime.run.rendezvous import NOBODY, Rendezvous, Steps, step_here
from minitf.core.runtime.run.resources import ResourceManager
from minitf.core.runtime.run.step_stats import WatchedOp
from minitf.core.runtime.session.config import RunMetadata, RunOptions


@dataclass(frozen=True)
class Host:
    """The common part of all plans of one session, or of one task.

    Args:
      devices: the devices, by full name; the caller's CPU first.
      resources: the variables and other state.
      passes: the passes, in their order.
      steps: the running steps.
      elsewhere: the state of devices that have their own, by their names.
      session: the name of a session that shares resources with others; "" for one that does not.
    """

    devices: dict[str, Device]
    resources: ResourceManager
    passes: Sequence[Pass] = field(default_factory=lambda: PASSES)
    steps: Steps = field(default_factory=Steps)
    elsewhere: Mapping[str, ResourceManager] = field(default_factory=dict)
    session: str = ""


def make_plan(
    fetches: Sequence[Any],
    targets: Sequence[Any],
    feeds: Sequence[Any],
    placer: Placer,
    host: Host,
    traced: bool = False,
    watched: bool = False,
) -> Plan:
    """Prunes, places and partitions what a run needs, and compiles it: a `Plan`.

    Args:
      fetches: tensors to return.
      targets: operations to run.
      feeds: tensors the caller gives.
      placer: the session's; it keeps variables where they are.
      host: what the process has.
      traced: whether runs log times.
      watched: whether runs are shown to a watcher, each operation by itself: no pass rewrites it.
    """
    nodes = prune(fetches, targets, feeds)
    keep_apart(nodes, host.session)
    placer.place(nodes)
    nodes = read_again(nodes)
    parts = partition(nodes, key=lambda device: device)
    if watched:
        host = replace(host, passes=())
    return Plan(parts, host, len(fetches), traced, watched=watched)


def keep_apart(nodes: Sequence[Node], session: str) -> None:
    """Makes queues and the like without a shared name the own of a session."""
    for node in nodes if session else ():
        if dtypes.resource in node.dtypes:
            node.attrs = {**node.attrs, "_session": session}


class Plan:
    """Programs for the devices of one process, which any thread may run any number of times.

    Args:
      parts: the placed nodes of each device, by its name.
      host: devices, state and passes of the process.
      fetch_count: how many values a run returns.
      traced: whether runs log the time of each node.
      fetches_leave: whether the results of a run are sent to another process at once.
      watched: whether runs are shown to a watcher; such a plan is traced.
    """

    def __init__(
        self,
        parts: dict[str, list[Node]],
        host: Host,
        fetch_count: int,
        traced: bool = False,
        fetches_leave: bool = False,
        watched: bool = False,
    ) -> None:
        self.traced = traced
        self.programs: list[Program] = []
        self._steps = host.steps
        #: what `direct` is given: all such steps share it; closing the session ends their loops
        self.rendezvous: Rendezvous | None = self._steps.shared
        self._fetch_count = fetch_count
        self._as_given: list[tuple[Target, Snapshot]] = []
        self._optimized: dict[str, list[Node]] = dict.fromkeys(parts, [])
        first = next(iter(host.devices))
        for name in sorted(parts, key=lambda name: name != first):  # the caller's CPU first
            target = Target(
                host.devices[name],
                host.elsewhere.get(name, host.resources),
                traced,
                host.passes,
                fetches_leave=fetches_leave,
                watched=watched,
            )
            self._as_given.append((target, Snapshot(parts[name])))
            nodes = self._optimized[name] = optimize(parts[name], host.passes)
            groups = schedule(nodes)
            self.programs.append(emit(groups, target))

    def direct(self, feed_count: int) -> Callable[..., Sequence[Any]] | None:
        """Returns a function `direct(rendezvous, *args)` that runs a step of one program.

        Args:
          feed_count: how many values are fed.
        Returns: None when a step needs more than a call: several devices, a trace, a wait, or a
          time limit.
        """
        if self._steps.limit:
            return None
        if not self.programs:
            return lambda rendezvous, *args: ()
        program = self.programs[0]
        in_order = program.fetch_indices == list(range(self._fetch_count))
        if len(self.programs) > 1 or not in_order or self.traced or program.waits:
            return None
        run, taken = program.run, program.arg_indices
        if taken == list(range(feed_count)):
            return run
        return lambda rendezvous, *args: run(rendezvous, *[args[i] for i in taken])

    def raise_located(self, error: Exception) -> NoReturn:
        """Raises the error of a direct run with the node that failed named."""
        raise_located(error, self.programs[0])

    def run(
        self,
        args: Sequence[Any],
        options: RunOptions | None = None,
        metadata: RunMetadata | None = None,
        rendezvous: Rendezvous | None = None,
        watcher: Callable[[WatchedOp], None] | None = None,
    ) -> Sequence[Any]:
        """Runs one step.

        Args:
          args: the fed values, by feed index.
          options: of this run.
          metadata: filled with the step's stats when the plan is traced.
          rendezvous: where the devices meet, when other processes take part; one is made when None.
          watcher: of a watched plan: what gets each operation as it ends.
        Returns: the fetched values.
        """
        if rendezvous is None:
            with self._steps.begin(options.timeout_in_ms if options is not None else 0) as own:
                return self.run(args, options, metadata, own, watcher)
        tracer = Tracer(watcher) if self.traced else None
        results = run_programs(self.programs, args, self._fetch_count, rendezvous, tracer)
        if metadata is not None and tracer is not None:
            metadata.step_stats = tracer.step_stats()
        if metadata is not None and options is not None and options.output_partition_graphs:
            metadata.partition_graphs = self.partition_graphs()
        return results

    def explain(self) -> Explanation:
        """Returns the programs as text, one after the other, with the changes of each pass."""
        told = zip(*(_stages(target, given) for target, given in self._as_given))
        return explanation([Stage.joined(same) for same in told])

    def partition_graphs(self) -> list[GraphDef]:
        """Returns the graph of each device, with its Send and Recv nodes."""
        return [GraphDef(to_node_defs(nodes)) for nodes in self._optimized.values()]


def _stages(target: Target, given: Snapshot) -> Iterator[Stage]:
    """Yields the program of one device before the first pass and after each pass."""
    nodes = given.nodes()
    runs_functions = any(isinstance(v, Graph) for node in nodes for v in node.attrs.values())
    shown = _shown(nodes, target, 0)
    yield Stage("as written", "", *shown)
    for count, rewrite in enumerate(target.passes, 1):
        before = Snapshot(nodes)
        nodes = rewrite(nodes)
        if runs_functions or Snapshot(nodes) != before:  # a change in a body shows only in its text
            shown = _shown(nodes, target, count)
        yield Stage(rewrite.__name__, (rewrite.__doc__ or "").partition("\n")[0], *shown)


def _shown(nodes: list[Node], target: Target, count: int) -> tuple[str, Any, Any]:
    """Emits the program of one device, with the first `count` passes applied to inner functions.

    Returns: its text, the operations of each line, and the node that computes each operation.
    """
    emitted = emitter(schedule(nodes), replace(target, passes=target.passes[:count]))
    source = emitted.source()
    lines = [
        ()
        if text.lstrip().startswith("del ")
        else _operations(emitted.draft.line_nodes.get(number, ()))
        for number, text in enumerate(source.split("\n"), 1)
    ]
    ops = {}
    for node in nodes:
        same = node.op is not None and node.name == node.op.name
        for name in _operations(operations_of(node)):
            if same or group_of(node) is not None or node.type == "_Arg":
                ops[name] = (node.type, node.device)
    return source, tuple(lines), ops


def _operations(nodes: Iterable[Node]) -> tuple[str, ...]:
    """Returns the names of the client's operations of some nodes."""
    return tuple(
        dict.fromkeys(node.op.name if node.op is not None else node.name for node in nodes)
    )


# ---- functions ---------------------------------------------------------------------------
#
# Compiles a `FuncGraph` for the kernels that run functions: `ctx.run_function(graph, args)`.


def compile_function(
    graph: FuncGraph,
    device: Device,
    resources: ResourceManager,
    outputs: Sequence[Tensor] | None = None,
    in_place: bool = True,
    rendezvous: Rendezvous = NOBODY,
) -> Callable[..., list[Any]]:
    """Returns a function from the values of the inputs to those of the outputs.

    Args:
      graph: what to compile.
      device: where it runs, all of it.
      resources: where its variables live.
      outputs: which of its tensors to give; its outputs when None.
      in_place: whether variables may be written over; False where their values are held outside.
      rendezvous: cancels the loops and waits of the function; the step that calls it does so, too.
    """
    nodes = body_nodes(graph, graph.outputs if outputs is None else outputs, device.name)
    target = Target(device, resources, is_function=True, in_place=in_place)
    program = emit(schedule(nodes), target)

    def run(*args: Any) -> list[Any]:
        step = rendezvous if rendezvous.is_program else step_here(rendezvous)
        if not step.alive:  # loops and datasets call a function once a turn
            step.check()
        results: list[Any] = [None] * len(program.fetch_indices)
        run_into(results, program, step, args)
        return results

    return run


resources_file.compile_function = compile_function
