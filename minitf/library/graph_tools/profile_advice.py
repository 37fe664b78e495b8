"""`tf.profiler.Profiler`, `advise`, `write_op_log`: what is slow in a step, and which line made it.

    lines of the program ──┐
    RunMetadata ───────────┼──> ExpensiveOperationChecker:
    graph ─────────────────┘    top 1 operation type: Conv2D, cpu: 5.01ms, ... (98.08%)

The checkers and their thresholds are those of `tensorflow/core/profiler/internal/advisor`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.messages import Message
from minitf.library.formats.file_io import written_aside
from minitf.library.formats.summary_protos import protos
from minitf.library.graph_tools.profiler import (
    GraphNodeProto,
    ProfileOptionBuilder,
    float_operations,
    profile,
    short_count,
)

_SLOW_LINE, _SLOW_SCOPE = 1000, 100  # microseconds from which a line or a scope is told
_MOST = 3


@dataclass
class Advice(Message):
    """What one checker says: a text for each thing it found."""

    reports: list[str] = field(default_factory=list)


@dataclass
class AdviceProto(Message):
    """What the checkers say, by their names."""

    checkers: dict[str, Advice] = field(default_factory=dict)


def _slowest(node: GraphNodeProto, least: int = 1) -> list[GraphNodeProto]:
    """The nodes below one that take so many microseconds, the slowest first."""
    below = [child for child in node.children if child.total_exec_micros >= least]
    return sorted(below, key=lambda child: -child.total_exec_micros)


def _times(node: GraphNodeProto, total: str = "") -> str:
    kinds = {"cpu": "cpu_exec", "accelerator": "accelerator_exec", "total": "exec"}
    texts = {name: getattr(node, f"{total}{kind}_micros") for name, kind in kinds.items()}
    return ", ".join(f"{name}: {short_count(time, 'micros')}" for name, time in texts.items())


def _check_expense(graph: Any, run_meta: Any) -> Iterator[str]:
    """The slowest types of operations, scopes, and lines of the program."""
    if run_meta is None:
        return
    options = ProfileOptionBuilder(ProfileOptionBuilder.time_and_memory())
    quiet = options.with_empty_output().build()
    types = profile(graph, run_meta, None, "op", quiet)
    whole = types.total_exec_micros + 1e-10
    yield "\n".join(
        f"top {i} operation type: {node.name}, {_times(node)} "
        f"({100 * node.exec_micros / whole:.2f}%)"
        for i, node in enumerate(_slowest(types)[:_MOST], 1)
    )
    scopes = profile(graph, run_meta, None, "scope", quiet)
    yield "\n".join(
        f"top {i} graph node: {node.name}, {_times(node)}"
        for i, node in enumerate(_slowest(scopes, _SLOW_SCOPE)[:_MOST], 1)
    )
    lines = _lines_of(graph, scopes)
    while len(_slowest(lines)) == 1:  # all goes through what starts the program
        (lines,) = _slowest(lines)
    yield "\n".join(_slow_lines(lines, 0))


def _every(node: GraphNodeProto) -> Iterator[GraphNodeProto]:
    yield node
    for child in node.children:
        yield from _every(child)


def _lines_of(graph: Any, scopes: GraphNodeProto) -> GraphNodeProto:
    """The times of operations by the lines that made them, the outermost line at the top."""
    root, timed = GraphNodeProto("_TFProfRoot"), {node.name: node for node in _every(scopes)}
    for op in graph.get_operations():
        own, node = timed.get(op.name), root
        if own is None or not own.exec_micros:
            continue
        for frame in op.traceback:
            name = f"{os.path.basename(frame.filename)}:{frame.lineno}:{frame.name}"
            known = {child.name: child for child in node.children}
            if name not in known:
                node.children.append(GraphNodeProto(name))
            node = known.get(name, node.children[-1])
        for kind in ("exec_micros", "cpu_exec_micros", "accelerator_exec_micros"):
            setattr(node, kind, getattr(node, kind) + getattr(own, kind))
    return root


def _slow_lines(node: GraphNodeProto, depth: int) -> Iterator[str]:
    below = _slowest(node)
    if len(below) <= 1 or depth > _MOST:
        return
    for child in below[:_MOST]:
        if child.total_exec_micros >= _SLOW_LINE:
            yield f"{'  ' * depth}{child.name}, {_times(child, 'total_')}"
            yield from _slow_lines(child, depth + 1)


def _accelerators(run_meta: Any) -> dict[str, list[Any]]:
    """What ran on each GPU."""
    devices = run_meta.step_stats.dev_stats if run_meta is not None else ()
    return {d.device.lower(): d.node_stats for d in devices if "gpu" in d.device.lower()}


def _check_utilization(graph: Any, run_meta: Any) -> Iterator[str]:
    """How much of the time between its first and its last operation a GPU computes."""
    for device, stats in sorted(_accelerators(run_meta).items()):
        starts = [each.all_start_micros for each in stats]
        times = [each.all_end_rel_micros for each in stats]
        ends = [start + time for start, time in zip(starts, times, strict=True)]
        if whole := max(ends, default=0) - min(starts, default=0):
            used = sum(times) / whole
            yield f"device: {device} {'' if used >= 0.5 else 'low '}utilization: {used:.2f}"


def _check_operations(graph: Any, run_meta: Any) -> Iterator[str]:
    """Operations for which there is a quicker one."""
    operations = graph.get_operations()
    fused = any(op.type == "FusedBatchNorm" for op in operations)
    if not fused and any("BatchNorm" in op.name for op in operations):
        yield "Maybe use faster FusedBatchNorm instead of BatchNorm"
    placed = {each.node_name for stats in _accelerators(run_meta).values() for each in stats}
    if any(op.name in placed and op.attrs.get("data_format") == "NHWC" for op in operations):
        yield "Found operation using NHWC data_format on GPU. Maybe NCHW is faster."


_CHECKERS: dict[str, Callable[[Any, Any], Iterator[str]]] = {
    "AcceleratorUtilizationChecker": _check_utilization,
    "ExpensiveOperationChecker": _check_expense,
    "OperationChecker": _check_operations,
}

#: the options of `advise` that ask for all that it knows
ALL_ADVICE: dict[str, Any] = {name: {} for name in _CHECKERS}


def advise(
    graph: Any = None, run_meta: Any = None, options: Mapping[str, Any] | None = None
) -> AdviceProto:
    """Looks for what makes a step slow, prints it, and returns it.

    Args:
      graph: the graph; the default one by default.
      run_meta: of a traced step; without it times are not looked at.
      options: names of checkers as keys, as `{"OperationChecker": {}}`; all by default.

    Returns: the reports of each checker.
    """
    graph = graph or stacks.get_default_graph()
    advice = AdviceProto()
    for name, check in _CHECKERS.items():
        if name in (ALL_ADVICE if options is None else options):
            found = [report for report in check(graph, run_meta) if report]
            advice.checkers[name] = Advice(found)
            print("\n".join([f"\n{name}:", *found]))
    return advice


class Profiler:
    """Profiles of a graph, with the times of the last step that it was given.

    Args:
      graph: the graph; the default one by default.
      op_log: not used.
    """

    def __init__(self, graph: Any = None, op_log: Any = None) -> None:
        self._graph, self._run_meta = graph or stacks.get_default_graph(), None

    def add_step(self, step: int, run_meta: Any) -> None:
        """Takes the times of a traced step."""
        self._run_meta = run_meta

    def profile_name_scope(self, options: Mapping[str, Any]) -> GraphNodeProto:
        """The profile scope by scope."""
        return profile(self._graph, self._run_meta, None, "scope", options)

    profile_graph = profile_python = profile_name_scope

    def profile_operations(self, options: Mapping[str, Any]) -> GraphNodeProto:
        """The profile by the types of operations."""
        return profile(self._graph, self._run_meta, None, "op", options)

    def advise(self, options: Mapping[str, Any]) -> Any:
        """What makes the last step slow; see `tf.profiler.advise`."""
        return advise(self._graph, self._run_meta, options)


def write_op_log(
    graph: Any, log_dir: str, op_log: Any = None, run_meta: Any = None, add_trace: bool = True
) -> None:
    """Writes what tfprof reads beside a graph: operations on numbers, and the lines of the program.

    Args:
      graph: the graph; None for the default one.
      log_dir: the folder, in which a file `tfprof_log` is made.
      op_log: a `tf.profiler.OpLogProto`, whose entries come first and are completed.
      run_meta: not needed: shapes that are unknown while the graph is built count nothing.
      add_trace: whether to tell the lines.
    Raises:
      ImportError: when TensorBoard's package is not there, which brings the message.
    """
    graph = graph or stacks.get_default_graph()
    made = protos().OpLogProto()
    if op_log is not None:
        made.CopyFrom(op_log)
    entries = {entry.name: entry for entry in made.log_entries}
    numbers = {"none": 0}  # of texts

    def entry_of(name: str) -> Any:
        if name not in entries:
            entries[name] = made.log_entries.add(name=name)
        return entries[name]

    def number_of(text: str) -> int:
        return numbers.setdefault(text, len(numbers)) if text else 0

    for op in graph.get_operations():
        count = float_operations(op)
        if count and not entry_of(op.name).float_ops:
            entry_of(op.name).float_ops = count
        if add_trace and not entry_of(op.name).code_def.traces:
            for frame in op.traceback:
                entry_of(op.name).code_def.traces.add(
                    file_id=number_of(frame.filename), lineno=frame.lineno or -1,
                    function_id=number_of(frame.name), line_id=number_of(frame.line),
                    func_start_line=-1,
                )  # fmt: skip
    for variable in graph.get_collection(GraphKeys.TRAINABLE_VARIABLES):
        entry_of(variable.op.name).types.append("_trainable_variables")
    for text, number in numbers.items():
        made.id_to_string[number] = text
    with written_aside(os.path.join(log_dir, "tfprof_log")) as log:
        log.write(made.SerializeToString())
