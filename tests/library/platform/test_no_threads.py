"""What used to need threads, where none can start: pipelines, queue runners, strategies, events."""

import numpy as np
import pytest

import minitf as tf
from tests.graphs import graph as graph
from tests.graphs import sess as sess

pytestmark = pytest.mark.usefixtures("no_threads")


def started(session):
    """A coordinator of the queue runners, which fill when they are asked."""
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    return coordinator, tf.train.start_queue_runners(session, coordinator)


def test_a_pipeline_computes_elements_when_they_are_asked_for(sess):
    dataset = tf.data.Dataset.range(6).map(lambda x: x * 2, num_parallel_calls=2)
    dataset = dataset.interleave(lambda x: tf.data.Dataset.from_tensors(x), 2, 1, 2).prefetch(2)
    element = dataset.batch(6).make_one_shot_iterator().get_next()
    assert sess.run(element).tolist() == [0, 2, 4, 6, 8, 10]


def test_who_waits_lets_queue_runners_fill_even_more_than_fits(sess):
    number = tf.train.range_input_producer(100, 1, shuffle=False, capacity=4).dequeue()
    batch = tf.train.batch([number], 30, num_threads=2, allow_smaller_final_batch=True)
    coordinator, threads = started(sess)
    seen = []
    with pytest.raises(tf.errors.OutOfRangeError):
        while not coordinator.should_stop():
            seen.append(sess.run(batch).tolist())
    assert [len(each) for each in seen] == [30, 30, 30, 10]
    assert sum(seen, []) == list(range(100))
    coordinator.request_stop()
    coordinator.join(threads)


def test_a_shuffling_queue_holds_back_what_it_should(sess):
    number = tf.train.range_input_producer(20, 1, shuffle=False).dequeue()
    batch = tf.train.shuffle_batch([number], 5, capacity=12, min_after_dequeue=6, seed=1)
    started(sess)
    first = sess.run(batch).tolist()
    assert max(first) < 11 and first != sorted(first)


def test_an_error_of_a_runner_reaches_the_coordinator(sess):
    wrong = tf.constant(1) // tf.Variable(0, collections=["local_variables"])
    batch = tf.train.batch([wrong], 2)
    coordinator, threads = started(sess)
    with pytest.raises(tf.errors.OutOfRangeError, match="closed and has insufficient elements"):
        sess.run(batch)
    with pytest.raises(tf.errors.InvalidArgumentError, match="division"):
        coordinator.join(threads)


def test_runners_of_a_closed_session_leave_others_alone():
    queue = tf.FIFOQueue(3, tf.int32)
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(7)]))
    element = queue.dequeue()
    for _ in range(2):
        with tf.Session() as session:
            started(session)
            assert [session.run(element) for _ in range(4)] == [7] * 4


def test_replicas_meet_once_and_train_as_with_threads():
    strategy = tf.distribute.MirroredStrategy([f"/cpu:{i}" for i in range(3)])
    with strategy.scope():
        weight = tf.get_variable("w", [], initializer=tf.ones_initializer())
        optimizer = tf.train.GradientDescentOptimizer(0.1)

    def step(x):
        loss = tf.square(weight * x)
        update = optimizer.minimize(loss)
        with tf.control_dependencies([update]):
            return tf.identity(loss)

    rows = tf.data.Dataset.from_tensor_slices(np.float32([1, 2, 3])).batch(3)
    iterator = strategy.make_dataset_iterator(rows)
    losses = strategy.experimental_run_v2(step, (iterator.get_next(),))
    total = strategy.reduce(tf.distribute.ReduceOp.SUM, losses)
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 3})) as session:
        session.run([iterator.initialize(), tf.global_variables_initializer()])
        assert session.run(total) == 1 + 4 + 9
        np.testing.assert_allclose(session.run(weight), 1 - 0.1 * 2 * (1 + 4 + 9), rtol=1e-6)


def test_replicas_that_meet_twice_say_what_they_need():
    strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])

    def twice():
        context = tf.distribute.get_replica_context()
        for _ in range(2):
            context.merge_call(lambda strategy: None)

    with strategy.scope(), pytest.raises(RuntimeError, match="takes a thread for each"):
        strategy.experimental_run_v2(twice)


def test_replicas_that_meet_unequally_are_an_error():
    strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])

    def first_alone():
        context = tf.distribute.get_replica_context()
        if context._replica_id == 0:
            context.merge_call(lambda strategy: None)

    with strategy.scope(), pytest.raises(RuntimeError, match="a different number of"):
        strategy.experimental_run_v2(first_alone)


def test_events_are_written(tmp_path):
    pytest.importorskip("tensorboard")
    with tf.summary.FileWriter(tmp_path) as writer:
        value = tf.Summary.Value(tag="loss", simple_value=0.5)
        writer.add_summary(tf.Summary(value=[value]), 3)
    (path,) = tmp_path.iterdir()
    *_, event = tf.train.summary_iterator(str(path))
    assert (event.step, event.summary.value[0].simple_value) == (3, 0.5)


def test_where_no_thread_can_start_an_address_needs_no_port(monkeypatch):
    def refuse(*_):
        raise OSError("no sockets here")

    monkeypatch.setattr("socket.create_server", refuse)
    assert tf.cluster.free_address().startswith("localhost:")
