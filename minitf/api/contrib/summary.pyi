"""The names of `tf.contrib.summary`."""

from minitf.compat.contrib.summary_ops import SummaryWriter as SummaryWriter
from minitf.compat.contrib.summary_ops import all_summary_ops as all_summary_ops
from minitf.compat.contrib.summary_ops import always_record_summaries as always_record_summaries
from minitf.compat.contrib.summary_ops import create_file_writer as create_file_writer
from minitf.compat.contrib.summary_ops import scalar as scalar
