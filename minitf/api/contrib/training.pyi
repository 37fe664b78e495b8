"""The names of `tf.contrib.training`."""

from minitf.compat.contrib.failures import FailureTolerator as FailureTolerator
from minitf.compat.contrib.hparams import HParams as HParams
from minitf.compat.contrib.hparams import parse_values as parse_values
from minitf.compat.contrib.sampling import bucket as bucket
from minitf.compat.contrib.sampling import bucket_by_sequence_length as bucket_by_sequence_length
from minitf.compat.contrib.sampling import rejection_sample as rejection_sample
from minitf.compat.contrib.sampling import resample_at_rate as resample_at_rate
from minitf.compat.contrib.sampling import stratified_sample as stratified_sample
from minitf.compat.contrib.sampling import weighted_resample as weighted_resample
from minitf.compat.contrib.state_saver import NextQueuedSequenceBatch as NextQueuedSequenceBatch
from minitf.compat.contrib.state_saver import SequenceQueueingStateSaver as SequenceQueueingStateSaver
from minitf.compat.contrib.state_saver import batch_sequences_with_states as batch_sequences_with_states
from minitf.compat.slim.evaluation import SummaryAtEndHook as SummaryAtEndHook
from minitf.compat.slim.evaluation import evaluate_repeatedly as evaluate_repeatedly
from minitf.compat.slim.learning import add_gradients_summaries as add_gradients_summaries
from minitf.compat.slim.learning import clip_gradient_norms as clip_gradient_norms
from minitf.compat.slim.learning import clip_gradient_norms_fn as clip_gradient_norms_fn
from minitf.compat.slim.learning import create_training_op as create_train_op
from minitf.compat.slim.learning import multiply_gradients as multiply_gradients
from minitf.compat.slim.learning import train_monitored as train
from minitf.core.train.device_setter import GreedyLoadBalancingStrategy as GreedyLoadBalancingStrategy
from minitf.core.train.device_setter import RandomStrategy as RandomStrategy
from minitf.core.train.device_setter import byte_size_load_fn as byte_size_load_fn
from minitf.library.estimator.evaluation import StopAfterNEvalsHook as StopAfterNEvalsHook
from minitf.library.estimator.evaluation import evaluate_once as evaluate_once
from minitf.library.estimator.evaluation import get_or_create_eval_step as get_or_create_eval_step
from minitf.library.saving.checkpoint_utils import checkpoints_iterator as checkpoints_iterator
from minitf.library.saving.checkpoint_utils import wait_for_new_checkpoint as wait_for_new_checkpoint

__all__ = [
    "FailureTolerator", "GreedyLoadBalancingStrategy", "HParams", "NextQueuedSequenceBatch",
    "RandomStrategy", "SequenceQueueingStateSaver", "StopAfterNEvalsHook", "SummaryAtEndHook",
    "add_gradients_summaries", "batch_sequences_with_states", "bucket",
    "bucket_by_sequence_length", "byte_size_load_fn", "checkpoints_iterator",
    "clip_gradient_norms", "clip_gradient_norms_fn", "create_train_op", "evaluate_once",
    "evaluate_repeatedly", "get_or_create_eval_step", "multiply_gradients", "parse_values",
    "rejection_sample", "resample_at_rate", "stratified_sample", "train",
    "wait_for_new_checkpoint", "weighted_resample"
]
