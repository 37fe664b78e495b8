"""Convolutions: values, gradients by both tensors, names, errors."""

from ..case import programs, table

PRELUDE = """
    R = np.random.RandomState(3)
    x = tf.constant(R.randn(2, 7, 6, 3).astype("f"), name="x"); w = tf.constant(R.randn(3, 3, 3, 4).astype("f"), name="w")
    x0 = tf.constant(R.randn(2, 8, 8, 1).astype("f")); w0 = tf.constant(R.randn(5, 5, 1, 2).astype("f"))
    d = tf.constant(R.randn(3, 3, 3, 2).astype("f")); p = tf.constant(R.randn(1, 1, 6, 5).astype("f"))
    x1 = tf.constant(R.randn(2, 9, 3).astype("f")); w1 = tf.constant(R.randn(3, 3, 4).astype("f"))
    y = tf.constant(R.randn(2, 7, 6, 4).astype("f")); y1 = tf.constant(R.randn(2, 9, 4).astype("f"))
    unknown = tf.placeholder_with_default(x, [None, None, None, 3])
"""

ROWS = """
same | tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME") | x w
valid | tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="VALID") | x w
positional | tf.nn.conv2d(x, w, [1, 2, 2, 1], "SAME", True, "NHWC", name="layer") | x w
strides_2 | tf.nn.conv2d(x, w, [1, 2, 2, 1], "SAME") | x w
strides_2_valid | tf.nn.conv2d(x, w, [1, 2, 2, 1], "VALID") | x w
strides_uneven | tf.nn.conv2d(x, w, [1, 3, 2, 1], "SAME") | x w
strides_3 | tf.nn.conv2d(x, w, 3, "VALID") | x w
strides_one_number | tf.nn.conv2d(x, w, 2, "SAME") | x w
strides_two_numbers | tf.nn.conv2d(x, w, [2, 1], "SAME") | x w
keywords | tf.nn.conv2d(input=x, filters=w, strides=[1, 1, 1, 1], padding="SAME", name="c") | x w
explicit | tf.nn.conv2d(x, w, [1, 1, 1, 1], [[0, 0], [1, 2], [0, 1], [0, 0]]) | x w
explicit_strided | tf.nn.conv2d(x, w, [1, 2, 2, 1], [[0, 0], [3, 2], [1, 4], [0, 0]]) | x w
dilated | tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME", dilations=[1, 2, 1, 1])
dilated_valid | tf.nn.conv2d(x, w, [1, 1, 1, 1], "VALID", dilations=[1, 2, 2, 1])
one_channel | tf.nn.conv2d(x0, w0, [1, 1, 1, 1], "SAME") | x0 w0
one_channel_strided | tf.nn.conv2d(x0, w0, [1, 2, 2, 1], "VALID") | x0 w0
pointwise | tf.nn.conv2d(x, w[:1, :1], [1, 1, 1, 1], "VALID") | x w
pointwise_strided | tf.nn.conv2d(x, w[:1, :1], [1, 2, 2, 1], "SAME") | x w
to_one_feature | tf.nn.conv2d(x, w[..., :1], [1, 1, 1, 1], "SAME") | x w
window_larger_than_image | tf.nn.conv2d(x0[:, :2, :3], w0, [1, 1, 1, 1], "SAME") | x0 w0
window_of_the_image | tf.nn.conv2d(x0[:, :5, :5], w0, [1, 1, 1, 1], "VALID") | x0 w0
float64 | tf.nn.conv2d(tf.cast(x, tf.float64), tf.cast(w, tf.float64), [1, 1, 1, 1], "SAME") | x w
unknown_sizes | tf.nn.conv2d(unknown, w, [1, 2, 2, 1], "SAME") | x w
unknown_sizes_valid | tf.nn.conv2d(unknown, w, [1, 1, 1, 1], "VALID") | x w
empty_batch | tf.nn.conv2d(x[:0], w, [1, 1, 1, 1], "SAME")
second_order | tf.gradients(tf.reduce_sum(tf.gradients(tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME"), x)[0] ** 2), w)
second_order_by_filter | tf.gradients(tf.reduce_sum(tf.gradients(tf.nn.conv2d(x, w, [1, 2, 2, 1], "VALID"), w)[0] ** 2), x)
backprop_input | tf.nn.conv2d_backprop_input([2, 7, 6, 3], w, y, [1, 1, 1, 1], "SAME") | w y
transpose | tf.nn.conv2d_transpose(y, w, [2, 14, 12, 3], [1, 2, 2, 1]) | y w
transpose_odd | tf.nn.conv2d_transpose(y, w, [2, 13, 11, 3], [1, 2, 2, 1], "SAME") | y w
transpose_valid | tf.nn.conv2d_transpose(y, w, [2, 9, 8, 3], [1, 1, 1, 1], padding="VALID") | y w
transpose_valid_strided | tf.nn.conv2d_transpose(y, w, [2, 15, 13, 3], 2, "VALID", name="up") | y w
transpose_keywords | tf.nn.conv2d_transpose(input=y, filters=w, output_shape=[2, 7, 6, 3], strides=1) | y w
transpose_of_tensor_shape | tf.nn.conv2d_transpose(y, w, tf.stack([tf.shape(y)[0], 14, 12, 3]), [1, 2, 2, 1]) | y w
transpose_fed_shape | tf.nn.conv2d_transpose(y, w, tf.placeholder_with_default([2, 14, 12, 3], [4]), [1, 2, 2, 1]) | y w
depthwise | tf.nn.depthwise_conv2d(x, d, [1, 1, 1, 1], "SAME") | x d
depthwise_valid | tf.nn.depthwise_conv2d(x, d, [1, 1, 1, 1], "VALID", name="dw") | x d
depthwise_strided | tf.nn.depthwise_conv2d(x, d, [1, 2, 2, 1], "SAME") | x d
depthwise_strided_valid | tf.nn.depthwise_conv2d(x, d, [1, 2, 2, 1], "VALID") | x d
depthwise_explicit | tf.nn.depthwise_conv2d(x, d, [1, 1, 1, 1], [[0, 0], [1, 0], [0, 2], [0, 0]]) | x d
separable | tf.nn.separable_conv2d(x, d, p, [1, 1, 1, 1], "SAME") | x d p
separable_strided | tf.nn.separable_conv2d(x, d, p, [1, 2, 2, 1], "VALID", name="sep") | x d p
conv1d | tf.nn.conv1d(x1, w1, 1, "SAME") | x1 w1
conv1d_strided | tf.nn.conv1d(x1, w1, stride=2, padding="VALID") | x1 w1
conv1d_dilated | tf.nn.conv1d(x1, w1, 1, "VALID", dilations=2) | x1 w1
conv1d_keywords | tf.nn.conv1d(value=x1, filters=w1, stride=2, padding="SAME", data_format="NWC", name="seq") | x1 w1
convolution | tf.nn.convolution(x, w, "SAME") | x w
convolution_strided | tf.nn.convolution(x, w, "VALID", strides=[2, 1], name="c") | x w
convolution_1d | tf.nn.convolution(x1, w1, "SAME", strides=[2]) | x1 w1
layer | tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME"), [.1, .2, .3, .4])) | x w
"""

DILATED = """
atrous | tf.nn.atrous_conv2d(x, w, 2, "SAME")
atrous_valid | tf.nn.atrous_conv2d(x, w, rate=2, padding="VALID", name="holes")
atrous_one | tf.nn.atrous_conv2d(x, w, 1, "SAME")
convolution_dilated | tf.nn.convolution(x, w, "SAME", dilation_rate=[2, 3])
convolution_1d_dilated | tf.nn.convolution(x1, w1, "VALID", dilation_rate=[3])
depthwise_dilated | tf.nn.depthwise_conv2d(x, d, [1, 1, 1, 1], "SAME", rate=[2, 2])
depthwise_dilated_valid | tf.nn.depthwise_conv2d(x, d, [1, 1, 1, 1], "VALID", dilations=[2, 1])
separable_dilated | tf.nn.separable_conv2d(x, d, p, [1, 1, 1, 1], "SAME", rate=[2, 2])
"""

ERRORS = """
strides_of_three | tf.nn.conv2d(x, w, [1, 2, 1], "SAME")
unknown_padding | tf.nn.conv2d(x, w, [1, 1, 1, 1], "same")
no_padding | tf.nn.conv2d(x, w, [1, 1, 1, 1])
unknown_format | tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME", data_format="NHCW")
too_few_margins | tf.nn.conv2d(x, w, [1, 1, 1, 1], [[1, 1], [2, 2]])
uneven_margins | tf.nn.conv2d(x, w, [1, 1, 1, 1], [[0, 0], [1, 1, 1], [2, 2], [0, 0]])
margin_of_the_batch | tf.nn.conv2d(x, w, [1, 1, 1, 1], [[1, 0], [1, 1], [2, 2], [0, 0]])
window_too_large | tf.nn.conv2d(x[:, :2], w, [1, 1, 1, 1], "VALID")
other_depth | tf.nn.conv2d(x[..., :2], w, [1, 1, 1, 1], "VALID")
rank | tf.nn.conv2d(x1, w, [1, 1, 1, 1], "VALID")
rank_of_filter | tf.nn.conv2d(x, w1, [1, 1, 1, 1], "VALID")
both_filters | tf.nn.conv2d(x, w, [1, 1, 1, 1], "VALID", filters=w)
int64 | tf.nn.conv2d(tf.cast(x, tf.int64), w, [1, 1, 1, 1], "SAME")
mixed_types | tf.nn.conv2d(x, tf.cast(w, tf.float64), [1, 1, 1, 1], "SAME")
transpose_depth | tf.nn.conv2d_transpose(x, w, [2, 14, 12, 3], 2)
separable_depth | tf.nn.separable_conv2d(x, d, p[:, :, :5], [1, 1, 1, 1], "SAME")
depthwise_depth | tf.nn.depthwise_conv2d(x[..., :2], d, [1, 1, 1, 1], "SAME")
"""

CASES = [
    # sums of some hundred products, in another order
    *table("conv", PRELUDE, ROWS, rtol=3e-5),
    *table("conv", PRELUDE + "\n    check = lambda t: show(run(t), t.shape, t.dtype)", DILATED),
    *table("conv_errors", PRELUDE, ERRORS, word="fails"),
    *programs(
        "conv",
        {
            "channels_first": """
            x = tf.placeholder(tf.float32, [2, 3, 7, 6], name="x"); w = tf.placeholder(tf.float32, [3, 3, 3, 4], name="w")
            show(tf.nn.conv2d(x, w, [1, 1, 2, 2], "SAME", data_format="NCHW"), tf.nn.conv2d(x, w, 2, "VALID", data_format="NCHW"))
            show(tf.nn.max_pool(x, 2, 2, "SAME", data_format="NCHW"), tf.nn.avg_pool(x, [1, 1, 2, 2], [1, 1, 2, 2], "VALID", data_format="NCHW"))
            show(tf.nn.conv1d(tf.placeholder(tf.float32, [2, 3, 9]), tf.zeros([3, 3, 4]), 2, "SAME", data_format="NCW"))
        """,
            "names": """
            x = tf.placeholder(tf.float32, [None, 28, 28, 1], name="x"); w = tf.Variable(tf.ones([5, 5, 1, 32]), name="w")
            with tf.name_scope("layer"):
                h = tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME")
                y = tf.nn.max_pool(tf.nn.relu(h), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
            show(h, y, tf.nn.conv2d(x, w, 1, "SAME"), tf.nn.conv2d(x, w, 1, "SAME"), h.op.type, y.op.type)
            show(tf.gradients(y, [x, w]))
            show(h.op.get_attr("strides"))
        """,
            "network": """
            R = np.random.RandomState(0)
            x = tf.constant(R.rand(4, 12, 12, 1).astype("f")); t = tf.one_hot([0, 1, 2, 1], 3)
            w1 = tf.Variable(R.randn(5, 5, 1, 4).astype("f") * .2, name="w1"); w2 = tf.Variable(R.randn(3, 3, 4, 6).astype("f") * .2, name="w2")
            w3 = tf.Variable(R.randn(54, 3).astype("f") * .2, name="w3")
            h = tf.nn.max_pool(tf.nn.relu(tf.nn.conv2d(x, w1, strides=[1, 1, 1, 1], padding="SAME")), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
            h = tf.nn.max_pool(tf.nn.relu(tf.nn.conv2d(h, w2, strides=[1, 1, 1, 1], padding="SAME")), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
            logits = tf.matmul(tf.reshape(h, [-1, 54]), w3)
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=t, logits=logits))
            check(loss, w1, w2, w3)
            step = tf.train.GradientDescentOptimizer(.1).minimize(loss)
            for _ in range(5): run(step)
            show(run([loss, w1, w3]))
        """,
        },
        rtol=1e-4,
    ),
]
