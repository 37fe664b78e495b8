"""The hooks that go by the global step."""

import logging

import minitf as tf


def _events(folder):
    for path in folder.glob("events*"):
        yield from tf.train.summary_iterator(str(path))


def _train(steps_per_run, runs, *hooks):
    step = tf.train.get_or_create_global_step()
    train = tf.assign_add(step, steps_per_run, use_locking=True)
    with tf.train.MonitoredSession(hooks=hooks) as session:
        for _ in range(runs):
            session.run(train)


def test_a_global_step_that_stays_is_warned_of(caplog):
    with caplog.at_level(logging.WARNING):
        _train(0, 20, tf.train.StepCounterHook(every_n_steps=100))
        assert not caplog.records
        _train(0, 21, tf.train.StepCounterHook(every_n_steps=100))
    assert "global step (tf.train.get_global_step) has not been increased" in caplog.text


def test_the_event_file_has_the_meta_graph(tmp_path):
    _train(1, 1, tf.train.CheckpointSaverHook(str(tmp_path), save_steps=10))
    found = [event.meta_graph_def for event in _events(tmp_path) if event.meta_graph_def]
    assert tf.MetaGraphDef.FromString(found[-1]).saver_def.restore_op_name.endswith("restore_all")
