"""Chooses a device for each node.

    asked for     a device name, in whole or in part; the rest is open
    colocated     with the variable that a node updates, or the members of a `colocate_with` group
    open          GPU:0 of the task when there is one and the node can run there, else CPU:0;
                  devices of other types come between the two, and a TPU last

Stateful nodes keep the device of their first placement for the whole session: a variable does not
move.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes, errors
from minitf.core.graph.device_spec import DeviceSpec, cpu_of, parsed
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.logging import log_stream
from minitf.core.runtime.plan.subgraph import Node

#: The order of device types for open nodes. Other types have rank 1; a TPU is the last choice.
_PREFERENCE: dict[str | None, int] = {"GPU": 0, "CPU": 2, "TPU": 3}


class Placer:
    """Places nodes on devices, for one session.

    Args:
      devices: the full names of all devices, the client's own task's first.
      soft: whether to use another device of the same task when the one asked for does not exist.
      log: print each node's device once.
    """

    def __init__(self, devices: Sequence[str], soft: bool = False, log: bool = False) -> None:
        self._specs = {name: parsed(name) for name in devices}
        self._default = self._specs[devices[0]]
        self._soft = soft
        self._log = log
        self._of_task: dict[Any, dict[str, DeviceSpec]] = {}  # a cluster may have thousands
        for name, spec in self._specs.items():
            self._of_task.setdefault((spec.job, spec.task), {})[name] = spec
        self._kept: dict[str, str] = {}
        self._logged: set[str] = set()
        self._choices: dict[tuple[str, bool], str] = {}

    def place(self, nodes: Sequence[Node]) -> None:
        """Sets `device` of every node to a full device name.

        Raises:
          InvalidArgumentError: when a device asked for does not exist, or a group cannot be
          together.
        """
        for group in _colocation_groups(nodes):
            kept = [self._kept[n.name] for n in group if n.name in self._kept]
            device = kept[0] if kept else self._choose(group)
            for node in group:
                node.device = device
                if node.op_def.stateful and not node.type.startswith("_"):
                    self._kept[node.name] = device
        if self._log:
            self._write_log(nodes)
        _move_endpoints(nodes)

    def _choose(self, members: list[Node]) -> str:
        """Returns a device that satisfies all members of a colocation group."""
        wish = DeviceSpec()
        for node in members:
            stated = parsed(node.device)
            if not _compatible(wish, stated):
                if any(_is_handle(value) for value in node.inputs):
                    continue  # what uses a queue runs where the queue is, whatever was asked for
                raise errors.InvalidArgumentError(
                    None,
                    node.op,
                    f"Cannot colocate nodes {{{{colocation_node {members[0].name}}}}} and "
                    f"{{{{colocation_node {node.name}}}}} because no device type supports both of "
                    f"those nodes and the other nodes colocated with them: {wish} and {stated}.",
                )
            wish = wish.make_merged_spec(stated)
        on_gpu = all(_runs_on_gpu(n) for n in members)
        key = (wish.to_string(), on_gpu)
        if key not in self._choices:
            self._choices[key] = self._find(members[0], wish, on_gpu)
        return self._choices[key]

    def _find(self, node: Node, wish: DeviceSpec, on_gpu: bool) -> str:
        local = wish
        if local.job is None:
            local = local.replace(job=self._default.job)
        if local.task is None:
            local = local.replace(task=0 if local.job != self._default.job else self._default.task)
        candidates = self._matching(local, on_gpu)
        if not candidates and self._soft:
            candidates = self._matching(local.replace(device_type=None, device_index=None), on_gpu)
        if candidates:
            return candidates[0]
        raise errors.InvalidArgumentError(None, node.op, self._cannot_assign(node, wish, on_gpu))

    def _matching(self, wish: DeviceSpec, on_gpu: bool) -> list[str]:
        """Returns the devices that fit, best first: GPUs, other types, CPUs."""
        fit = [
            (_PREFERENCE.get(spec.device_type, 1), spec.device_index, name)
            for name, spec in self._of_task.get((wish.job, wish.task), {}).items()
            if wish.is_compatible_with(spec) and (on_gpu or spec.device_type == "CPU")
        ]
        return [name for *_, name in sorted(fit)]

    def _cannot_assign(self, node: Node, wish: DeviceSpec, on_gpu: bool) -> str:
        name = node.name if node.op is None else node.op.name
        text = f"Cannot assign a device for operation {name}: "
        where = f"{{{{node {name}}}}} was explicitly assigned to {wish} "
        exists = any(wish.is_compatible_with(spec) for spec in self._specs.values())
        if exists and not on_gpu:
            return (
                f"{text}Could not satisfy explicit device specification '{wish}' because no "
                f"supported kernel for {wish.device_type} devices is available for {node.type}."
            )
        names = ", ".join(sorted(self._specs))
        hint = ""
        if wish.device_type == "GPU":
            hint = (
                " The requested device appears to be a GPU, but no card is visible. Simulated "
                "GPUs: minitf.simulate_gpus(n) or MINITF_SIMULATED_GPUS=n."
            )
        return (
            f"{text}{where}but available devices are [ {names} ]. Make sure the device "
            f"specification refers to a valid device.{hint}\n\t [[{name}]]"
        )

    def _write_log(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            name, kind = (
                (node.op.name, node.op.type) if node.op is not None else (node.name, node.type)
            )
            if name not in self._logged and not kind.startswith("_"):
                self._logged.add(name)
                print(f"{name}: ({kind}): {node.device}", file=log_stream())


def _compatible(one: DeviceSpec, other: DeviceSpec) -> bool:
    return all(
        a is None or b is None or a == b
        for a, b in zip(vars(one).values(), vars(other).values(), strict=True)
    )


def _runs_on_gpu(node: Node) -> bool:
    """Whether a node can run on a GPU: it has no strings or queues, and its op is not host-only."""
    if node.op_def.host_only:
        return False
    hosted = (dtypes.string, dtypes.resource)
    if any(t.base_dtype in hosted for t in node.dtypes):
        return False
    return not any(source.dtypes[index].base_dtype in hosted for source, index in node.inputs)


def _is_handle(value: tuple[Node, int]) -> bool:
    return value[0].dtypes[value[1]] in (dtypes.resource, dtypes.variant)


# ---- colocation: a union-find over nodes -------------------------------------------------


def _colocation_groups(nodes: Sequence[Node]) -> list[list[Node]]:
    """Returns the groups of nodes that must share a device; most have one node."""
    parent: dict[Node, Node] = {}
    by_name = {node.name: node for node in nodes}

    def find(node: Node) -> Node:
        while node in parent:
            node = parent[node]
        return node

    def join(one: Node, other: Node) -> None:
        first, second = find(one), find(other)
        if first is not second:
            parent[second] = first

    for node in nodes:
        for arg, value in zip(node.op_def.inputs, node.op_def.group(node.inputs), strict=True):
            if arg.is_ref:  # a node that changes a variable runs on its device
                join(value[0], node)
        runs_functions = any(isinstance(v, FuncGraph) for v in node.attrs.values())
        for value in node.inputs:
            of_variable = runs_functions and value[0].dtypes[value[1]]._is_ref_dtype
            if of_variable or _is_handle(value):
                join(value[0], node)
        for group in node.attrs.get("_class") or ():
            other = by_name.get(group.removeprefix("loc:@"))
            if other is not None:
                join(other, node)
    groups: dict[Node, list[Node]] = {}
    for node in nodes:
        groups.setdefault(find(node), []).append(node)
    return list(groups.values())


def _move_endpoints(nodes: Sequence[Node]) -> None:
    """Moves fetches to the device that makes them, and feeds and constants to their reader.

    A step on a GPU is then one program, which copies its feeds and fetches itself. A value with
    readers on several devices stays.
    """
    readers: dict[Node, set[str]] = {}
    for node in nodes:
        if node.type == "_Retval":
            node.device = _endpoint(node.inputs[0][0].device)
        elif node.type == "_Arg":
            node.device = cpu_of(node.device)
    for node in nodes:
        for source, _ in node.inputs:
            readers.setdefault(source, set()).add(node.device)
    for node in nodes:
        places = readers.get(node, ())
        if len(places) != 1:
            continue
        place = next(iter(places))
        if node.type == "Const" and not (node.op and node.op.device):
            node.device = place
        elif node.type == "_Arg" and cpu_of(place) == node.device:
            node.device = _endpoint(place)


def _endpoint(device: str) -> str:
    """Returns the device of a feed or fetch: an accelerator, or the first CPU of the task."""
    return cpu_of(device) if parsed(device).device_type == "CPU" else device


def device_mapping_text(devices: Sequence[Any]) -> str:
    """Returns the table that `log_device_placement` prints when a session starts."""
    lines = [f"{d.name} -> device: {d.description}" for d in devices if d.device_type != "CPU"]
    return "Device mapping:" + ("\n" + "\n".join(lines) if lines else " no known devices.")
