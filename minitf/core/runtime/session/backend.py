"""Backends of a session: this process, or a master at an address.

A `Session` knows only `Backend`. The cluster registers one for the schemes of its addresses, so
that `Session("grpc://localhost:2222")` works although the runtime does not import clusters.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from minitf.core.graph import errors
from minitf.core.graph.logging import log_stream
from minitf.core.graph.process import no_collections
from minitf.core.kernels import threads
from minitf.core.runtime.passes import PASSES
from minitf.core.runtime.plan.placer import Placer, device_mapping_text
from minitf.core.runtime.plan.plan import Host, Plan, make_plan
from minitf.core.runtime.run.devices import Device, make_devices
from minitf.core.runtime.run.rendezvous import Rendezvous, Steps
from minitf.core.runtime.run.resources import ResourceManager
from minitf.core.runtime.session.config import (
    ConfigProto,
    OptimizerOptions,
    RunMetadata,
    RunOptions,
)


@dataclass(frozen=True)
class DeviceAttributes:
    """A device in the answer of `Session.list_devices`."""

    name: str
    device_type: str
    description: str = ""
    incarnation: int = 0

    def __repr__(self) -> str:
        return f"_DeviceAttributes({self.name}, {self.device_type}, {self.description})"


class Step(Protocol):
    """One prepared combination of fetches and feeds: a `Plan`, or a callable of a master."""

    #: what `direct` is given: all such steps share it; closing the session ends their loops
    rendezvous: Rendezvous | None = None

    def direct(self, feed_count: int) -> Callable[..., Sequence[Any]] | None:
        """`direct(rendezvous, *args)`, when the step meets nobody on its way; None otherwise."""
        return None

    def run(
        self, args: Sequence[Any], options: RunOptions | None, metadata: RunMetadata | None
    ) -> Sequence[Any]:
        """Runs it on the fed values, and returns the fetched ones."""

    def raise_located(self, error: Exception) -> NoReturn:
        """Raises the error of a direct run with the node that failed named."""
        raise error

    def explain(self) -> str:
        """The programs it runs, as text."""


class Backend(ABC):
    """Runs the steps of a session."""

    @abstractmethod
    def prepare(
        self, fetches: Sequence[Any], targets: Sequence[Any], feeds: Sequence[Any], traced: bool
    ) -> Step:
        """Prepares a step: tensors to fetch, operations to run, fed tensors, and whether to log."""

    def prepare_watched(self, fetches: Sequence[Any], targets: Any, feeds: Sequence[Any]) -> Any:
        """Prepares a step whose `run` takes a `watcher`, see `Session.watch`."""
        raise errors.UnimplementedError.of(
            "Only a session of this process can be watched: on a cluster the values stay with the "
            "tasks that compute them."
        )

    @abstractmethod
    def list_devices(self) -> list[DeviceAttributes]:
        """Returns the devices on which operations may be placed."""

    @abstractmethod
    def close(self) -> None:
        """Releases the resources of the session."""

    def reset(self, containers: list[str]) -> None:  # noqa: B027  # of this process: nothing shared
        """Clears containers that sessions share."""


class LocalBackend(Backend):
    """Runs steps on the devices of this process."""

    def __init__(self, graph: Any, config: ConfigProto) -> None:
        self.devices: dict[str, Device] = {d.name: d for d in make_devices(config)}
        self.resources = ResourceManager()
        self._placer = Placer(
            list(self.devices), config.allow_soft_placement, config.log_device_placement
        )
        self._lock = threading.Lock()
        self._steps = Steps(config.operation_timeout_in_ms)
        level = config.graph_options.optimizer_options.opt_level
        passes = () if level == OptimizerOptions.L0 else PASSES
        self._host = Host(self.devices, self.resources, passes, self._steps)
        threads.configure(config.intra_op_parallelism_threads)
        if config.log_device_placement:
            print(device_mapping_text(list(self.devices.values())), file=log_stream())

    def prepare(
        self, fetches: Sequence[Any], targets: Sequence[Any], feeds: Sequence[Any], traced: bool
    ) -> Step:
        with self._lock, no_collections():
            return make_plan(fetches, targets, feeds, self._placer, self._host, traced)

    def prepare_watched(self, fetches: Sequence[Any], targets: Any, feeds: Sequence[Any]) -> Plan:
        with self._lock, no_collections():
            return make_plan(fetches, targets, feeds, self._placer, self._host, True, watched=True)

    def list_devices(self) -> list[DeviceAttributes]:
        return [
            DeviceAttributes(d.name, d.device_type, d.description) for d in self.devices.values()
        ]

    def close(self) -> None:
        self._steps.close(errors.CancelledError.of("Session has been closed."))
        self.resources.clear()


BackendFactory = Callable[[str, Any, ConfigProto], Backend]
_factories: dict[str, BackendFactory] = {
    "": lambda target, graph, config: LocalBackend(graph, config)
}


def register_backend(scheme: str, factory: BackendFactory) -> None:
    """Registers the factory of backends for targets 'scheme://...'."""
    _factories[scheme] = factory


def make_backend(target: str, graph: Any, config: ConfigProto) -> Backend:
    """Returns the backend for a session's target.

    Raises:
      NotFoundError: when its scheme is not registered.
    """
    scheme, found, _ = target.partition("://")
    factory = _factories.get(scheme if found else target)
    if factory is None:
        known = ", ".join(sorted(f"{s}://" for s in _factories if s))
        raise errors.NotFoundError.of(
            f'No session factory registered for the given session options: {{target: "{target}" '
            f"config: }} Registered factories are '' and {known or 'no address schemes'}."
        )
    return factory(target, graph, config)
