"""Formats of files: checkpoints, event files, TFRecords and examples, byte for byte TensorFlow's.

wire  sstable                protocol buffers, sorted tables
messages  graph_message      the fields of all messages, their text; graphs
tensor_bundle                a checkpoint: an index and its data       checkpoint_*  reading one
records  protobuf_messages   TFRecord files and what stands in them; messages in text
summary_protos               what TensorBoard reads
file_io                      `tf.gfile`: files, folders and patterns
"""
