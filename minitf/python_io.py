"""The namespace `tf.python_io`: names only."""

from minitf.framework.records import (
    TFRecordCompressionType,
    TFRecordOptions,
    TFRecordWriter,
    tf_record_iterator,
)

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
