"""Numbers rounded to few bits, and the gradients through the rounding."""

import textwrap

from ..case import programs, table

PRELUDE = """
    q = tf.quantization
    x = tf.constant([[-7., -.4, -.1, 0., .26], [.55, 1.1, 2.9, 3.1, 9.]], name="x")
    lo = tf.constant(-1.2); hi = tf.constant(3.3)
    los = tf.constant([-1., -2., 0., -.5, -3.]); his = tf.constant([1., 2., 3., 4., 5.])
"""

ROWS = """
args | q.fake_quant_with_min_max_args(x) | x
args_narrow | q.fake_quant_with_min_max_args(x, -2., 3., num_bits=4, narrow_range=True) | x
vars | q.fake_quant_with_min_max_vars(x, lo, hi) | x lo hi
vars_4_bits | q.fake_quant_with_min_max_vars(x, lo, hi, num_bits=4) | x lo hi
vars_narrow | tf.fake_quant_with_min_max_vars(x, lo, hi, num_bits=3, narrow_range=True) | x lo hi
vars_from_zero | q.fake_quant_with_min_max_vars(x, 0., hi) | x hi
vars_positive_range | q.fake_quant_with_min_max_vars(x, .5, hi, num_bits=4) | x hi
vars_nothing | q.fake_quant_with_min_max_vars(x, 0., 0.)
per_channel | q.fake_quant_with_min_max_vars_per_channel(x, los, his, num_bits=5) | x los his
per_channel_vector | q.fake_quant_with_min_max_vars_per_channel(x[0], los, his) | x los his
vars_gradient | tf.concat([tf.reshape(g, [-1]) for g in q.fake_quant_with_min_max_vars_gradient(x * 2., x, lo, hi)], 0)
args_gradient | q.fake_quant_with_min_max_args_gradient(x * 2., x, -2., 2.)
per_channel_gradient | tf.concat([tf.reshape(g, [-1]) for g in q.fake_quant_with_min_max_vars_per_channel_gradient(x * 2., x, los, his)], 0)
args_none | q.fake_quant_with_min_max_args(x, None, None, None, None)
vars_none | q.fake_quant_with_min_max_vars(x, lo, hi, num_bits=None, narrow_range=None)
args_gradient_none | q.fake_quant_with_min_max_args_gradient(x * 2., x, min=None, num_bits=None)
batch_norm_none | tf.nn.fused_batch_norm(tf.reshape(x, [1, 2, 5, 1]), [2.], [1.], epsilon=None, data_format=None)[0]
response_none | tf.nn.lrn(tf.reshape(x, [1, 1, 2, 5]), None, None, alpha=None, beta=None)
text_none | tf.as_string(x, None, fill=None)
both | q.quantize_and_dequantize(x, 0., 0.) | x
both_given | q.quantize_and_dequantize(x, -2., 3., range_given=True)
both_narrow | q.quantize_and_dequantize(x, -2., 3., range_given=True, narrow_range=True, num_bits=4)
both_unsigned | q.quantize_and_dequantize(tf.abs(x), 0., 3., signed_input=False, range_given=True, num_bits=3)
both_half_up | q.quantize_and_dequantize(x, 0., 0., num_bits=4, round_mode="HALF_UP")
both_axis | q.quantize_and_dequantize(x, los, his, range_given=True, axis=1, num_bits=4)
both_axis_found | q.quantize_and_dequantize(x, [0., 0.], [0., 0.], axis=0, num_bits=4)
both_float64 | q.quantize_and_dequantize(tf.cast(x, tf.float64), -2., 3., range_given=True, num_bits=5)
"""

#: programs whose graph is trained as if its products took few bits
TRAINING = {
    "training": """
    x = tf.placeholder(tf.float32, [None, 4], "x"); w = tf.get_variable("w", initializer=np.linspace(-1, 1, 12).reshape(4, 3).astype("f"), use_resource=False)
    h = tf.nn.relu6(tf.matmul(x, w)); k = tf.constant(np.linspace(-2, 2, 8).reshape(2, 2, 1, 2), tf.float32)
    y = tf.nn.conv2d(tf.reshape(tf.nn.relu(h), [-1, 3, 1, 1]), k, [1, 1, 1, 1], "SAME"); z = tf.matmul(tf.tanh(h), tf.transpose(w[:2]), name="z"); tf.identity(y, "y"); tf.train.Saver()
    graph_def = tf.train.do_quantize_training_on_graphdef(tf.get_default_graph().as_graph_def(), 5); path = folder + "/model"; feed = lambda i: {"x:0": [[1, -2, .5, i], [3, 1, i, 1]]}
    with tf.Graph().as_default() as g, tf.Session() as s:
        tf.import_graph_def(graph_def, name=""); s.run("w/Assign")
        for i in range(3): show(s.run(["y:0", "z:0"], feed(i)), s.run(["x/Max/Variable:0", "x/Min/Variable:0", "w/read/Max/Variable:0"]))
        s.run("save/control_dependency:0", {"save/Const:0": path}); show(sorted(tf.train.list_variables(path)))
    with tf.Session(graph=g) as s: s.run("save/restore_all", {"save/Const:0": path}); show(s.run(["y:0", "z:0"], feed(7)), s.run("x/Max/Variable:0"))
    """,
    "training_errors": """
    def fails(function, *args):  # 2.15 gives such errors the types of Python's own
        try: function(*args)
        except Exception as error: show(getattr(error, "message", str(error)))
    rewrite = lambda bits: tf.train.do_quantize_training_on_graphdef(tf.get_default_graph().as_graph_def(), bits)
    x = tf.placeholder(tf.float32, [2, 2], "x"); y = tf.matmul(x, x + 1); fails(rewrite, 0); fails(rewrite, 64); show(sorted(n.name for n in rewrite(2).node if n.op == "MatMul"))
    tf.matmul(x * 2, x, name="two"); fails(rewrite, 8)
    """,
    "training_savers": """
    def fails(function, *args):
        try: function(*args)
        except Exception as error: show(getattr(error, "message", str(error)))
    rewrite = lambda: tf.train.do_quantize_training_on_graphdef(tf.get_default_graph().as_graph_def(), 8)
    w = tf.get_variable("w", [2, 2], use_resource=False); tf.matmul(w, w); tf.raw_ops.SaveV2(prefix="p", tensor_names=["w"], shape_and_slices=[""], tensors=[tf.ones([2])]); fails(rewrite); tf.train.Saver(); fails(rewrite)
    """,
}
CASES = [
    *table("quantization", PRELUDE, ROWS, rtol=1e-4, word="value"),
    *programs("quantization", {k: textwrap.dedent(v) for k, v in TRAINING.items()}),
]
