"""The names of `tf.profiler`."""

from minitf.library.formats.summary_protos import OpLogProto as OpLogProto
