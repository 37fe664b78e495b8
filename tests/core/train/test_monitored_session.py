"""Monitored sessions: what only shows with threads, clusters and files."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

import minitf as tf
from minitf.library.sessions import file_writer


def training() -> tuple[Any, Any, Any]:
    x = tf.Variable(0.0, name="x")
    step = tf.train.get_or_create_global_step()
    return x, step, tf.group(x.assign_add(1.0), step.assign_add(1))


def test_an_error_in_a_thread_ends_the_training(graph: tf.Graph) -> None:
    x, _, step = training()

    class Thread(tf.train.SessionRunHook):
        def after_create_session(self, session: Any, coord: Any) -> None:
            def fail() -> None:
                raise ValueError("in a thread")

            tf.train.LooperThread.loop(coord, None, fail)

    with pytest.raises(ValueError, match="in a thread"):
        with tf.train.MonitoredSession(hooks=[Thread()]) as session:
            deadline = time.time() + 20
            while not session.should_stop() and time.time() < deadline:
                session.run(step)


def test_traces_are_written(tmp_path: Path) -> None:
    _, _, step = training()
    hook = tf.train.ProfilerHook(save_steps=2, output_dir=str(tmp_path))
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        for _ in range(6):
            session.run(step)
    traces = sorted(tmp_path.glob("timeline-*.json"))
    assert len(traces) == 2
    assert json.loads(traces[0].read_text())["traceEvents"]


def test_summaries_and_speed_are_written(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    x, _, step = training()
    tf.summary.scalar("x_value", x)
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), save_summaries_steps=2, log_step_count_steps=2
    ) as session:
        for _ in range(6):
            session.run(step)
    (file,) = tmp_path.glob("events.*")
    tags = [v.tag for e in tf.train.summary_iterator(str(file)) for v in e.summary.value]
    assert tags.count("x_value") == 3
    assert "global_step/sec" in tags


def test_training_goes_on_without_a_writer(tmp_path: Path, monkeypatch: Any, caplog: Any) -> None:
    def missing(folder: str) -> Any:
        raise ImportError("pip install it")

    monkeypatch.setattr(file_writer.FileWriterCache, "get", missing)
    monkeypatch.setattr(tf.logging._logger, "propagate", True)
    x, _, step = training()
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), save_summaries_steps=1, log_step_count_steps=1
    ) as session:
        for _ in range(3):
            session.run(step)
    assert "pip install it" in caplog.text
    assert tf.train.load_variable(str(tmp_path), "x") == 3.0


def test_a_worker_waits_for_the_chief_of_its_cluster() -> None:
    pytest.importorskip("distributed")
    server = tf.train.Server.create_local_server()
    try:
        with tf.device("/job:local/task:0"):
            x, step_number, step = training()
        scaffold = tf.train.Scaffold(saver=tf.train.Saver())
        with tf.train.MonitoredTrainingSession(server.target, scaffold=scaffold) as chief:
            chief.run(step)
            with tf.train.MonitoredTrainingSession(
                server.target, is_chief=False, scaffold=scaffold
            ) as worker:
                assert worker.run([x, step_number]) == [1.0, 1]
    finally:
        server.stop()


def test_queue_runners_come_back_with_a_graph() -> None:
    queue = tf.FIFOQueue(10, tf.int32, [[]])
    counter = tf.Variable(0, name="counter")
    tf.train.add_queue_runner(
        tf.train.QueueRunner(queue, [queue.enqueue(counter.count_up_to(3))] * 2)
    )
    tf.identity(queue.dequeue(), name="item")
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default():
        tf.train.import_meta_graph(meta, import_scope="again")
        (runner,) = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        assert len(runner.enqueue_ops) == 2 and runner.name == "again/fifo_queue"
        seen = []
        with tf.train.MonitoredSession() as session:
            while not session.should_stop():
                seen.append(int(session.run("again/item:0")))
    assert sorted(seen) == [0, 1, 2]
    with pytest.raises(ValueError, match="mutually exclusive"):
        tf.train.QueueRunner(queue, queue_runner_def=runner.to_proto())
