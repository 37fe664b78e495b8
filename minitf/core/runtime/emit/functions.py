"""Compiles a `FuncGraph` for the kernels that run functions: `ctx.run_function(graph, args)`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.tensor import Tensor
from minitf.core.runtime.emit.control_flow import body_nodes
from minitf.core.runtime.emit.emit import Target, emit
from minitf.core.runtime.plan.schedule import schedule
from minitf.core.runtime.run import resources as resources_file
from minitf.core.runtime.run.devices import Device
from minitf.core.runtime.run.executor import run_into
from minitf.core.runtime.run.rendezvous import NOBODY, Rendezvous, step_here
from minitf.core.runtime.run.resources import ResourceManager


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
      rendezvous: where whoever gives the function up tells its loops and waits so; the step that
        calls it does, too.
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
