"""`tf.contrib.learn` without an estimator: graph actions, records of files, tables, tasks."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf

learn = tf.contrib.learn


@pytest.fixture(autouse=True)
def own_graph() -> Any:
    with tf.Graph().as_default():
        yield


def line() -> tuple[Any, Any, Any]:
    """w x with w = 0 and its squared distance from 2 x; a step of descent."""
    x = tf.placeholder_with_default(np.float32([1.0, 2.0]), [None], name="x")
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(w * x - 2 * x))
    step = tf.train.create_global_step()
    return x, loss, tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)


def test_steps_of_one_session() -> None:
    x = tf.placeholder(tf.float32, [])
    v = tf.get_variable("v", [], initializer=tf.ones_initializer())
    total = tf.assign_add(v, x)
    assert learn.run_n({"t": total}, {x: 2.0}, n=3) == [{"t": 3.0}, {"t": 5.0}, {"t": 7.0}]
    feeds = ({x: float(i)} for i in range(3))
    assert learn.run_feeds({"t": total}, feeds) == [{"t": 1.0}, {"t": 2.0}, {"t": 4.0}]
    assert learn.infer(None, {"t": total}, {x: 4.0}) == {"t": 5.0}
    with pytest.raises(ValueError, match="output_dict is invalid: {}."):
        learn.run_feeds({}, [None])


def test_a_graph_is_trained_and_evaluated(tmp_path: Path) -> None:
    folder = str(tmp_path)
    x, loss, step = line()
    graph = tf.get_default_graph()
    assert learn.train(graph, folder, step, loss, steps=5) < 10
    last = learn.train(graph, folder, step, loss, steps=20, feed_fn=lambda: {x: [1.0]})
    assert last < 1e-2
    assert tf.train.load_variable(folder, "global_step") == 25
    assert learn.train(graph, folder, step, loss, max_steps=25) is None
    w = tf.train.load_variable(folder, "w")
    found, now = learn.evaluate(graph, f"{folder}/eval", folder, {"loss": loss}, max_steps=2)
    assert now == 25 and found["loss"] == pytest.approx((w - 2) ** 2 * 2.5, rel=1e-4)
    (events,) = (tmp_path / "eval").iterdir()
    shown = {
        value.tag: value.simple_value
        for event in tf.train.summary_iterator(str(events))
        for value in event.summary.value
    }
    assert shown == {"loss": pytest.approx(found["loss"])}
    with pytest.raises(ValueError, match="Can not provide both steps and max_steps."):
        learn.train(graph, folder, step, loss, steps=1, max_steps=1)


def test_an_evaluation_ends_with_its_data(tmp_path: Path) -> None:
    tf.train.create_global_step()
    x = tf.data.Dataset.range(5).make_one_shot_iterator().get_next()
    mean, update = tf.metrics.mean(x)
    graph = tf.get_default_graph()
    found, now = learn.evaluate(graph, str(tmp_path), None, {"mean": mean}, update)
    assert found == {"mean": 2.0} and now == 0


def test_a_loss_that_is_not_a_number_ends_the_training(tmp_path: Path) -> None:
    x, loss, step = line()
    with pytest.raises(learn.NanLossDuringTrainingError):
        learn.train(
            tf.get_default_graph(), str(tmp_path), step, loss, steps=2,
            feed_fn=lambda: {x: [np.nan]},
        )  # fmt: skip


def written(folder: Path) -> str:
    for part in range(2):
        with tf.python_io.TFRecordWriter(str(folder / f"{part}.records")) as writer:
            for i in range(4):
                value = tf.train.Feature(int64_list=tf.train.Int64List(value=[4 * part + i]))
                features = tf.train.Features(feature={"n": value})
                writer.write(tf.train.Example(features=features).SerializeToString())
    return str(folder / "*.records")


def batches(fetched: Any) -> list:
    found = []
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                found.append(session.run(fetched))
        coord.request_stop()
        coord.join(threads)
    return found


@pytest.mark.parametrize("mixed", [False, True])
def test_records_of_files_come_in_batches(tmp_path: Path, mixed: bool) -> None:
    pattern, spec = written(tmp_path), {"n": tf.FixedLenFeature([], tf.int64)}
    features = learn.read_batch_record_features(
        pattern, 3, spec, randomize_input=mixed, num_epochs=1
    )
    found = [each["n"].tolist() for each in batches(features)]
    assert [len(each) for each in found] == [3, 3, 2]
    numbers = sum(found, [])
    assert sorted(numbers) == list(range(8))
    if not mixed:
        assert numbers == list(range(8))


def test_records_have_keys_and_are_parsed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n22\n333\n")
    keys, lengths = learn.read_keyed_batch_examples(
        str(tmp_path / "a.txt"), 2, tf.TextLineReader, False, 1, parse_fn=tf.strings.length
    )
    found = batches((keys, lengths))
    assert [each[1].tolist() for each in found] == [[1, 2], [3]]
    assert found[0][0][0].endswith(b"a.txt:1")
    with pytest.raises(ValueError, match="No files match"):
        learn.read_batch_examples(str(tmp_path / "*.gone"), 2, tf.TextLineReader)
    with pytest.raises(ValueError, match="Invalid batch_size 2, with queue_capacity 2."):
        learn.read_batch_examples("a", 2, tf.TextLineReader, queue_capacity=2)


def test_tables_of_pandas_become_arrays() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": [1, 2], "b": [0.5, 1.5]})
    assert learn.extract_pandas_data(table).tolist() == [[1, 0.5], [2, 1.5]]
    assert learn.extract_pandas_matrix(table).shape == (2, 2)
    assert learn.extract_pandas_labels(table[["a"]]).tolist() == [[1], [2]]
    assert learn.extract_pandas_labels([3]) == [3]
    with pytest.raises(ValueError, match="Only one column for labels is allowed."):
        learn.extract_pandas_labels(table)
    with pytest.raises(ValueError, match="Data types for extracting pandas data must be int"):
        learn.extract_pandas_data(pandas.DataFrame({"a": ["x"]}))


def test_which_task_of_a_cluster_this_is(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = learn.ClusterConfig()
    assert (alone.task_type, alone.task_id, alone.master, alone.is_chief) == (None, 0, "", True)
    cluster = {"ps": ["a:1", "b:1"], "worker": ["c:1", "d:1", "e:1"]}

    def config(task: dict, **others: Any) -> Any:
        tf_config = {"cluster": cluster, "task": task, **others}
        monkeypatch.setenv("TF_CONFIG", json.dumps(tf_config))
        return learn.ClusterConfig()

    second = config({"type": learn.TaskType.WORKER, "index": 1})
    assert second.master == "grpc://d:1" and not second.is_chief
    assert (second.num_ps_replicas, second.num_worker_replicas) == (2, 3)
    assert config({"type": "worker", "index": 0}).is_chief
    assert not config({"type": "worker"}, environment=learn.Environment.CLOUD).is_chief
    with pytest.raises(ValueError, match="master is not a valid task_type in the cluster_spec"):
        config({"type": "master", "index": 0})
    with pytest.raises(ValueError, match="7 is not a valid task_id for task_type ps"):
        config({"type": "ps", "index": 7})
