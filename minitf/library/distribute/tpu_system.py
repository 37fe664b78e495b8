"""A TPU that is not there: simulated cores, what finds them, and what starts them.

    resolver = TPUClusterResolver(tpu="")       this process gets 8 cores, or MINITF_SIMULATED_TPUS
    tf.tpu.experimental.initialize_tpu_system(resolver)
    with tf.device("/device:TPU:3"): ...        runs in that core's memory and thread, with NumPy

Only what asks for a core runs there. Everything that a person reads of them says "simulated".
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Any, final

from minitf.core.cluster.cluster_spec import ClusterSpec
from minitf.core.graph import errors
from minitf.core.graph.device_spec import DeviceSpec
from minitf.core.graph.graph import Graph
from minitf.core.graph.logging import warning
from minitf.core.runtime.run.devices import NumpyDevice, offer
from minitf.core.runtime.session.config import ConfigProto
from minitf.core.runtime.session.session import Session
from minitf.library.distribute.resolvers import ClusterResolver, format_master_url

_DEFAULT_CORES = 8  # of one machine, as Google lends them
_cores = 0


@final
class SimulatedTpu(NumpyDevice):
    """A TPU core that is not there: NumPy in a memory space of its own. Arrivals are copied."""

    device_type = "TPU"
    simulated = True

    @property
    def description(self) -> str:
        """What it is, for a person."""
        return "simulated TPU core (NumPy on the CPU; no TPU)"


def _count() -> int:
    text = os.environ.get("MINITF_SIMULATED_TPUS", "")
    if text and not text.isdigit():
        raise ValueError(f"MINITF_SIMULATED_TPUS must be a number of TPU cores, got {text!r}.")
    return max(int(text or 0), _cores)


def simulate_tpus(count: int) -> None:
    """Gives every session made from now on `count` simulated TPU cores.

    The environment variable MINITF_SIMULATED_TPUS says it without touching the program.

    Raises:
      ValueError: when `count` is negative.
    """
    global _cores
    if count < 0:
        raise ValueError(f"The number of simulated TPU cores must be >= 0, got {count}.")
    _cores = count


offer(SimulatedTpu, _count)


class TPUClusterResolver(ClusterResolver):
    """Finds the cores of a TPU. There is none here: it gives this process simulated ones.

    Args:
      tpu: "" or "local" for this machine's; a name, which stands for the same here; or
        "grpc://host:port" of a minitf server, whose simulated cores are used.
      zone, project, credentials, service, discovery_url: of Google's cloud, which is not asked.
      job_name: the job that the TPU's machines are.
      coordinator_name, coordinator_address: a job of one task to add to the cluster.
    Example:
      >>> resolver = tf.distribute.cluster_resolver.TPUClusterResolver("")
      >>> resolver
      <TPUClusterResolver tpu='local': 8 simulated cores>
      >>> resolver.num_accelerators()
      {'TPU': 8}
    """

    def __init__(
        self,
        tpu: str | None = None,
        zone: str | None = None,
        project: str | None = None,
        job_name: str = "worker",
        coordinator_name: str | None = None,
        coordinator_address: str | None = None,
        credentials: Any = "default",
        service: Any = None,
        discovery_url: str | None = None,
    ) -> None:
        name = os.environ.get("TPU_NAME", "") if tpu is None else tpu
        name = name.decode() if isinstance(name, bytes) else name
        if not isinstance(name, str):
            raise TypeError(f"`tpu` must be the name or the address of one TPU, got {tpu!r}.")
        self._tpu = name or "local"
        self._remote = self._tpu.removeprefix("grpc://") if "://" in self._tpu else ""
        self.task_type, self.task_id = job_name, 0
        self._coordinator = (coordinator_name, coordinator_address)
        self.tpu_hardware_feature: Any = None
        if not self._remote and not _count():
            simulate_tpus(_DEFAULT_CORES)

    def __repr__(self) -> str:
        cores = f"at {self._remote}" if self._remote else self.num_accelerators()["TPU"]
        return f"<TPUClusterResolver tpu={self._tpu!r}: {cores} simulated cores>"

    def __deepcopy__(self, memo: Any) -> TPUClusterResolver:
        return self  # a RunConfig copies what it is made of

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """What a session connects to: empty, for this process, unless `tpu` was an address."""
        if not self._remote:
            return ""
        job = self.task_type if task_type is None else task_type
        index = self.task_id if task_id is None else task_id
        return format_master_url(self.cluster_spec().task_address(str(job), index or 0), "grpc")

    def cluster_spec(self) -> ClusterSpec:
        """The machines with TPU chips; an empty cluster for this process."""
        if not self._remote:
            return ClusterSpec({})
        cluster = {str(self.task_type): [self._remote]}
        name, address = self._coordinator
        if name and address:
            cluster[name] = [address]
        return ClusterSpec(cluster)

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: ConfigProto | None = None,
    ) -> dict[str, int]:
        """How many cores each machine has: {"TPU": 8}."""
        with Session(self.master(), Graph(), config_proto) as session:
            specs = [DeviceSpec.from_string(device.name) for device in session.list_devices()]
        hosts = Counter((spec.job, spec.task) for spec in specs if spec.device_type == "TPU")
        return {"TPU": max(hosts.values(), default=0)}


_initialized: set[str] = set()


def initialize_tpu_system(cluster_resolver: TPUClusterResolver | None = None) -> None:
    """Makes the cores of a TPU ready, which the simulated ones are.

    Args:
      cluster_resolver: says which TPU; this process's simulated one by default.
    Raises:
      NotFoundError: when it has no cores.
    """
    resolver = TPUClusterResolver("") if cluster_resolver is None else cluster_resolver
    if resolver._tpu in _initialized:
        warning(
            "TPU system %s has already been initialized. Reinitializing the TPU can cause "
            "previously created variables on TPU to be lost.",
            resolver._tpu,
        )
    if not resolver.num_accelerators()["TPU"]:
        raise errors.NotFoundError(
            None, None, f"TPUs not found in the cluster: {resolver!r} has no simulated TPU cores."
        )
    _initialized.add(resolver._tpu)
