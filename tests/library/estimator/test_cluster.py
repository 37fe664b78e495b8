"""An estimator on a cluster: one process a task, each the same program with its own TF_CONFIG."""

import importlib.util
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import minitf as tf
from tests.core.cluster.conftest import eventually, free_addresses, spawn

__all__ = ["spawn"]  # the fixture
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("sklearn") is None, reason="scikit-learn brings the digits"
)
PROGRAM = str(Path(__file__).parent / "programs" / "train_digits.py")
Start = Callable[..., subprocess.Popen[str]]


def _start(
    spawn: Start, spec: dict, job: str, index: int, folder: Path, steps: int
) -> subprocess.Popen[str]:
    config = json.dumps({"cluster": spec, "task": {"type": job, "index": index}})
    return spawn(PROGRAM, str(folder), str(steps), TF_CONFIG=config)


def _step(folder: Path) -> int:
    """The step of the newest checkpoint; -1 without one."""
    newest = tf.train.latest_checkpoint(str(folder))
    return int(newest.rpartition("-")[2]) if newest else -1


def test_six_tasks_train_and_evaluate_to_the_end(spawn: Start, tmp_path: Path) -> None:
    spec = free_addresses(chief=1, worker=2, ps=2)
    servers = [_start(spawn, spec, "ps", i, tmp_path, 1000) for i in range(2)]
    tasks = [("evaluator", 0), ("worker", 1), ("worker", 0), ("chief", 0)]
    others = [_start(spawn, spec, job, i, tmp_path, 1000) for job, i in tasks]
    outputs = [process.communicate(timeout=90)[0] for process in others]
    for (job, _), process, output in zip(tasks, others, outputs, strict=True):
        assert process.returncode == 0, output
        assert f"{job} is done" in output
    assert all(process.poll() is None for process in servers)  # they serve until they are ended
    assert _step(tmp_path) >= 1000
    assert list(tmp_path.glob("events.out.tfevents.*"))
    accuracies = [
        (event.step, value.simple_value)
        for path in tmp_path.glob("eval/events.out.tfevents.*")
        for event in tf.train.summary_iterator(str(path))
        for value in event.summary.value
        if value.tag == "accuracy"
    ]
    last, accuracy = max(accuracies)
    assert last >= 1000
    assert accuracy > 0.95
    assert "Saving checkpoints for 0" in outputs[3]
    assert "Saving checkpoints" not in outputs[1] + outputs[2]


def test_a_chief_that_was_killed_goes_on_from_its_checkpoint(spawn: Start, tmp_path: Path) -> None:
    spec = free_addresses(chief=1, worker=1, ps=1)
    _start(spawn, spec, "ps", 0, tmp_path, 3000)
    worker = _start(spawn, spec, "worker", 0, tmp_path, 3000)
    chief = _start(spawn, spec, "chief", 0, tmp_path, 3000)
    assert eventually(lambda: _step(tmp_path) > 0, 60)
    chief.kill()
    chief.wait()
    killed_at = _step(tmp_path)
    chief = _start(spawn, spec, "chief", 0, tmp_path, 3000)
    output = chief.communicate(timeout=90)[0]
    assert chief.returncode == 0, output
    assert f"Restoring parameters from {tmp_path}/model.ckpt-{killed_at}" in output
    assert worker.wait(timeout=60) == 0
    assert _step(tmp_path) >= 3000
