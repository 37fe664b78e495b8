"""Rows replaced in each part of a batch; products of matrices with many zeros."""

from ..case import programs

PROGRAMS = {
    "batch_scatter_update": """
        v = tf.get_variable("v", initializer=np.zeros([2, 3, 2], np.float32))
        places = tf.constant([[0, 2], [1, 0]], tf.int64)
        rows = tf.reshape(tf.range(1., 9.), [2, 2, 2])
        by_name = tf.batch_scatter_update(v, places, rows, name="rows")
        flat = tf.get_variable("flat", initializer=np.zeros([4], np.float32))
        by_method = flat.batch_scatter_update(tf.IndexedSlices(tf.constant([5., 6.]), tf.constant([1, 3])))
        run(tf.global_variables_initializer())
        show("name", by_name.name.split("/")[0], by_name.shape, by_name.dtype)
        show("rows", run(by_name), "read", run(v))
        show("method", run(by_method))
        fails(lambda: tf.batch_scatter_update(v, tf.placeholder(tf.int32, None), rows))
        fails(lambda: run(tf.batch_scatter_update(v, tf.constant([[0, 3], [1, 0]]), rows)))
    """,
}

CASES = programs("batches_of_rows", PROGRAMS)
