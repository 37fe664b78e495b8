"""The names of `tf.train`."""

from minitf.api import train_queue_runner as queue_runner
from minitf.core.cluster.cluster_spec import ClusterSpec as ClusterSpec
from minitf.core.cluster.cluster_spec import ServerDef as ServerDef
from minitf.core.cluster.service.server import Server as Server
from minitf.core.runtime.session.config import ClusterDef as ClusterDef
from minitf.core.runtime.session.config import JobDef as JobDef
from minitf.core.train.device_setter import replica_device_setter as replica_device_setter
from minitf.core.train.optimizer import Optimizer as Optimizer
from minitf.core.train.optimizers import AdamOptimizer as AdamOptimizer
from minitf.core.train.optimizers import GradientDescentOptimizer as GradientDescentOptimizer
from minitf.core.train.optimizers import MomentumOptimizer as MomentumOptimizer
from minitf.library.formats.checkpoint_reader import CheckpointReader as NewCheckpointReader
from minitf.library.formats.protobuf_messages import BytesList as BytesList
from minitf.library.formats.protobuf_messages import Example as Example
from minitf.library.formats.protobuf_messages import Feature as Feature
from minitf.library.formats.protobuf_messages import Features as Features
from minitf.library.formats.protobuf_messages import FloatList as FloatList
from minitf.library.formats.protobuf_messages import Int64List as Int64List
from minitf.library.input.queues.batching import batch as batch
from minitf.library.input.queues.batching import limit_epochs as limit_epochs
from minitf.library.input.queues.batching import match_filenames_once as match_filenames_once
from minitf.library.input.queues.batching import range_input_producer as range_input_producer
from minitf.library.input.queues.batching import shuffle_batch as shuffle_batch
from minitf.library.input.queues.batching import slice_input_producer as slice_input_producer
from minitf.library.input.queues.batching import string_input_producer as string_input_producer
from minitf.library.input.queues.runner import Coordinator as Coordinator
from minitf.library.input.queues.runner import LooperThread as LooperThread
from minitf.library.input.queues.runner import QueueRunner as QueueRunner
from minitf.library.input.queues.runner import add_queue_runner as add_queue_runner
from minitf.library.input.queues.runner import start_queue_runners as start_queue_runners
from minitf.library.optimizers.optimizers import AdadeltaOptimizer as AdadeltaOptimizer
from minitf.library.optimizers.optimizers import AdagradOptimizer as AdagradOptimizer
from minitf.library.optimizers.optimizers import FtrlOptimizer as FtrlOptimizer
from minitf.library.optimizers.optimizers import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from minitf.library.optimizers.optimizers import RMSPropOptimizer as RMSPropOptimizer
from minitf.library.optimizers.schedules import ExponentialMovingAverage as ExponentialMovingAverage
from minitf.library.optimizers.schedules import cosine_decay as cosine_decay
from minitf.library.optimizers.schedules import exponential_decay as exponential_decay
from minitf.library.optimizers.schedules import inverse_time_decay as inverse_time_decay
from minitf.library.optimizers.schedules import natural_exp_decay as natural_exp_decay
from minitf.library.optimizers.schedules import piecewise_constant as piecewise_constant
from minitf.library.optimizers.schedules import piecewise_constant as piecewise_constant_decay
from minitf.library.optimizers.schedules import polynomial_decay as polynomial_decay
from minitf.library.saving.checkpoint_state import checkpoint_exists as checkpoint_exists
from minitf.library.saving.checkpoint_state import generate_checkpoint_state_proto as generate_checkpoint_state_proto
from minitf.library.saving.checkpoint_state import get_checkpoint_mtimes as get_checkpoint_mtimes
from minitf.library.saving.checkpoint_state import get_checkpoint_state as get_checkpoint_state
from minitf.library.saving.checkpoint_state import latest_checkpoint as latest_checkpoint
from minitf.library.saving.checkpoint_state import remove_checkpoint as remove_checkpoint
from minitf.library.saving.checkpoint_state import update_checkpoint_state as update_checkpoint_state
from minitf.library.saving.checkpoint_utils import checkpoints_iterator as checkpoints_iterator
from minitf.library.saving.checkpoint_utils import init_from_checkpoint as init_from_checkpoint
from minitf.library.saving.checkpoint_utils import list_variables as list_variables
from minitf.library.saving.checkpoint_utils import load_checkpoint as load_checkpoint
from minitf.library.saving.checkpoint_utils import load_variable as load_variable
from minitf.library.saving.checkpoint_utils import warm_start as warm_start
from minitf.library.saving.meta_graph import export_meta_graph as export_meta_graph
from minitf.library.saving.meta_graph import write_graph as write_graph
from minitf.library.saving.object_checkpoint import Checkpoint as Checkpoint
from minitf.library.saving.object_checkpoint import CheckpointManager as CheckpointManager
from minitf.library.saving.saver import Saver as Saver
from minitf.library.saving.saver import import_meta_graph as import_meta_graph
from minitf.library.saving.saver_builder import SaverDef as SaverDef
from minitf.library.sessions.basic_hooks import FeedFnHook as FeedFnHook
from minitf.library.sessions.basic_hooks import FinalOpsHook as FinalOpsHook
from minitf.library.sessions.basic_hooks import LoggingTensorHook as LoggingTensorHook
from minitf.library.sessions.basic_hooks import NanLossDuringTrainingError as NanLossDuringTrainingError
from minitf.library.sessions.basic_hooks import NanTensorHook as NanTensorHook
from minitf.library.sessions.basic_hooks import SecondOrStepTimer as SecondOrStepTimer
from minitf.library.sessions.basic_hooks import SessionRunArgs as SessionRunArgs
from minitf.library.sessions.basic_hooks import SessionRunContext as SessionRunContext
from minitf.library.sessions.basic_hooks import SessionRunHook as SessionRunHook
from minitf.library.sessions.basic_hooks import SessionRunValues as SessionRunValues
from minitf.library.sessions.basic_hooks import StopAtStepHook as StopAtStepHook
from minitf.library.sessions.file_writer import FileWriter as SummaryWriter
from minitf.library.sessions.file_writer import summary_iterator as summary_iterator
from minitf.library.sessions.monitored_session import ChiefSessionCreator as ChiefSessionCreator
from minitf.library.sessions.monitored_session import MonitoredSession as MonitoredSession
from minitf.library.sessions.monitored_session import MonitoredTrainingSession as MonitoredTrainingSession
from minitf.library.sessions.monitored_session import SessionCreator as SessionCreator
from minitf.library.sessions.monitored_session import SingularMonitoredSession as SingularMonitoredSession
from minitf.library.sessions.monitored_session import WorkerSessionCreator as WorkerSessionCreator
from minitf.library.sessions.saving_hooks import CheckpointSaverHook as CheckpointSaverHook
from minitf.library.sessions.saving_hooks import CheckpointSaverListener as CheckpointSaverListener
from minitf.library.sessions.saving_hooks import ProfilerHook as ProfilerHook
from minitf.library.sessions.saving_hooks import StepCounterHook as StepCounterHook
from minitf.library.sessions.saving_hooks import SummarySaverHook as SummarySaverHook
from minitf.library.sessions.scaffold import Scaffold as Scaffold
from minitf.library.sessions.supervisor import Supervisor as Supervisor
from minitf.library.sessions.sync_replicas import SyncReplicasOptimizer as SyncReplicasOptimizer
from minitf.library.sessions.training_util import assert_global_step as assert_global_step
from minitf.library.sessions.training_util import create_global_step as create_global_step
from minitf.library.sessions.training_util import get_global_step as get_global_step
from minitf.library.sessions.training_util import get_or_create_global_step as get_or_create_global_step
from minitf.library.sessions.training_util import global_step as global_step

__all__ = [
    "AdadeltaOptimizer", "AdagradOptimizer", "AdamOptimizer", "BytesList", "Checkpoint",
    "CheckpointManager", "CheckpointSaverHook", "CheckpointSaverListener",
    "ChiefSessionCreator", "ClusterDef", "ClusterSpec", "Coordinator", "Example",
    "ExponentialMovingAverage", "Feature", "Features", "FeedFnHook", "FinalOpsHook",
    "FloatList", "FtrlOptimizer", "GradientDescentOptimizer", "Int64List", "JobDef",
    "LoggingTensorHook", "LooperThread", "MomentumOptimizer", "MonitoredSession",
    "MonitoredTrainingSession", "NanLossDuringTrainingError", "NanTensorHook",
    "NewCheckpointReader", "Optimizer", "ProfilerHook", "ProximalAdagradOptimizer",
    "QueueRunner", "RMSPropOptimizer", "Saver", "SaverDef", "Scaffold", "SecondOrStepTimer",
    "Server", "ServerDef", "SessionCreator", "SessionRunArgs", "SessionRunContext",
    "SessionRunHook", "SessionRunValues", "SingularMonitoredSession", "StepCounterHook",
    "StopAtStepHook", "SummarySaverHook", "SummaryWriter", "Supervisor",
    "SyncReplicasOptimizer", "WorkerSessionCreator", "add_queue_runner", "assert_global_step",
    "batch", "checkpoint_exists", "checkpoints_iterator", "cosine_decay", "create_global_step",
    "exponential_decay", "export_meta_graph", "generate_checkpoint_state_proto",
    "get_checkpoint_mtimes", "get_checkpoint_state", "get_global_step",
    "get_or_create_global_step", "global_step", "import_meta_graph", "init_from_checkpoint",
    "inverse_time_decay", "latest_checkpoint", "limit_epochs", "list_variables",
    "load_checkpoint", "load_variable", "match_filenames_once", "natural_exp_decay",
    "piecewise_constant", "piecewise_constant_decay", "polynomial_decay", "queue_runner",
    "range_input_producer", "remove_checkpoint", "replica_device_setter", "shuffle_batch",
    "slice_input_producer", "start_queue_runners", "string_input_producer", "summary_iterator",
    "update_checkpoint_state", "warm_start", "write_graph"
]
