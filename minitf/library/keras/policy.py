"""Policies: in which type a layer computes, and in which it keeps its variables.

    Policy("mixed_float16")    x ──cast──> float16 ──call──> float16
                               kernel, float32 ──cast──┘      the loss is scaled: `LossScale`

A variable of such a layer is an `AutoCastVariable`: while the layer is called it reads as float16,
and outside, for optimizers and files, it is the float32 that it is. On a CPU this saves no time:
NumPy computes in float16 more slowly than in float32.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from minitf.core.graph import dtypes, logging, stacks
from minitf.core.graph.dtypes import DType
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.cast import cast
from minitf.library.keras.backend.config import floatx
from minitf.library.keras.objects import deserialize_keras_object, serialize_keras_object
from minitf.library.optimizers import loss_scale as scales

_USE_DEFAULT = "USE_DEFAULT"
_MIXED = {"mixed_float16": "float16", "mixed_bfloat16": "bfloat16"}
_OLD = "_with_float32_vars"
_SCALES = {each.__name__: each for each in (scales.FixedLossScale, scales.DynamicLossScale)}


class Policy:
    """The types of a layer: pass it as `dtype`, or to `set_policy` for all layers to come.

    Args:
      name: "mixed_float16" or "mixed_bfloat16", the name of a type for both, or "infer": the type
        of the first input. What ends in "_with_float32_vars" has variables of float32.
      loss_scale: how models scale their losses: a number, "dynamic", a `LossScale`, or None. By
        default "dynamic" for "mixed_float16", and None for others.

    Raises:
      TypeError: when the name is no text.
      ValueError: when it names no policy.
    Example:
      >>> policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=8)
      >>> policy, policy.compute_dtype, policy.variable_dtype
      (<Policy "mixed_float16", loss_scale=FixedLossScale(8.0)>, 'float16', 'float32')
    """

    def __init__(self, name: str, loss_scale: Any = _USE_DEFAULT) -> None:
        if isinstance(name, DType):
            raise TypeError(
                f"'name' must be a string, not a DType. Instead, pass DType.name. Got: {name.name}"
            )
        if not isinstance(name, str):
            raise TypeError(f"'name' must be a string, but got: {name}")
        name = {"infer_float32_vars": "infer" + _OLD, "float32" + _OLD: "float32"}.get(name, name)
        self._name = name
        self._compute_dtype, self._variable_dtype = _types_of(name)
        if name.endswith(_OLD):
            instead = _INSTEAD.get(name.removesuffix(_OLD), "")
            logging.warning(
                f"WARNING: The '{name}' policy is deprecated and will be removed in TensorFlow "
                f"2.1.{instead}"
            )
        if loss_scale == _USE_DEFAULT:
            loss_scale = _usual_scale(name)
        if loss_scale and self._compute_dtype not in (None, "float16"):
            logging.warning(
                "Creating a Policy with a loss scale is only useful for float16 policies. You "
                f"passed loss_scale={loss_scale!r} for policy {name}. Consider not passing any "
                "loss_scale instead."
            )
        self._asked_scale = loss_scale

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def compute_dtype(self) -> str | None:
        """The name of the type of the operations; None: that of the first input."""
        return self._compute_dtype

    @property
    def variable_dtype(self) -> str | None:
        """The name of the type of the variables; None: that of the first input."""
        return self._variable_dtype

    @property
    def should_cast_variables(self) -> bool:
        """Whether variables are cast when they are read."""
        return self._variable_dtype != self._compute_dtype

    @functools.cached_property
    def loss_scale(self) -> scales.LossScale | None:
        """How models scale their losses; its variables are made when it is first asked for."""
        asked = self._asked_scale
        return deserialize_scale(asked) if isinstance(asked, Mapping) else scales.get(asked)

    def with_input(self, dtype: DType) -> Policy:
        """The policy of a layer whose first input has this type, when it is open in this one."""
        if self._compute_dtype is not None:
            return self
        policy = Policy(dtype.name, None)
        policy._asked_scale, policy.__dict__["loss_scale"] = None, self.loss_scale
        if self._variable_dtype is not None and dtype.name != self._variable_dtype:
            policy._name, policy._variable_dtype = dtype.name + _OLD, self._variable_dtype
        return policy

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs: the name, and how losses are scaled where that is not usual."""
        asked = self._asked_scale
        if asked == _usual_scale(self._name):
            return {"name": self._name}
        told = serialize_keras_object(asked) if isinstance(asked, scales.LossScale) else asked
        return {"name": self._name, "loss_scale": told}

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Policy:
        """Makes the policy that `get_config` described."""
        return cls(**config)

    def __repr__(self) -> str:
        return f'<Policy "{self._name}", loss_scale={self.loss_scale}>'


_INSTEAD = {
    "infer": " Please use the 'mixed_float16' or 'mixed_bfloat16' policy instead.",
    "float16": " Please use the 'mixed_float16' policy instead.",
    "bfloat16": " Please use the 'mixed_bfloat16' policy instead.",
}


def _usual_scale(name: str) -> str | None:
    return "dynamic" if name == "mixed_float16" else None


def _types_of(name: str) -> tuple[str | None, str | None]:
    """The types of operations and variables that a name stands for."""
    if name in _MIXED:
        return _MIXED[name], "float32"
    base = name.removesuffix(_OLD)
    try:
        dtype = None if base == "infer" else dtypes.as_dtype(base).name
    except TypeError:
        more = f" The value {name} ends with {_OLD}, but {base} cannot be converted to a DType"
        raise ValueError(
            f"Cannot convert value {name} to a mixed precision Policy. Valid policies include "
            "include 'mixed_float16', 'mixed_bfloat16', and the name of any dtype such as "
            f"'float32'.{more if base != name else ''}"
        ) from None
    return dtype, "float32" if base != name else dtype


def deserialize_scale(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """Makes a `LossScale` from its configuration."""
    return deserialize_keras_object(config, _SCALES, custom_objects, "loss scale")


# ---- what holds for layers to come ---------------------------------------------------------------


class _Settings:
    """What holds for the process.

    Attributes:
      policy: what was set.
      casts: whether layers cast their inputs; None: when operations run at once.
      rewrites: whether the rewrite of graphs is on, beside which no policy has a place.
    """

    policy: Policy | None = None
    casts: bool | None = None
    rewrites = False


settings = _Settings()


def inputs_are_cast() -> bool:
    """Whether layers cast floating inputs to their type."""
    return stacks.outermost().runs_at_once if settings.casts is None else settings.casts


def told_policy(dtype: Any) -> Policy | None:
    """The policy that a layer's `dtype` says; None: it is a type, or the first input's."""
    if isinstance(dtype, Policy):
        return dtype
    if isinstance(dtype, Mapping):
        return Policy.from_config(dtype["config"])
    if isinstance(dtype, str) and dtype in _MIXED:
        return Policy(dtype)
    if dtype is not None:
        return None
    return settings.policy or (Policy(floatx()) if settings.casts else None)


# ---- variables that read as another type ---------------------------------------------------------


class _Reading(threading.local):
    """The type that variables read as in one thread now; None: their own."""

    dtype: DType | None = None


_reading = _Reading()


@contextlib.contextmanager
def reading_as(dtype: DType | None) -> Iterator[None]:
    """A context in which `AutoCastVariable`s read as a floating type."""
    before, _reading.dtype = _reading.dtype, dtype if dtype and dtype.is_floating else None
    try:
        yield
    finally:
        _reading.dtype = before


def is_reading() -> bool:
    """Whether some layer that is being called has variables read as its type."""
    return _reading.dtype is not None


class AutoCastVariable:
    """What a variable of a layer with a policy has besides: it reads as the layer's type."""

    def _cast(self, value: Tensor) -> Tensor:
        wanted = _reading.dtype
        if wanted is None or value.dtype.base_dtype == wanted:
            return value
        return cast(value, wanted)

    @property
    def dtype(self) -> DType:
        """The type that it reads as here."""
        return _reading.dtype or self.true_dtype

    @property
    def true_dtype(self) -> DType:
        """The type of the value that is kept."""
        return super().dtype  # type: ignore[misc]

    def _as_tensor(self) -> Tensor:
        return self._cast(super()._as_tensor())  # type: ignore[misc]

    def value(self) -> Tensor:
        """The value, as the type that it reads as here."""
        return self._cast(super().value())  # type: ignore[misc]

    def read_value(self) -> Tensor:
        """The value, read anew, as the type that it reads as here."""
        return self._cast(super().read_value())  # type: ignore[misc]

    def assign(self, *args: Any, **kwargs: Any) -> Any:
        """Replaces the value that is kept; see `tf.Variable.assign`."""
        with reading_as(None):
            return super().assign(*args, **kwargs)  # type: ignore[misc]

    def assign_add(self, *args: Any, **kwargs: Any) -> Any:
        """Adds to the value that is kept; see `tf.Variable.assign_add`."""
        with reading_as(None):
            return super().assign_add(*args, **kwargs)  # type: ignore[misc]

    def assign_sub(self, *args: Any, **kwargs: Any) -> Any:
        """Subtracts from the value that is kept; see `tf.Variable.assign_sub`."""
        with reading_as(None):
            return super().assign_sub(*args, **kwargs)  # type: ignore[misc]

    def __repr__(self) -> str:
        text = super().__repr__().removeprefix("<tf.Variable")
        kept = f" dtype={self.dtype.name}"
        return f"<AutoCastVariable{text.replace(kept, f'{kept} true_dtype={self.true_dtype.name}')}"


@functools.cache
def _casting(kind: type) -> type:
    return type("AutoCastVariable", (AutoCastVariable, kind), {})


def autocast(variable: Any) -> Any:
    """Lets a variable read as the type of the layer that is being called."""
    variable.__class__ = _casting(type(variable))  # type: ignore[arg-type]
    return variable
