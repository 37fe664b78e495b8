"""A plan: what one combination of fetches and feeds compiles to, and how it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph.graph_def import GraphDef
from minitf.core.runtime.emit.emit import Program, emit
from minitf.core.runtime.emit.functions import compile_function as _compile_function  # noqa: F401
from minitf.core.runtime.passes import PASSES, Pass, optimize
from minitf.core.runtime.plan.explanation import Explanation, Stage, explanation
from minitf.core.runtime.plan.partition import partition
from minitf.core.runtime.plan.placer import Placer
from minitf.core.runtime.plan.subgraph import Node, Snapshot, prune, to_node_defs
from minitf.core.runtime.run.devices import Device
from minitf.core.runtime.run.executor import (
    Tracer,
    deadline_after,
    locate,
    run_programs,
    with_tracer,
)
from minitf.core.runtime.run.rendezvous import Rendezvous
from minitf.core.runtime.run.resources import ResourceManager
from minitf.core.runtime.session.config import RunMetadata, RunOptions


class Plan:
    """Programs for the devices of one process, ready to run any number of times, from any thread.

    Args:
      parts: the placed nodes of each device, by its name.
      devices: the devices, by name.
      resources: where variables live.
      fetch_count: how many values a run returns.
      traced: whether runs log the time of each node.
      passes: what rewrites the nodes before they are emitted.
    """

    def __init__(
        self,
        parts: dict[str, list[Node]],
        devices: dict[str, Device],
        resources: ResourceManager,
        fetch_count: int,
        traced: bool = False,
        passes: Sequence[Pass] = PASSES,
    ) -> None:
        self._as_given = {name: Snapshot(nodes) for name, nodes in parts.items()}
        self._devices, self._resources, self._passes = devices, resources, passes
        parts = {name: optimize(nodes, passes) for name, nodes in parts.items()}
        names = sorted(
            parts, key=lambda name: name != next(iter(devices))
        )  # the caller's CPU first
        self.programs: list[Program] = [
            emit(parts[name], devices[name], resources, traced, passes) for name in names
        ]
        self.traced = traced
        self._parts = parts
        self._fetch_count = fetch_count
        alone = self.programs[0] if len(self.programs) == 1 else None
        if alone is not None and alone.fetch_indices != list(range(fetch_count)):
            alone = None
        #: the program when there is only one: the way with no detour
        self.alone = alone

    def run(
        self,
        args: Sequence[Any],
        options: RunOptions | None = None,
        metadata: RunMetadata | None = None,
        rendezvous: Rendezvous | None = None,
    ) -> Sequence[Any]:
        """Runs one step.

        Args:
          args: the fed values, by feed index.
          options: of this run.
          metadata: filled with the step's stats when the plan is traced.
          rendezvous: where the devices meet, when other processes take part; one is made when None.
        Returns: the fetched values.
        """
        if rendezvous is None:
            rendezvous = Rendezvous(deadline_after(options.timeout_in_ms if options else 0))
        if self.traced:
            tracer = Tracer()
            bound = with_tracer(self.programs, tracer)
            results: Any = run_programs(bound, args, self._fetch_count, rendezvous)
            if metadata is not None:
                metadata.step_stats = tracer.step_stats()
        elif self.alone is not None:
            try:
                results = self.alone.run(rendezvous, *[args[i] for i in self.alone.arg_indices])
            except Exception as error:
                located = locate(error, self.alone)
                raise located from located.__cause__
        else:
            results = run_programs(self.programs, args, self._fetch_count, rendezvous)
        if metadata is not None and options is not None and options.output_partition_graphs:
            metadata.partition_graphs = self.partition_graphs()
        return results

    def explain(self) -> Explanation:
        """The programs as text, one after the other, and what each pass has changed in them."""
        stages = []
        for count in range(len(self._passes) + 1):
            texts = [self._source_after(each.device.name, count) for each in self.programs]
            doc = self._passes[count - 1].__doc__ if count else None
            name = self._passes[count - 1].__name__ if count else "as written"
            stages.append(Stage(name, (doc or "").partition("\n")[0], "\n\n".join(texts)))
        return explanation(stages)

    def _source_after(self, device: str, count: int) -> str:
        """The program of one device when only the first `count` passes run."""
        passes = self._passes[:count]
        nodes = optimize(self._as_given[device].nodes(), passes)
        emitter = emit(nodes, self._devices[device], self._resources, self.traced, passes)
        return emitter.source

    def partition_graphs(self) -> list[GraphDef]:
        """The graph of each device, with its Send and Recv nodes."""
        return [GraphDef(to_node_defs(nodes)) for nodes in self._parts.values()]


def make_plan(
    fetches: Sequence[Any],
    targets: Sequence[Any],
    feeds: Sequence[Any],
    placer: Placer,
    devices: dict[str, Device],
    resources: ResourceManager,
    traced: bool = False,
    passes: Sequence[Pass] = PASSES,
) -> Plan:
    """Prunes, places, partitions and compiles what a run needs.

    Args:
      fetches: tensors to return.
      targets: operations to run.
      feeds: tensors the caller gives.
      placer: the session's; it keeps variables where they are.
      devices: the process's devices, by full name.
      resources: where variables live.
      traced: whether runs log times.
      passes: what rewrites the nodes of each device.
    """
    nodes = prune(fetches, targets, feeds)
    placer.place(nodes)
    parts = partition(nodes, key=lambda device: device)
    return Plan(parts, devices, resources, len(fetches), traced, passes)
