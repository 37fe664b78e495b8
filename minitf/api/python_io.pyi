"""The names of `tf.python_io`."""

from minitf.library.formats.records import TFRecordCompressionType as TFRecordCompressionType
from minitf.library.formats.records import TFRecordOptions as TFRecordOptions
from minitf.library.formats.records import TFRecordWriter as TFRecordWriter
from minitf.library.formats.records import tf_record_iterator as tf_record_iterator
