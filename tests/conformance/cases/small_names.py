"""Small names of 1.15: rows that are all alike, axes merged, shapes of ints, messages, fingerprints."""

from ..case import programs, table

_RAGGED = """
R = tf.RaggedTensor
three = tf.ragged.constant([[[1, 2], [3]], [[4]], []]); plain = tf.ragged.constant([[1, 2], [], [3]])
deep = tf.ragged.constant([[[1, 2], [3, 7]], [[4, 5]]], ragged_rank=1); four = tf.ragged.constant([[[[1], []]], [], [[[2, 3]], [[4]]]])
six = [1, 2, 3, 4, 5, 6]
"""


_ROWS_FAIL = """
numpy | plain.numpy()
"""


_KEYWORDS = """
nextafter | tf.math.nextafter(x1=[1.0, -1.0], x2=2.0)
atan2 | tf.atan2(y=1.0, x=-2.0)
"""

_DEFAULTS = """
lrn | tf.nn.lrn(tf.reshape(tf.range(16.0), [1, 2, 2, 4]), depth_radius=None, bias=None, alpha=None, beta=None)
leaky | tf.nn.leaky_relu([-2.0, 3.0], alpha=None)
argmax | tf.argmax([1.0, 3.0, 2.0], output_type=None)
argmin | tf.argmin([1.0, 3.0, 2.0], 0, output_type=None)
unique | tf.unique([3, 3, 1], out_idx=None)
counted | tf.unique_with_counts([3, 3, 1], out_idx=None)
number | tf.string_to_number(["1.5"], out_type=None)
top | tf.nn.top_k([1, 3, 2], 2, sorted=None).values
bias | tf.nn.bias_add([[1.0, 2.0]], [3.0, 4.0], data_format=None)
raw | tf.decode_raw([b"ab"], tf.uint8, little_endian=None)
inverse | tf.matrix_inverse([[2.0, 1.0], [3.0, 4.0]], adjoint=None)
"""

CASES = [
    *table("small/keywords", "", _KEYWORDS, word="value"),
    *table("small/defaults", "", _DEFAULTS),
    *table("small/ragged_fail", _RAGGED, _ROWS_FAIL, word="fails"),
    *programs(
        "small",
        {
            "shapes_of_ints": """
            s = tf.placeholder(tf.float32, [None, 3, 4]).shape
            tf.enable_v2_tensorshape()
            try:
                first, second, third = s
                show(first, second, third, s[0], s[1], type(s[1]).__name__, s[-1], s[1:], list(s), [d for d in s], s.dims, s.as_list(), s == [None, 3, 4], str(s))
                show(tf.TensorShape(None)[0], tf.TensorShape(None)[1:].ndims, tf.TensorShape([2, None]).concatenate([3])[1], s.merge_with([1, None, None])[0], int(np.prod(s[1:])), tuple(tf.zeros([2, 5]).shape))
                fails(list, tf.TensorShape(None)); fails(lambda: tf.TensorShape([3])[5])
                y = tf.layers.dense(tf.placeholder(tf.float32, [None, 5], name="x"), 7); z = tf.nn.conv2d(tf.zeros([1, 4, 4, 2]), tf.zeros([2, 2, 2, 3]), 1, "SAME")
                show(y.shape[1], z.shape, run(tf.reduce_sum(tf.zeros(z.shape[1:]))), tf.matmul(tf.zeros([2, 3]), tf.zeros([3, 4])).shape[1] + 1)
            finally:
                tf.disable_v2_tensorshape()
            show(s[1], list(s), tf.TensorShape(None)[0])
            """,
            "queue_runners": """
            queue = tf.FIFOQueue(1, tf.int32, name="q"); runner = tf.train.queue_runner.QueueRunner(queue, [queue.enqueue(1)])
            tf.train.queue_runner.add_queue_runner(runner); show(tf.train.queue_runner.QueueRunner is tf.train.QueueRunner, len(tf.get_collection("queue_runners")), tf.train.queue_runner.start_queue_runners is tf.train.start_queue_runners)
            """,
            "types_of_values": """
            spec = tf.type_spec_from_value
            show(str(spec(tf.constant([1.0]))), str(spec(tf.ragged.constant([[1]]))), str(spec(tf.SparseTensor([[0, 1]], [2.0], [3, 4]))), str(spec(tf.placeholder(tf.int32, [None, 2]))))
            show(str(spec(np.array([1]))), str(spec([1])), str(spec("a")), str(spec(3)), str(spec([[1.5], [2.5]])), str(spec(np.float64(2))))
            fails(spec, len)
            """,
            "messages": """
            m = tf.NameAttrList(name="f", attr={"n": tf.AttrValue(i=3)})
            show(str(m), m.name, m.attr["n"].i, sorted(m.attr)); m.attr["n"].i = 4; m.name = "g"; show(str(m)); other = tf.NameAttrList(); other.CopyFrom(m); show(other == m, str(tf.NameAttrList()), other.SerializeToString() == m.SerializeToString())
            log = tf.LogMessage(level=tf.LogMessage.WARN, message="x"); show(str(log), log.level, tf.LogMessage.ERROR, log.SerializeToString())
            info = tf.TensorInfo(name="x:0", dtype=tf.float32.as_datatype_enum); show(info.name)
            show(tf.sparse.SparseConditionalAccumulator is tf.SparseConditionalAccumulator)
            """,
            "sparse_members": """
            s = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], tf.placeholder_with_default(np.array([3, 4]), [2]))
            show(s.shape); s.set_shape([3, None]); show(s.shape, run(s.with_values([5, 6])).values, s.with_values([5, 6]).dtype, s.with_values([5, 6]).shape)
            fails(s.set_shape, [4, 4]); fails(s.with_values, [1, 2, 3])
            """,
            "module": """
            class Both(tf.Module):
                def __init__(self):
                    super().__init__()
                    self.a = tf.Variable(1.0, name="a"); self.b = tf.Variable(2.0, trainable=False, name="b"); self.c = [tf.Variable(3.0, trainable=False, name="c")]
            show([v.name for v in Both().non_trainable_variables], [v.name for v in Both().trainable_variables])
            """,
            "fields_given_up": """
            c = tf.constant(1.0, name="c"); y = tf.identity(c, name="y"); g = tf.get_default_graph().as_graph_def()
            node = g.node[1]; node.device = "/cpu:0"; node.ClearField("device"); node.ClearField("input"); node.ClearField("attr"); show(node.name, node.op, list(node.input), node.device, len(node.attr))
            g.ClearField("library"); show(len(g.node)); g.ClearField("node"); show(len(g.node)); fails(lambda: node.ClearField("zz"))
            config = tf.ConfigProto(allow_soft_placement=True, device_count={"CPU": 2}); config.ClearField("allow_soft_placement"); show(config.allow_soft_placement, config.device_count["CPU"]); config.ClearField("device_count"); show(len(config.device_count))
            meta = tf.train.export_meta_graph(); show(meta.ByteSize() == len(meta.SerializeToString()))
            """,
        },
    ),
]
