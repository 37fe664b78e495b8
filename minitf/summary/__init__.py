"""Summaries and the files that TensorBoard reads. The package is at the same time `tf.summary`.

The summary ops stand in `minitf/ops/summary.py`; here are the writer of event files and what it
needs. The messages (`Summary`, `Event`, ...) are those of the `tensorboard` package.
"""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.ops.summary: audio get_summary_description histogram image merge merge_all scalar
    tensor_summary text
minitf.ops.summary_protos: Event HistogramProto SessionLog Summary SummaryDescription
    SummaryMetadata TaggedRunMetadata
minitf.summary.writer: FileWriter FileWriterCache
""",
)
