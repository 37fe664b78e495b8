"""`tf.summary` called as in version 1 and as in version 2, eagerly and in a graph."""

import numpy as np

import minitf as tf


def _written(folder) -> list[tuple]:
    (path,) = folder.iterdir()
    return [
        (e.step, v.tag, v.metadata.plugin_data.plugin_name, tf.make_ndarray(v.tensor).tolist())
        for e in tf.train.summary_iterator(str(path))
        for v in e.summary.value
    ]


def test_in_a_graph_they_are_operations(tmp_path) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        step = tf.placeholder(tf.int64, [])
        writer = tf.summary.create_file_writer(str(tmp_path))
        with writer.as_default(step), tf.summary.record_if(step > 0):
            tf.summary.histogram("h", data=tf.constant([1.0, 2.0]), buckets=1)
            tf.summary.scalar("s", data=tf.constant(3.0))
        assert len(tf.summary.all_v2_summary_ops()) == 2
        for now in range(3):
            sess.run(tf.summary.all_v2_summary_ops(), {step: now})
        sess.run(writer.close())
    written = _written(tmp_path)
    assert [row[:3] for row in written if row[1] == "s"] == [
        (1, "s", "scalars"),
        (2, "s", "scalars"),
    ]
    assert all(np.allclose(row[3], [[1, 2, 2]]) for row in written if row[1] == "h")
    assert len(written) == 4
