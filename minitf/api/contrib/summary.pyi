"""The names of `tf.contrib.summary`."""

from minitf.compat.contrib.summary_ops import SummaryWriter as SummaryWriter
from minitf.compat.contrib.summary_ops import all_summary_ops as all_summary_ops
from minitf.compat.contrib.summary_ops import always_record_summaries as always_record_summaries
from minitf.compat.contrib.summary_ops import audio as audio
from minitf.compat.contrib.summary_ops import create_file_writer as create_file_writer
from minitf.compat.contrib.summary_ops import create_summary_file_writer as create_summary_file_writer
from minitf.compat.contrib.summary_ops import eval_dir as eval_dir
from minitf.compat.contrib.summary_ops import flush as flush
from minitf.compat.contrib.summary_ops import generic as generic
from minitf.compat.contrib.summary_ops import graph as graph
from minitf.compat.contrib.summary_ops import histogram as histogram
from minitf.compat.contrib.summary_ops import image as image
from minitf.compat.contrib.summary_ops import initialize as initialize
from minitf.compat.contrib.summary_ops import never_record_summaries as never_record_summaries
from minitf.compat.contrib.summary_ops import record_summaries_every_n_global_steps as record_summaries_every_n_global_steps
from minitf.compat.contrib.summary_ops import scalar as scalar
from minitf.compat.contrib.summary_ops import should_record_summaries as should_record_summaries
from minitf.compat.contrib.summary_ops import summary_writer_initializer_op as summary_writer_initializer_op
