"""What an estimator leaves behind, logs, and does where TensorFlow itself cannot be asked."""

import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager import context
from minitf.library.estimator.training import _Evaluator

X = np.array([[1.0, 2.0], [2.0, 1.0], [0.0, 3.0], [3.0, 3.0]], np.float32)
Y = np.array([0, 1, 0, 1])


def model_fn(features: Any, labels: Any, mode: str) -> tf.estimator.EstimatorSpec:
    logits = tf.layers.dense(features["x"], 2, name="logits")
    classes = tf.argmax(logits, 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"class": classes})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    step = tf.train.get_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    metrics = {"accuracy": tf.metrics.accuracy(labels, classes)}
    return tf.estimator.EstimatorSpec(mode, None, loss, train_op, metrics)


def input_fn() -> Any:
    return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).repeat(2).batch(2)


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Any:
    """What is said at level INFO and above."""
    logger = tf.logging.get_logger()
    before = logger.level, logger.propagate
    logger.propagate = True
    tf.logging.set_verbosity(tf.logging.INFO)
    with caplog.at_level(logging.INFO):
        yield caplog
    logger.setLevel(before[0])
    logger.propagate = before[1]


def test_training_says_what_it_does(log: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    tf.estimator.Estimator(model_fn, str(tmp_path)).train(input_fn)
    said = [line.split(" = ")[0].split(": ")[0] for line in log.messages]
    assert said == [
        "Using default config.",
        "Using config",
        "Calling model_fn.",
        "Done calling model_fn.",
        "Create CheckpointSaverHook.",
        "Graph was finalized.",
        "Running local_init_op.",
        "Done running local_init_op.",
        f"Saving checkpoints for 0 into {tmp_path}/model.ckpt.",
        "loss",
        f"Saving checkpoints for 4 into {tmp_path}/model.ckpt.",
        "Loss for final step",
    ]
    loss = next(line for line in log.messages if line.startswith("loss"))
    assert loss.endswith(", step = 1")
    assert float(loss.split(" = ")[1].split(",")[0]) > 0


def test_events_hold_the_graph_and_the_metrics(tmp_path: Path) -> None:
    estimator = tf.estimator.Estimator(model_fn, str(tmp_path))
    estimator.train(input_fn).evaluate(input_fn, name="test")

    def tags(folder: Path) -> tuple[set[str], bool]:
        (path,) = folder.glob("events.out.tfevents.*")
        events = list(tf.train.summary_iterator(str(path)))
        found = {value.tag for event in events for value in event.summary.value}
        return found, any(event.graph_def for event in events)

    assert tags(tmp_path) == ({"loss"}, True)
    assert tags(tmp_path / "eval_test") == ({"accuracy", "loss", "checkpoint_path"}, True)


def test_an_estimator_runs_in_graphs_of_its_own_under_eager_execution(tmp_path: Path) -> None:
    with context.eager_mode():
        estimator = tf.estimator.Estimator(model_fn, str(tmp_path)).train(input_fn)
        assert estimator.evaluate(input_fn)["global_step"] == 4
        assert tf.executing_eagerly()


def test_variables_stand_on_parameter_servers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cluster = {"chief": ["a:1"], "ps": ["b:1", "c:1"]}
    task = {"type": "chief", "index": 0}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": task}))
    estimator = tf.estimator.Estimator(model_fn, str(tmp_path))
    with tf.Graph().as_default() as graph, graph.device(estimator._device_fn):
        tf.train.create_global_step()
        tf.layers.dense(tf.constant(X), 2, name="logits")
        places = {v.op.name: v.device for v in tf.global_variables()}
        assert tf.constant(1).device == "/job:chief/task:0"
    assert places == {
        "global_step": "/job:ps/task:0",
        "logits/kernel": "/job:ps/task:1",
        "logits/bias": "/job:ps/task:0",
    }


def test_an_evaluator_takes_the_next_checkpoint_when_one_was_removed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    estimator = tf.estimator.Estimator(model_fn, str(tmp_path)).train(input_fn)
    found = iter([f"{tmp_path}/model.ckpt-1", f"{tmp_path}/model.ckpt-4"])
    monkeypatch.setattr(estimator, "latest_checkpoint", lambda: next(found))
    result = _Evaluator(estimator, tf.estimator.EvalSpec(input_fn), 4).evaluate()
    assert result.metrics is not None
    assert result.metrics["global_step"] == 4


class Column:
    """As much of a pandas `Series` as the input function uses."""

    def __init__(self, values: list, index: list[int]) -> None:
        self.values, self.index = np.array(values), np.array(index)

    def to_numpy(self) -> np.ndarray:
        return self.values


class Frame(dict[str, Column]):
    """As much of a `DataFrame`."""

    index = np.array([5, 6, 7])
    columns = ("a", "b")


def test_batches_of_a_data_frame() -> None:
    frame = Frame(a=Column([1, 2, 3], [5, 6, 7]), b=Column(["x", "y", "z"], [5, 6, 7]))
    labels = Column([0.5, 1.5, 2.5], [5, 6, 7])
    make = tf.estimator.inputs.pandas_input_fn
    with tf.Graph().as_default():
        batch = make(frame, labels, batch_size=2, shuffle=False)()
        with tf.train.MonitoredSession() as sess:
            features, targets = sess.run(batch)
            assert features["a"].tolist() == [1, 2]
            assert features["b"].tolist() == [b"x", b"y"]
            assert targets.tolist() == [0.5, 1.5]
            assert sess.run(batch)[1].tolist() == [2.5]
    with pytest.raises(ValueError, match="Index for x and y are mismatched"):
        make(frame, Column([1, 2, 3], [1, 2, 3]), shuffle=False)
    with pytest.raises(ValueError, match="Cannot use name a for target column"):
        make(frame, labels, shuffle=False, target_column="a")
