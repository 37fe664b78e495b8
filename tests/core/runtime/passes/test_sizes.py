"""Which unknown sizes are surely equal."""

import minitf as tf
from minitf.core.runtime.passes.sizes import Sizes
from minitf.core.runtime.plan.subgraph import prune


def same(*tensors, feeds):
    """Whether all these tensors surely have one shape."""
    nodes = prune(tensors, (), feeds)
    sizes = Sizes(nodes)
    values = [node.inputs[0] for node in nodes if node.type == "_Retval"]
    return all(sizes.same(values[0], value) for value in values)


def test_a_batch_size_goes_through_a_network() -> None:
    x = tf.placeholder(tf.float32, [None, 28, 28, 1])
    h = tf.layers.conv2d(x, 4, 3, activation=tf.nn.relu)
    flat = tf.layers.flatten(h)
    y = tf.layers.dense(flat, 10)
    assert same(y, tf.nn.softmax(y), y * 2.0, tf.random_uniform(tf.shape(y)), feeds=[x])
    assert same(tf.reduce_sum(y, 1), x[:, 0, 0, 0], feeds=[x])


def test_feeds_of_unknown_sizes_are_not_the_same() -> None:
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 3])
    assert not same(x, y, feeds=[x, y])
    assert not same(x + y, x, feeds=[x, y])  # x may have one row, and y five


def test_losses_of_two_feeds_agree_with_their_gradient() -> None:
    with tf.Graph().as_default() as graph:
        logits = tf.placeholder(tf.float32, [None, 3])
        labels = tf.placeholder(tf.float32, [None, 3])
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, name="loss")
        op = graph.get_operation_by_name("loss")
        rows = tf.reduce_sum(op.outputs[1], 1)
    assert same(op.outputs[0], rows, feeds=[logits, labels])


def test_nothing_is_concluded_where_a_size_may_be_one() -> None:
    x = tf.placeholder(tf.float32, [None, 3])
    assert not same(tf.squeeze(x), x, feeds=[x])
    assert not same(x[:2], x, feeds=[x])
    unknown = tf.placeholder(tf.float32)
    assert not same(unknown + 1.0, unknown * x, feeds=[unknown, x])
    assert not same(tf.boolean_mask(x, x[:, 0] > 0), x, feeds=[x])
    assert not same(tf.concat([x, x], 0), x, feeds=[x])


def test_a_size_that_is_taken_out_and_put_into_another_shape_stays_the_same() -> None:
    x = tf.placeholder(tf.float32, [None, 4, 3])
    rows = tf.shape(x)[0]
    assert same(tf.zeros([rows, 3]), x[:, 0], tf.fill(tf.stack([rows, 3]), 1.0), feeds=[x])
    assert same(tf.zeros(tf.concat([tf.shape(x)[:1], [3]], 0)), x[:, 1], feeds=[x])
    assert same(*tf.unstack(x, axis=1), feeds=[x])
    cell = tf.nn.rnn_cell.GRUCell(3)
    _, state = tf.nn.static_rnn(cell, tf.unstack(x, axis=1), dtype=tf.float32)
    assert same(state, cell.zero_state(rows, tf.float32), x[:, 0], feeds=[x])


def test_a_size_that_was_computed_with_is_another_one() -> None:
    x = tf.placeholder(tf.float32, [None, 3])
    rows = tf.shape(x)[0]
    assert not same(tf.zeros([rows + 1, 3]), x, feeds=[x])
    assert not same(tf.zeros([rows // 2, 3]), x, feeds=[x])
    assert not same(*tf.split(tf.zeros([rows, 3]), 2), x, feeds=[x])
    assert not same(tf.zeros([tf.maximum(rows, 1), 3]), x, feeds=[x])
    other = tf.placeholder(tf.int32, [])
    assert not same(tf.zeros([other, 3]), x, feeds=[x, other])
