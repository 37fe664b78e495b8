"""`combinations` and `strategy_combinations`: tests that run once for each way to set them up.

@combinations.generate(combinations.combine(mode=["graph", "eager"], distribution=[...]))
def testFoo(self, distribution): ...

A decorated method becomes several tests. `mode` says where a test runs; the rest are its arguments.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from minitf.compat.contrib.eager_context import graph_mode
from minitf.compat.testing.keras_parameterized import each_way
from minitf.core.graph.graph import Graph
from minitf.core.train.adam import AdamOptimizer
from minitf.core.train.gradient_descent import GradientDescentOptimizer
from minitf.library.distribute.mirrored import MirroredStrategy, OneDeviceStrategy
from minitf.library.distribute.parameter_server import CentralStorageStrategy
from minitf.library.distribute.strategy import get_strategy
from minitf.library.eager.context import eager_mode
from minitf.library.graph_tools.physical_devices import list_logical_devices
from minitf.library.keras.optimizers import optimizers
from minitf.library.optimizers.adagrad import AdagradOptimizer
from minitf.library.optimizers.rmsprop import RMSPropOptimizer


class NamedObject:
    """An object with the name that it has in the names of tests; called, it is called itself."""

    def __init__(self, name: str, obj: Any) -> None:
        self._name, self._obj = name, obj

    def __getattr__(self, name: str) -> Any:
        return getattr(self._obj, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._obj(*args, **kwargs)

    def __repr__(self) -> str:
        return self._name


class NamedDistribution:
    """A strategy that is made when a test starts.

    Args:
      name: its name in the names of tests.
      distribution_fn: makes it.
      required_gpus: how many GPUs it needs; without them its tests are skipped.
      required_tpu: whether it needs a TPU, which there is not.
    """

    def __init__(
        self, name: str, distribution_fn: Callable[[], Any], required_gpus: Any = None,
        required_tpu: bool = False, **_: Any,
    ) -> None:  # fmt: skip
        self._name, self._make = name, distribution_fn
        self.required_gpus, self.required_tpu = required_gpus, required_tpu

    @property
    def strategy(self) -> Any:
        """A new strategy."""
        return self._make()

    def __repr__(self) -> str:
        return self._name


def combine(**kwargs: Any) -> list[dict[str, Any]]:
    """All combinations of values, each a dict; what is no list is a value.

    Example:
      >>> from minitf.compat.testing.combinations import combine
      >>> combine(a=[1, 2], b=3)
      [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    values = [v if isinstance(v, list) else [v] for v in kwargs.values()]
    return [dict(zip(kwargs, each)) for each in itertools.product(*values)]


def times(*combined: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each of some combinations together with each of the others."""
    joined = itertools.product(*combined)
    return [{k: v for part in parts for k, v in part.items()} for parts in joined]


@contextlib.contextmanager
def _set_up(values: dict[str, Any], test: Any) -> Iterator[dict[str, Any]]:
    for value in values.values():
        if isinstance(value, NamedDistribution):
            gpus = len(list_logical_devices("GPU"))
            if value.required_tpu or gpus < (value.required_gpus or 0):
                test.skipTest(f"{value!r} needs a device that is not here.")
    with contextlib.ExitStack() as scopes:
        if values.get("mode", "graph") == "eager":
            scopes.enter_context(eager_mode())
        else:
            scopes.enter_context(graph_mode())
            scopes.enter_context(Graph().as_default())
        yield {k: getattr(v, "strategy", v) for k, v in values.items()}


def generate(combinations: Sequence[dict[str, Any]], test_combinations: Any = ()) -> Any:
    """A decorator: a method, or each test of a class, runs with each combination.

    Args:
      combinations: what `combine` gives.
      test_combinations: accepted.
    """
    ways: dict[str, Callable[[Any], Any]] = {}
    for values in combinations:
        if values.get("tf_api_version", 1) == 1:
            words = re.findall(r"\w+", "_".join(f"{k}_{v}" for k, v in values.items()))
            ways["_".join(words)] = functools.partial(_set_up, values)
    return each_way(None, ways)


graph_and_eager_modes = ["graph", "eager"]


def _mirrored(name: str, *devices: str, gpus: int = 0, kind: Any = MirroredStrategy) -> Any:
    return NamedDistribution(name, lambda: kind(list(devices)), required_gpus=gpus)


default_strategy = NamedDistribution("Default", get_strategy)
one_device_strategy = NamedDistribution("OneDeviceCPU", lambda: OneDeviceStrategy("/cpu:0"))
one_device_strategy_gpu = NamedDistribution(
    "OneDeviceGPU", lambda: OneDeviceStrategy("/gpu:0"), required_gpus=1
)
mirrored_strategy_with_one_cpu = _mirrored("Mirrored1CPU", "/cpu:0")
mirrored_strategy_with_cpu_1_and_2 = _mirrored("Mirrored2CPU", "/cpu:1", "/cpu:2")
mirrored_strategy_with_one_gpu = _mirrored("Mirrored1GPU", "/gpu:0", gpus=1)
mirrored_strategy_with_gpu_and_cpu = _mirrored("MirroredCPUAndGPU", "/gpu:0", "/cpu:0", gpus=1)
mirrored_strategy_with_two_gpus = _mirrored("Mirrored2GPUs", "/gpu:0", "/gpu:1", gpus=2)
central_storage_strategy_with_two_gpus, central_storage_strategy_with_gpu_and_cpu = (
    _mirrored(name, "/gpu:0", other, gpus=gpus, kind=CentralStorageStrategy)
    for name, other, gpus in (
        ("CentralStorage2GPUs", "/gpu:1", 2),
        ("CentralStorageCPUAndGPU", "/cpu:0", 1),
    )
)
tpu_strategy, tpu_strategy_one_step, tpu_strategy_one_core, tpu_strategy_one_step_one_core = (
    NamedDistribution(name, get_strategy, required_tpu=True)
    for name in ("TPU", "TPUOneStep", "TPUOneCore", "TPUOneStepOneCore")
)
_without_default = [
    one_device_strategy, one_device_strategy_gpu, mirrored_strategy_with_gpu_and_cpu,
    mirrored_strategy_with_two_gpus,
]  # fmt: skip
strategies_minus_tpu = [default_strategy, *_without_default]
tpu_strategies = [tpu_strategy, tpu_strategy_one_step]
all_strategies = [*strategies_minus_tpu, tpu_strategy]

strategy_minus_tpu_combinations = functools.partial(
    combine, distribution=strategies_minus_tpu, mode=graph_and_eager_modes
)
all_strategy_minus_default_and_tpu_combinations = functools.partial(
    combine, distribution=_without_default, mode=graph_and_eager_modes
)
tpu_strategy_combinations = functools.partial(combine, distribution=tpu_strategies, mode=["graph"])


def all_strategy_combinations() -> list[dict[str, Any]]:
    """Each strategy in each mode."""
    return strategy_minus_tpu_combinations() + tpu_strategy_combinations()


def all_strategy_combinations_minus_default() -> list[dict[str, Any]]:
    """Each strategy but the default one, in each mode."""
    return all_strategy_minus_default_and_tpu_combinations() + tpu_strategy_combinations()


gradient_descent_optimizer_v1_fn = NamedObject(
    "GradientDescentV1", lambda: GradientDescentOptimizer(0.2)
)
adagrad_optimizer_v1_fn = NamedObject("AdagradV1", lambda: AdagradOptimizer(0.001))
adam_optimizer_v1_fn = NamedObject("AdamV1", lambda: AdamOptimizer(0.001, epsilon=1))
rmsprop_optimizer_v1_fn = NamedObject("RmsPropV1", lambda: RMSPropOptimizer(0.001))
gradient_descent_optimizer_keras_v2_fn = NamedObject(
    "GradientDescentKerasV2", lambda: optimizers.SGD(0.2)
)
adagrad_optimizer_keras_v2_fn = NamedObject("AdagradKerasV2", lambda: optimizers.Adagrad(0.001))
adam_optimizer_keras_v2_fn = NamedObject("AdamKerasV2", lambda: optimizers.Adam(0.001, epsilon=1.0))
rmsprop_optimizer_keras_v2_fn = NamedObject("RmsPropKerasV2", lambda: optimizers.RMSprop(0.001))
optimizers_v1 = [gradient_descent_optimizer_v1_fn, adagrad_optimizer_v1_fn]
optimizers_v2 = [gradient_descent_optimizer_keras_v2_fn, adagrad_optimizer_keras_v2_fn]
optimizers_v1_and_v2 = optimizers_v1 + optimizers_v2
