"""The namespace `tf.python_io`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.framework.records: TFRecordCompressionType TFRecordOptions TFRecordWriter
    tf_record_iterator
""",
)
