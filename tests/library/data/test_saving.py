"""Iterators in checkpoints: a new session goes on where the saved one stood."""

from pathlib import Path

import numpy as np
import pytest

import minitf as tf
from minitf.library.formats import plain_data

D, E = tf.data.Dataset, tf.data.experimental

PIPELINES = {
    "shuffle, repeat": lambda: D.range(9).shuffle(4, seed=1).repeat(2),
    "repeat, shuffle": lambda: D.range(9).repeat(2).shuffle(4, seed=1),
    "map, batch": lambda: D.range(9).map(lambda x: x * x).batch(2),
    "threads": lambda: D.range(9).map(lambda x: x * x, num_parallel_calls=2).prefetch(2),
    "nested": lambda: D.range(5).flat_map(lambda x: D.range(x)).filter(lambda x: x < 3),
    "texts": lambda: D.from_tensor_slices(["a", "b", "c", "d"]).batch(2).cache(),
    "interleave": lambda: D.range(9).interleave(lambda x: D.range(x, x + 3), 2),
    "groups": lambda: D.range(9).apply(
        E.group_by_window(lambda x: x % 2, lambda key, window: window.batch(2), 2)
    ),
    "results": lambda: D.range(9).apply(
        E.group_by_reducer(
            lambda x: x % 3,
            E.Reducer(lambda key: np.int64(0), lambda state, x: state + x, lambda state: state),
        )
    ),
}


def drained(session: tf.Session, element: tf.Tensor) -> list[list]:
    found = []
    try:
        while True:
            found.append(np.asarray(session.run(element)).tolist())
    except tf.errors.OutOfRangeError:
        return found


def saves_and_restores(make, folder: Path, before: int = 2) -> None:
    with tf.Graph().as_default():
        iterator = make().make_one_shot_iterator()
        element = iterator.get_next()
        saver = tf.train.Saver([E.make_saveable_from_iterator(iterator)])
        with tf.Session() as session:
            for _ in range(before):
                session.run(element)
            saver.save(session, str(folder / "place"))
            expected = drained(session, element)
            saver.restore(session, str(folder / "place"))
            assert drained(session, element) == expected
        with tf.Session() as session:  # as after a restart
            saver.restore(session, str(folder / "place"))
            assert drained(session, element) == expected


@pytest.mark.parametrize("name", PIPELINES)
def test_the_same_elements_come_again(name: str, tmp_path: Path) -> None:
    saves_and_restores(PIPELINES[name], tmp_path)


def test_a_cache_in_files(tmp_path: Path) -> None:
    saves_and_restores(lambda: D.range(6).cache(str(tmp_path / "cache")), tmp_path)
    saves_and_restores(lambda: D.range(6).cache(str(tmp_path / "cache")), tmp_path)


def test_an_iterator_that_was_not_started_says_so(tmp_path: Path) -> None:
    iterator = D.range(3).make_initializable_iterator()
    saver = tf.train.Saver([E.make_saveable_from_iterator(iterator)])
    with tf.Session() as session:
        session.run(iterator.initializer)
        saver.save(session, str(tmp_path / "place"))
    with tf.Session() as session, pytest.raises(tf.errors.FailedPreconditionError):
        saver.restore(session, str(tmp_path / "place"))


def test_plain_data_come_back() -> None:
    value = {
        "numbers": (1, 2.5, None, True, np.int64(7), float("inf")),
        3: [b"\x00\xff", "text", np.eye(2, dtype=np.float32)],
        "objects": np.array([b"a", b"bc"], object),
    }
    found = plain_data.read(plain_data.written(value))
    assert found["numbers"] == value["numbers"]
    assert isinstance(found["numbers"][4], np.int64)
    assert found[3][:2] == value[3][:2]
    np.testing.assert_array_equal(found[3][2], np.eye(2))
    assert found["objects"].tolist() == [b"a", b"bc"]
    with pytest.raises(TypeError, match="cannot be saved"):
        plain_data.written(object())


def test_a_restarted_estimator_goes_on_with_the_next_elements(tmp_path: Path) -> None:
    seen: list[float] = []

    def model(features, labels, mode):
        note = tf.py_func(lambda x: seen.append(float(x)) or np.float32(0), [features], tf.float32)
        weight = tf.get_variable("weight", [])
        step = tf.assign_add(tf.train.get_global_step(), 1)
        with tf.control_dependencies([note]):
            loss = tf.identity(weight)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.group(step, note))

    def data():
        return D.range(100).map(lambda x: tf.cast(x, tf.float32))

    config = tf.estimator.RunConfig(model_dir=str(tmp_path), save_checkpoints_steps=2)
    for _ in range(2):
        estimator = tf.estimator.Estimator(model, config=config)
        hook = E.CheckpointInputPipelineHook(estimator)
        estimator.train(data, steps=4, hooks=[hook])
    assert sorted(set(seen)) == list(range(8))
    assert (tmp_path / "checkpoint_input").exists()
