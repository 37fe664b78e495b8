"""Training: optimizers, the global step, and where variables go on a cluster.

Stands on variables, transforms and ops. It builds graphs; running them is the session's part. The
package is at the same time the namespace `tf.train`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.ops.checkpoint_files import CheckpointReader as NewCheckpointReader
from minitf.train.adadelta import AdadeltaOptimizer
from minitf.train.adagrad import AdagradOptimizer
from minitf.train.adagrad_da import AdagradDAOptimizer
from minitf.train.adam import AdamOptimizer
from minitf.train.basic_hooks import (
    FeedFnHook,
    FinalOpsHook,
    GlobalStepWaiterHook,
    LoggingTensorHook,
    NanLossDuringTrainingError,
    NanTensorHook,
    SecondOrStepTimer,
    StopAtStepHook,
)
from minitf.train.batching import (
    batch,
    batch_join,
    maybe_batch,
    maybe_batch_join,
    maybe_shuffle_batch,
    maybe_shuffle_batch_join,
    shuffle_batch,
    shuffle_batch_join,
)
from minitf.train.checkpoint_state import (
    checkpoint_exists,
    generate_checkpoint_state_proto,
    get_checkpoint_mtimes,
    get_checkpoint_state,
    latest_checkpoint,
    remove_checkpoint,
    update_checkpoint_state,
)
from minitf.train.checkpoint_utils import (
    checkpoints_iterator,
    init_from_checkpoint,
    list_variables,
    load_checkpoint,
    load_variable,
)
from minitf.train.coordinator import Coordinator, LooperThread
from minitf.train.device_setter import replica_device_setter
from minitf.train.ftrl import FtrlOptimizer
from minitf.train.gradient_descent import GradientDescentOptimizer
from minitf.train.input_producers import (
    input_producer,
    limit_epochs,
    match_filenames_once,
    range_input_producer,
    slice_input_producer,
    string_input_producer,
)
from minitf.train.meta_graph import export_meta_graph, write_graph
from minitf.train.momentum import MomentumOptimizer
from minitf.train.monitored_session import (
    ChiefSessionCreator,
    MonitoredSession,
    MonitoredTrainingSession,
    SingularMonitoredSession,
    WorkerSessionCreator,
)
from minitf.train.moving_averages import ExponentialMovingAverage
from minitf.train.object_checkpoint import Checkpoint, CheckpointManager
from minitf.train.optimizer import Optimizer
from minitf.train.proximal import ProximalAdagradOptimizer, ProximalGradientDescentOptimizer
from minitf.train.queue_runner import QueueRunner, add_queue_runner, start_queue_runners
from minitf.train.rmsprop import RMSPropOptimizer
from minitf.train.saver import Saver, import_meta_graph
from minitf.train.saver_builder import SaverDef
from minitf.train.saving_hooks import (
    CheckpointSaverHook,
    CheckpointSaverListener,
    ProfilerHook,
    StepCounterHook,
    SummarySaverHook,
)
from minitf.train.scaffold import Scaffold
from minitf.train.schedules import (
    cosine_decay,
    cosine_decay_restarts,
    exponential_decay,
    inverse_time_decay,
    linear_cosine_decay,
    natural_exp_decay,
    noisy_linear_cosine_decay,
    piecewise_constant,
    polynomial_decay,
)
from minitf.train.session_layers import SessionCreator
from minitf.train.session_manager import SessionManager
from minitf.train.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from minitf.train.supervisor import Supervisor, basic_train_loop
from minitf.train.sync_replicas import SyncReplicasOptimizer
from minitf.train.training_util import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)

piecewise_constant_decay = piecewise_constant

__all__ = [
    "AdadeltaOptimizer",
    "AdagradDAOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "Checkpoint",
    "CheckpointManager",
    "CheckpointSaverHook",
    "CheckpointSaverListener",
    "ChiefSessionCreator",
    "Coordinator",
    "ExponentialMovingAverage",
    "FeedFnHook",
    "FinalOpsHook",
    "FtrlOptimizer",
    "GlobalStepWaiterHook",
    "GradientDescentOptimizer",
    "LoggingTensorHook",
    "LooperThread",
    "MomentumOptimizer",
    "MonitoredSession",
    "MonitoredTrainingSession",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "NewCheckpointReader",
    "Optimizer",
    "ProfilerHook",
    "ProximalAdagradOptimizer",
    "ProximalGradientDescentOptimizer",
    "QueueRunner",
    "RMSPropOptimizer",
    "Saver",
    "SaverDef",
    "Scaffold",
    "SecondOrStepTimer",
    "SessionCreator",
    "SessionManager",
    "SessionRunArgs",
    "SessionRunContext",
    "SessionRunHook",
    "SessionRunValues",
    "SingularMonitoredSession",
    "StepCounterHook",
    "StopAtStepHook",
    "SummarySaverHook",
    "Supervisor",
    "SyncReplicasOptimizer",
    "WorkerSessionCreator",
    "add_queue_runner",
    "assert_global_step",
    "basic_train_loop",
    "batch",
    "batch_join",
    "checkpoint_exists",
    "checkpoints_iterator",
    "cosine_decay",
    "cosine_decay_restarts",
    "create_global_step",
    "exponential_decay",
    "export_meta_graph",
    "generate_checkpoint_state_proto",
    "get_checkpoint_mtimes",
    "get_checkpoint_state",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
    "import_meta_graph",
    "init_from_checkpoint",
    "input_producer",
    "inverse_time_decay",
    "latest_checkpoint",
    "limit_epochs",
    "linear_cosine_decay",
    "list_variables",
    "load_checkpoint",
    "load_variable",
    "match_filenames_once",
    "maybe_batch",
    "maybe_batch_join",
    "maybe_shuffle_batch",
    "maybe_shuffle_batch_join",
    "natural_exp_decay",
    "noisy_linear_cosine_decay",
    "piecewise_constant",
    "piecewise_constant_decay",
    "polynomial_decay",
    "range_input_producer",
    "remove_checkpoint",
    "replica_device_setter",
    "shuffle_batch",
    "shuffle_batch_join",
    "slice_input_producer",
    "start_queue_runners",
    "string_input_producer",
    "update_checkpoint_state",
    "write_graph",
]

#: names of `tf.train` that live on a higher floor, with what fetches them when they are first asked
#: for (`Server` needs Dask, whose import takes longer than all of minitf's)
from_above: dict[str, Callable[[], Any]] = {}


def __getattr__(name: str) -> Any:
    if name in from_above:
        return from_above[name]()
    raise AttributeError(f"module 'minitf.train' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*__all__, *from_above])
