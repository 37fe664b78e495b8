"""The names of `tf.summary`."""

from minitf.compat.contrib.summary_ops import all_summary_ops as all_v2_summary_ops
from minitf.compat.internals.summary_v2 import SummaryWriter as SummaryWriter
from minitf.compat.internals.summary_v2 import audio_of_both as audio
from minitf.compat.internals.summary_v2 import create_file_writer as create_file_writer
from minitf.compat.internals.summary_v2 import histogram_of_both as histogram
from minitf.compat.internals.summary_v2 import image_of_both as image
from minitf.compat.internals.summary_v2 import record_if as record_if
from minitf.compat.internals.summary_v2 import scalar_of_both as scalar
from minitf.compat.internals.summary_v2 import should_record_summaries as should_record_summaries
from minitf.library.formats.summary_protos import Event as Event
from minitf.library.formats.summary_protos import HistogramProto as HistogramProto
from minitf.library.formats.summary_protos import SessionLog as SessionLog
from minitf.library.formats.summary_protos import Summary as Summary
from minitf.library.formats.summary_protos import SummaryDescription as SummaryDescription
from minitf.library.formats.summary_protos import SummaryMetadata as SummaryMetadata
from minitf.library.formats.summary_protos import TaggedRunMetadata as TaggedRunMetadata
from minitf.library.sessions.file_writer import FileWriter as FileWriter
from minitf.library.sessions.file_writer import FileWriterCache as FileWriterCache
from minitf.library.summary.summary import merge as merge
from minitf.library.summary.summary import merge_all as merge_all

__all__ = [
    "Event", "FileWriter", "FileWriterCache", "HistogramProto", "SessionLog", "Summary",
    "SummaryDescription", "SummaryMetadata", "SummaryWriter", "TaggedRunMetadata",
    "all_v2_summary_ops", "audio", "create_file_writer", "histogram", "image", "merge",
    "merge_all", "record_if", "scalar", "should_record_summaries"
]
