"""Runs the programs of one step: one in the caller's thread, each further one in its own.

Where no thread can start, as in a browser, they take turns in the caller's thread:

    program of /cpu:0     ├── send x, yield [y] ──┤           ├── ... ──┤
    program of /gpu:0                             ├── send y ─┤

When a program fails, the executor finds the node by the line that failed, adds its name to the
error, and cancels the step on all devices.
"""

from __future__ import annotations

import queue
import re
import threading
from collections.abc import Callable, Generator, Sequence
from typing import Any, NoReturn

import numpy as np

from minitf.core.graph import errors
from minitf.core.graph.state import VariableState
from minitf.core.kernels import threads as processors
from minitf.core.kernels.float_mode import denormals_as_zero
from minitf.core.kernels.host import on_host
from minitf.core.runtime.emit.emit import Program
from minitf.core.runtime.plan.subgraph import Node, edge_name
from minitf.core.runtime.run.devices import Device
from minitf.core.runtime.run.rendezvous import Key, Rendezvous, standing
from minitf.core.runtime.run.step_stats import (
    DeviceStepStats,
    Listener,
    NodeExecStats,
    StepStats,
    WatchedOp,
)


class ThreadPool:
    """Executor threads, which are started when needed and kept for the next step.

    The number of threads has no limit. A program may wait for a tensor of another program, so if
    that one had to wait for a free thread, both could wait forever.
    """

    def __init__(self) -> None:
        self._idle: list[queue.SimpleQueue] = []
        self._lock = threading.Lock()

    def start(self, work: Callable[[], None]) -> None:
        """Runs `work` in an idle thread, or in a new one."""
        with self._lock:
            inbox = self._idle.pop() if self._idle else None
        if inbox is None:
            inbox = queue.SimpleQueue()
            threading.Thread(
                target=self._serve, args=(inbox,), name="minitf-executor", daemon=True
            ).start()
        inbox.put(work)

    def _serve(self, inbox: queue.SimpleQueue) -> None:
        while True:
            inbox.get()()
            with self._lock:
                self._idle.append(inbox)


threads = ThreadPool()


def run_programs(
    programs: Sequence[Program],
    args: Sequence[Any],
    fetch_count: int,
    rendezvous: Rendezvous,
    tracer: Tracer | None = None,
) -> list[Any]:
    """Runs one step.

    Args:
      programs: one for each device; the first runs in this thread.
      args: the fed values, by feed index.
      fetch_count: how many values the programs return together.
      rendezvous: of the step.
      tracer: of a step whose programs are traced.
    Returns: the fetched values, by fetch index.
    Raises:
      OpError: of the first node that failed.
    """
    results: list[Any] = [None] * fetch_count
    if not processors.can_start():
        turns = {_in_turn(p, rendezvous, _given(p, args, tracer)): p for p in programs}
        with np.errstate(all="ignore"), denormals_as_zero, standing(rendezvous):
            _take_turns(turns, results, rendezvous)
        return results
    if len(programs) == 1:
        with standing(rendezvous):
            run_into(results, programs[0], rendezvous, args, tracer)
        return results
    failures: list[BaseException] = []
    done: queue.SimpleQueue = queue.SimpleQueue()

    def run(program: Program) -> None:
        try:
            with processors.device_program(), standing(rendezvous):
                run_into(results, program, rendezvous, args, tracer)
        except BaseException as error:
            failures.append(error)
            rendezvous.abort(error)
        finally:
            done.put(program)

    for program in programs[1:]:
        threads.start(lambda program=program: run(program))  # type: ignore[misc]
    if programs:
        run(programs[0])
    try:
        for _ in programs:
            if failures and not isinstance(failures[0], Exception):
                break  # Ctrl-C: the other devices end as soon as they notice; nobody waits
            done.get()
    except BaseException as error:
        rendezvous.abort(error)
        raise
    if failures:
        raise failures[0]
    return results


def run_into(
    results: list[Any],
    program: Program,
    rendezvous: Rendezvous,
    args: Sequence[Any],
    tracer: Tracer | None = None,
) -> None:
    """Runs a program in this thread, and stores its fetches in `results`.

    Raises:
      OpError: with the name of the node that failed.
    """
    given = _given(program, args, tracer)
    try:
        values = program.run(rendezvous, *given)
    except Exception as error:
        raise_located(error, program)
    for index, value in zip(program.fetch_indices, values, strict=True):
        results[index] = value


def _given(program: Program, args: Sequence[Any], tracer: Tracer | None) -> list[Any]:
    given = [args[i] for i in program.arg_indices]
    return given if tracer is None else [*tracer.listeners(program.device), *given]


# ---- turns -------------------------------------------------------------------------------


def _in_turn(program: Program, rendezvous: Rendezvous, given: Sequence[Any]) -> Turns:
    values = program.run(rendezvous, *given)
    return (yield from values) if isinstance(values, Generator) else values


#: A program that runs; it yields the keys of the tensors that it waits for.
Turns = Generator[Sequence[Key], list[Any] | None, Sequence[Any]]


def _take_turns(programs: dict[Turns, Program], results: list[Any], rendezvous: Rendezvous) -> None:
    """Runs programs in this thread: each goes on when the tensors that it waits for are there.

    Raises:
      OpError: with the name of the node that failed.
      InternalError: when none can go on, with the tensors that they wait for.
    """
    waiting: dict[Turns, Sequence[Key]] = dict.fromkeys(programs, ())
    while waiting:
        missing = {turns: rendezvous.missing(keys) for turns, keys in waiting.items()}
        if None not in missing.values():
            tensors = ", ".join(f"'{key.tensor}' ({key.text})" for key in missing.values() if key)
            raise errors.InternalError.of(f"All programs of the step wait for: {tensors}.")
        for turns in [each for each, key in missing.items() if key is None]:
            try:
                waiting[turns] = turns.send(rendezvous.take(waiting[turns]) or None)
            except StopIteration as end:
                del waiting[turns]
                for index, value in zip(programs[turns].fetch_indices, end.value, strict=True):
                    results[index] = value
            except Exception as error:
                raise_located(error, programs[turns])


# ---- errors ------------------------------------------------------------------------------


def raise_located(error: Exception, program: Program) -> NoReturn:
    """Raises an error of a program as an `OpError` that names the node whose line failed."""
    located = _located(error, program)
    raise located from located.__cause__


def _located(error: Exception, program: Program) -> Exception:
    if isinstance(error, errors.OpError) and getattr(error, "located", False):
        return error
    node = _failed_node(error, program)
    if node is None:
        return error
    message, code = describe(error, node.type, node.device)
    op = node.op
    where = ""
    if op is not None and op.traceback:
        frame = op.traceback[-1]
        where = f" (defined at {frame.filename}:{frame.lineno})"
    node_def = op.node_def if op is not None else None
    located = errors.make_error(code, f"{message}\n\t [[node {node.name}{where} ]]", node_def, op)
    located.located = True  # type: ignore[attr-defined]
    located.__cause__ = None if isinstance(error, errors.OpError) else error
    return located


def _failed_node(error: BaseException, program: Program) -> Node | None:
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code is program.code:
            nodes = program.line_nodes.get(trace.tb_lineno)
            if not nodes:
                return None
            origin = getattr(error, "origin", 0)  # which of the operations fused into this line
            return _uninitialized_reader(error, nodes) or nodes[origin]
        trace = trace.tb_next
    return None


def _uninitialized_reader(error: BaseException, nodes: list[Node]) -> Node | None:
    """Returns the variable without a value, if a line has several fetches."""
    if isinstance(error, AttributeError) and isinstance(error.obj, VariableState):
        return next((n for n in nodes if n.name == error.obj.name), None)
    return None


def describe(error: Exception, op_type: str, device: str) -> tuple[str, int]:
    """Returns the message and the code of an exception of a kernel."""
    if isinstance(error, errors.OpError):
        return error.message, error.error_code
    if isinstance(error, AttributeError) and isinstance(error.obj, VariableState):
        name = error.obj.name
        return f"Attempting to use uninitialized value {name}", errors.FAILED_PRECONDITION
    if isinstance(error, MemoryError):
        return f"OOM when running {op_type} on {device}: {error}", errors.RESOURCE_EXHAUSTED
    if isinstance(error, np.exceptions.AxisError):
        return _outside(error.axis, error.ndim, op_type), errors.INVALID_ARGUMENT
    if isinstance(error, (ValueError, TypeError, IndexError, ZeroDivisionError)):
        return _incompatible(str(error)) or f"{op_type}: {error}", errors.INVALID_ARGUMENT
    return f"{type(error).__name__}: {error}", errors.UNKNOWN


def _outside(axis: Any, rank: Any, op_type: str) -> str:
    """Returns TensorFlow's message for an axis that a tensor does not have."""
    if op_type.startswith("Cum"):
        axis = axis + rank if axis < 0 else axis
        return f"ScanOp: Expected scan axis in the range [-{rank}, {rank}), but got {axis}"
    return f"Invalid reduction dimension ({axis} for input with {rank} dimension(s)"


_BROADCAST_ERROR = re.compile(r"could not be broadcast together with shapes \((.*?)\) \((.*?)\)")


def _incompatible(text: str) -> str | None:
    """Returns TensorFlow's message for NumPy's message on incompatible shapes; else None."""
    found = _BROADCAST_ERROR.search(text)
    if found is None:
        return None
    one, other = (shape.replace(" ", "").rstrip(",") for shape in found.groups())
    return f"Incompatible shapes: [{one}] vs. [{other}]"


# ---- traces ------------------------------------------------------------------------------


class Tracer:
    """Records when each node of a step ran, and the work of the input pipeline meanwhile.

    A watcher, if there is one, gets the outputs of each node.
    """

    def __init__(self, watcher: Callable[[WatchedOp], None] | None = None) -> None:
        self._watcher = watcher
        self._beside = Listener()
        self._stats: dict[str, DeviceStepStats] = {}
        self._lock = threading.Lock()

    def logger(self, device: Device) -> Callable[[Node, int, int, Any], None]:
        """Returns `log(node, started_ns, ended_ns, value)` for the program of one device."""
        names = {0: device.description} if device.simulated else {}
        of_device = DeviceStepStats(device.name, thread_names=names)
        with self._lock:
            stats = self._stats.setdefault(device.name, of_device).node_stats
        thread_id = threading.get_ident() % 100_000

        def log(node: Node, started: int, ended: int, value: Any) -> None:
            inputs = ", ".join(source.name for source, _ in node.inputs)
            values = value if isinstance(value, (tuple, list)) else (value,)
            size = sum(getattr(v, "nbytes", 0) for v in values)
            micros = max((ended - started) // 1000, 1)
            stats.append(
                NodeExecStats(
                    node.name,
                    node.type,
                    started // 1000,
                    0,
                    micros,
                    micros,
                    f"{node.name} = {node.type}({inputs})",
                    size,
                    thread_id,
                )
            )

        return log

    def listeners(self, device: Device) -> list[Callable]:
        """Returns the further arguments of the program of one device: `log`, and `watch`."""
        log = self.logger(device)
        return [log] if self._watcher is None else [log, lambda *made: self._show(device, *made)]

    def _show(self, device: Device, node: Node, values: list) -> None:
        """Gives the outputs of a node to the watcher, one node at a time."""
        fed = node.type == "_Arg"
        op = node.op if node.name.startswith("_") else node  # of the plan's own, what it stands for
        names = [edge_name(node if fed else op, index) for index in range(len(values))]
        found = [getattr(v, "value", None) if isinstance(v, VariableState) else v for v in values]
        tensors = dict(zip(names, map(on_host, found), strict=True))
        with self._lock:
            self._watcher(WatchedOp(op.name, op.type, device.name, tensors, fed))  # type: ignore[misc]

    def step_stats(self) -> StepStats:
        """Returns the records by device; the input pipeline counts as one more."""
        names = sorted(self._stats)
        stats = [self._stats[name] for name in names]
        if names and (pipeline := sorted(self._beside.heard(), key=lambda work: work.started)):
            task = names[0].partition("/device:")[0]
            works = [_pipeline_stats(*work) for work in pipeline]
            stats.append(DeviceStepStats(f"{task}/device:CPU:0/{INPUT_PIPELINE}", works))
        return StepStats(stats)


#: The end of the name under which the threads of datasets stand in the step stats.
INPUT_PIPELINE = "input_pipeline"


def _pipeline_stats(kind: str, thread: int, started: int, ended: int) -> NodeExecStats:
    micros = max((ended - started) // 1000, 1)
    begin, thread = started // 1000, thread % 100_000
    return NodeExecStats(kind, kind, begin, 0, micros, micros, f"{kind} = {kind}()", 0, thread)
