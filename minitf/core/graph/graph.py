"""The graph: operations with unique names, made in scopes.

    apply           inputs converted, types checked (build.py)
    add_operation   unique name -> Operation -> shapes inferred -> control inputs -> device

*Scopes* are opened by `with` blocks: name scopes, devices, control dependencies, colocation.
"""

from __future__ import annotations

import re
import threading
from collections import ChainMap
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

from minitf.core.graph import graph_def as serialization
from minitf.core.graph import stacks
from minitf.core.graph.build import (
    are_tensors,
    check_types,
    convert_inputs,
    graph_of,
    infer_outputs,
    ragged_among,
)
from minitf.core.graph.device_spec import canonical_name, merge_device
from minitf.core.graph.dtypes import as_dtype
from minitf.core.graph.op_def import OpDef, call
from minitf.core.graph.tensor import Operation, Tensor

_VALID_OP_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")
_VALID_SCOPE_NAME = re.compile(r"[A-Za-z0-9_.\\/>-]*")


class _Controller:
    """One open `control_dependencies` block, and the operations made in it so far."""

    def __init__(self, ops: list[Operation]) -> None:
        self.ops = ops
        self.seen: set[Operation] = set()


class Effects:
    """The order of side effects in the body of a `tf.function`.

    Each operation that changes state, or reads a variable, waits for the one before it.
    """

    def __init__(self) -> None:
        self.last: Operation | None = None

    def follow(self, op: Operation) -> None:
        """Lets an operation with effects wait for the last such operation."""
        if _has_effects(op):
            if self.last is not None:
                op._add_control_inputs([self.last])
            self.last = op

    def before(self, tensors: list[Tensor]) -> list[Tensor]:
        """The same tensors; the first one waits for all effects."""
        if self.last is None:
            return tensors
        with self.last.graph.control_dependencies([self.last]):
            first = call("Identity", tensors[0])
        return [first, *tensors[1:]]


def _has_effects(op: Operation) -> bool:
    bodies = [v for v in op.attrs.values() if isinstance(v, Graph)]
    if any(tensor.dtype._is_ref_dtype for tensor in op.inputs) or not bodies:
        return op.op_def.stateful or any(tensor.dtype._is_ref_dtype for tensor in op.inputs)
    return any(b._scopes.effects is not None and b._scopes.effects.last for b in bodies)


def _operation_of(value: Any) -> Operation:
    """The operation of a tensor, or the one that holds a variable."""
    if hasattr(value, "_as_ref_tensor"):
        return value._as_ref_tensor().op
    return value._as_tensor().op


class _Expected:
    """An operation that does not exist yet, for `colocate_with` by name."""

    device = ""

    def __init__(self, name: str) -> None:
        self._name = name

    def colocation_groups(self) -> list[bytes]:
        return [f"loc:@{self._name}".encode()]


_Colocated = Operation | _Expected


class _Scopes(threading.local):
    """The open scopes of one thread: name, device functions, control inputs, colocation."""

    def __init__(self) -> None:
        super().__init__()
        self.name = ""
        self.devices: list[Callable[[Operation], Any] | None] = []
        self.around: list[Callable[[Operation], Any] | None] = []  # devices around a colocation
        self.controllers: list[_Controller] = []
        self.colocation: list[_Colocated] = []
        self.gradient_overrides: dict[str, str] = {}
        self.attrs: dict[str, Any] = {}  # for all operations
        self.effects: Effects | None = None  # where side effects keep their order

    @contextmanager
    def opened(self, **scopes: Any) -> Iterator[None]:
        """A context that replaces some of the open scopes."""
        before = {name: getattr(self, name) for name in scopes}
        vars(self).update(scopes)
        try:
            yield
        finally:
            vars(self).update(before)


def _add_to_groups(op: Operation, other: _Colocated) -> None:
    groups = {group.decode() for group in other.colocation_groups()}
    op.attrs["_class"] = sorted(groups.union(op.attrs.get("_class", ())))


def _changed_variables(op: Operation) -> list[Operation]:
    """The variables that `op` changes."""
    if not any(arg.is_ref for arg in op.op_def.inputs):
        return []
    groups = op.op_def.group(op.inputs)
    taken = [g for arg, g in zip(op.op_def.inputs, groups, strict=True) if arg.is_ref]
    return [t.op for g in taken for t in (g if isinstance(g, list) else [g])]


class Graph:
    """A set of operations and the tensors between them.

    Operations are added and never removed, except by an import that fails. Several threads may add
    operations; each has its own scopes.

    Example:
      >>> with tf.Graph().as_default() as graph:
      ...     c = tf.add(1, 2, name="c")
      >>> [op.name for op in graph.get_operations()]
      ['c/x', 'c/y', 'c']
    """

    #: whether tensors of another graph may be used here: in a `FuncGraph` they become inputs
    captures_from_outside = False

    #: whether operations run when they are called, so that nothing is added here
    runs_at_once = False
    #: whether operations on its tensors are added here even while others run at once
    stays_open = False
    _mutations: int = 0  # changes to operations that exist: plans made before are stale
    _refinements: int = 0  # shapes that were told later: plans stay right, files change
    _counter: int = 0  # operations so far

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._nodes_by_name: dict[str, Operation] = {}
        self._known = ChainMap(self._nodes_by_name, {})  # by name, also those of branches and loops
        self._names_in_use: dict[str, int] = {}
        self._collections: dict[Any, list] = {}
        self._unfeedable: set[Tensor] = set()
        self._unfetchable: set[Operation] = set()
        self._scopes = _Scopes()
        self._finalized = False
        self._container = ""
        self.seed: int | None = None
        self.kept: list[Any] = []  # what operations need but hold no reference to: functions

    # ---- operations ----------------------------------------------------------------------

    def apply(
        self, op_def: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], name: str | None
    ) -> Any:
        """Adds an operation as `op_def.call` asks for it; returns what that returns.

        When the inputs belong to another graph, the operation is added there.
        """
        graph = graph_of(inputs, op_def.type)
        if graph is not self:
            with graph.as_default():
                return graph.apply(op_def, inputs, attrs, name)
        complete = op_def.complete_attrs(attrs)
        name = name or op_def.type
        if are_tensors(op_def, inputs):
            try:
                flat = check_types(op_def, inputs, complete)
            except TypeError:
                self.unique_name(name)  # a name is spent even by an operation that fails
                raise
        else:
            ragged = ragged_among(inputs)
            if ragged is not None:
                return ragged._map_elements(op_def, inputs, attrs, name)
            with self.name_scope(name) as name:
                flat = convert_inputs(op_def, inputs, complete)
        with ExitStack() as scopes:
            for index in op_def.ref_inputs:  # what changes a variable runs where the variable is
                scopes.enter_context(self.colocate_with(flat[index].op))
            operation = self.add_operation(op_def, flat, complete, name)
        outputs = operation.outputs
        if not outputs:
            return operation
        return outputs[0] if op_def.gives_one else list(outputs)

    def constant(self, array: Any, name: str) -> Tensor:
        """A constant tensor with the value of an array, which becomes read-only."""
        array.flags.writeable = False
        return call("Const", value=array, dtype=as_dtype(array.dtype), name=name)

    def add_operation(
        self, op_def: Any, inputs: list[Tensor], attrs: dict[str, Any], name: str
    ) -> Operation:
        """Adds one operation; programs come here through `op_def.call` and `apply`.

        Args:
          op_def: the declaration of its type.
          inputs: the input tensors, flat, already converted and of this graph.
          attrs: a value for each attribute.
          name: the name; made unique unless it ends in '/', which takes it as it is.
        Raises:
          ValueError: when the shapes do not fit, or the name is no valid name.
          RuntimeError: when the graph is finalized.
        """
        inputs = [t.graph.give_out(t, self) for t in inputs]
        with self._lock:
            self._check_not_finalized()
            if not isinstance(name, str):
                raise TypeError(
                    f"expected string or bytes-like object, got '{type(name).__name__}'"
                )
            name = name[:-1] if name.endswith("/") else self.unique_name(name)
            if not _VALID_OP_NAME.fullmatch(name):
                raise ValueError(f"'{name}' is not a valid node name")
            if name in self._nodes_by_name:
                raise ValueError(f"Duplicate node name in graph: '{name}'")
            for tensor in inputs:
                if tensor.graph is not self:
                    raise ValueError(
                        f"{tensor} must be from the same graph as the operation that uses it."
                    )
            if self._container and not attrs.get("container", self._container):
                attrs["container"] = self._container
            op = Operation(self, name, op_def, inputs, attrs)
            for index, (dtype, shape) in enumerate(infer_outputs(op)):
                op.outputs.append(Tensor(op, index, dtype, shape))
            self._nodes_by_name[name] = op
            for tensor in inputs:
                tensor._consumers.append(op)
            self._apply_scopes(op)
        for tape in stacks.tapes.items:
            tape.record(op)
        return op

    def _remove_operation(self, op: Operation) -> None:
        """Removes an operation that no other reads or waits for."""
        with self._lock:
            del self._nodes_by_name[op.name]
            for tensor in op.inputs:
                tensor._consumers.remove(op)
            self._mutations += 1

    def capture(self, tensor: Tensor) -> Tensor:
        """Captures an outer or an eager tensor; only a `FuncGraph` can."""
        raise RuntimeError("Attempting to capture an EagerTensor without building a function.")

    def give_out(self, element: Any, graph: Graph) -> Any:
        """The element of `graph` that stands for one of this graph; the element itself if none."""
        return element

    def op_seed(self) -> int:
        """The default seed of a random operation: the number of operations so far."""
        return self.version

    def _next_id(self) -> int:
        self._counter += 1
        return self._counter

    def _apply_scopes(self, op: Operation) -> None:
        scopes = self._scopes
        if scopes.controllers:
            wait_for = self._control_inputs_for({t.op for t in op.inputs})
            if wait_for:
                op._add_control_inputs(wait_for)
            for controller in scopes.controllers:
                controller.seen.add(op)
        op.attrs.update(scopes.attrs)
        if op.type in scopes.gradient_overrides:
            op.attrs["_gradient_op_type"] = scopes.gradient_overrides[op.type]
        if scopes.effects is not None:
            scopes.effects.follow(op)
        self._apply_device_functions(op)
        for variable in _changed_variables(op):  # a change runs where its variable is
            _add_to_groups(op, variable)
            op.device = variable.device
        for other in scopes.colocation:
            _add_to_groups(op, other)
            if other.device:
                op.device = other.device

    def _apply_device_functions(self, op: Any) -> None:
        """Sets the device of an operation by the open `device` blocks."""
        for function in reversed(self._scopes.devices):
            if function is None:
                break
            op.device = canonical_name(function(op))

    def _control_inputs_for(self, input_ops: set[Operation]) -> list[Operation]:
        """The control inputs of the open blocks for which `input_ops` do not wait."""
        wait_for: list[Operation] = []
        for controller in self._scopes.controllers:
            if not input_ops & controller.seen:
                wait_for += [c for c in controller.ops if c not in input_ops]
        return list(dict.fromkeys(wait_for))

    def get_operations(self) -> list[Operation]:
        """The operations, in the order they were made."""
        return list(self._nodes_by_name.values())

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation of that name.

        Raises:
          KeyError: when there is none.
        """
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=False, allow_operation=True)

    def get_tensor_by_name(self, name: str) -> Tensor:
        """The tensor of that name, '<operation>:<index>'.

        Raises:
          KeyError: when there is none.
          ValueError: when it is not a tensor's name.
        """
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=True, allow_operation=False)

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """The tensor or operation that `obj` (one of them, a variable or a name) stands for.

        Raises:
          ValueError: when the name has the wrong form, or the element is of another graph.
          KeyError: when nothing has that name.
          TypeError: when `obj` stands for neither.
        """
        if not (allow_tensor or allow_operation):
            raise ValueError("allow_tensor and allow_operation can't both be False.")
        kinds = {(True, True): "Tensor or Operation", (True, False): "Tensor"}
        wanted = kinds.get((allow_tensor, allow_operation), "Operation")
        original = obj
        if hasattr(obj, "_as_graph_element"):
            obj = obj._as_graph_element()
        if isinstance(obj, (str, bytes)):
            name = obj.decode() if isinstance(obj, bytes) else obj
            return self._named_element(name, allow_tensor, allow_operation, wanted)
        if isinstance(obj, Tensor) and allow_tensor:
            if obj.graph is not self:
                raise ValueError(f"Tensor {obj} is not an element of this graph.")
            return obj
        if isinstance(obj, Operation) and allow_operation:
            if obj.graph is not self:
                raise ValueError(f"Operation {obj!r} is not an element of this graph.")
            return obj
        raise TypeError(f"Can not convert a {type(original).__name__} into a {wanted}.")

    def _named_element(
        self, name: str, allow_tensor: bool, allow_operation: bool, wanted: str
    ) -> Any:
        form = 'Tensor names must be of the form "<op_name>:<output_index>".'
        if ":" in name:
            if not allow_tensor:
                raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a {wanted}.")
            op_name, _, index = name.partition(":")
            if not index.isdigit():
                raise ValueError(
                    f"The name {name!r} looks a like a Tensor name, but is not a valid one. {form}"
                )
            op = self._known.get(op_name)
            missing = f"The name {name!r} refers to a Tensor which does not exist. The operation, "
            if op is None:
                raise KeyError(f"{missing}{op_name!r}, does not exist in the graph.")
            if int(index) >= len(op.outputs):
                raise KeyError(
                    f"{missing}{op_name!r}, exists but only has {len(op.outputs)} outputs."
                )
            return op.outputs[int(index)]
        if allow_operation:
            if name not in self._known:
                raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
            return self._known[name]
        known = name in self._known
        what = "refers to an Operation" if known else "looks like an (invalid) Operation name"
        raise ValueError(f"The name {name!r} {what}, not a {wanted}. {form}")

    # ---- scopes --------------------------------------------------------------------------

    def as_default(self) -> AbstractContextManager[Graph]:
        """A context in which this graph is the default one of the thread."""
        return stacks.graphs.entered(self)

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Returns `name` in the open scope, with `_1`, `_2`, ... when it is taken.

        Names that differ only in case count as the same, as some file systems would have it.
        """
        if self._scopes.name:
            name = f"{self._scopes.name}/{name}"
        key = name.lower()
        count = self._names_in_use.get(key, 0)
        if mark_as_used:
            self._names_in_use[key] = count + 1
        if count > 0:
            base_key = key
            while key in self._names_in_use:
                key = f"{base_key}_{count}"
                count += 1
            if mark_as_used:
                self._names_in_use[key] = 1
            name = f"{name}_{count - 1}"
        return name

    @contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """A context that puts `name/` before the names made in it.

        Args:
          name: the scope's name, made unique; one ending in '/' is entered again as it is;
            None or '' leaves every scope.
        Yields: the scope with its trailing '/', or '' at the top.
        Raises:
          ValueError: when it is no valid name.
        """
        scopes = self._scopes
        if name:
            if isinstance(name, bytes):
                name = name.decode()
            pattern = _VALID_SCOPE_NAME if scopes.name else _VALID_OP_NAME
            if not pattern.fullmatch(name):
                raise ValueError(f"'{name}' is not a valid scope name")
        if not name:
            opened = ""
        elif name.endswith("/"):
            opened = name[:-1]
        else:
            with self._lock:
                opened = self.unique_name(name)
        with scopes.opened(name=opened):
            yield opened + "/" if opened else ""

    def get_name_scope(self) -> str:
        """The open name scope without a trailing '/'."""
        return self._scopes.name

    @contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """A context whose operations go to a device.

        Args:
          device_name_or_function: a (partial) device name, which is merged into those outside; a
            function from Operation to device name; None, which forgets those outside.
        """
        function = device_name_or_function
        if function is not None and not callable(function):
            function = merge_device(function)
        with self._scopes.opened(devices=[*self._scopes.devices, function]):
            yield

    @contextmanager
    def container(self, container_name: str) -> Iterator[str]:
        """A context whose variables, queues and readers belong to a container."""
        before, self._container = self._container, container_name
        try:
            yield container_name
        finally:
            self._container = before

    @contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """A context whose operations go to the device that `op` (or a tensor's operation) is on.

        Args:
          op: an operation, a tensor or a variable; the name of an operation that is yet to be made;
            or None.
          ignore_existing: forget what was colocated with outside.
        """
        scopes: dict[str, list] = {"colocation": [] if ignore_existing else self._scopes.colocation}
        if op is not None:
            outside = scopes["colocation"]
            if not isinstance(op, str):
                target = op if isinstance(op, Operation) else _operation_of(op)
                scopes["colocation"] = [*outside, target]
            elif not outside:  # it will be made in this same scope: otherwise that says it all
                scopes["colocation"] = [_Expected(op)]
            scopes["around"] = self._scopes.around or self._scopes.devices
            scopes["devices"] = []  # the other operation's device rules
        with self._scopes.opened(**scopes):
            yield

    @contextmanager
    def control_dependencies(self, control_inputs: Any) -> Iterator[None]:
        """A context whose operations run after `control_inputs`; None forgets those outside."""
        scopes: dict[str, Any] = {"controllers": [], "effects": None}
        if control_inputs is not None:
            ops = dict.fromkeys(map(self._waited_for, control_inputs))
            scopes = {"controllers": [*self._scopes.controllers, _Controller(list(ops))]}
        with self._scopes.opened(**scopes):
            yield

    def _waited_for(self, control_input: Any) -> Operation:
        element = getattr(control_input, "_as_tensor", lambda: control_input)()
        if not isinstance(element, (Tensor, Operation)):
            element = self.as_graph_element(element)
        op = getattr(element, "op", element)
        return self.as_graph_element(op.graph.give_out(op, self))

    @contextmanager
    def ordered_effects(self) -> Iterator[Effects]:
        """A context in which effects happen in the order of the program."""
        effects = Effects()
        with self._scopes.opened(effects=effects):
            yield effects

    @contextmanager
    def gradient_override_map(self, op_type_map: dict[str, str]) -> Iterator[None]:
        """A context in which operation types take gradients registered under other names."""
        if not isinstance(op_type_map, dict):
            raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        overrides = {**self._scopes.gradient_overrides, **op_type_map}
        with self._scopes.opened(gradient_overrides=overrides):
            yield

    # ---- collections ---------------------------------------------------------------------

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Appends `value` to the collection `name`."""
        self._check_not_finalized()
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Appends `value` to each of the collections."""
        for name in (names,) if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: Any) -> list:
        """The collection itself: changing the list changes the collection."""
        return self._collections.setdefault(name, [])

    def get_collection(self, name: Any, scope: str | None = None) -> list:
        """A copy of the collection; with `scope`, of the items whose names start with a match."""
        values = self._collections.get(name, [])
        if scope is None:
            return list(values)
        pattern = re.compile(scope)
        return [v for v in values if hasattr(v, "name") and pattern.match(v.name)]

    def get_all_collection_keys(self) -> list:
        """The names of the collections."""
        return [name for name in self._collections if isinstance(name, str)]

    @property
    def collections(self) -> list:
        """The names of the collections."""
        return list(self._collections)

    def clear_collection(self, name: Any) -> None:
        """Empties a collection."""
        self._check_not_finalized()
        self._collections.pop(name, None)

    # ---- the rest ------------------------------------------------------------------------

    @property
    def version(self) -> int:
        """A number that grows with every operation."""
        return self._counter

    @property
    def graph_def_versions(self) -> Any:
        """The versions of the format that its `GraphDef` is of, a `VersionDef`."""
        return serialization.VersionDef(producer=1)

    @property
    def finalized(self) -> bool:
        """Whether the graph takes no more operations."""
        return self._finalized

    def finalize(self) -> None:
        """Makes the graph read-only."""
        self._finalized = True

    def _unsafe_unfinalize(self) -> None:
        self._finalized = False

    def _check_not_finalized(self) -> None:
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    def is_feedable(self, tensor: Tensor) -> bool:
        """Whether `tensor` may stand in a feed_dict."""
        return tensor.graph is self and tensor not in self._unfeedable

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Whether a run may return it."""
        return getattr(tensor_or_op, "op", tensor_or_op) not in self._unfetchable

    def as_graph_def(
        self, from_version: int | None = None, add_shapes: bool = False, add_types: bool = False
    ) -> Any:
        """The serialized form: a `GraphDef`, which `to_json()` turns to text.

        Args:
          from_version: only operations made after the graph had this `version`.
          add_shapes: also record the inferred shapes (`_output_shapes`).
          add_types: also record the types of the outputs (`_output_types`), as TensorFlow does not.
        """
        ops = [op for op in self.get_operations() if from_version is None or op._id > from_version]
        added = add_shapes, add_types
        nodes = [serialization.node_def(op, *added) for op in ops]
        return serialization.GraphDef(nodes, self.graph_def_versions)

    def _node_def(self, op: Operation) -> Any:
        return serialization.node_def(op)


stacks.set_graph_factory(Graph)
