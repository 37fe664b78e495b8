"""`tf.contrib.graph_editor`: operations of a graph found, copied, and connected anew.

found: walks along the edges, names by regular expressions
copied: copy, copy_with_input_replacements, graph_replace   ──>  a TransformerInfo, old <-> new
connected anew: reroute_ts, swap_ts, add_control_inputs
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minitf.core.graph import nest
from minitf.core.graph.graph import Graph
from minitf.core.graph.operation import Operation
from minitf.core.graph.stacks import get_default_graph
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import placeholder

# ---- found -------------------------------------------------------------------------------


def _flat(tops: Any) -> list[Any]:
    """Operations and tensors out of any nesting, of a graph or of a view, each once."""
    if isinstance(tops, Graph):
        return list(tops.get_operations())
    if isinstance(tops, (Operation, Tensor)) or hasattr(tops, "_as_tensor"):
        return [tops if isinstance(tops, Operation) else tops._as_tensor()]
    inside = tops.ops if isinstance(tops, SubGraphView) else list(tops)
    return list(dict.fromkeys(each for item in inside for each in _flat(item)))


def _of(kind: type, tops: Any, others_too: bool) -> list[Any]:
    found = _flat(tops)
    for each in found:
        if not isinstance(each, kind) and not others_too:
            raise TypeError(f"Expected {kind.__name__}s, got: {type(each)}")
    return [each for each in found if isinstance(each, kind)]


def make_list_of_op(
    ops: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ts: bool = False
) -> list[Operation]:
    """The operations in a nesting; tensors among them are refused, or left out."""
    return _of(Operation, ops, ignore_ts)


def make_list_of_t(
    ts: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ops: bool = False
) -> list[Tensor]:
    """The tensors in a nesting, or of a graph; operations among them are refused, or left out."""
    return _of(Tensor, get_tensors(ts) if isinstance(ts, Graph) else ts, ignore_ops)


def get_tensors(graph: Graph) -> list[Tensor]:
    """All tensors of a graph."""
    return [t for op in graph.get_operations() for t in op.outputs]


def get_generating_ops(ts: Any) -> list[Operation]:
    """The operations that give some tensors."""
    return list(dict.fromkeys(t.op for t in make_list_of_t(ts)))


def get_consuming_ops(ts: Any) -> list[Operation]:
    """The operations that read some tensors."""
    return list(dict.fromkeys(op for t in make_list_of_t(ts) for op in t.consumers()))


def filter_ops(ops: Any, positive_filter: Any) -> list[Operation]:
    """The operations for which a function, or True, says yes."""
    found = make_list_of_op(ops)
    return found if positive_filter is True else [op for op in found if positive_filter(op)]


def filter_ts(ops: Any, positive_filter: Any) -> list[Tensor]:
    """What operations read and give, as far as a function, or True, says yes."""
    found = [t for op in make_list_of_op(ops) for t in (*op.inputs, *op.outputs)]
    return [t for t in dict.fromkeys(found) if positive_filter is True or positive_filter(t)]


def filter_ops_from_regex(ops: Any, regex: Any) -> list[Operation]:
    """The operations in whose names an expression is found."""
    return filter_ops(ops, lambda op: re.search(regex, op.name))


def filter_ts_from_regex(ops: Any, regex: Any) -> list[Tensor]:
    """What operations read and give, as far as an expression is found in the names."""
    return filter_ts(ops, lambda t: re.search(regex, t.op.name))


def _selected(args: Sequence[Any], kwargs: dict[str, Any], of_graph: Callable) -> list[Any]:
    found: list[Any] = []
    for each in args:
        if isinstance(each, (str, re.Pattern)):
            if kwargs.get("graph") is None:
                raise ValueError("Use the keyword argument 'graph' to use regex.")
            each = [top for top in of_graph(kwargs["graph"]) if re.search(each, top.name)]
        found += _flat(each)
    accepted = kwargs.get("positive_filter") or (lambda top: True)
    return [top for top in dict.fromkeys(found) if accepted(top)]


def select_ops(*args: Any, **kwargs: Any) -> list[Operation]:
    """Operations by themselves, or by regular expressions of their names.

    Args:
      args: operations, in any nesting, and expressions.
      kwargs: `graph`, that of the expressions; `positive_filter`, a function that says yes.
    """
    return make_list_of_op(_selected(args, kwargs, Graph.get_operations))


def select_ts(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Tensors by themselves, or by regular expressions of their names; see `select_ops`."""
    return make_list_of_t(_selected(args, kwargs, get_tensors))


def _walk(
    seed_ops: Any, next_to: Callable, further: Callable, inclusive: bool, within_ops: Any,
    is_within: Any,
) -> list[Operation]:  # fmt: skip
    seeds, within = _flat(seed_ops), None if within_ops is None else set(within_ops)
    if seeds and isinstance(seeds[0], Tensor):
        seeds = next_to(seeds)
    seeds = [op for op in seeds if within is None or op in within]
    found, wave = dict.fromkeys(seeds), seeds
    while wave:
        reached = dict.fromkeys(each for op in wave for each in further(op))
        inside = [op for op in reached if op not in found and (within is None or op in within)]
        wave = [op for op in inside if is_within is None or is_within(op)]
        found |= dict.fromkeys(wave)
    return [op for op in found if inclusive or op not in set(seeds)]


def get_forward_walk_ops(
    seed_ops: Any, inclusive: bool = True, within_ops: Any = None, within_ops_fn: Any = None,
    stop_at_ts: Any = (), control_outputs: Any = None,
) -> list[Operation]:  # fmt: skip
    """What depends on some operations, or on some tensors.

    Args:
      seed_ops: the operations, or tensors: then the walk begins at those that read them.
      inclusive: whether they themselves are among the results.
      within_ops, within_ops_fn: where the walk stays: operations, or a function of one.
      stop_at_ts: tensors that it does not pass.
      control_outputs: whether it passes control dependencies.
    """
    stops = set(make_list_of_t(stop_at_ts))

    def further(op: Operation) -> list[Operation]:
        waiting = op.control_outputs if control_outputs else []
        return get_consuming_ops([t for t in op.outputs if t not in stops]) + waiting

    return _walk(seed_ops, get_consuming_ops, further, inclusive, within_ops, within_ops_fn)


def get_backward_walk_ops(
    seed_ops: Any, inclusive: bool = True, within_ops: Any = None, within_ops_fn: Any = None,
    stop_at_ts: Any = (), control_inputs: bool = False,
) -> list[Operation]:  # fmt: skip
    """What some operations or tensors depend on; the arguments are as those of the walk forward."""
    stops = set(make_list_of_t(stop_at_ts))

    def further(op: Operation) -> list[Operation]:
        awaited = op.control_inputs if control_inputs else []
        return [t.op for t in op.inputs if t not in stops] + awaited

    return _walk(seed_ops, get_generating_ops, further, inclusive, within_ops, within_ops_fn)


def get_walks_intersection_ops(
    forward_seed_ops: Any, backward_seed_ops: Any, forward_inclusive: bool = True,
    backward_inclusive: bool = True, within_ops: Any = None, within_ops_fn: Any = None,
    control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None,
) -> list[Operation]:  # fmt: skip
    """What depends on the first operations and is needed by the second ones."""
    stay = (within_ops, within_ops_fn, ())
    outputs, inputs = control_ios or control_outputs, bool(control_ios) or control_inputs
    before = get_backward_walk_ops(backward_seed_ops, backward_inclusive, *stay, inputs)
    found = get_forward_walk_ops(forward_seed_ops, forward_inclusive, *stay, outputs)
    return [op for op in found if op in set(before)]


class SubGraphView:
    """Some operations, with what they read from outside and what is read of them outside."""

    def __init__(self, inside_ops: Any = ()) -> None:
        self.ops = make_list_of_op(inside_ops)
        inside, read = set(self.ops), [t for op in self.ops for t in op.inputs]
        self.inputs = list(dict.fromkeys(t for t in read if t.op not in inside))
        given = [t for op in self.ops for t in op.outputs]
        self.outputs = [t for t in given if not inside.issuperset(t.consumers() or [None])]


def sgv(*args: Any, **kwargs: Any) -> SubGraphView:
    """A view of operations, selected as `select_ops` does."""
    found = _selected(args, kwargs, Graph.get_operations)
    return SubGraphView(dict.fromkeys(getattr(top, "op", top) for top in found))


# ---- copied ------------------------------------------------------------------------------


class TransformerInfo:
    """What became of what when operations were copied."""

    def __init__(self) -> None:
        self._transformed_ops: dict[Operation, Operation] = {}
        self._transformed_ts: dict[Tensor, Tensor] = {}

    def transformed(self, original: Any, missing_fn: Any = None) -> Any:
        """The copies of operations or tensors; what a function says where there is none."""
        known: dict[Any, Any] = {**self._transformed_ops, **self._transformed_ts}
        other = missing_fn or (lambda top: None)
        return nest.map_structure(lambda t: known[t] if t in known else other(t), original)


def copy_with_input_replacements(
    sgv: Any, replacement_ts: Mapping[Tensor, Tensor], dst_graph: Graph | None = None,
    dst_scope: str = "", src_scope: str = "", reuse_dst_scope: bool = False,
) -> tuple[SubGraphView, TransformerInfo]:  # fmt: skip
    """Copies operations, which read other tensors in the place of some.

    Args:
      sgv: the operations, or a view of them.
      replacement_ts: what is read in the place of what.
      dst_graph: where to; their own graph by default. What they read from outside are placeholders
        in another one.
      dst_scope: the name scope of the copies.
      src_scope: a part of the old names that the new ones do not have.
      reuse_dst_scope: whether the scope may be one that exists.
    Returns: a view of the copies, and what became of what.
    """
    ops, info = make_list_of_op(sgv), TransformerInfo()
    graph = dst_graph or (ops[0].graph if ops else get_default_graph())
    scope = dst_scope.rstrip("/")
    if scope and not reuse_dst_scope:
        scope = graph.unique_name(scope)
    made = info._transformed_ts
    read = {**{t: t for t in SubGraphView(ops).inputs if t.graph is graph}, **replacement_ts}

    def source(t: Tensor) -> Tensor:
        if t not in read and t not in made:
            made[t] = placeholder(t.dtype.base_dtype, t.shape, f"geph__{t.op.type}")
        return read[t] if t in read else made[t]

    with graph.as_default(), graph.name_scope(None), graph.control_dependencies(None):
        for op in sorted(ops, key=lambda op: op._id):
            old = op.name.removeprefix(src_scope.rstrip("/") + "/") if src_scope else op.name
            name = f"{scope}/{old}" if scope else old
            new = graph.add_operation(op.op_def, [*map(source, op.inputs)], dict(op.attrs), name)
            new._set_device(op.device)
            new._original_op = op
            info._transformed_ops[op] = new
            made.update(zip(op.outputs, new.outputs, strict=True))
    for op, new in info._transformed_ops.items():
        waits = [info._transformed_ops.get(c, c) for c in op.control_inputs]
        new._add_control_inputs([c for c in waits if c.graph is graph])
    return SubGraphView(list(info._transformed_ops.values())), info


def copy(
    sgv: Any, dst_graph: Graph | None = None, dst_scope: str = "", src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> tuple[SubGraphView, TransformerInfo]:  # fmt: skip
    """Copies operations; see `copy_with_input_replacements`."""
    return copy_with_input_replacements(sgv, {}, dst_graph, dst_scope, src_scope, reuse_dst_scope)


def graph_replace(
    target_ts: Any, replacement_ts: Mapping[Tensor, Tensor], dst_scope: str = "",
    src_scope: str = "", reuse_dst_scope: bool = False,
) -> Any:  # fmt: skip
    """Targets as they would be of other tensors in the place of some.

    Args:
      target_ts: a tensor, or a nesting of them.
      replacement_ts: what stands in the place of what.
      dst_scope, src_scope, reuse_dst_scope: see `copy_with_input_replacements`.
    Raises:
      ValueError: when the targets depend on none of what is replaced.
    """
    targets = nest.flatten(target_ts)
    ops = get_walks_intersection_ops([*replacement_ts], targets, control_ios=True)
    if not ops:
        raise ValueError("Targets and replacements are not connected!")
    scopes = (dst_scope, src_scope, reuse_dst_scope)
    _, info = copy_with_input_replacements(ops, replacement_ts, None, *scopes)
    return info.transformed(target_ts, lambda t: t)


# ---- connected anew ----------------------------------------------------------------------


def reroute_ts(ts0: Any, ts1: Any, can_modify: Any = None, cannot_modify: Any = None) -> int:
    """Has all that read `ts1` read `ts0`, one by one in their place.

    Args:
      ts0, ts1: tensors, as many of each.
      can_modify, cannot_modify: the operations that may be changed, or that may not.
    Returns: how many inputs were changed.
    """
    may = None if can_modify is None else set(make_list_of_op(can_modify))
    may_not, count = set(make_list_of_op(cannot_modify or ())), 0
    for new, old in zip(make_list_of_t(ts0), make_list_of_t(ts1), strict=True):
        for op in dict.fromkeys(old.consumers()):
            places = [place for place, t in enumerate(op.inputs) if t is old]
            for place in places if (may is None or op in may) and op not in may_not else ():
                op._update_input(place, new)
                count += 1
    return count


def add_control_inputs(op: Operation, cops: Any) -> None:
    """Has an operation wait for others."""
    op._add_control_inputs(make_list_of_op(cops))
