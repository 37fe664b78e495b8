"""`Optimizer`: from a loss to the operation that improves the variables by one step.

    minimize(loss)  =  compute_gradients  ->  [(gradient, variable), ...]  ->  apply_gradients
                          gradients/...        clip or average them here         <name>/update_W/...

An optimizer is described by its `Rule`: the operation that updates a variable or some of its rows
(minitf/core/ops/updates.py), the settings of the operation, such as the learning rate, and the
slots of each variable. A program may also write a subclass as in TensorFlow, without a rule, which
overrides:

    _create_slots    makes the slots            _prepare        turns settings into tensors
    _apply_dense     adds one update            _apply_sparse   adds one of some rows
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from minitf.core.gradients.gradients import gradients
from minitf.core.gradients.tape import GradientTape
from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.composites import IndexedSlices
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.graph import Graph, Operation, Tensor
from minitf.core.graph.op_def import call
from minitf.core.graph.stacks import GraphKeys
from minitf.core.ops import control as control_ops
from minitf.core.ops.array import shape
from minitf.core.ops.array_filling import fill, zeros
from minitf.core.ops.cast import cast
from minitf.core.ops.updates import Update
from minitf.core.variables.initialization import trainable_variables
from minitf.core.variables.initializers import constant_initializer, zeros_initializer
from minitf.core.variables.variable_def import SaveSliceInfo
from minitf.core.variables.variable_scope import get_variable, get_variable_scope, variable_scope
from minitf.core.variables.variables import Variable

_LIBRARY = __name__.partition(".")[0] + "."

GradientsAndVariables = Sequence[tuple[Any, Variable]]


@dataclass(frozen=True)
class Rule:
    """The description of an optimizer.

    Args:
      update: the operation that updates one variable.
      settings: the names of its settings, in the order of the operation's inputs. The optimizer's
        attribute `_decay` holds the setting "decay": a number, a tensor, or a callable for one.
      slots: the names of its slots, in the order of the operation's inputs, and with what each
        starts: a number, or an initializer.
      attrs: the operation's attributes.
      names: for settings whose tensor has another name than the setting, and slots whose variable
        has another name than the optimizer: that name.
      suffix: with "_tensor", the attribute `_decay_tensor` holds the tensor of the setting
        "decay". Subclasses written for TensorFlow look for it there.
      constants: whether slots start from constant nodes, made on the variable's device.
    """

    update: Update
    settings: tuple[str, ...]
    slots: Mapping[str, Any] = field(default_factory=dict)
    attrs: Mapping[str, Any] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    suffix: str = "_tensor"
    constants: bool = False


class Optimizer:
    """Base of the optimizers; use one of its subclasses.

    Args:
      use_locking: accepted; an update always holds the variable's lock.
      name: the name scope of the updates and the name of the slots.

    Raises:
      ValueError: when there is no name.
    """

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    #: None for a subclass that overrides `_apply_dense` instead.
    _rule: Rule | None = None

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        self._slots: dict[str, dict[Any, Variable]] = {}
        self._non_slots: dict[tuple[str, Graph], Variable] = {}

    def get_name(self) -> str:
        """Returns the name."""
        return self._name

    def minimize(
        self,
        loss: Tensor,
        global_step: Variable | None = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Operation | None:
        """Adds one step of training: `compute_gradients`, then `apply_gradients`.

        Args:
          loss: the tensor to make smaller.
          global_step: a variable to count the step in.
          var_list: the variables to change; the trainable ones by default.
          gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss: see
            `compute_gradients`.
          name: the name of the operation; the optimizer's by default.

        Returns: the operation to run for one step.
        Raises:
          ValueError: when the loss depends on none of the variables.
        Example:
          >>> loss = tf.square(tf.Variable(3.0))
          >>> train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        """
        grads_and_vars = self.compute_gradients(
            loss,
            var_list=var_list,  # by name: a program's own may end in **kwargs
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        if all(gradient is None for gradient, _ in grads_and_vars):
            names = [str(variable) for _, variable in grads_and_vars]
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not "
                f"support gradients, between variables {names} and loss {loss}."
            )
        return self.apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss: Tensor,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Tensor | None, Variable]]:
        """Adds the gradients of `loss`.

        Args:
          loss: the tensor to make smaller.
          var_list: a list or other structure of variables; the trainable ones by default.
          gate_gradients: what waits for what. GATE_NONE: nothing; GATE_OP: no gradient of an
            operation is used before all of them are computed; GATE_GRAPH: none before all.
          aggregation_method, colocate_gradients_with_ops: see `tf.gradients`.
          grad_loss: the gradient that reaches the loss; ones by default.

        Returns: a list of (gradient, variable); None where the loss does not depend on it.
        Raises:
          ValueError: when there are no variables, or an argument does not fit.
        """
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, "
                f"Optimizer.GATE_GRAPH.  Not {gate_gradients}"
            )
        if callable(loss):
            return self._gradients_of_call(loss, var_list, grad_loss)
        if stacks.executing_eagerly():
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager "
                "execution is enabled."
            )
        self._assert_valid_dtypes([loss])
        if grad_loss is not None:
            self._assert_valid_dtypes([grad_loss])
        loss = _shared_out(loss)
        variables = trainable_variables() if var_list is None else nest.flatten(var_list)
        if not variables:
            raise ValueError("No variables to optimize.")
        for variable in variables:
            if not isinstance(variable, (Variable, Tensor)):
                raise NotImplementedError("Trying to optimize unsupported type ", variable)
        found = gradients(
            loss,
            variables,
            grad_ys=grad_loss,
            gate_gradients=gate_gradients == self.GATE_OP,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gate_gradients == self.GATE_GRAPH:
            found = control_ops.tuple(found)
        grads_and_vars = list(zip(found, variables, strict=True))
        self._assert_valid_dtypes([v for g, v in grads_and_vars if g is not None])
        return grads_and_vars

    def _gradients_of_call(
        self, loss: Callable[[], Any], var_list: Any, grad_loss: Any
    ) -> list[tuple[Any, Variable]]:
        """The gradients of the result of a function by the variables that it reads."""
        with GradientTape() as tape:
            if var_list is not None:
                tape.watch(var_list)
            value = _shared_out(loss())
        variables = tape.watched_variables() if var_list is None else nest.flatten(var_list)
        found = tape.gradient(value, list(variables), grad_loss)
        self._assert_valid_dtypes(
            [v for g, v in zip(found, variables, strict=True) if g is not None]
        )
        return list(zip(found, variables, strict=True))

    def apply_gradients(
        self,
        grads_and_vars: GradientsAndVariables,
        global_step: Variable | None = None,
        name: str | None = None,
    ) -> Operation | None:
        """Adds the update of each variable by its gradient.

        Args:
          grads_and_vars: what `compute_gradients` returned, changed or not; variables whose
            gradient is None are left alone.
          global_step: a variable to increment when all updates are done.
          name: the name of the operation; the optimizer's by default.

        Returns: the operation that does all updates.
        Raises:
          ValueError: when there is nothing to update.
          TypeError: when a gradient is no tensor.
        """
        grads_and_vars = tuple(grads_and_vars)
        if not grads_and_vars:
            raise ValueError("No variables provided.")
        converted = [(_as_gradient(g), v) for g, v in grads_and_vars]
        updated = [v for g, v in converted if g is not None]
        for variable in updated:
            if not isinstance(variable, Variable):
                raise NotImplementedError("Trying to update a Tensor ", variable)
        if not updated:
            names = [str(v) for _, v in converted]
            raise ValueError(f"No gradients provided for any variable: {names}.")
        place = stacks.strategies.top()
        if place is None:
            return self._apply_all(converted, global_step, name, _on_one_device)
        if place.replica_context is None:
            raise RuntimeError(
                "Use `_distributed_apply()` instead of `apply_gradients()` in a "
                "cross-replica context."
            )
        return place.replica_context.merge_call(
            self._distributed_apply, args=(converted, global_step, name)
        )

    def _distributed_apply(
        self,
        distribution: Any,
        grads_and_vars: GradientsAndVariables,
        global_step: Variable | None = None,
        name: str | None = None,
    ) -> Operation | None:
        """Adds the updates of all copies of each variable by the sum of the replicas' gradients.

        Args:
          distribution: the strategy; this runs where its replicas meet.
          grads_and_vars, global_step, name: see `apply_gradients`; of each gradient one a replica.
        """
        there = [(g, v) for g, v in grads_and_vars if g is not None]
        variables = [v for _, v in there]
        summed = distribution.extended.batch_reduce_to("SUM", there)
        on_all = partial(_on_all_devices, distribution.extended, variables)
        return self._apply_all(list(zip(summed, variables, strict=True)), global_step, name, on_all)

    def _apply_all(
        self, grads_and_vars: Any, global_step: Any, name: str | None, everywhere: Callable
    ) -> Operation | None:
        """Adds the slots, the updates and what follows them.

        Args:
          grads_and_vars, global_step, name: see `apply_gradients`.
          everywhere: `everywhere(variable, function, *args)` calls the function for each copy of
            the variable, on its device, and returns the results; with None for a variable, it is
            called on each device that holds copies.
        """
        there = [(g, v) for g, v in grads_and_vars if g is not None]
        with stacks.init_scope():
            self._create_slots([v for _, v in there])

        def update(variable: Variable, gradient: Any) -> Any:
            with stacks.name_scope("update_" + variable.op.name), stacks.colocate_with(variable.op):
                return self._update(gradient, variable)

        def count(step: Variable, name: str | None) -> Any:
            with stacks.colocate_with(step.op):
                return step.assign_add(1, name=name, read_value=False)

        alone = everywhere is _on_one_device
        with stacks.name_scope(name, self._name) as scope:
            self._prepare()
            updates = [op for g, v in there for op in everywhere(v, update, g)]
            named = scope if alone and global_step is None else "update"
            ends = everywhere(None, self._finish, updates, named)
            if global_step is not None:
                with stacks.control_dependencies(ends):
                    ends = everywhere(global_step, count, scope if alone else None)
            done = ends[0] if alone else control_ops.group(*ends, name=scope)
        done = done.op if isinstance(done, Tensor) else done
        if done is None:  # executed eagerly
            return None
        train_ops = stacks.get_collection_ref(GraphKeys.TRAIN_OP)
        if done not in train_ops:
            train_ops.append(done)
        return done

    def _update(self, gradient: Any, variable: Variable) -> Any:
        if isinstance(gradient, IndexedSlices):
            if variable.constraint is not None:
                raise RuntimeError("Cannot use a constraint function on a sparse variable.")
            if variable.is_resource:
                return self._resource_apply_sparse_duplicate_indices(
                    gradient.values, variable, gradient.indices
                )
            return self._apply_sparse_duplicate_indices(gradient, variable)
        dense = self._resource_apply_dense if variable.is_resource else self._apply_dense
        update = dense(gradient, variable)
        if variable.constraint is None:
            return update
        with stacks.control_dependencies([update]):
            return variable.assign(variable.constraint(variable.read_value()))

    # ---- slots -----------------------------------------------------------------------------

    def get_slot(self, var: Variable, name: str) -> Variable | None:
        """Returns the slot `name` of `var`, or None; `get_slot_names` lists the names."""
        return self._slots.get(name, {}).get(var._key())

    def get_slot_names(self) -> list[str]:
        """Returns the names of the slots, as ["m", "v"]."""
        return sorted(self._slots)

    def variables(self) -> list[Variable]:
        """Returns the optimizer's own variables in the default graph, by name."""
        graph = stacks.outermost()
        own = [*self._non_slots.values()]
        for slot in self._slots.values():
            own += slot.values()
        return sorted((v for v in own if v._home() is graph), key=lambda v: v.name)

    def _slot_dict(self, slot_name: str) -> dict:
        return self._slots.setdefault(slot_name, {})

    def _get_or_make_slot(
        self, var: Variable, val: Tensor, slot_name: str, op_name: str
    ) -> Variable:
        return self._slot(slot_name, var, lambda: create_slot(var, val, op_name))

    def _get_or_make_slot_with_initializer(
        self, var: Variable, initializer: Any, shape: Any, dtype: Any, slot_name: str, op_name: str
    ) -> Variable:
        make = partial(create_slot_with_initializer, var, initializer, shape, dtype, op_name)
        return self._slot(slot_name, var, make)

    def _zeros_slot(self, var: Variable, slot_name: str, op_name: str) -> Variable:
        return self._slot(slot_name, var, lambda: create_zeros_slot(var, op_name))

    def _slot(self, slot_name: str, var: Variable, make: Callable[[], Variable]) -> Variable:
        named = self._slot_dict(slot_name)
        key = var._key()
        if key not in named:
            named[key] = make()
        return named[key]

    def _create_non_slot_variable(
        self, initial_value: Any, name: str, colocate_with: Variable
    ) -> Variable:
        """Makes a variable of the optimizer, such as the powers of Adam."""
        key = (name, colocate_with._home())
        if key not in self._non_slots:
            with stacks.colocate_with(colocate_with.op):
                self._non_slots[key] = Variable(
                    initial_value,
                    name=name,
                    trainable=False,
                    use_resource=getattr(colocate_with, "is_resource", False),
                )
        return self._non_slots[key]

    def _get_non_slot_variable(self, name: str, graph: Graph | None = None) -> Variable | None:
        return self._non_slots.get((name, graph or stacks.outermost()))

    # ---- for subclasses --------------------------------------------------------------------

    def _valid_dtypes(self) -> tuple[dtypes.DType, ...]:
        return dtypes.FLOATS

    def _create_slots(self, var_list: list[Variable]) -> None:
        """Makes the slots of `var_list`, each once."""
        if self._rule is not None:
            for variable in var_list:
                for slot_name, start in self._rule.slots.items():
                    self._make_slot(self._rule, variable, slot_name, start)

    def _make_slot(self, rule: Rule, var: Variable, slot_name: str, start: Any) -> None:
        size, dtype = var.shape, var.dtype.base_dtype
        op_name = rule.names.get(slot_name, self._name)
        if rule.constants:
            with stacks.colocate_with(var.op):
                value = constant(start, shape=size, dtype=dtype)
            self._get_or_make_slot(var, value, slot_name, op_name)
        elif start == 0:
            self._zeros_slot(var, slot_name, op_name)
        else:
            first = start if callable(start) else constant_initializer(start, dtype=dtype)
            if not size.is_fully_defined():
                first = partial(_filled, var, start)
            self._get_or_make_slot_with_initializer(var, first, size, dtype, slot_name, op_name)

    def _prepare(self) -> None:
        """Makes tensors of the settings; runs inside the optimizer's name scope."""
        if self._rule is not None:
            for each in self._rule.settings:
                value = self._call_if_callable(getattr(self, f"_{each}"))
                tensor = convert_to_tensor(value, name=self._rule.names.get(each, each))
                setattr(self, f"_{each}{self._rule.suffix}", tensor)

    def _rule_rates(self, var: Variable) -> list[Any]:
        """The tensors of the settings for the update of one variable, in its dtype."""
        assert self._rule is not None
        tensors = [getattr(self, f"_{each}{self._rule.suffix}") for each in self._rule.settings]
        return [self._cast_to(tensor, var) for tensor in tensors]

    def _apply_rule(self, grad: Any, var: Variable, indices: Any = None) -> Any:
        """Adds the update of `var`, or of its rows `indices`, no two of them the same."""
        rule = self._rule
        if rule is None:
            raise NotImplementedError()
        update = rule.update.step(
            [var, *(self.get_slot(var, name) for name in rule.slots)],
            grad,
            self._rule_rates(var),
            indices,
            use_locking=self._use_locking,
            **rule.attrs,
        )
        return self._operation(update)

    def _apply_dense(self, grad: Tensor, var: Variable) -> Any:
        """Adds the update of `var` by `grad` and returns it."""
        return self._apply_rule(grad, var)

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Any:
        """Adds the update of `var` by some rows, none of which comes twice."""
        return self._apply_rule(grad.values, var, grad.indices)

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Variable) -> Any:
        """Adds the update of `var` by some rows; those of one place are summed first."""
        places, positions = call("Unique", grad.indices)
        summed = call("UnsortedSegmentSum", grad.values, positions, shape(places)[0])
        if var.is_resource:
            return self._resource_apply_sparse(summed, var, places)
        return self._apply_sparse(IndexedSlices(summed, places, grad.dense_shape), var)

    def _resource_apply_dense(self, grad: Tensor, handle: Variable) -> Any:
        """`_apply_dense` of a resource variable."""
        return self._of_library("_apply_dense")(grad, handle)

    def _resource_apply_sparse(self, grad: Tensor, handle: Variable, indices: Tensor) -> Any:
        """`_apply_sparse` of a resource variable."""
        return self._of_library("_apply_sparse")(IndexedSlices(grad, indices), handle)

    def _of_library(self, method: str) -> Callable:
        """The method of the nearest class of the library, if that has a rule.

        A program's class may override the updates of plain and of resource variables and call both
        base methods; the second must not come back to the first.
        """
        if self._rule is None:
            return getattr(self, method)
        own = next(c for c in type(self).__mro__ if c.__module__.startswith(_LIBRARY))
        return getattr(own, method).__get__(self)

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, handle: Variable, indices: Tensor
    ) -> Any:
        """`_apply_sparse_duplicate_indices` of a resource variable."""
        return self._apply_sparse_duplicate_indices(IndexedSlices(grad, indices), handle)

    def _finish(self, update_ops: list, name_scope: str) -> Operation:
        """Returns the operation that is done when all updates are."""
        return control_ops.group(*update_ops, name=name_scope)

    # ---- helpers ---------------------------------------------------------------------------

    def _assert_valid_dtypes(self, tensors: Sequence[Any]) -> None:
        valid = self._valid_dtypes()
        for tensor in tensors:
            dtype = tensor.dtype.base_dtype
            if dtype not in valid:
                raise ValueError(
                    f"Invalid type {dtype!r} for {tensor.name}, expected: {list(valid)}."
                )

    @staticmethod
    def _call_if_callable(param: Any) -> Any:
        """A setting's value: what it returns when it is a function."""
        return param() if callable(param) else param

    @staticmethod
    def _operation(update: Any) -> Any:
        return update.op if type(update) is Tensor else update

    @staticmethod
    def _cast_to(tensor: Tensor, var: Variable) -> Tensor:
        return cast(tensor, var.dtype.base_dtype)


def _shared_out(loss: Any) -> Any:
    """The loss of a replica, scaled if an estimator trains on the mean over all replicas."""
    place = stacks.strategies.top()
    return loss if place is None else place.strategy._scaled_loss(loss)


def _on_one_device(variable: Variable | None, function: Callable, *args: Any) -> list:
    """Calls `function` once: the argument `everywhere` of `Optimizer._apply_all`."""
    return [function(*args) if variable is None else function(variable, *args)]


def _on_all_devices(
    extended: Any, variables: list, variable: Any, function: Callable, *args: Any
) -> list:
    """Calls `function` for each copy of a variable, on its device."""
    if variable is not None:
        return list(extended.update(variable, function, args=args, group=False))
    devices = extended.non_slot_devices(variables)
    return list(extended.update_non_slot(devices, function, args=args, group=False))


def _filled(var: Variable, start: Any) -> Tensor:
    """The first value of a slot whose shape is known at run time only."""
    size, dtype = shape(var.initialized_value()), var.dtype.base_dtype
    return start(size, dtype) if callable(start) else cast(fill(size, start), dtype)


def _as_gradient(gradient: Any) -> Any:
    if gradient is None or isinstance(gradient, IndexedSlices):
        return gradient
    try:
        return convert_to_tensor(gradient)
    except TypeError:
        raise TypeError(
            f"Gradient must be convertible to a Tensor or IndexedSlices, or None: {gradient}"
        ) from None


# ---- slots -------------------------------------------------------------------------------
#
# Slots: the variables that an optimizer keeps for each variable that it trains.
#
# Adam's two moments of `W` are `W/Adam` and `W/Adam_1`: named after their variable, of its shape,
# not trainable, and on its device, so that a parameter server holds a variable and all that
# belongs to it. A tensor may have slots as well: the moving average of `y` is a slot of `y`.


def _slot_variable(
    primary: Any, name: str, initializer: Any, shape: Any, dtype: Any, validate_shape: bool
) -> Variable:
    of_variable = isinstance(primary, Variable)
    primary_name = primary._shared_name if of_variable else primary.op.name
    with (
        variable_scope(None, f"{primary_name}/{name}"),
        stacks.colocate_with(primary.op) if of_variable else contextlib.nullcontext(),
    ):
        scope = get_variable_scope()
        scope.set_partitioner(None)  # a variable in parts has its slots part by part
        # Nothing more to add to a scope that was made for this one variable.
        with stacks.name_scope(None):
            slot = get_variable(
                "",
                shape=shape,
                dtype=dtype,
                initializer=initializer,
                trainable=False,
                validate_shape=validate_shape,
                use_resource=primary.is_resource if of_variable else None,
            )
    part = primary._save_slice_info if of_variable else None
    if part is not None:  # a part of a variable has parts of slots
        # Inside a variable scope this cuts in the wrong place, as in TensorFlow: the checkpoints
        # of its premade estimators hold "dnn/logits/bias/t_0/Adagrad".
        own_name = slot.op.name[len(primary.op.name) + 1 :]
        slot._set_save_slice_info(
            SaveSliceInfo(
                f"{part.full_name}/{own_name}", part.full_shape, part.var_offset, part.var_shape
            )
        )
    return slot


def create_slot(primary: Any, value: Tensor, name: str) -> Variable:
    """Makes the slot `<primary>/<name>` that starts with `value`."""
    known = value.shape.is_fully_defined()
    return _slot_variable(primary, name, value, None, None, known)


def create_slot_with_initializer(
    primary: Any, initializer: Any, shape: Any, dtype: Any, name: str
) -> Variable:
    """Makes the slot `<primary>/<name>` of that shape and type."""
    return _slot_variable(primary, name, initializer, shape, dtype, shape.is_fully_defined())


def create_zeros_slot(primary: Any, name: str, dtype: Any = None) -> Variable:
    """Makes a slot of zeros, of the shape of `primary`."""
    dtype = primary.dtype.base_dtype if dtype is None else dtype
    if primary.shape.is_fully_defined():
        return create_slot_with_initializer(
            primary, zeros_initializer(), primary.shape, dtype, name
        )
    size = shape(primary.initialized_value() if isinstance(primary, Variable) else primary)
    return create_slot(primary, zeros(size, dtype=dtype), name)
