"""`tf.contrib.graph_editor`: operations copied, and connected anew.

copied: copy, graph_replace, Transformer and its hooks   ──>  a TransformerInfo, old <-> new
connected anew: reroute_*, swap_*, add_control_inputs    edges move from one tensor to another
                detach*, connect, bypass                 placeholders stand where a view is cut out
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from minitf.compat.contrib.graph_editor import (
    ControlOutputs,
    SubGraphView,
    check_cios,
    get_consuming_ops,
    get_walks_intersection_ops,
    make_list_of_op,
    make_list_of_t,
    make_view,
)
from minitf.core.graph import nest
from minitf.core.graph.attr_value import plain_attr
from minitf.core.graph.graph import Graph
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.operation import Operation
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import placeholder

# ---- copied ------------------------------------------------------------------------------


def _folder(scope: str) -> str:
    return scope if not scope or scope.endswith("/") else scope + "/"


def placeholder_name(
    t: Tensor | None = None, scope: str | None = None, prefix: str = "geph"
) -> str:
    """The name of a placeholder, which tells in the place of which tensor it stands.

    Args:
      t: the tensor, if there is one.
      scope: of the name; that of the tensor by default.
      prefix: what it begins with.
    """
    if t is None:
        return _folder(scope or "") + prefix
    where, slash, own = t.op.name.rpartition("/")
    known = own.startswith(f"{prefix}__")
    folder = where + slash if scope is None else _folder(scope)
    return folder + (own if known else f"{prefix}__{own}_{t.value_index}")


def make_placeholder_from_tensor(
    t: Tensor, scope: str | None = None, prefix: str = "geph"
) -> Tensor:
    """A placeholder of a tensor's type and shape; see `placeholder_name`."""
    return placeholder(t.dtype.base_dtype, t.shape, placeholder_name(t, scope, prefix))


def make_placeholder_from_dtype_and_shape(
    dtype: Any, shape: Any = None, scope: str | None = None, prefix: str = "geph"
) -> Tensor:
    """A placeholder; see `placeholder_name`."""
    return placeholder(dtype, shape, placeholder_name(None, scope, prefix))


class TransformerInfo:
    """What became of what when operations were copied; those that come later are not in it yet.

    Args:
      sgv: the view of what is copied.
      dst_graph, dst_scope, src_scope: see `Transformer`.
    """

    def __init__(self, sgv: SubGraphView, dst_graph: Graph, dst_scope: str, src_scope: str) -> None:
        self.sgv, self.graph, self.graph_ = sgv, sgv.graph or dst_graph, dst_graph
        self.scope, self.scope_ = src_scope, dst_scope
        self.transformed_ops: dict[Operation, Operation] = {}
        self.transformed_ts: dict[Tensor, Tensor] = {}
        self._external: dict[Tensor, Tensor] = {}  # what is read in the place of inputs
        self._transformed_ops, self._transformed_ts = self.transformed_ops, self.transformed_ts

    def new_name(self, name: str) -> str:
        """The name of the copy of something, by its own.

        Raises:
          ValueError: when it is not of the source scope.
        """
        if not name.startswith(self.scope):
            raise ValueError(f"{name} does not belong to source scope: {self.scope}.")
        return self.scope_ + name.removeprefix(self.scope)

    def transformed(self, original: Any, missing_fn: Any = None) -> Any:
        """The copies of operations or tensors; what a function says where there is none."""
        return _looked_up({**self.transformed_ops, **self.transformed_ts}, original, missing_fn)

    def original(self, transformed: Any, missing_fn: Any = None) -> Any:
        """Of what operations or tensors are the copies; what a function says of others."""
        pairs: dict[Any, Any] = {**self.transformed_ops, **self.transformed_ts}
        return _looked_up({new: old for old, new in pairs.items()}, transformed, missing_fn)


def _looked_up(known: dict[Any, Any], tops: Any, missing_fn: Any) -> Any:
    other = missing_fn or (lambda top: None)
    return nest.map_structure(lambda top: known[top] if top in known else other(top), tops)


def replace_t_with_placeholder_handler(info: TransformerInfo, t: Tensor) -> Tensor:
    """A placeholder for what comes from outside."""
    with info.graph_.as_default(), info.graph_.name_scope(None):
        return make_placeholder_from_tensor(t, info.scope_)


def keep_t_if_possible_handler(info: TransformerInfo, t: Tensor) -> Tensor:
    """What comes from outside itself; a placeholder for it in another graph."""
    return t if info.graph is info.graph_ else replace_t_with_placeholder_handler(info, t)


def transform_op_if_inside_handler(
    info: TransformerInfo, op: Operation, keep_if_possible: bool = True
) -> Operation | None:
    """The copy of an operation; without one itself in its own graph, and None in another."""
    kept = op if keep_if_possible and info.graph is info.graph_ else None
    return info.transformed_ops.get(op, kept)


def assign_renamed_collections_handler(info: TransformerInfo, elem: Any, elem_: Any) -> None:
    """Adds a copy to the collections of the original; those of one's own are named anew."""
    known = {value for key, value in vars(GraphKeys).items() if not key.startswith("_")}
    for name in info.graph.get_all_collection_keys():
        if any(elem is each for each in info.graph.get_collection_ref(name)):
            info.graph_.add_to_collection(name if name in known else info.new_name(name), elem_)


def copy_op_handler(
    info: TransformerInfo, op: Operation, new_inputs: Sequence[Tensor], copy_shape: bool = False,
    nodedef_fn: Callable[[Any], Any] | None = None,
) -> tuple[Operation, list[Tensor]]:  # fmt: skip
    """Copies an operation.

    Args:
      info: what was copied so far.
      op: the operation.
      new_inputs: what the copy reads.
      copy_shape: whether its outputs get the shapes of the originals.
      nodedef_fn: changes the `NodeDef` of the copy, its name and attributes.
    """
    name, attrs = info.new_name(op.name), dict(op.attrs)
    if nodedef_fn is not None:
        node = deepcopy(op.node_def)
        node.name = info.graph_.unique_name(name, mark_as_used=False)
        node = nodedef_fn(node)
        name = node.name
        attrs |= {key: plain_attr(node.attr[key]) for key in attrs if key in node.attr}
    new = info.graph_.add_operation(op.op_def, [*new_inputs], attrs, name)
    new._set_device(op.device)
    for old_t, new_t in zip(op.outputs, new.outputs, strict=True):
        if copy_shape:
            new_t.set_shape(old_t.shape)
    return new, new.outputs


class Transformer:
    """Copies operations; its attributes are functions that say how, and may be replaced.

    `transform_op_handler(info, op, new_inputs)` makes a copy, `transform_external_input_handler`
    and `transform_external_hidden_input_handler` say what is read in the place of a tensor from
    outside, `transform_control_input_handler` the same of a control dependency, and
    `assign_collections_handler` enters copies into collections.
    """

    def __init__(self) -> None:
        self.transform_op_handler: Callable = copy_op_handler
        self.transform_control_input_handler: Callable = transform_op_if_inside_handler
        self.assign_collections_handler: Callable = assign_renamed_collections_handler
        self.transform_external_input_handler: Callable = replace_t_with_placeholder_handler
        self.transform_external_hidden_input_handler: Callable = keep_t_if_possible_handler
        self.transform_original_op_handler: Callable = transform_op_if_inside_handler

    def __call__(
        self, sgv: Any, dst_graph: Graph, dst_scope: str, src_scope: str = "",
        reuse_dst_scope: bool = False,
    ) -> tuple[SubGraphView, TransformerInfo]:  # fmt: skip
        """Copies operations.

        Args:
          sgv: the operations, or a view of them.
          dst_graph: where to.
          dst_scope: the name scope of the copies.
          src_scope: a part of the old names that the new ones do not have.
          reuse_dst_scope: whether the scope may be one that exists.
        Returns: a view of the copies, and what became of what.
        """
        sgv = make_view(sgv)
        if not isinstance(dst_graph, Graph):
            raise TypeError(f"Expected a tf.Graph, got: {type(dst_graph)}")
        dst_scope = _folder(dst_scope)
        if dst_scope and not reuse_dst_scope:
            dst_scope = _folder(dst_graph.unique_name(dst_scope[:-1]))
        info = TransformerInfo(sgv, dst_graph, dst_scope, _folder(src_scope))
        inside = set(sgv.ops)
        later: list[tuple[Operation, int, Tensor]] = []  # edges back to what is not copied yet
        with (
            dst_graph.as_default(),
            dst_graph.name_scope(None),
            dst_graph.control_dependencies(None),
        ):
            for op in sorted(sgv.ops, key=lambda op: op._id):
                late = [t.op in inside and t not in info.transformed_ts for t in op.inputs]
                read = [self._read(info, t, wait) for t, wait in zip(op.inputs, late, strict=True)]
                new, outputs = self.transform_op_handler(info, op, read)
                if new is op:
                    raise ValueError("In-place transformation not allowed.")
                later += [(new, i, t) for i, t in enumerate(op.inputs) if late[i]]
                info.transformed_ops[op] = new
                info.transformed_ts.update(zip(op.outputs, outputs, strict=True))
                for elem, elem_ in [(op, new), *zip(op.outputs, outputs, strict=True)]:
                    self.assign_collections_handler(info, elem, elem_)
        for new, place, t in later:
            new._update_input(place, info.transformed_ts[t])
        for op, new in info.transformed_ops.items():
            waits = [self.transform_control_input_handler(info, each) for each in op.control_inputs]
            new._add_control_inputs([each for each in waits if each is not None])
            if op._original_op is not None:
                new._original_op = self.transform_original_op_handler(info, op._original_op)
        return self._view(info), info

    def _read(self, info: TransformerInfo, t: Tensor, late: bool) -> Tensor:
        if t in info.transformed_ts:
            return info.transformed_ts[t]
        if late:
            return make_placeholder_from_tensor(t, info.scope_, "geph_tmp")
        if t in info.sgv.inputs:
            if t not in info._external:
                info._external[t] = self.transform_external_input_handler(info, t)
            return info._external[t]
        return self.transform_external_hidden_input_handler(info, t)

    def _view(self, info: TransformerInfo) -> SubGraphView:
        view = SubGraphView(list(info.transformed_ops.values()))
        new = {**info._external, **info.transformed_ts}
        inputs = [new[t] for t in info.sgv.inputs if new.get(t) in view.inputs]
        return view.remap(inputs, [new[t] for t in info.sgv.outputs if new.get(t) in view.outputs])


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
      dst_scope, src_scope, reuse_dst_scope: see `Transformer`.
    Returns: a view of the copies, and what became of what.
    """

    def external(info: TransformerInfo, t: Tensor) -> Tensor:
        return replacement_ts[t] if t in replacement_ts else keep_t_if_possible_handler(info, t)

    return _copied(external, sgv, dst_graph, dst_scope, src_scope, reuse_dst_scope)


def copy(
    sgv: Any, dst_graph: Graph | None = None, dst_scope: str = "", src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> tuple[SubGraphView, TransformerInfo]:  # fmt: skip
    """Copies operations; what they read from outside are placeholders. See `Transformer`."""
    external = replace_t_with_placeholder_handler
    return _copied(external, sgv, dst_graph, dst_scope, src_scope, reuse_dst_scope)


def _copied(
    external: Callable, sgv: Any, dst_graph: Graph | None, *scopes: Any
) -> tuple[SubGraphView, TransformerInfo]:
    view, copier = make_view(sgv), Transformer()
    copier.transform_external_input_handler = external
    return copier(view, view.graph if dst_graph is None else dst_graph, *scopes)  # type: ignore[arg-type]


def graph_replace(
    target_ts: Any, replacement_ts: Mapping[Tensor, Tensor], dst_scope: str = "",
    src_scope: str = "", reuse_dst_scope: bool = False,
) -> Any:  # fmt: skip
    """Targets as they would be of other tensors in the place of some.

    Args:
      target_ts: a tensor, or a nesting of them.
      replacement_ts: what stands in the place of what.
      dst_scope, src_scope, reuse_dst_scope: see `Transformer`.
    Raises:
      ValueError: when the targets depend on none of what is replaced.
    """
    targets = nest.flatten(target_ts)
    controls = ControlOutputs(targets[0].graph)
    ops = get_walks_intersection_ops([*replacement_ts], targets, control_ios=controls)
    if not ops:
        raise ValueError("Targets and replacements are not connected!")
    scopes = (dst_scope, src_scope, reuse_dst_scope)
    _, info = copy_with_input_replacements(ops, replacement_ts, None, *scopes)
    return info.transformed(target_ts, lambda t: t)


# ---- connected anew ----------------------------------------------------------------------


def _move(ts0: Any, ts1: Any, both: bool, can_modify: Any, cannot_modify: Any) -> int:
    """Has the readers of `ts1` read `ts0`, and with `both` also the other way round."""
    ts0, ts1 = make_list_of_t(ts0), make_list_of_t(ts1)
    if len(ts0) != len(ts1):
        raise ValueError(f"ts0 and ts1 have different sizes: {len(ts0)} != {len(ts1)}")
    for kind in ("dtype", "shape"):
        for new, old in zip(ts0, ts1, strict=True):
            a, b = getattr(new, kind), getattr(old, kind)
            if not a.is_compatible_with(b):
                raise ValueError(f"{kind.capitalize()}s {a} and {b} are not compatible.")
    may = None if can_modify is None else set(make_list_of_op(can_modify))
    may_not = set(make_list_of_op(cannot_modify or ()))
    pairs = [*zip(ts0, ts1, strict=True), *(zip(ts1, ts0, strict=True) if both else ())]
    changes = [
        (op, place, new)
        for new, old in pairs
        if new is not old
        for op in dict.fromkeys(old.consumers())
        if (may is None or op in may) and op not in may_not
        for place, t in enumerate(op.inputs)
        if t is old
    ]
    for op, place, new in changes:
        op._update_input(place, new)
    return len(changes)


def reroute_ts(ts0: Any, ts1: Any, can_modify: Any = None, cannot_modify: Any = None) -> int:
    """Has all that read `ts1` read `ts0`, one by one in their place.

    Args:
      ts0, ts1: tensors, as many of each.
      can_modify, cannot_modify: the operations that may be changed, or that may not.
    Returns: how many inputs were changed.
    Raises:
      ValueError: when their numbers, types or shapes differ.
    """
    return _move(ts0, ts1, False, can_modify, cannot_modify)


def swap_ts(ts0: Any, ts1: Any, can_modify: Any = None, cannot_modify: Any = None) -> int:
    """Has all that read `ts1` read `ts0`, and the other way round; see `reroute_ts`."""
    return _move(ts0, ts1, True, can_modify, cannot_modify)


Views = tuple[SubGraphView, SubGraphView]


def _inputs(sgv0: Any, sgv1: Any, both: bool) -> Views:
    a, b = _of_one_graph(sgv0, sgv1)
    readers = [*a.ops, *b.ops, *get_consuming_ops([*a.passthroughs, *b.passthroughs])]
    _move(a.inputs, b.inputs, both, readers, None)
    before = a.copy(), b.copy()
    for view, here, there in ((b, before[1], before[0]), (a, before[0], before[1])):
        if view is b or both:
            now = dict(zip(there.inputs, here.inputs, strict=True))
            outputs = [now[t] if t in there.passthroughs else t for t in here.outputs]
            view._assign(inputs=there.inputs, passthroughs=there.passthroughs, outputs=outputs)
    return a, b


def _outputs(sgv0: Any, sgv1: Any, both: bool) -> Views:
    a, b = _of_one_graph(sgv0, sgv1)
    _move(a.outputs, b.outputs, both, None, [*a.ops, *b.ops])
    return a, b


def _of_one_graph(sgv0: Any, sgv1: Any) -> Views:
    views = make_view(sgv0), make_view(sgv1)
    if all(views) and views[0].graph is not views[1].graph:
        raise ValueError("Argument[1]: Wrong graph!")
    return views


def swap_inputs(sgv0: Any, sgv1: Any) -> Views:
    """Has each of two views read what the other one reads."""
    return _inputs(sgv0, sgv1, True)


def reroute_inputs(sgv0: Any, sgv1: Any) -> Views:
    """Has the second view read what the first one reads."""
    return _inputs(sgv0, sgv1, False)


def swap_outputs(sgv0: Any, sgv1: Any) -> Views:
    """Has what reads each of two views read the other one."""
    return _outputs(sgv0, sgv1, True)


def reroute_outputs(sgv0: Any, sgv1: Any) -> Views:
    """Has what reads the second view read the first one."""
    return _outputs(sgv0, sgv1, False)


def swap_ios(sgv0: Any, sgv1: Any) -> Views:
    """Puts each of two views in the place of the other one."""
    return _inputs(*_outputs(sgv0, sgv1, True), True)


def reroute_ios(sgv0: Any, sgv1: Any) -> Views:
    """Puts the first view in the place of the second one."""
    return _inputs(*_outputs(sgv0, sgv1, False), False)


def remove_control_inputs(op: Operation, cops: Any) -> None:
    """Has an operation wait for others no more.

    Raises:
      ValueError: when it did not wait for one of them.
    """
    gone = make_list_of_op(cops)
    for cop in gone:
        if cop not in op.control_inputs:
            raise ValueError(f"{cop.name} is not a control_input of {op.name}")
    kept = [cop for cop in op.control_inputs if cop not in gone]
    op._remove_all_control_inputs()
    op._add_control_inputs(kept)


def add_control_inputs(op: Operation, cops: Any) -> None:
    """Has an operation wait for others.

    Raises:
      ValueError: when it waits for one of them already.
    """
    for cop in (new := make_list_of_op(cops)):
        if cop in op.control_inputs:
            raise ValueError(f"{cop.name} is already a control_input of {op.name}")
    op._add_control_inputs(new)


# ---- cut out and put in ------------------------------------------------------------------


def detach_control_inputs(sgv: Any) -> None:
    """Has a view wait for nothing outside."""
    view = make_view(sgv)
    for op in view.ops:
        remove_control_inputs(op, [each for each in op.control_inputs if each not in view.ops])


def detach_control_outputs(sgv: Any, control_outputs: ControlOutputs) -> None:
    """Has nothing outside wait for a view."""
    view = make_view(sgv)
    for op in view.ops:
        for reader in control_outputs.get(op):
            if reader not in view.ops:
                remove_control_inputs(reader, op)


def detach_inputs(sgv: Any, control_inputs: bool = False) -> tuple[SubGraphView, list[Tensor]]:
    """Puts placeholders in the place of what a view reads, and returns them with it."""
    view = make_view(sgv)
    if not view.graph:
        return view, []
    with view.graph.as_default(), view.graph.name_scope(None):
        made = [placeholder(t.dtype.base_dtype, name=placeholder_name(t)) for t in view.inputs]
    swap_inputs(view, made)
    if control_inputs:
        detach_control_inputs(view)
    return view, made


def detach_outputs(sgv: Any, control_outputs: Any = None) -> tuple[SubGraphView, list[Tensor]]:
    """Puts placeholders in the place of what is read of a view, and returns them with it."""
    view = make_view(sgv)
    view = view.remap_outputs([t for t in view.outputs if t.consumers()])
    if not view.graph:
        return view, []
    with view.graph.as_default(), view.graph.name_scope(None):
        made = [make_placeholder_from_tensor(t) for t in view.outputs]
    swap_outputs(view, made)
    if control_outputs is not None:
        detach_control_outputs(view, control_outputs)
    return view, made


def detach(
    sgv: Any, control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None
) -> tuple[SubGraphView, list[Tensor], list[Tensor]]:
    """Cuts a view out; placeholders stand for what it reads and for what is read of it."""
    inputs, outputs = check_cios(control_inputs, control_outputs, control_ios)
    view = make_view(sgv)
    return view, detach_inputs(view, inputs)[1], detach_outputs(view, outputs)[1]


def connect(sgv0: Any, sgv1: Any, disconnect_first: bool = False) -> Views:
    """Has the second view read what the first one gives; with `disconnect_first` nothing else."""
    a, b = _of_one_graph(sgv0, sgv1)
    if disconnect_first:
        detach_outputs(a)
    reroute_inputs(SubGraphView(passthrough_ts=a.outputs), b)
    return a, b


def bypass(sgv: Any) -> tuple[SubGraphView, list[Tensor]]:
    """Has what reads a view read what the view reads; it then reads placeholders."""
    view = make_view(sgv)
    inputs = list(view.inputs)
    view, made = detach_inputs(view)
    reroute_ts(inputs, view.outputs)
    return view, made
