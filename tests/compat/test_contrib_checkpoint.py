"""`tf.contrib.checkpoint`: what a checkpoint keeps beside variables, and in which containers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf

contrib = tf.contrib.checkpoint


@pytest.fixture
def v() -> Any:
    return tf.Variable(1.0, name="v")


def test_arrays_are_kept_and_made_again(tmp_path: Path) -> None:
    state = contrib.NumpyState()
    saver = tf.train.Checkpoint(numpy=state)
    state.a, state.b, state.c = np.ones([2, 2]), np.ones(2), np.int64(3)
    state.b = np.zeros(3)
    with tf.Session() as session:
        first = saver.save(str(tmp_path / "c"), session)
        state.a[1, 1] = 2.0
        state.c = np.int64(4)
        second = saver.save(str(tmp_path / "c"), session)
    again = contrib.NumpyState()
    loader = tf.train.Checkpoint(numpy=again)
    for path, corner, number in ((first, 1.0, 3), (second, 2.0, 4)):
        loader.restore(path).assert_consumed()
        assert again.a.tolist() == [[1.0, 1.0], [1.0, corner]]
        assert again.b.tolist() == [0.0, 0.0, 0.0] and again.c == number
    with pytest.raises(AttributeError):
        again.d  # noqa: B018
    with pytest.raises(NotImplementedError, match="not a NumPy array"):
        again.d = tf.Variable(1.0)


def test_no_pickle_is_read_from_a_checkpoint(tmp_path: Path) -> None:
    state = contrib.NumpyState()
    state.a = np.array([{}], object)
    with tf.Session() as session, pytest.raises(ValueError, match="allow_pickle=False"):
        tf.train.Checkpoint(numpy=state).save(str(tmp_path / "c"), session)


def test_lists_grow_by_what_holds_variables(v: Any) -> None:
    w = tf.Variable(2.0, trainable=False)
    values = contrib.List([v])
    values.append(w)
    values.extend([contrib.Mapping(q=v)])
    assert values.variables == values.weights == [v, w, v]
    assert values.trainable_variables == [v, v] and values.non_trainable_weights == [w]
    assert repr(contrib.List([v])) == f"List([{v!r}])"
    for wrong in (lambda: values.append(3), lambda: contrib.List([3]), lambda: values.extend([3])):
        with pytest.raises(ValueError, match="Got 3, which does not inherit from Trackable"):
            wrong()
    assert contrib.list_objects(values)[0] is values


def test_mappings_keep_what_a_key_has(v: Any) -> None:
    mapping = contrib.Mapping(a=v)
    mapping.update({"b": v}, c=contrib.List())
    mapping["a"] = v
    assert sorted(mapping) == ["a", "b", "c"] and mapping.variables == [v, v]
    assert repr(contrib.Mapping()) == "Mapping({})"
    with pytest.raises(ValueError, match="append-only data structure"):
        mapping["a"] = tf.Variable(2.0)
    with pytest.raises(TypeError, match="only string keys, but got a key 3"):
        mapping[3] = v
    with pytest.raises(ValueError, match="Got 3"):
        mapping["d"] = 3


def test_names_are_made_different(tmp_path: Path, v: Any) -> None:
    class Slots(contrib.Checkpointable):
        def __init__(self) -> None:
            self.tracker = contrib.UniqueNameTracker()
            self.tracker.track(v, "x")
            self.tracker.track(tf.Variable(2.0), "x")

    slots = Slots()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        path = tf.train.Checkpoint(slots=slots).save(str(tmp_path / "c"), session)
    names = [name for name, _ in tf.train.list_variables(path)]
    assert "slots/tracker/x_1/.ATTRIBUTES/VARIABLE_VALUE" in names
    assert len(slots.tracker.variables) == 2
    with pytest.raises(ValueError, match="Expected a trackable value, got 3"):
        slots.tracker.track(3, "x")
