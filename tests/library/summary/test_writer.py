"""Event files, read back by TensorBoard's own code."""

import glob
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import minitf as tf

event_accumulator = pytest.importorskip(
    "tensorboard.backend.event_processing.event_accumulator", reason="needs tensorboard"
)


def read(folder):
    """What TensorBoard sees in a folder."""
    accumulator = event_accumulator.EventAccumulator(str(folder))
    accumulator.Reload()
    return accumulator


def events(folder):
    (path,) = glob.glob(f"{folder}/*")
    return list(tf.train.summary_iterator(path))


def test_tensorboard_sees_a_trace(tmp_path):
    y = tf.add(tf.placeholder(tf.float32, [3], name="x"), 1.0, name="y")
    metadata, options = tf.RunMetadata(), tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    with tf.Session() as sess, tf.summary.FileWriter(tmp_path) as writer:
        sess.run(y, {"x:0": [1, 2, 3]}, options=options, run_metadata=metadata)
        writer.add_run_metadata(metadata, "step 1", 1)
        with pytest.raises(ValueError, match="tag was already used"):
            writer.add_run_metadata(metadata, "step 1", 2)
    stats = read(tmp_path).RunMetadata("step 1").step_stats.dev_stats
    named = {node.node_name: node for device in stats for node in device.node_stats}
    assert named["y"].all_start_micros > 0 and named["y"].memory[0].total_bytes == 12


def test_messages_made_by_hand(tmp_path):
    summary = tf.Summary(value=[tf.Summary.Value(tag="accuracy", simple_value=0.5)])
    writer = tf.summary.FileWriter(tmp_path)
    writer.add_summary(summary, np.int64(3))
    writer.add_event(tf.Event(step=4, wall_time=1.0, summary=summary))
    writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 5)
    writer.flush()
    first, *others = events(tmp_path)
    assert first.file_version == "brain.Event:2"
    assert [(e.step, e.WhichOneof("what")) for e in others] == [
        (3, "summary"),
        (4, "summary"),
        (5, "session_log"),
    ]
    writer.close()


def test_closing_flushing_reopening(tmp_path):
    writer = tf.summary.FileWriter(tmp_path, filename_suffix=".mine")
    (path,) = glob.glob(f"{tmp_path}/events.out.tfevents.*.mine")
    summary = tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=1)])
    writer.add_summary(summary)
    writer.flush()
    size = os.path.getsize(path)
    assert size > 50
    writer.close()
    with pytest.warns(UserWarning, match="Attempting to use a closed FileWriter"):
        writer.add_summary(summary)
    writer.flush()
    assert os.path.getsize(path) == size
    writer.reopen()
    writer.reopen()
    writer.add_summary(summary)
    writer.close()
    assert len(os.listdir(tmp_path)) == 2


def test_a_writer_that_nobody_closes_loses_nothing(tmp_path):
    program = (
        "import minitf as tf, sys\n"
        "writer = tf.summary.FileWriter(sys.argv[1])\n"
        "writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag='a', simple_value=4)]), 1)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True)
    assert read(tmp_path).Scalars("a")[0].value == 4.0


def test_writers_of_one_second_have_files_of_their_own(tmp_path):
    writers = [tf.summary.FileWriter(tmp_path) for _ in range(5)]
    for writer in writers:
        writer.close()
    assert len(os.listdir(tmp_path)) == 5


def test_many_threads_may_write(tmp_path):
    writer = tf.summary.FileWriter(tmp_path, max_queue=2)

    def write(thread):
        for step in range(50):
            value = tf.Summary.Value(tag=f"t{thread}", simple_value=step)
            writer.add_summary(tf.Summary(value=[value]), step)

    threads = [threading.Thread(target=write, args=[i]) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    seen = read(tmp_path)
    for i in range(4):
        assert [e.value for e in seen.Scalars(f"t{i}")] == list(range(50))


def test_a_full_disk_is_reported(tmp_path, monkeypatch):
    writer = tf.summary.FileWriter(tmp_path)

    def full(record):
        raise OSError("No space left on device")

    monkeypatch.setattr(writer._records, "write", full)
    with pytest.raises(OSError, match="No space left"):
        writer.add_event(tf.Event(step=1))
    writer.close()


@pytest.mark.parametrize(
    ("graph", "error", "message"),
    [(None, ValueError, "must be `Graph`; found None"), (3, TypeError, "must be an instance of")],
)
def test_what_is_no_graph(tmp_path, graph, error, message):
    with tf.summary.FileWriter(tmp_path) as writer, pytest.raises(error, match=message):
        writer.add_graph(graph)


def test_one_writer_a_folder(tmp_path):
    cache = tf.summary.FileWriterCache
    a, b = cache.get(str(tmp_path / "a")), cache.get(str(tmp_path / "b"))
    assert cache.get(str(tmp_path / "a")) is a and a is not b
    cache.clear()
    assert cache.get(str(tmp_path / "a")) is not a
    cache.clear()


def test_the_projector_is_configured(tmp_path):
    projector = tf.contrib.tensorboard.plugins.projector
    config = projector.ProjectorConfig()
    embedding = config.embeddings.add()
    embedding.tensor_name, embedding.metadata_path = "embed:0", "metadata.tsv"
    embedding.sprite.single_image_dim.extend([28, 28])
    with tf.summary.FileWriter(tmp_path) as writer:
        projector.visualize_embeddings(writer, config)
    text = (tmp_path / "projector_config.pbtxt").read_text()
    assert 'tensor_name: "embed:0"' in text and text.count("single_image_dim: 28") == 2


def test_the_old_name():
    assert tf.train.SummaryWriter is tf.summary.FileWriter
