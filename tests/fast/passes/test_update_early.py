"""Where updates stand in a program."""

import minitf as tf


def places(program, *words):
    """The line of each word's last appearance."""
    lines = program.splitlines()
    return [max(i for i, line in enumerate(lines) if word in line) for word in words]


def test_each_gradient_is_used_before_the_next_one_is_made() -> None:
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    h = tf.layers.dense(x, 5, activation=tf.nn.relu, name="one")
    y = tf.layers.dense(h, 6, name="two")
    train = tf.train.AdamOptimizer().minimize(tf.reduce_mean(tf.square(y)))
    with tf.Session() as sess:
        program = sess.explain(train, [x]).program
    second, first = places(program, "(two_kernel, ", "(one_kernel, ")
    reads_old, makes_first = places(program, ", two_kernel_read", "one_MatMul_grad_MatMul_1 = ")
    assert reads_old < second < makes_first <= first


def test_a_reader_of_the_old_value_keeps_it() -> None:
    w = tf.Variable([2.0, 3.0])
    old = w * 10.0
    train = tf.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_sum(w), var_list=[w])
    with tf.control_dependencies([train]):
        new = w.read_value()
    with tf.Session() as sess:
        sess.run(w.initializer)
        was, now = sess.run([old, new])
    assert was.tolist() == [20, 30] and now.tolist() == [1, 2]
