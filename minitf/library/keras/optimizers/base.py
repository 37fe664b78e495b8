"""`OptimizerV2`: what Keras's optimizers have in common.

    apply_gradients:  gradients --clip--> `Rule`: one update a variable --> iterations + 1

An optimizer is a `Rule` of minitf/core/train/optimizer.py, as those of `tf.train` are: an update
operation, its settings and its slots. What differs is that settings are variables: a program may
set `optimizer.lr` between two steps, and they can be saved.

"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.gradients.gradients import gradients
from minitf.core.gradients.tape import GradientTape
from minitf.core.graph import nest, stacks
from minitf.core.graph.composites import IndexedSlices
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.dtypes import FLOATS, float32, int64
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import fill
from minitf.core.ops.array_gathering import unsorted_segment_sum
from minitf.core.ops.cast import cast
from minitf.core.ops.control import group
from minitf.core.ops.math import pow as power
from minitf.core.variables.variable_def import VariableAggregation
from minitf.core.variables.variables import Variable
from minitf.library.keras.backend import session as backend
from minitf.library.numeric.clip import clip_by_norm, clip_by_value
from minitf.library.numeric.sorting import unique
from minitf.library.saving.object_checkpoint import restore_awaited

#: of the settings and the step, which all replicas set alike
_ALIKE = VariableAggregation.ONLY_FIRST_REPLICA
_OPTIONS = {"clipnorm", "clipvalue", "lr", "decay"}


class OptimizerV2:
    """Base of the optimizers.

    Args:
      name: the name, below which the variables of the optimizer are.
      clipnorm: the length that the gradient of a variable may have.
      clipvalue: what an element of a gradient may be, as -clipvalue to clipvalue.
      decay: the rate is divided by 1 + decay * iterations.
      lr: an old name of `learning_rate`.

    Raises:
      TypeError: when an argument is not known.
      ValueError: when one of them is negative.
    """

    #: None for a subclass that overrides `_resource_apply_dense` and `_create_slots` instead.
    _rule: Any = None
    #: Whether a gradient of some rows updates those alone; else it counts as 0 in the others,
    #: whose averages fade.
    _rows_alone = True

    def __init__(self, name: str, **kwargs: Any) -> None:
        for key, value in kwargs.items():
            if key not in _OPTIONS:
                raise TypeError(f"Unexpected keyword argument passed to optimizer: {key}")
            if value < 0:
                raise ValueError(f"Expected {key} >= 0, received: {value}")
        self._hyper: dict[str, Any] = {}
        self._name = name
        self._initial_decay = kwargs.get("decay", 0.0)
        self.clipnorm, self.clipvalue = kwargs.get("clipnorm"), kwargs.get("clipvalue")
        self._weights: list[Variable] = []
        self._slots: dict[Any, dict[str, Variable]] = {}
        self._iterations: Variable | None = None

    # ---- settings ------------------------------------------------------------------------------

    def _settle(self, learning_rate: Any, kwargs: dict[str, Any], **settings: Any) -> None:
        """Takes in the settings that become variables."""
        learning_rate = kwargs.get("lr", learning_rate)
        self._hyper.update(learning_rate=learning_rate, decay=self._initial_decay, **settings)

    def _keep(self, **constants: Any) -> None:
        """Takes in what stays as it is: attributes that belong to the configuration."""
        self.__dict__.update(constants)
        self.__dict__.setdefault("_constants", {}).update(constants)

    def __getattr__(self, name: str) -> Any:
        """A setting, as `optimizer.learning_rate`: a variable, or what the program gave."""
        name = "learning_rate" if name == "lr" else name
        hyper = self.__dict__.get("_hyper", {})
        if name not in hyper:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self._get_hyper(name)

    def __setattr__(self, name: str, value: Any) -> None:
        name = "learning_rate" if name == "lr" else name
        if name in self.__dict__.get("_hyper", {}):
            self._set_hyper(name, value)
        else:
            super().__setattr__(name, value)

    def _set_hyper(self, name: str, value: Any) -> None:
        before = self._hyper.get(name)
        if isinstance(before, Variable) and not callable(value):
            backend.set_value(before, value)
        else:
            self._hyper[name] = value

    def _get_hyper(self, name: str, dtype: Any = None) -> Any:
        value = self._hyper[name]
        if isinstance(value, (int, float, np.ndarray, np.generic)):
            with stacks.init_scope():
                value = self._hyper[name] = self.add_weight(name, [], initializer=value)
        elif callable(value):
            value = value()
        return value if dtype is None else cast(value, dtype)

    def _decayed_lr(self, dtype: Any) -> Tensor:
        """The learning rate of this step."""
        rate = self._get_hyper("learning_rate", dtype)
        if self._initial_decay > 0.0:
            step = cast(self.iterations, dtype)
            rate = rate / (1.0 + cast(self._get_hyper("decay"), dtype) * step)
        return rate

    def _setting(self, name: str, dtype: Any) -> Any:
        """The tensor for one input of the update: a setting, a power of one, or a constant."""
        if name == "learning_rate":
            return self._decayed_lr(dtype)
        if name.endswith("_power") and name not in self._hyper:  # beta_1_power: beta_1^t
            base = self._get_hyper(name.removesuffix("_power"), dtype)
            return power(base, cast(self.iterations, dtype) + 1.0)
        if name in self._hyper:
            return identity(self._get_hyper(name, dtype))
        return convert_to_tensor(getattr(self, name), dtype)

    @property
    def iterations(self) -> Variable:
        """How many steps were made: a variable."""
        if self._iterations is None:
            with stacks.init_scope():
                self._iterations = self.add_weight("iter", [], dtype=int64)
            self._weights.insert(0, self._iterations)
        return self._iterations

    @iterations.setter
    def iterations(self, variable: Variable) -> None:
        if self._iterations is not None:
            raise RuntimeError(
                "Cannot set `iterations` to a new Variable after the Optimizer weights have been "
                "created"
            )
        self._iterations = variable
        self._weights.insert(0, variable)

    # ---- variables -----------------------------------------------------------------------------

    def add_weight(
        self, name: str, shape: Any, dtype: Any = None, initializer: Any = "zeros"
    ) -> Variable:
        """Makes a variable of the optimizer.

        Args:
          name: the name below the optimizer's.
          shape, dtype: of the variable; float32 by default.
          initializer: a number that all elements get, or "zeros".
        """
        start = 0 if initializer == "zeros" else initializer
        dtype = dtype or float32
        return self._variable(name, shape, dtype, start)

    def _variable(
        self, name: str, shape: Any, dtype: Any, start: Any, aggregation: Any = _ALIKE
    ) -> Variable:
        variable = Variable(
            lambda: fill(shape, convert_to_tensor(start, dtype)),
            trainable=False,
            name=name,
            dtype=dtype,
            use_resource=True,
            aggregation=aggregation,
        )
        backend.track_variables([variable])
        return variable

    def add_slot(self, var: Variable, slot_name: str, initializer: Any = 0.0) -> Variable:
        """Makes the variable `slot_name` beside a variable, of its shape, or finds it.

        Args:
          var: the variable that is trained.
          slot_name: what is kept for it, as "m".
          initializer: the number that all elements begin with.
        """
        own = self._slots.setdefault(var._key(), {})
        if slot_name not in own:
            start = 0.0 if initializer == "zeros" else initializer
            name = f"{var._shared_name}/{slot_name}"
            with stacks.colocate_with(var.op):
                own[slot_name] = self._variable(name, var.shape, var.dtype.base_dtype, start)
            self._weights.append(own[slot_name])
        return own[slot_name]

    def get_slot(self, var: Variable, slot_name: str) -> Variable:
        """The variable `slot_name` beside a variable."""
        return self._slots[var._key()][slot_name]

    def get_slot_names(self) -> list[str]:
        """The names of the slots."""
        return list(dict.fromkeys(name for own in self._slots.values() for name in own))

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for name, start in self._rule.slots.items() if self._rule is not None else ():
            for var in var_list:
                self.add_slot(var, name, start)

    def _checkpoint_children(self) -> dict[str, Any]:
        """The variables by the names that checkpoints know them by; slots have a place apart."""
        settings = {k: v for k, v in self._hyper.items() if isinstance(v, Variable)}
        return {"iter": self.iterations, **settings}

    def variables(self) -> list[Variable]:
        """The optimizer's own variables: `iterations`, and the slots."""
        return self._weights

    @property
    def weights(self) -> list[Variable]:
        """The optimizer's own variables: `iterations`, and the slots."""
        return self._weights

    def get_weights(self) -> list[np.ndarray]:
        """The values of `weights`, as arrays."""
        return backend.batch_get_value(self.weights)

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Gives the variables values.

        Args:
          weights: arrays, in the order of `weights`.

        Raises:
          ValueError: when their number or a shape does not fit.
        """
        backend.set_weights(self.weights, weights, "optimizer", f"{self._name} with a  weight")

    # ---- the step ------------------------------------------------------------------------------

    def minimize(self, loss: Callable[[], Any], var_list: Any, name: str | None = None) -> Any:
        """One step of training.

        Args:
          loss: a function that computes what is to be made smaller.
          var_list: the variables to change, or a function that returns them.
          name: of the operation.
        """
        pairs = self._compute_gradients(loss, var_list)
        return self.apply_gradients(pairs, name=name)

    def _compute_gradients(self, loss: Callable[[], Any], var_list: Any) -> list[tuple[Any, Any]]:
        with GradientTape() as tape:
            if not callable(var_list):
                tape.watch(var_list)
            value = loss()
        variables = nest.flatten(var_list() if callable(var_list) else var_list)
        with stacks.name_scope(f"{self._name}/gradients"):
            found = tape.gradient(value, variables)
        pairs = list(zip(self._clipped(found), variables, strict=True))
        self._assert_valid_dtypes([v for g, v in pairs if g is not None])
        return pairs

    def get_gradients(self, loss: Tensor, params: Sequence[Variable]) -> list[Any]:
        """The gradients of a loss, clipped.

        Raises:
          ValueError: when the loss does not depend on a variable.
        """
        with stacks.name_scope(f"{self._name}/gradients"):
            found = gradients(loss, list(params))
            for gradient, param in zip(found, params, strict=True):
                if gradient is None:
                    raise ValueError(
                        f"Variable {param} has `None` for gradient. Please make sure that all of "
                        "your ops have a gradient defined (i.e. are differentiable). Common ops "
                        "without gradient: K.argmax, K.round, K.eval."
                    )
            return self._clipped(found)

    def _clipped(self, found: Sequence[Any]) -> list[Any]:
        if self.clipnorm is not None:
            found = [g if g is None else clip_by_norm(g, self.clipnorm) for g in found]
        if self.clipvalue is not None:
            low, high = -self.clipvalue, self.clipvalue
            found = [g if g is None else clip_by_value(g, low, high) for g in found]
        return list(found)

    def get_updates(self, loss: Tensor, params: Sequence[Variable]) -> list[Any]:
        """The operations of one step of training."""
        self._assert_valid_dtypes(params)
        found = self.get_gradients(loss, params)
        return [self.apply_gradients(zip(found, params, strict=True))]

    def apply_gradients(self, grads_and_vars: Any, name: str | None = None) -> Any:
        """Updates variables by their gradients, and counts the step.

        Args:
          grads_and_vars: pairs; variables whose gradient is None are left alone.
          name: of the operation; the optimizer's by default.

        Returns: the operation; None under eager execution.
        Raises:
          ValueError: when there is nothing to update.
        """
        pairs = list(grads_and_vars)
        given = [(g, v) for g, v in pairs if g is not None]
        if pairs and not given:  # a model without weights of its own only counts its steps
            names = [v.name for _, v in pairs]
            raise ValueError(f"No gradients provided for any variable: {names}.")
        for _, variable in given:
            if not isinstance(variable, Variable):
                raise NotImplementedError("Trying to update a Tensor ", variable)
        place = stacks.strategies.top()
        if place is None:
            return self._apply_all(given, _here)
        if place.replica_context is None:
            raise RuntimeError(
                "`apply_gradients() cannot be called in cross-replica context. Use "
                "`tf.distribute.Strategy.experimental_run_v2` to enter replica context."
            )
        return place.replica_context.merge_call(self._distributed_apply, args=(given,))

    def _distributed_apply(self, strategy: Any, grads_and_vars: Any) -> Any:
        """`_apply_all` where the replicas meet: all copies, by the sum of their gradients."""
        extended = strategy.extended
        summed = extended.batch_reduce_to("SUM", grads_and_vars)
        pairs = list(zip(summed, [v for _, v in grads_and_vars], strict=True))

        def everywhere(var: Variable, update: Callable, *args: Any) -> list:
            return list(extended.update(var, update, args=args, group=False))

        return self._apply_all(pairs, everywhere)

    def _apply_all(self, pairs: list[tuple[Any, Any]], everywhere: Callable) -> Any:
        """Makes what variables are missing, updates them, and counts the step.

        Args:
          pairs: gradients and variables.
          everywhere: `everywhere(variable, update, *args)` calls `update(copy, *args)` for each
            copy of the variable, and returns the results.
        """
        variables = [v for _, v in pairs]
        with stacks.name_scope(self._name):
            with stacks.init_scope():
                self._create_all(variables)
            rates = {v.dtype.base_dtype: self._rates(v.dtype.base_dtype) for v in variables}

            def update(var: Variable, gradient: Any) -> Any:
                return self._update(gradient, var, rates[var.dtype.base_dtype])

            updates = [op for g, v in pairs for op in everywhere(v, update, g)]
            if stacks.executing_eagerly():
                self.iterations.assign_add(1)
                return None
            with stacks.control_dependencies([group(*updates)]):
                return self.iterations.assign_add(1).op

    def _create_all(self, variables: Sequence[Variable]) -> None:
        """Makes the variables that there are beside those that are trained."""
        before = len(self._weights)
        self._create_hypers()
        self._create_slots(variables)
        if len(self._weights) > before:
            restore_awaited()

    def _create_hypers(self) -> None:
        """Makes the variables of the step and of the settings."""
        self.iterations  # noqa: B018
        for setting in sorted(self._hyper):
            self._get_hyper(setting)

    def _rates(self, dtype: Any) -> list[Any]:
        """The tensors of the rule's settings, in one dtype."""
        names = self._rule.settings if self._rule is not None else ()
        return [self._setting(each, dtype) for each in names]

    # What classes of programs override or call, in TensorFlow's way.

    def _resource_apply_dense(self, grad: Any, handle: Variable) -> Any:
        raise NotImplementedError()

    def _resource_apply_sparse(self, grad: Any, handle: Variable, indices: Any) -> Any:
        raise NotImplementedError()

    def _update(self, gradient: Any, var: Variable, rates: list[Any]) -> Any:
        with stacks.name_scope(f"update_{var._shared_name}"), stacks.colocate_with(var.op):
            indices = None
            if isinstance(gradient, IndexedSlices):
                if var.constraint is not None:
                    raise RuntimeError("Cannot use a constraint function on a sparse variable.")
                gradient, indices = self._without_duplicates(gradient, var)
            gradient = convert_to_tensor(gradient)
            if self._rule is not None:
                update = self._step(gradient, var, rates, indices, self._rule.attrs)
            elif indices is None:
                update = self._resource_apply_dense(gradient, var)
            else:
                update = self._resource_apply_sparse(gradient, var, indices)
            if var.constraint is None:
                return update
            with stacks.control_dependencies([update]):
                return var.assign(var.constraint(var.read_value()))

    def _step(self, gradient: Tensor, var: Variable, rates: list[Any], indices: Any, attrs: Any):
        """The rule's update; `indices` are the rows of the gradient, None for all of them."""
        targets = [var, *(self.get_slot(var, slot) for slot in self._rule.slots)]
        return self._rule.update.step(targets, gradient, rates, indices, **attrs)

    def _without_duplicates(self, gradient: IndexedSlices, var: Variable) -> tuple[Any, Any]:
        """A gradient of some rows as sums, one for each row; or as a whole, and None."""
        if not self._rows_alone:
            rows = shape_of(var)[0]
            return unsorted_segment_sum(gradient.values, gradient.indices, rows), None
        places, positions = unique(gradient.indices)
        return unsorted_segment_sum(gradient.values, positions, shape_of(places)[0]), places

    def _assert_valid_dtypes(self, variables: Sequence[Variable]) -> None:
        for variable in variables:
            dtype = variable.dtype.base_dtype
            if dtype not in FLOATS:
                raise ValueError(
                    f"Invalid type {dtype!r} for {variable.name}, expected: {list(FLOATS)}."
                )

    # ---- configuration -------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs: the settings, with the values that they have now."""
        clips = {"clipnorm": self.clipnorm, "clipvalue": self.clipvalue}
        config = {"name": self._name, **{k: v for k, v in clips.items() if v is not None}}
        for name, value in self._hyper.items():
            config[name] = self._initial_decay if name == "decay" else _plain(value)
        return {**config, **self.__dict__.get("_constants", {})}

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> OptimizerV2:
        """Makes the optimizer that `get_config` described."""
        config = dict(config)
        if "lr" in config:
            config["learning_rate"] = config.pop("lr")
        return cls(**config)


def _here(var: Variable, update: Callable, *args: Any) -> list:
    """What `everywhere` of `_apply_all` is for a variable without copies."""
    return [update(var, *args)]


def _plain(value: Any) -> Any:
    """A setting as a number."""
    value = value() if callable(value) else value
    return backend.get_value(value) if isinstance(value, (Variable, Tensor)) else value
