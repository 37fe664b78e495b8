"""Options of a session and of one run, with TensorFlow's names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from minitf.core.graph.graph_def import GraphDef
from minitf.core.graph.messages import Message, Options, Repeated
from minitf.core.runtime.run.step_stats import StepStats


@dataclass
class JobDef(Message):
    """One job of a ClusterDef: its name and the addresses of its tasks by index."""

    name: str = ""
    tasks: dict[int, str] = field(default_factory=dict)


@dataclass
class ClusterDef(Message):
    """A cluster as a list of jobs, the record form of a ClusterSpec."""

    job: list[JobDef] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.job = Repeated(JobDef, self.job)


@dataclass
class GPUOptions(Options):
    """Options of GPUs; `visible_device_list` ("0,2") picks some of them, the rest is only noted."""

    per_process_gpu_memory_fraction: float = 0.0
    allow_growth: bool = False
    allocator_type: str = ""
    deferred_deletion_bytes: int = 0
    visible_device_list: str = ""
    polling_active_delay_usecs: int = 0
    force_gpu_compatible: bool = False


@dataclass
class OptimizerOptions(Options):
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
class RewriterConfig(Options):
    """Which of TensorFlow's rewriters to use; only noted: the passes of a plan are minitf's own."""

    layout_optimizer: int = 0
    disable_model_pruning: bool = False
    constant_folding: int = 0
    arithmetic_optimization: int = 0
    dependency_optimization: int = 0
    loop_optimization: int = 0
    function_optimization: int = 0
    shape_optimization: int = 0
    remapping: int = 0
    memory_optimization: int = 0
    auto_mixed_precision: int = 0
    pin_to_host_optimization: int = 0
    meta_optimizer_iterations: int = 0
    disable_meta_optimizer: bool = False
    optimizers: list[str] = field(default_factory=list)

    DEFAULT: ClassVar[int] = 0
    ON: ClassVar[int] = 1
    OFF: ClassVar[int] = 2
    AGGRESSIVE: ClassVar[int] = 3
    NO_MEM_OPT: ClassVar[int] = 1
    HEURISTICS: ClassVar[int] = 6


@dataclass
class GraphOptions(Options):
    """Options of graphs."""

    optimizer_options: OptimizerOptions = field(default_factory=OptimizerOptions)
    enable_recv_scheduling: bool = False
    infer_shapes: bool = True
    rewrite_options: RewriterConfig = field(default_factory=RewriterConfig)


@dataclass
class RPCOptions(Options):
    """Options of calls; compression is only noted.

    Args:
      use_rpc_for_inprocess_master: send messages to a master of this process too.
    """

    use_rpc_for_inprocess_master: bool = False
    compression_algorithm: str = ""
    compression_level: int = 0


@dataclass
class ConfigProto(Options):
    """Options of a session.

    Args:
      device_count: how many devices of a type to use, as {"CPU": 2, "GPU": 0}.
      intra_op_parallelism_threads: how many threads may work on one operation; what the first
        session of the process asks for counts, 0 leaves it to MINITF_THREADS or the machine.
      log_device_placement: print where each operation goes.
      allow_soft_placement: use a device that exists when the one asked for does not.
      operation_timeout_in_ms: give a run up after this time (0: never).
      device_filters: device names; in a cluster the session sees only tasks that match one.
      isolate_session_state: in a cluster, keep variables and queues to this session.
    Example:
      >>> config = tf.ConfigProto(allow_soft_placement=True, device_count={"GPU": 0})
      >>> config.gpu_options.allow_growth = True
      >>> tf.Session(config=config).close()
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
    rpc_options: RPCOptions = field(default_factory=RPCOptions)
    isolate_session_state: bool = False
    cluster_def: ClusterDef = field(default_factory=ClusterDef)


@dataclass
class RunOptions(Options):
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
class RunMetadata(Message):
    """Information about a run: `step_stats`, and `partition_graphs` when asked for."""

    step_stats: StepStats = field(default_factory=StepStats)
    partition_graphs: list[GraphDef] = field(default_factory=list)

    def add(self, other: RunMetadata, delay: float = 0.0) -> None:
        """Adds the information of another task about the same step.

        Args:
          other: from that task.
          delay: how many seconds its clock is ahead of this one.
        """
        for device in other.step_stats.dev_stats:
            for node in device.node_stats:
                node.all_start_micros -= round(delay * 1e6)
            self.step_stats.dev_stats.append(device)
        self.partition_graphs += other.partition_graphs
