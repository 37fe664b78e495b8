"""`tensorflow.python.framework.test_util`: what TensorFlow's own test suite puts before its tests.

Most of it chooses between graphs and eager execution, or tells which build the tests run in. The
decorators take a method, and those that select tests also a class.
"""

from __future__ import annotations

import contextlib
import functools
import unittest
from collections.abc import Callable, Iterator
from typing import Any

from minitf.compat.contrib.eager_context import graph_mode
from minitf.compat.contrib.eager_modes import run_test_in_graph_and_eager_modes
from minitf.compat.internals.graph_tools import decorate_tests
from minitf.compat.testing.googletest import gpu_device_name, is_gpu_available
from minitf.compat.testing.test_case import CheckedThread, TestCase
from minitf.core.graph import stacks
from minitf.core.graph.graph import Graph
from minitf.core.runtime.session.config import ConfigProto

__all__ = [
    "CheckedThread",
    "RaggedTensorTestCase",
    "TensorFlowTestCase",
    "TestCase",
    "gpu_device_name",
    "is_gpu_available",
]

TensorFlowTestCase = RaggedTensorTestCase = TestCase


def _decorator(wrap: Callable[[Callable], Callable]) -> Callable:
    """Makes a decorator for methods and classes, written with or without parentheses."""

    @functools.wraps(wrap)
    def decorate(thing: Any = None, *args: Any, **kwargs: Any) -> Any:
        if thing is None or isinstance(thing, str):  # `@name()`, `@name("a reason")`
            return decorate
        if isinstance(thing, type):
            return decorate_tests(thing, wrap)
        return wrap(thing)

    return decorate


@_decorator
def run_in_graph_and_eager_modes(method: Callable) -> Callable:
    """Runs a test twice: with operations that run at once, and building a graph."""
    return run_test_in_graph_and_eager_modes(method)


run_all_in_graph_and_eager_modes = run_in_graph_and_eager_modes


def _inside(context: Callable[[], Any], method: Callable) -> Callable:
    """A test that runs in a block of its own."""

    @functools.wraps(method)
    def run(self: Any, *args: Any, **kwargs: Any) -> None:
        with context():
            method(self, *args, **kwargs)

    return run


@_decorator
def run_deprecated_v1(method: Callable) -> Callable:
    """Runs a test on a graph, where eager execution is the default."""
    return _inside(graph_mode, method)


deprecated_graph_mode_only = run_deprecated_v1


@_decorator
def run_v1_only(method: Callable) -> Callable:
    """Keeps a test to version 1, which this is."""
    return method


def _skipping(condition: Callable[[], bool], reason: str) -> Callable:
    """A decorator that skips a test when, at the time it runs, something holds."""

    @_decorator
    def skip(method: Callable) -> Callable:
        @functools.wraps(method)
        def maybe(self: Any, *args: Any, **kwargs: Any) -> None:
            if condition():
                self.skipTest(reason)
            method(self, *args, **kwargs)

        return maybe

    return skip


run_v2_only = _skipping(lambda: True, "Test is only compatible with v2")
run_gpu_only = _skipping(lambda: not is_gpu_available(), "Test requires GPU")
run_cuda_only = _skipping(lambda: not is_gpu_available(cuda_only=True), "Test requires CUDA GPU")


def _as_it_is(name: str, doc: str) -> Callable:
    """A decorator about a build or mode that minitf has no second kind of."""

    def keep(method: Callable) -> Callable:
        return method

    keep.__name__, keep.__doc__ = name, doc
    return _decorator(keep)


disable_xla = _as_it_is("disable_xla", "Leaves a test out where XLA compiles it.")
disable_all_xla = disable_xla
disable_tfrt = _as_it_is("disable_tfrt", "Leaves a test out under another runtime.")
disable_mlir_bridge = _as_it_is("disable_mlir_bridge", "Leaves a test out under another bridge.")
enable_control_flow_v2 = _as_it_is(
    "enable_control_flow_v2", "Runs a test with functional control flow, the only kind here."
)
enable_all_with_v2_control_flow = with_control_flow_v2 = enable_control_flow_v2
enable_output_all_intermediates = enable_control_flow_v2
disable_control_flow_v2 = _as_it_is(
    "disable_control_flow_v2", "Runs a test with loops of primitive operations in version 1."
)
assert_no_new_tensors = _as_it_is("assert_no_new_tensors", "Watches for tensors left behind.")
assert_no_garbage_created = assert_no_new_tensors
assert_no_new_pyobjects_executing_eagerly = assert_no_new_tensors
also_run_as_tf_function = run_in_async_and_sync_mode = run_deprecated_v1
run_all_in_deprecated_graph_mode_only = run_deprecated_v1
add_graph_building_optimization_tests = disable_control_flow_v2
no_xla_auto_jit = xla_allow_fallback = disable_xla
run_without_tensor_float_32 = run_all_without_tensor_float_32 = _as_it_is(
    "run_without_tensor_float_32", "Runs a test with whole products of matrices."
)
with_forward_compatibility_horizons = _as_it_is(
    "with_forward_compatibility_horizons", "Runs a test as on several days."
)


def skip_if(condition: Any) -> Callable:
    """Leaves a test out when a condition, or a function's answer, is true."""
    return _skipping(condition if callable(condition) else lambda: bool(condition), "Condition")


def build_as_function_and_v1_graph(method: Callable) -> Callable:
    """Runs a test that builds, in a graph of its own."""
    return _inside(lambda: Graph().as_default(), method)


@contextlib.contextmanager
def device(use_gpu: bool) -> Iterator[None]:
    """Places what is made in this block on the GPU, or on the CPU when there is none."""
    name = gpu_device_name() if use_gpu else ""
    with stacks.device(name or "/device:CPU:0"):
        yield


def use_gpu() -> Any:
    """Places on the GPU where there is one."""
    return device(use_gpu=True)


def force_gpu() -> Any:
    """Places on the first GPU."""
    return stacks.device("/device:GPU:0")


def force_cpu() -> Any:
    """Places on the CPU."""
    return stacks.device("/device:CPU:0")


def NHWCToNCHW(input_tensor: Any) -> Any:
    """Moves the channels of a shape (a list of 4 or 5 sizes) to the second place."""
    rank = len(input_tensor)
    return [input_tensor[i] for i in (0, rank - 1, *range(1, rank - 1))]


def NCHWToNHWC(input_tensor: Any) -> Any:
    """Moves the channels of a shape (a list of 4 or 5 sizes) to the last place."""
    rank = len(input_tensor)
    return [input_tensor[i] for i in (0, *range(2, rank), 1)]


def IsMklEnabled() -> bool:
    """Whether kernels are MKL's."""
    return False


def GpuSupportsHalfMatMulAndConv() -> bool:
    """Whether the GPU multiplies half precision."""
    return is_gpu_available()


def CudaSupportsHalfMatMulAndConv() -> bool:
    """The older name of `GpuSupportsHalfMatMulAndConv`."""
    return is_gpu_available()


def IsGoogleCudaEnabled() -> bool:
    """Whether kernels are CUDA's."""
    return is_gpu_available(cuda_only=True)


def IsBuiltWithROCm() -> bool:
    """Whether kernels are ROCm's."""
    return False


def is_xla_enabled() -> bool:
    """Whether XLA compiles the tests."""
    return False


def assert_equal_graph_def(actual: Any, expected: Any, checkpoint_v2: bool = False) -> None:
    """Two GraphDefs have the same nodes, whatever their order.

    Raises:
      AssertionError: naming the first node that differs.
    """
    first, second = ({node.name: str(node) for node in graph.node} for graph in (actual, expected))
    for name in sorted({*first, *second}):
        if first.get(name) != second.get(name):
            raise AssertionError(f"Node {name!r}:\n{first.get(name)}\nis not\n{second.get(name)}")


def assert_ops_in_graph(expected_ops: dict[str, str], graph: Graph) -> dict[str, Any]:
    """A graph has operations of these names and types.

    Args:
      expected_ops: types by names.
      graph: the graph.
    Returns: their NodeDefs by name.
    Raises:
      ValueError: when one is missing or has another type.
    """
    found = {node.name: node for node in graph.as_graph_def().node if node.name in expected_ops}
    for name, kind in expected_ops.items():
        if name not in found:
            raise ValueError(f"Missing op name: {name}")
        if found[name].op != kind:
            raise ValueError(
                f"Expected op for node {name} is different. Found {found[name].op}, expected {kind}"
            )
    return found


def config_for_tests() -> ConfigProto:
    """The configuration of a test's session."""
    return ConfigProto(allow_soft_placement=True)


skipIf = unittest.skipIf
