"""Pieces of sequences that train one after the other: `tf.contrib.training`'s state saver."""

import numpy as np
import pytest

import minitf as tf

training = tf.contrib.training


def _batch(**changed):
    given = {
        "input_key": "a",
        "input_sequences": {"x": tf.constant([[1.0], [2.0], [3.0]])},
        "input_context": {"c": tf.constant(7)},
        "input_length": None,
        "initial_states": {"h": tf.zeros([2])},
        "num_unroll": 2,
        "batch_size": 1,
        "num_threads": 1,
        "capacity": 1,
    }
    return training.batch_sequences_with_states(**{**given, **changed})


def _run(fetches, steps=1):
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        found = [sess.run(fetches) for _ in range(steps)]
        coord.request_stop()
        coord.join(threads)
    return found


def test_a_state_goes_from_each_piece_to_the_next():
    batch = _batch()
    save = batch.save_state("h", batch.state("h") + 1.0)
    fetches = {
        "key": batch.key,
        "next_key": batch.next_key,
        "x": batch.sequences["x"],
        "length": batch.length,
        "total": batch.total_length,
        "c": batch.context["c"],
        "h": batch.state("h"),
        "save": save,
        "sequence": batch.sequence,
        "count": batch.sequence_count,
        "size": batch.batch_size,
    }
    first, second, again = _run(fetches, 3)
    assert first["key"] == [b"00000_of_00002:a"] and first["next_key"] == second["key"]
    assert second["next_key"] == [b"STOP:a"] and again["key"] == first["key"]
    assert first["x"].tolist() == [[[1.0], [2.0]]] and second["x"].tolist() == [[[3.0], [0.0]]]
    assert (first["length"], second["length"], second["total"]) == ([2], [1], [3])
    assert (second["sequence"], second["count"], second["size"]) == ([1], [2], 1)
    assert first["c"] == second["c"] == [7]
    assert [each["h"].tolist() for each in (first, second, again)] == [[[0, 0]], [[1, 1]], [[0, 0]]]


def test_sparse_sequences_and_contexts():
    sparse = tf.SparseTensor([[0, 1], [2, 0]], ["p", "q"], [3, 2])
    batch = _batch(
        input_sequences={"x": sparse},
        input_context={"c": tf.SparseTensor([[1]], [5], [3])},
    )
    save = batch.save_state("h", batch.state("h"))
    first, second = _run([batch.sequences["x"], batch.context["c"], save], 2)
    assert first[0].indices.tolist() == [[0, 0, 1]] and second[0].indices.tolist() == [[0, 0, 0]]
    assert first[0].values == [b"p"] and second[0].dense_shape.tolist() == [1, 2, 2]
    assert first[1].indices.tolist() == [[0, 1]] and second[1].dense_shape.tolist() == [1, 3]


def test_a_closed_saver_gives_small_batches():
    saver = training.SequenceQueueingStateSaver(
        4, 2, tf.constant(3), "a", {"x": tf.zeros([4, 1])}, {}, {"h": tf.zeros([2])},
        allow_small_batch=True,
    )  # fmt: skip
    batch = saver.next_batch
    save = batch.save_state("h", batch.state("h"))
    with tf.Session() as sess:
        sess.run(saver.prefetch_op)
        sess.run(saver.close())
        assert [len(sess.run([batch.key, save])[0]) for _ in range(2)] == [1, 1]
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(batch.key)


def test_without_padding_the_steps_have_to_fit():
    x = tf.placeholder_with_default(tf.zeros([3, 1]), [None, 1])
    states = {"h": np.zeros([2], np.float32)}
    saver = training.SequenceQueueingStateSaver(1, 2, tf.constant(3), "a", {"x": x}, {}, states)
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="pad=True"):
        sess.run(saver.prefetch_op)


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"batch_size": 2}, ValueError, "capacity 1 needs to be >= batch_size 2"),
        ({"initial_states": {}}, ValueError, "initial_states may not be empty"),
        ({"initial_states": {"a:b": 1.0}}, ValueError, "may not have a colon"),
        ({"initial_states": {3: 1.0}}, TypeError, "must be string: 3"),
        ({"input_key": 3}, TypeError, "key dtype must be string"),
        ({"input_sequences": {}}, ValueError, "at least one sequence"),
    ],
)
def test_what_is_refused(changed, error, words):
    with pytest.raises(error, match=words):
        _batch(**changed)


def test_states_have_their_names_and_shapes():
    batch = _batch()
    with pytest.raises(KeyError, match="state was not declared: g"):
        batch.save_state("g", 0.0)
    with pytest.raises(ValueError, match="incompatible"):
        batch.save_state("h", tf.zeros([1, 3]))
