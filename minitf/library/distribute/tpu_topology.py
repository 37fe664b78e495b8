"""Where the cores of a TPU are, and which of them a computation gets.

Topology            task 0, device 3  <-->  coordinates (x, y, z, core) in the mesh of chips
DeviceAssignment    replica 1, its logical core 0  -->  coordinates
"""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from typing import Any

import numpy as np


class Topology:
    """The mesh of a TPU's cores.

    Args:
      serialized: not read here; a mesh is passed in numbers.
      mesh_shape: how many chips there are in x, y and z, and how many cores each chip has.
      device_coordinates: the coordinates of each device, [tasks, devices of a task, 4].
    Raises:
      ValueError: when they have another shape.
    """

    def __init__(
        self, serialized: Any = None, mesh_shape: Any = None, device_coordinates: Any = None
    ) -> None:
        if serialized:
            raise ValueError("A Topology is made of `mesh_shape` and `device_coordinates` here.")
        self.mesh_shape = np.asarray(mesh_shape, np.int32)
        self.device_coordinates = np.asarray(device_coordinates, np.int32)
        if len(self.mesh_shape) != 4 or any(self.mesh_shape < 1):
            raise ValueError(
                "`mesh_shape` must be a sequence of 4 positive entries; got "
                f"`mesh_shape={self.mesh_shape}`"
            )
        shape = self.device_coordinates.shape
        if len(shape) != 3 or shape[2] != 4:
            raise ValueError(
                "`device_coordinates` must be a rank 3 int32 array with minor dimension equal to "
                f"the `mesh_shape` rank; got the shape {shape}"
            )
        # By coordinates: the task and the device; -1 where there is none.
        self._places = np.full((*self.mesh_shape, 2), -1, np.int32)
        for place in np.ndindex(shape[:2]):
            self._places[tuple(self.device_coordinates[place])] = place

    @property
    def mesh_rank(self) -> int:
        """The number of axes, 4."""
        return len(self.mesh_shape)

    @property
    def num_tasks(self) -> int:
        """The number of tasks, machines with TPU chips."""
        return self.device_coordinates.shape[0]

    def task_ordinal_at_coordinates(self, device_coordinates: Sequence[int]) -> int:
        """The task of a device."""
        return self._places[tuple(device_coordinates)][0]

    def tpu_device_ordinal_at_coordinates(self, device_coordinates: Sequence[int]) -> int:
        """Which of its task's devices a device is."""
        return self._places[tuple(device_coordinates)][1]

    def _name(self, coordinates: Sequence[int], job: str | None, kind: str, index: int) -> str:
        of_job = "" if job is None else f"/job:{job}"
        task = self.task_ordinal_at_coordinates(coordinates)
        return f"{of_job}/task:{task}/device:{kind}:{index}"


def mesh_of(cores: int) -> Topology:
    """The mesh of one machine with so many cores: two a chip, chips as a square if that can be."""
    per_chip = 2 - cores % 2
    chips = cores // per_chip
    y = max((i for i in range(1, math.isqrt(chips) + 1) if chips % i == 0), default=1)
    shape = (chips // y, y, 1, per_chip)
    places = [
        (x, y, 0, core)
        for y in range(shape[1])
        for x in range(shape[0])
        for core in range(per_chip)
    ]
    return Topology(mesh_shape=shape, device_coordinates=[places])


class DeviceOrderMode(enum.IntEnum):
    """How replicas follow each other in the mesh; row by row here, whatever is asked for."""

    AUTO = 0
    RING = 1
    MESH = 2


class DeviceAssignment:
    """Says which cores each replica of a computation gets; `build` makes one.

    Args:
      topology: the mesh.
      core_assignment: coordinates of each core, [replicas, cores of a replica, 4].
    Raises:
      ValueError: when they have another type or shape.
    """

    def __init__(self, topology: Topology, core_assignment: Any) -> None:
        if not isinstance(topology, Topology):
            raise ValueError(f"topology must be a Topology object, got {type(topology)}")
        self.topology = topology
        self.core_assignment = np.asarray(core_assignment, np.int32)
        if self.core_assignment.ndim != 3:
            raise ValueError(
                "core_assignment must be a rank 3 numpy array, got shape "
                f"{self.core_assignment.shape}"
            )
        if self.core_assignment.shape[-1] != topology.mesh_rank:
            raise ValueError(
                "core_assignment.shape[-1] must have size equal to topology rank "
                f"({topology.mesh_rank}), got core_assignment.shape={self.core_assignment.shape}"
            )

    @property
    def num_replicas(self) -> int:
        """The number of replicas."""
        return self.core_assignment.shape[0]

    def coordinates(self, replica: int, logical_core: int) -> tuple:
        """The coordinates of a replica's core."""
        return tuple(self.core_assignment[replica, logical_core])

    def tpu_ordinal(self, replica: int = 0, logical_core: int = 0) -> int:
        """Which of its task's devices a core is."""
        at = self.coordinates(replica, logical_core)
        return self.topology.tpu_device_ordinal_at_coordinates(at)

    @classmethod
    def build(
        cls,
        topology: Topology,
        computation_shape: Any = None,
        computation_stride: Any = None,
        num_replicas: int = 1,
        device_order_mode: DeviceOrderMode = DeviceOrderMode.AUTO,
    ) -> DeviceAssignment:
        """Gives each replica a block of the mesh, the cores of a chip before the next chip.

        Args:
          topology: the mesh.
          computation_shape: the block of one replica in x, y, z and cores; one core by default.
          computation_stride: only ones: the cores of a block stand side by side.
          num_replicas: how many.
        Raises:
          ValueError: when so many do not fit.
        """
        mesh = topology.mesh_shape
        block = np.asarray([1] * 4 if computation_shape is None else computation_shape, np.int32)
        if computation_stride is not None and any(np.asarray(computation_stride) != 1):
            raise ValueError("The cores of a replica stand side by side: a stride of 1 each way.")
        if block.shape != mesh.shape:
            raise ValueError(f"computation_shape must have shape [4]; got {block.shape}")
        if any(block < 1):
            raise ValueError(f"computation_shape must be positive; got computation_shape={block}")
        if any(block > mesh):
            raise ValueError(
                f"computation footprint {block} does not fit in TPU topology shape {mesh}"
            )
        counts = mesh // block
        if num_replicas > math.prod(counts):
            raise ValueError(
                f"requested {num_replicas} replicas but only {math.prod(counts)} replicas with "
                f"shape {block} and computation_stride {np.ones(4, np.int32)} fit in a TPU mesh of "
                f"shape {mesh}"
            )
        inside = list(np.ndindex(*block))
        starts = [(x, y, z, c) for z, y, x, c in np.ndindex(*counts[[2, 1, 0, 3]])][:num_replicas]
        return cls(topology, [[np.add(np.multiply(s, block), i) for i in inside] for s in starts])
