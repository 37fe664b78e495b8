"""The namespace `tf.io`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf: gfile=io_gfile
minitf.framework.records: TFRecordCompressionType TFRecordOptions TFRecordWriter
    tf_record_iterator
minitf.ops.example_parsing: FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature
    parse_example parse_single_example parse_single_sequence_example
minitf.ops.files: matching_files read_file write_file
minitf.ops.image_codec: decode_and_crop_jpeg decode_bmp decode_gif decode_image decode_jpeg
    decode_png encode_jpeg encode_png extract_jpeg_shape is_jpeg
minitf.ops.parsing: decode_csv decode_raw parse_tensor serialize_tensor
minitf.ops.queues: PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue
minitf.ops.string_codes: decode_base64 encode_base64
minitf.train.input_producers: match_filenames_once
minitf.train.meta_graph: write_graph
""",
)
