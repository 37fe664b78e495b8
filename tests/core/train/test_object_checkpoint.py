"""`tf.train.Checkpoint`: values by place, in graphs and eagerly."""

from pathlib import Path
from typing import Any

import pytest

import minitf as tf


class Model:
    """Something that has variables, as a layer has."""

    def __init__(self, start: float) -> None:
        self.kernel = tf.Variable([start, start])

    @property
    def variables(self) -> list[Any]:
        return [self.kernel]


def test_a_graph_is_saved_by_place(tmp_path: Path) -> None:
    model, optimizer = Model(1.0), tf.train.MomentumOptimizer(0.1, 0.9)
    step = optimizer.minimize(tf.reduce_sum(model.kernel**2.0))
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        path = checkpoint.save(str(tmp_path / "ckpt"))
        expected = session.run(step) or session.run(model.kernel)
    assert path.endswith("ckpt-1") and tf.train.latest_checkpoint(str(tmp_path)) == path
    with tf.Graph().as_default(), tf.Session() as session:
        model, optimizer = Model(7.0), tf.train.MomentumOptimizer(0.1, 0.9)
        step = optimizer.minimize(tf.reduce_sum(model.kernel**2.0), name="other")
        status = tf.train.Checkpoint(model=model, optimizer=optimizer).restore(path)
        status.initialize_or_restore(session)
        status.assert_consumed().expect_partial()
        session.run(step)
        assert session.run(model.kernel).tolist() == expected.tolist()


def test_what_has_no_value_is_initialized(tmp_path: Path) -> None:
    with tf.Session() as session:
        v = tf.Variable(1.0)
        session.run(v.initializer)
        path = tf.train.Checkpoint(v=v).save(str(tmp_path / "c"), session)
    w, more = tf.Variable(5.0), tf.Variable(6.0)
    status = tf.train.Checkpoint(v=w, more=[more]).restore(path)
    with tf.Session() as session:
        status.initialize_or_restore(session)
        assert session.run([w, more]) == [1.0, 6.0]
    with pytest.raises(AssertionError, match="Found 1 Python objects"):
        status.assert_existing_objects_matched()
    with pytest.raises(AssertionError, match="Unresolved object"):
        tf.train.Checkpoint().restore(path).assert_consumed()
    with pytest.raises(AssertionError, match="Nothing except the root"):
        tf.train.Checkpoint(other=w).restore(path).assert_nontrivial_match()


def test_no_session_no_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="need a session"):
        tf.train.Checkpoint(v=tf.Variable(1.0)).save(str(tmp_path / "c"))
    with pytest.raises(ValueError, match="expecting a trackable"):
        tf.train.Checkpoint(v=3)


def test_the_manager_keeps_the_newest(tmp_path: Path) -> None:
    v = tf.Variable(1.0)
    up = v.assign_add(1.0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), str(tmp_path), max_to_keep=2)
    with tf.Session() as session:
        session.run(v.initializer)
        assert manager.restore_or_initialize() is None
        for _ in range(3):
            manager.save(session=session)
            session.run(up)
        manager.save(checkpoint_number=9, session=session)
    names = [Path(path).name for path in manager.checkpoints]
    assert names == ["ckpt-3", "ckpt-9"] and manager.latest_checkpoint == manager.checkpoints[-1]
    again = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), str(tmp_path), max_to_keep=2)
    assert again.checkpoints == manager.checkpoints
    with tf.Session() as session:
        assert again.restore_or_initialize() == manager.latest_checkpoint
        assert session.run(v) == 4.0
    assert len(list(tmp_path.glob("*.index"))) == 2
