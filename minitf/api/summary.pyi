"""The names of `tf.summary`."""

from minitf.compat.contrib.summary_ops import SummaryWriter as SummaryWriter
from minitf.compat.contrib.summary_ops import all_summary_ops as all_v2_summary_ops
from minitf.compat.contrib.summary_ops import create_file_writer as create_file_writer
from minitf.compat.contrib.summary_ops import record_if as record_if
from minitf.compat.contrib.summary_ops import scalar_of_both as scalar
from minitf.library.formats.summary_protos import Event as Event
from minitf.library.formats.summary_protos import SessionLog as SessionLog
from minitf.library.formats.summary_protos import Summary as Summary
from minitf.library.sessions.file_writer import FileWriter as FileWriter
from minitf.library.sessions.file_writer import FileWriterCache as FileWriterCache
from minitf.library.summary.summary import histogram as histogram
from minitf.library.summary.summary import image as image
from minitf.library.summary.summary import merge as merge
from minitf.library.summary.summary import merge_all as merge_all

__all__ = [
    "Event", "FileWriter", "FileWriterCache", "SessionLog", "Summary", "SummaryWriter",
    "all_v2_summary_ops", "create_file_writer", "histogram", "image", "merge", "merge_all",
    "record_if", "scalar"
]
