"""`tf.config.threading`, `tf.config.optimizer` and their kin: settings of TensorFlow's runtime.

They are kept and given back, so that programs that set them run. What they set is decided here in
other ways: NumPy's BLAS has its own threads, the passes of a plan are always on, and operations run
on a device that has them. `docs/status.md` says so, too.
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph import stacks

_POLICIES = ("silent", "silent_for_int32", "warn", "explicit")
_SWITCHES = (
    "layout_optimizer", "constant_folding", "shape_optimization", "remapping",
    "arithmetic_optimization", "dependency_optimization", "loop_optimization",
    "function_optimization", "debug_stripper", "disable_model_pruning",
    "scoped_allocator_optimization", "pin_to_host_optimization", "implementation_selector",
    "auto_mixed_precision", "disable_meta_optimizer", "min_graph_nodes",
)  # fmt: skip
_START: dict[str, Any] = {
    "inter": 0,
    "intra": 0,
    "jit": False,
    "optimizer": {"disable_model_pruning": False, "disable_meta_optimizer": False},
    "soft_placement": False,
    "log_placement": False,
    "policy": "silent",
    "synchronous": True,
}
_kept = dict(_START)


def forget_settings() -> None:
    """Sets everything back to how a program finds it."""
    _kept.clear()
    _kept.update(_START)


def _count(num_threads: int) -> int:
    if int(num_threads) < 0:
        raise ValueError(f"A number of threads is not negative, as {num_threads} is.")
    return int(num_threads)


# ---- tf.config.threading -------------------------------------------------------------------


def get_inter_op_parallelism_threads() -> int:
    """How many operations run side by side; 0 leaves that to the runtime."""
    return int(_kept["inter"])


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Keeps a number of threads; it has no effect here."""
    _kept["inter"] = _count(num_threads)


def get_intra_op_parallelism_threads() -> int:
    """How many threads one operation has; 0 leaves that to the runtime."""
    return int(_kept["intra"])


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Keeps a number of threads; it has no effect here."""
    _kept["intra"] = _count(num_threads)


# ---- tf.config.optimizer ---------------------------------------------------------------------


def get_jit() -> Any:
    """Whether a compiler was asked for."""
    return _kept["jit"]


def set_jit(enabled: bool) -> None:
    """Keeps whether a compiler is asked for: plans of minitf are compiled in any case."""
    _kept["jit"] = enabled


def get_experimental_options() -> dict[str, Any]:
    """The options that were set."""
    return dict(_kept["optimizer"])


def set_experimental_options(options: dict[str, Any]) -> None:
    """Keeps options of a graph optimizer; they have no effect here.

    Args:
      options: switches by name, as {"constant_folding": False}; others are left out.
    """
    known = {key: value for key, value in options.items() if key in _SWITCHES}
    _kept["optimizer"] = {**_kept["optimizer"], **known}


# ---- placement -------------------------------------------------------------------------------


def get_soft_device_placement() -> bool:
    """What `set_soft_device_placement` was told."""
    return bool(_kept["soft_placement"])


def set_soft_device_placement(enabled: bool) -> None:
    """Keeps whether an operation may run elsewhere; sessions take it from their `ConfigProto`."""
    _kept["soft_placement"] = bool(enabled)


def get_log_device_placement() -> bool:
    """What `set_log_device_placement` was told."""
    return bool(_kept["log_placement"])


def set_log_device_placement(enabled: bool) -> None:
    """Keeps whether placements are told; sessions take it from their `ConfigProto`."""
    _kept["log_placement"] = bool(enabled)


def get_device_policy() -> str:
    """What happens when an operation needs a tensor of another device: "silent" copies it."""
    return str(_kept["policy"])


def set_device_policy(device_policy: str | None) -> None:
    """Keeps a policy; tensors are always copied where they are needed.

    Args:
      device_policy: "silent", "silent_for_int32", "warn", "explicit", or None for "silent".
    Raises:
      ValueError: when it is another one.
    """
    if device_policy is not None and device_policy not in _POLICIES:
        raise ValueError(
            f"Invalid argument `device_policy`: {device_policy!r}. Please refer to "
            "https://www.tensorflow.org/api_docs/python/tf/config/experimental/set_device_policy "
            "for valid `device_policy` arguments."
        )
    _kept["policy"] = device_policy or "silent"


def get_synchronous_execution() -> bool:
    """Whether an operation has run when its call returns; here it always has."""
    return bool(_kept["synchronous"])


def set_synchronous_execution(enable: bool | None) -> None:
    """Keeps whether calls wait; here they always do."""
    _kept["synchronous"] = enable is None or bool(enable)


def executing_eagerly_outside_functions() -> bool:
    """Whether operations run at once outside of all functions that are being built."""
    return bool(stacks.outermost().runs_at_once)
