"""Where a session's runs go: this process, or a master at an address.

A `Session` knows only `Backend`. The cluster registers one for the schemes of its addresses, so
that `Session("grpc://localhost:2222")` works without the runtime knowing of clusters.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from minitf.core.graph import errors
from minitf.core.graph.console import log_stream
from minitf.core.kernels import threads
from minitf.core.runtime.passes import PASSES
from minitf.core.runtime.plan.placer import Placer, device_mapping_text
from minitf.core.runtime.plan.plan import Plan, make_plan
from minitf.core.runtime.run.allocator import no_collections
from minitf.core.runtime.run.devices import Device, make_devices
from minitf.core.runtime.run.executor import deadline_after, locate
from minitf.core.runtime.run.rendezvous import Rendezvous
from minitf.core.runtime.run.resources import ResourceManager
from minitf.core.runtime.session.config import (
    ConfigProto,
    OptimizerOptions,
    RunMetadata,
    RunOptions,
)


@dataclass(frozen=True)
class DeviceAttributes:
    """A device as `Session.list_devices` tells it."""

    name: str
    device_type: str
    description: str = ""
    incarnation: int = 0

    def __repr__(self) -> str:
        return f"_DeviceAttributes({self.name}, {self.device_type}, {self.description})"


class Step(ABC):
    """One prepared combination of fetches and feeds."""

    #: `direct(rendezvous, *args)`, when the step meets nobody on its way; None otherwise
    direct: Callable[..., Sequence[Any]] | None = None
    #: what a direct run takes: one for all of them, which ends their loops with the session
    rendezvous: Rendezvous | None = None

    @abstractmethod
    def run(
        self, args: Sequence[Any], options: RunOptions | None, metadata: RunMetadata | None
    ) -> Sequence[Any]:
        """Runs it on the fed values, and returns the fetched ones."""

    def located(self, error: Exception) -> BaseException:
        """The error of a direct run as it is raised: with the node that failed named."""
        return error

    @abstractmethod
    def explain(self) -> str:
        """The programs it runs, as text."""


class Backend(ABC):
    """What runs the steps of a session."""

    @abstractmethod
    def prepare(
        self, fetches: Sequence[Any], targets: Sequence[Any], feeds: Sequence[Any], traced: bool
    ) -> Step:
        """Prepares a step: tensors to fetch, operations to run, fed tensors, and whether to log."""

    @abstractmethod
    def list_devices(self) -> list[DeviceAttributes]:
        """The devices that operations may be placed on."""

    @abstractmethod
    def close(self) -> None:
        """Gives back what the session holds."""


class _LocalStep(Step):
    """A plan in this process."""

    def __init__(self, plan: Plan, feed_count: int, backend: LocalBackend) -> None:
        self._plan = plan
        self._backend = backend
        self.rendezvous = backend.life
        program = plan.alone
        if not plan.programs:
            self.direct = lambda rendezvous, *args: ()
        elif program is not None and not plan.traced and not program.waits:
            run, order = program.run, program.arg_indices
            if order == list(range(feed_count)):
                self.direct = run
            else:
                self.direct = lambda rendezvous, *args: run(rendezvous, *[args[i] for i in order])

    def run(
        self, args: Sequence[Any], options: RunOptions | None, metadata: RunMetadata | None
    ) -> Sequence[Any]:
        with self._backend.step(options) as rendezvous:
            return self._plan.run(args, options, metadata, rendezvous)

    def located(self, error: Exception) -> BaseException:
        """The error of a direct run, with its node named."""
        return locate(error, self._plan.programs[0])

    def explain(self) -> str:
        return self._plan.explain()


class LocalBackend(Backend):
    """Runs steps on the devices of this process."""

    def __init__(self, graph: Any, config: ConfigProto) -> None:
        self.devices: dict[str, Device] = {d.name: d for d in make_devices(config)}
        self.resources = ResourceManager()
        self._placer = Placer(
            list(self.devices), config.allow_soft_placement, config.log_device_placement
        )
        self._lock = threading.Lock()
        self._limit = config.operation_timeout_in_ms
        level = config.graph_options.optimizer_options.opt_level
        self._passes = () if level == OptimizerOptions.L0 else PASSES
        threads.configure(config.intra_op_parallelism_threads)
        self._steps: set[Rendezvous] = set()  # those that run now, but for direct ones
        self.life = Rendezvous()  # theirs
        self._closed: errors.OpError | None = None
        if config.log_device_placement:
            print(device_mapping_text(list(self.devices.values())), file=log_stream())

    def prepare(
        self, fetches: Sequence[Any], targets: Sequence[Any], feeds: Sequence[Any], traced: bool
    ) -> Step:
        with self._lock, no_collections():
            plan = make_plan(
                fetches,
                targets,
                feeds,
                self._placer,
                self.devices,
                self.resources,
                traced,
                self._passes,
            )
        return _LocalStep(plan, len(feeds), self)

    @contextmanager
    def step(self, options: RunOptions | None) -> Iterator[Rendezvous]:
        """The rendezvous of a step that may wait: closing the session ends its waiting."""
        limit = (options.timeout_in_ms if options else 0) or self._limit
        rendezvous = Rendezvous(deadline_after(limit))
        self._steps.add(rendezvous)
        if self._closed is not None:
            rendezvous.abort(self._closed)
        try:
            yield rendezvous
        finally:
            self._steps.discard(rendezvous)

    def list_devices(self) -> list[DeviceAttributes]:
        return [
            DeviceAttributes(d.name, d.device_type, d.description) for d in self.devices.values()
        ]

    def close(self) -> None:
        self._closed = errors.CancelledError(None, None, "Session has been closed.")
        self.life.abort(self._closed)
        while self._steps:
            try:
                self._steps.pop().abort(self._closed)
            except KeyError:  # the last one has just ended
                break
        self.resources.clear()


BackendFactory = Callable[[str, Any, ConfigProto], Backend]
_factories: dict[str, BackendFactory] = {
    "": lambda target, graph, config: LocalBackend(graph, config)
}


def register_backend(scheme: str, factory: BackendFactory) -> None:
    """Registers what makes the backend for targets 'scheme://...'."""
    _factories[scheme] = factory


def make_backend(target: str, graph: Any, config: ConfigProto) -> Backend:
    """The backend for a session's target.

    Raises:
      ValueError: when nothing is registered for its scheme.
    """
    scheme, found, _ = target.partition("://")
    factory = _factories.get(scheme if found else target)
    if factory is None:
        known = ", ".join(sorted(f"{s}://" for s in _factories if s))
        raise ValueError(
            f'No session factory registered for the given session options: {{target: "{target}"}} '
            f"Registered are '' and {known or 'no address schemes'}."
        )
    return factory(target, graph, config)
