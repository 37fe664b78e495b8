"""Small functions of `tf.contrib.eager`: devices, modes, and tests that run in both modes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from minitf.compat.internals.graph_tools import decorate_tests
from minitf.core.graph import stacks
from minitf.core.graph.graph import Graph
from minitf.core.runtime.run.devices import make_devices
from minitf.library.eager import context as eager


def list_devices() -> list[str]:
    """The full names of the devices of this process."""
    return [device.name for device in make_devices()]


def num_gpus() -> int:
    """How many GPUs operations may run on."""
    return sum(device.device_type == "GPU" for device in make_devices())


def in_eager_mode() -> bool:
    """Whether operations run at once here."""
    return stacks.executing_eagerly()


def in_graph_mode() -> bool:
    """Whether operations are added to a graph here."""
    return not stacks.executing_eagerly()


def run_test_in_graph_and_eager_modes(
    func: Callable | None = None,
    config: Any = None,
    use_gpu: bool = True,
    reset_test: bool = True,
    assert_no_eager_garbage: bool = False,
) -> Any:
    """Decorates a test method so that it runs twice: in a session, and under eager execution.

    Args:
      func: the method of a `tf.test.TestCase`.
      config: for the session.
      use_gpu: handed on to `test_session`.
      reset_test: whether `setUp` runs again between the two.
      assert_no_eager_garbage: accepted.
    """

    def decorate(method: Callable) -> Callable:
        @functools.wraps(method)
        def both(self: Any, *args: Any, **kwargs: Any) -> None:
            with Graph().as_default(), self.test_session(use_gpu=use_gpu, config=config):
                method(self, *args, **kwargs)
            if reset_test:
                self.tearDown()
                self._tempdir = None
                self.setUp()
            with eager.eager_mode():
                method(self, *args, **kwargs)

        return both

    return decorate if func is None else decorate(func)


def run_all_tests_in_graph_and_eager_modes(cls: type) -> type:
    """Decorates all tests of a class with `run_test_in_graph_and_eager_modes`."""
    return decorate_tests(cls, run_test_in_graph_and_eager_modes)
