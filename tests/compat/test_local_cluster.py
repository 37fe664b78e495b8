"""A cluster of servers in one process, for the tests of programs."""

import pytest

import minitf as tf


def test_servers_share_the_variables_of_a_parameter_server() -> None:
    pytest.importorskip("distributed", reason="Dask distributed is not installed")
    workers, ps = tf.test.create_local_cluster(num_workers=2, num_ps=1)
    assert (len(workers), len(ps)) == (2, 1)
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            shared = tf.Variable(1, name="shared")
        more = shared.assign_add(1)
        with tf.Session(workers[0].target) as first, tf.Session(workers[1].target) as second:
            first.run(shared.initializer)
            first.run(more)
            assert second.run(shared) == 2
