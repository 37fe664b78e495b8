"""`tf.layers.Layer`: a layer whose variables are made by `tf.get_variable`, in a scope of its own.

It is the layer of Keras (`library/keras/engine/base_layer.py`) with other answers to the question
where variables come from: variable scopes, so that `reuse` and custom getters work; and it tells
the graph's collections about losses and updates.
"""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Callable, Iterator
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.stacks import GraphKeys
from minitf.core.graph.tensor import Tensor
from minitf.core.variables.variable_scope import get_variable, get_variable_scope, variable_scope
from minitf.library.keras.backend.session import unique_object_name
from minitf.library.keras.engine import base_layer
from minitf.library.keras.engine.base_layer import to_snake_case


class Layer(base_layer.Layer):
    """A layer of `tf.layers`: its variables are made by `tf.get_variable` in a scope of its own.

    Args:
      trainable: whether the variables go to `GraphKeys.TRAINABLE_VARIABLES`.
      name: the name of the scope, which is made unique at the first call.
      dtype: the type of the variables; by default that of the first input.
      kwargs: as those of `tf.keras.layers.Layer`.

    Example:
      >>> class Scale(tf.layers.Layer):
      ...     def build(self, input_shape):
      ...         self.factor = self.add_variable("factor", [])
      ...         super().build(input_shape)
      ...     def call(self, inputs):
      ...         return inputs * self.factor
    """

    _casts = False
    _is_legacy_layer = True

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        *,
        _scope: Any = None,
        _reuse: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)
        self._reuse = _reuse
        self._scope: Any = None
        if _scope:
            with variable_scope(_scope) as captured:
                self._scope = captured

    def _set_name(self, name: str | None) -> None:
        self._base_name = name or to_snake_case(type(self).__name__)
        self._name = name or unique_object_name(self._base_name)

    def _set_scope(self, scope: Any = None) -> None:
        """Chooses the layer's scope, once: at its first call or its first variable."""
        if self._scope is not None:
            return
        if self._reuse:
            opened = variable_scope(self._base_name if scope is None else scope)
        else:
            opened = variable_scope(scope, default_name=self._base_name)
        with opened as captured:
            self._scope = captured

    @contextlib.contextmanager
    def _open(self, reuse: Any) -> Iterator[Any]:
        with variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as current:
            with stacks.name_scope(current.original_name_scope):
                yield current

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Builds the layer if it is not built, and adds its operations.

        Args:
          inputs: a tensor, or a nest of them.
          scope: the variable scope to take, at the first call.

        The other arguments are those of `call`. Returns: what `call` returns.
        """
        outputs = super().__call__(inputs, *args, **kwargs)
        self._collect(GraphKeys.UPDATE_OPS, self.updates)
        return outputs

    apply = __call__

    def _call_scope(self, scope: Any) -> Any:
        self._set_scope(scope)
        return self._open(True if self.built else self._reuse)

    def _variable_scope(self) -> Any:
        self._set_scope(None)
        return self._open(self.built or self._reuse)

    def _make_variable(
        self, name: str, shape: Any, dtype: Any, initializer: Any, **options: Any
    ) -> tuple[Any, bool]:
        if initializer is None:
            initializer = get_variable_scope().initializer
        options["trainable"] = options["trainable"] and self.trainable
        known = set(stacks.get_collection(GraphKeys.GLOBAL_VARIABLES))
        variable = get_variable(name, shape, dtype, initializer, **options)
        return variable, not known.intersection(getattr(variable, "_variable_list", [variable]))

    def _regularize(self, variable: Any, name: str, regularizer: Callable) -> None:
        if stacks.outermost().runs_at_once:
            self.add_loss(functools.partial(regularizer, variable))
            return
        for part in getattr(variable, "_variable_list", [variable]):
            with (
                stacks.init_scope(),
                stacks.colocate_with(part.op),
                stacks.name_scope(f"{name}/Regularizer"),
            ):
                self.add_loss(regularizer(part))

    def _collect(self, collection: str, items: list) -> None:
        if stacks.executing_eagerly():
            return
        present = set(map(id, stacks.get_collection_ref(collection)))
        for item in items:
            if id(item) not in present:
                stacks.add_to_collection(collection, item)

    def __deepcopy__(self, memo: dict) -> Any:
        copied = memo[id(self)] = type(self).__new__(type(self))
        for name, value in vars(self).items():
            shared = name == "_scope" or isinstance(value, Tensor)
            object.__setattr__(copied, name, value if shared else copy.deepcopy(value, memo))
        return copied
