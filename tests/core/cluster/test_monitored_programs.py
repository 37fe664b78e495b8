"""Monitored training in processes of its own: it survives the loss of its parameter server."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import minitf as tf

from .conftest import free_addresses

PROGRAM = str(Path(__file__).parent / "programs" / "train_monitored.py")
Spawn = Callable[..., subprocess.Popen[str]]


def _start(spawn: Spawn, spec: dict, job: str, index: int, *args: str) -> subprocess.Popen[str]:
    config = {"cluster": spec, "task": {"type": job, "index": index}}
    return spawn(PROGRAM, *args, TF_CONFIG=json.dumps(config))


def _steps_until(process: subprocess.Popen[str], number: int) -> list[int]:
    assert process.stdout is not None
    steps, said = [], ""
    for line in process.stdout:
        said += line
        found = re.match(r"step (\d+)", line)
        if found:
            steps.append(int(found.group(1)))
            if steps[-1] >= number:
                return steps
    raise AssertionError(f"ended before step {number}:\n{said}")


def test_a_chief_goes_on_after_its_ps_came_back(spawn: Spawn, tmp_path: Path) -> None:
    spec = free_addresses(ps=1, worker=1)
    args = (str(tmp_path), "120")
    ps = _start(spawn, spec, "ps", 0, *args)
    chief = _start(spawn, spec, "worker", 0, *args)
    _steps_until(chief, 69)  # the last checkpoint is that of step 60 or 61
    ps.kill()
    ps.wait()
    _start(spawn, spec, "ps", 0, *args)
    steps = _steps_until(chief, 119)
    output = chief.communicate(timeout=60)[0]
    assert chief.returncode == 0, output
    assert "worker 0 ends" in output
    assert 60 <= min(steps) <= 62  # it went on from that checkpoint
    assert tf.train.load_variable(str(tmp_path), "x").tolist() == [120.0, 240.0]


def test_two_workers_share_a_training(spawn: Spawn, tmp_path: Path) -> None:
    spec = free_addresses(ps=1, worker=2)
    args = (str(tmp_path), "80")
    _start(spawn, spec, "ps", 0, *args)
    chief = _start(spawn, spec, "worker", 0, *args)
    _steps_until(chief, 1)
    other = _start(spawn, spec, "worker", 1, *args)
    outputs = [process.communicate(timeout=90)[0] for process in (chief, other)]
    assert [process.returncode for process in (chief, other)] == [0, 0], outputs
    assert "worker 0 ends" in outputs[0] and "worker 1 ends" in outputs[1]
    assert tf.train.load_variable(str(tmp_path), "global_step") >= 80


@pytest.mark.parametrize("sync", [False, True])
def test_a_program_of_2016(spawn: Spawn, tmp_path: Path, sync: bool) -> None:
    spec = free_addresses(ps=2, worker=2)
    options = [f"--{job}_hosts={','.join(hosts)}" for job, hosts in spec.items()]
    options += [f"--sync_replicas={sync}", f"--train_dir={tmp_path}"]

    def start(job: str, index: int) -> subprocess.Popen[str]:
        program = str(Path(PROGRAM).with_name("train_supervised.py"))
        return spawn(program, *options, f"--job_name={job}", f"--task_index={index}")

    for index in range(2):
        start("ps", index)
    workers = [start("worker", index) for index in (1, 0)]
    outputs = [process.communicate(timeout=90)[0] for process in workers]
    assert [process.returncode for process in workers] == [0, 0], outputs
    assert all("ends at" in output for output in outputs)
