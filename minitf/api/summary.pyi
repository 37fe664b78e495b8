"""The names of `tf.summary`."""

from minitf.library.formats.summary_protos import Event as Event
from minitf.library.formats.summary_protos import HistogramProto as HistogramProto
from minitf.library.formats.summary_protos import SessionLog as SessionLog
from minitf.library.formats.summary_protos import Summary as Summary
from minitf.library.formats.summary_protos import SummaryDescription as SummaryDescription
from minitf.library.formats.summary_protos import SummaryMetadata as SummaryMetadata
from minitf.library.formats.summary_protos import TaggedRunMetadata as TaggedRunMetadata
from minitf.library.sessions.file_writer import FileWriter as FileWriter
from minitf.library.sessions.file_writer import FileWriterCache as FileWriterCache
from minitf.library.summary.summary import audio as audio
from minitf.library.summary.summary import get_summary_description as get_summary_description
from minitf.library.summary.summary import histogram as histogram
from minitf.library.summary.summary import image as image
from minitf.library.summary.summary import merge as merge
from minitf.library.summary.summary import merge_all as merge_all
from minitf.library.summary.summary import scalar as scalar
from minitf.library.summary.summary import tensor_summary as tensor_summary
from minitf.library.summary.summary import text as text
