"""The support table: every interface trains under every strategy, and learns what one device does.

A step of all replicas equals a step of one device on the global batch, to 1e-5.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import minitf as tf
from minitf.core.cluster.cluster_spec import free_address
from minitf.library.eager.context import eager_mode
from tests.library.distribute.cells import APIS, KINDS, custom_eagerly

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def alone():
    before = tf.logging.get_verbosity()
    tf.logging.set_verbosity(tf.logging.ERROR)
    yield {api: run(None) for api, run in APIS.items()}
    tf.logging.set_verbosity(before)


def same(found, expected):
    assert len(found) == len(expected)
    for each, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(each, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("kind", ["mirrored", "central", "tpu"])
def test_one_machine(kind, api, alone, apis=APIS):
    tf.simulate_gpus(2)
    tf.simulate_tpus(4)
    try:
        same(apis[api](KINDS[kind]()), alone[api])
    finally:
        tf.simulate_gpus(0)
        tf.simulate_tpus(0)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("kind", ["mirrored", "central", "tpu"])
def test_one_machine_eagerly(kind, api, alone):
    with eager_mode():
        test_one_machine(kind, api, alone, APIS | {"custom": custom_eagerly})


@pytest.fixture(scope="module")
def in_cluster(tmp_path_factory):
    """Runs all interfaces in the tasks of a cluster, processes of their own, once a strategy."""
    found = {}

    def run(kind, jobs):
        if kind not in found:
            found[kind] = _run_tasks(kind, jobs, tmp_path_factory.mktemp("found"))
        return found[kind]

    return run


def _run_tasks(kind, jobs, folder, program="cells"):
    cluster = {job: [free_address() for _ in range(count)] for job, count in jobs.items()}
    tasks = []
    for job, count in jobs.items():
        for i in range(count):
            config = {"cluster": cluster, "task": {"type": job, "index": i}}
            variables = {
                "TF_CONFIG": json.dumps(config),
                "MINITF_SIMULATED_GPUS": "2",
                "MODEL_DIR": str(folder / "model"),
                "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
            }
            command = [sys.executable, "-m", f"tests.library.distribute.{program}", kind]
            process = subprocess.Popen(
                [*command, str(folder / f"{job}{i}.npz")],
                env={**os.environ, **variables},
                cwd=ROOT,
                stderr=subprocess.PIPE,
                text=True,
            )
            tasks.append((job, process))
    try:
        for job, process in tasks:
            if job != "ps":
                _, errors = process.communicate(timeout=60)
                assert process.returncode == 0, errors[-3000:]
    finally:
        for _, process in tasks:
            process.kill()
            process.wait()
            process.stderr.close()
    return [np.load(folder / f"worker{i}.npz") for i in range(jobs["worker"])]


CLUSTERS = {
    "multi_worker": {"worker": 2},
    "multi_worker eagerly": {"worker": 2},
    "parameter_server": {"ps": 2, "worker": 1},  # one worker: several do not wait for each other
    "parameter_server eagerly": {"ps": 2, "worker": 1},
}


@pytest.mark.parametrize(
    ("kind", "api"),
    [
        pytest.param(kind, api, marks=pytest.mark.long if "eagerly" in kind else ())
        for kind in CLUSTERS
        for api in APIS
        if api == "estimator" or kind != "parameter_server eagerly"
    ],
)
def test_cluster(kind, api, alone, in_cluster):
    for worker, results in enumerate(in_cluster(kind, CLUSTERS[kind])):
        found = [results[key] for key in results.files if key.startswith(f"{api}/")]
        if api == "estimator" and worker:
            continue  # the chief alone has the checkpoints
        same(found, alone[api])


@pytest.mark.long
def test_train_and_evaluate_in_all_tasks(tmp_path):
    jobs = {"ps": 1, "chief": 1, "worker": 1, "evaluator": 1}
    _run_tasks("parameter_server", jobs, tmp_path, "programs.train_and_evaluate")
    # A worker may be in the middle of its step while the other one makes the twentieth, and have
    # read the count before that: then it ends with its next step.
    assert int(np.load(tmp_path / "chief0.npz")["step"]) in (20, 21, 22)
    assert (tmp_path / "evaluator0.npz").exists()


def test_all_cells_are_here():
    kinds = {"mirrored", "central", "tpu", *(kind.split()[0] for kind in CLUSTERS)}
    assert len(APIS) * len(KINDS) == 15 and set(KINDS) == kinds
