"""`tf.contrib.graph_editor`: operations of a graph found, and views of some of them.

found: walks along the edges, names by regular expressions
views: the operations, what they read and what is read of them  ──>  graph_surgery.py
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph.graph import Graph
from minitf.core.graph.operation import Operation
from minitf.core.graph.tensor import Tensor

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
    return filter_ts(ops, lambda t: re.search(regex, t.name))


def get_name_scope_ops(ops: Any, scope: str) -> list[Operation]:
    """The operations of a name scope, and that of its own name."""
    return filter_ops_from_regex(ops, f"^{scope.removesuffix('/')}(/.*)?$")


def _selected(args: Sequence[Any], kwargs: dict[str, Any], kind: type) -> list[Any]:
    graph, found = kwargs.get("graph"), list[Any]()
    for each in args:
        if isinstance(each, (str, re.Pattern)):
            if graph is None:
                raise ValueError("Use the keyword argument 'graph' to use regex.")
            tops: Any = get_tensors(graph) if kind is Tensor else graph.get_operations()
            each = [top for top in tops if re.search(each, top.name)]
        found += [top for top in _flat(each) if isinstance(top, kind)]
    accepted = kwargs.get("positive_filter") or (lambda top: True)
    return [top for top in dict.fromkeys(found) if accepted(top)]


def select_ops(*args: Any, **kwargs: Any) -> list[Operation]:
    """Operations by themselves, or by regular expressions of their names.

    Args:
      args: operations, in any nesting, and expressions.
      kwargs: `graph`, that of the expressions; `positive_filter`, a function that says yes.
    """
    return _selected(args, kwargs, Operation)


def select_ts(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Tensors by themselves, or by regular expressions of their names; see `select_ops`."""
    return _selected(args, kwargs, Tensor)


class ControlOutputs:
    """Which operations wait for which."""

    def __init__(self, graph: Graph) -> None:
        if not isinstance(graph, Graph):
            raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
        self.graph = graph

    def update(self) -> ControlOutputs:
        """Itself: the edges are looked up in the graph as it is."""
        return self

    def get_all(self) -> dict[Operation, list[Operation]]:
        """For each operation those that wait for it, if there are some."""
        ops = self.graph.get_operations()
        return {op: op.control_outputs for op in ops if op.control_outputs}

    def get(self, op: Operation) -> list[Operation]:
        """Those that wait for one."""
        return op.control_outputs


def check_cios(
    control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None
) -> tuple[bool, Any]:
    """Whether a walk passes control dependencies backward, and the `ControlOutputs` forward."""
    outputs = control_outputs if control_ios is None else control_ios
    if outputs is not None and not isinstance(outputs, ControlOutputs):
        raise TypeError(f"Expected a util.ControlOutputs, got: {type(outputs)}")
    return control_inputs or control_ios is not None, outputs


def compute_boundary_ts(ops: Any) -> tuple[list[Tensor], list[Tensor], list[Tensor]]:
    """What operations read from outside, what is read of them outside or nowhere, and the rest."""
    ops = make_list_of_op(ops)
    here, read = set(ops), dict.fromkeys(t for op in ops for t in op.inputs)
    given = [t for op in ops for t in op.outputs]
    outside = [t for t in given if t not in read or not here.issuperset(t.consumers())]
    within = [t for t in read if t.op in here]
    return [t for t in read if t.op not in here], outside, within


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
    check_cios(False, control_outputs)

    def further(op: Operation) -> list[Operation]:
        waiting = control_outputs.get(op) if control_outputs else []
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


def _two_walks(
    forward_seeds: Any, backward_seeds: Any, forward_inclusive: bool, backward_inclusive: bool,
    stay: tuple[Any, Any, Any], controls: tuple[bool, Any],
) -> tuple[list[Operation], list[Operation]]:  # fmt: skip
    """What depends on the first operations, and what the second ones need."""
    inputs, outputs = controls
    before = get_backward_walk_ops(backward_seeds, backward_inclusive, *stay, inputs)
    return get_forward_walk_ops(forward_seeds, forward_inclusive, *stay, outputs), before


def get_walks_intersection_ops(
    forward_seed_ops: Any, backward_seed_ops: Any, forward_inclusive: bool = True,
    backward_inclusive: bool = True, within_ops: Any = None, within_ops_fn: Any = None,
    control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None,
) -> list[Operation]:  # fmt: skip
    """What depends on the first operations and is needed by the second ones."""
    after, before = _two_walks(
        forward_seed_ops, backward_seed_ops, forward_inclusive, backward_inclusive,
        (within_ops, within_ops_fn, ()), check_cios(control_inputs, control_outputs, control_ios),
    )  # fmt: skip
    needed = set(before)
    return [op for op in after if op in needed]


def get_walks_union_ops(
    forward_seed_ops: Any, backward_seed_ops: Any, forward_inclusive: bool = True,
    backward_inclusive: bool = True, within_ops: Any = None, within_ops_fn: Any = None,
    control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None,
) -> list[Operation]:  # fmt: skip
    """What depends on the first operations or is needed by the second ones."""
    after, before = _two_walks(
        forward_seed_ops, backward_seed_ops, forward_inclusive, backward_inclusive,
        (within_ops, within_ops_fn, ()), check_cios(control_inputs, control_outputs, control_ios),
    )  # fmt: skip
    return list(dict.fromkeys(after + before))


# ---- views -------------------------------------------------------------------------------


class SubGraphView:
    """Some operations, with what they read from outside and what is read of them outside.

    Args:
      inside_ops: the operations.
      passthrough_ts: tensors that are inputs and outputs as they are.
    """

    def __init__(self, inside_ops: Any = (), passthrough_ts: Any = ()) -> None:
        self.ops = make_list_of_op(inside_ops)
        inputs, outputs, within = compute_boundary_ts(self.ops)
        known = {*inputs, *outputs, *within}
        self.passthroughs = [t for t in make_list_of_t(passthrough_ts) if t not in known]
        self.inputs, self.outputs = inputs + self.passthroughs, outputs + self.passthroughs

    @property
    def graph(self) -> Graph | None:
        """Their graph; None of an empty view."""
        tops: list[Any] = [*self.ops, *self.passthroughs]
        return tops[0].graph if tops else None

    def __bool__(self) -> bool:
        return self.graph is not None

    def _assign(self, **changed: Any) -> SubGraphView:
        self.__dict__.update(changed)
        return self

    def copy(self) -> SubGraphView:
        """Another view of the same."""
        lists = {name: list(value) for name, value in self.__dict__.items()}
        return SubGraphView()._assign(**lists)

    def remap(self, new_input_indices: Any = None, new_output_indices: Any = None) -> SubGraphView:
        """A view with some of the inputs and outputs, in another order.

        Args:
          new_input_indices: numbers of inputs or inputs, each at most once; None for all.
          new_output_indices: those of outputs, which may come several times.
        Raises:
          ValueError: when a number is too large, or comes again.
        """
        inputs = _some(self.inputs, new_input_indices)
        outputs = _some(self.outputs, new_output_indices)
        if len(set(inputs)) != len(inputs):
            raise ValueError(f"Found repetition in mapping: {new_input_indices}")
        return self.copy()._assign(inputs=inputs, outputs=outputs)

    def remap_inputs(self, new_input_indices: Any) -> SubGraphView:
        """See `remap`."""
        return self.remap(new_input_indices)

    def remap_outputs(self, new_output_indices: Any) -> SubGraphView:
        """See `remap`."""
        return self.remap(None, new_output_indices)

    def consumers(self) -> list[Operation]:
        """What reads the outputs, outside of the view."""
        return [op for op in get_consuming_ops(self.outputs) if op not in self.ops]


def _some(ts: list[Tensor], chosen: Any) -> list[Tensor]:
    if chosen is None:
        return list(ts)
    places = [each if isinstance(each, int) else ts.index(each) for each in chosen]
    for place in places:
        if not 0 <= place < len(ts):
            raise ValueError(f"Out of [0, {len(ts)}[ range: {place}")
    return [ts[place] for place in places]


def make_view(*args: Any, **kwargs: Any) -> SubGraphView:
    """A view of operations, as `select_ops` finds them, and of tensors that go through.

    Raises:
      ValueError: when it is of another graph than the keyword `graph`.
    """
    if len(args) == 1 and isinstance(args[0], SubGraphView):
        view = args[0]
    else:
        ops = select_ops(*args, **kwargs)
        strings = (str, re.Pattern)
        ts = select_ts(*(each for each in args if not isinstance(each, strings)), **kwargs)
        view = SubGraphView(ops, ts)
    if view and kwargs.get("graph") not in (None, view.graph):
        raise ValueError("Graph mismatch.")
    return view


def make_view_from_scope(scope: str, graph: Graph) -> SubGraphView:
    """A view of a name scope."""
    return SubGraphView(get_name_scope_ops(graph, scope))
