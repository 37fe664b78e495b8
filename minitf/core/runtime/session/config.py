"""Options of a session and of one run, with TensorFlow's names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from minitf.core.runtime.run.step_stats import StepStats


@dataclass
class GPUOptions:
    """Options of GPUs; `visible_device_list` ("0,2") picks some of them, the rest is only noted."""

    per_process_gpu_memory_fraction: float = 0.0
    allow_growth: bool = False
    allocator_type: str = ""
    deferred_deletion_bytes: int = 0
    visible_device_list: str = ""
    polling_active_delay_usecs: int = 0
    force_gpu_compatible: bool = False


@dataclass
class OptimizerOptions:
    """Options of graph optimization: with the level L0 plans are written as the graph stands.

    The other fields are noted: what a plan's passes do never takes longer than it saves.
    """

    opt_level: int = 0
    global_jit_level: int = 0
    do_common_subexpression_elimination: bool = False
    do_constant_folding: bool = False
    do_function_inlining: bool = False

    L0: ClassVar[int] = -1
    L1: ClassVar[int] = 0
    OFF: ClassVar[int] = -1
    ON_1: ClassVar[int] = 1


@dataclass
class GraphOptions:
    """Options of graphs."""

    optimizer_options: OptimizerOptions = field(default_factory=OptimizerOptions)
    enable_recv_scheduling: bool = False
    infer_shapes: bool = True


@dataclass
class ConfigProto:
    """Options of a session.

    Args:
      device_count: how many devices of a type to use, as {"CPU": 2, "GPU": 0}.
      intra_op_parallelism_threads: how many threads may work on one operation; what the first
        session of the process asks for counts, 0 leaves it to MINITF_THREADS or the machine.
      log_device_placement: print where each operation goes.
      allow_soft_placement: use a device that exists when the one asked for does not.
      operation_timeout_in_ms: give a run up after this time (0: never).
      device_filters: device names; in a cluster the session sees only tasks that match one.
    """

    device_count: dict[str, int] = field(default_factory=dict)
    intra_op_parallelism_threads: int = 0
    inter_op_parallelism_threads: int = 0
    use_per_session_threads: bool = False
    placement_period: int = 0
    device_filters: list[str] = field(default_factory=list)
    gpu_options: GPUOptions = field(default_factory=GPUOptions)
    allow_soft_placement: bool = False
    log_device_placement: bool = False
    graph_options: GraphOptions = field(default_factory=GraphOptions)
    operation_timeout_in_ms: int = 0
    isolate_session_state: bool = False
    cluster_def: Any = None


@dataclass
class RunOptions:
    """Options of one run.

    Args:
      trace_level: FULL_TRACE records when each operation ran, for `RunMetadata.step_stats`.
      timeout_in_ms: give up after this time (0: never).
      output_partition_graphs: return the graphs of the partitions too.
    """

    trace_level: int = 0
    timeout_in_ms: int = 0
    inter_op_thread_pool: int = 0
    output_partition_graphs: bool = False
    report_tensor_allocations_upon_oom: bool = False

    NO_TRACE: ClassVar[int] = 0
    SOFTWARE_TRACE: ClassVar[int] = 1
    HARDWARE_TRACE: ClassVar[int] = 2
    FULL_TRACE: ClassVar[int] = 3


@dataclass
class RunMetadata:
    """What a run tells about itself: `step_stats`, and `partition_graphs` when asked for."""

    step_stats: StepStats = field(default_factory=StepStats)
    partition_graphs: list[Any] = field(default_factory=list)
