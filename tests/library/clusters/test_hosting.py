"""The examples of hosting: manifests by schemas, job scripts by dry runs, programs run."""

import copy
import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from minitf.core.cluster.cluster_spec import free_address

from .kubernetes_schemas import DASK_CLUSTER, TFJOB

jsonschema = pytest.importorskip("jsonschema")
yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).resolve().parents[3]
HOSTING = ROOT / "examples" / "hosting"


def _manifest(name: str) -> dict[str, Any]:
    return yaml.safe_load((HOSTING / name).read_text())


def _free_ports(count: int) -> list[int]:
    return [int(free_address().rpartition(":")[2]) for _ in range(count)]


@pytest.fixture
def spawn() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts programs in the folder of the examples; each has a process group of its own."""
    processes: list[subprocess.Popen[str]] = []

    def start(command: list[str], **environment: str) -> subprocess.Popen[str]:
        path = os.pathsep.join([environment.pop("PATH", ""), str(Path(sys.executable).parent)])
        process = subprocess.Popen(
            command,
            cwd=HOSTING,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "PATH": f"{path}{os.pathsep}{os.environ['PATH']}",
                **environment,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.communicate()


@pytest.mark.parametrize(
    ("name", "schema"), [("tfjob.yaml", TFJOB), ("daskcluster.yaml", DASK_CLUSTER)]
)
def test_manifests_keep_to_their_schemas(name: str, schema: dict[str, Any]) -> None:
    manifest = _manifest(name)
    jsonschema.validate(manifest, schema)
    wrong = copy.deepcopy(manifest)
    wrong["spec"]["replica"] = 3
    with pytest.raises(jsonschema.ValidationError, match="'replica' was unexpected"):
        jsonschema.validate(wrong, schema)


def test_the_operators_find_what_they_look_for() -> None:
    for replicas in _manifest("tfjob.yaml")["spec"]["tfReplicaSpecs"].values():
        (container,) = replicas["template"]["spec"]["containers"]
        assert container["name"] == "tensorflow"
        assert {"name": "tfjob-port", "containerPort": 2222} in container["ports"]
        assert any(each["name"] == "MINITF_CLUSTER_TOKEN" for each in container["env"])
        assert (HOSTING / container["command"][-1]).exists()
    dask = _manifest("daskcluster.yaml")
    scheduler = dask["spec"]["scheduler"]
    names = {port["name"] for port in scheduler["spec"]["containers"][0]["ports"]}
    assert {port["targetPort"] for port in scheduler["service"]["ports"]} <= names
    assert scheduler["service"]["selector"] == {
        "dask.org/cluster-name": dask["metadata"]["name"],
        "dask.org/component": "scheduler",
    }
    assert "--nanny" in dask["spec"]["worker"]["spec"]["containers"][0]["args"]


def test_tf_config_as_kubeflow_writes_it(spawn: Callable[..., Any]) -> None:
    """What the training operator does, with processes for pods and 127.0.0.2 as another machine."""
    specs = _manifest("tfjob.yaml")["spec"]["tfReplicaSpecs"]
    jobs = {name.lower(): spec for name, spec in specs.items()}
    ports = iter(_free_ports(sum(spec["replicas"] for spec in jobs.values())))
    hosts = {"ps": "127.0.0.2", "worker": "127.0.0.1"}
    cluster = {
        job: [f"{hosts[job]}:{next(ports)}" for _ in range(spec["replicas"])]
        for job, spec in jobs.items()
    }
    pods = {}
    for job, spec in jobs.items():
        command = spec["template"]["spec"]["containers"][0]["command"]
        for index in range(spec["replicas"]):
            task = {"type": job, "index": index}
            config = {"cluster": cluster, "task": task, "environment": "cloud"}
            pods[job, index] = spawn(
                command, TF_CONFIG=json.dumps(config), MINITF_CLUSTER_TOKEN="of a secret"
            )
    for index in range(2):
        output, _ = pods["worker", index].communicate(timeout=60)
        assert pods["worker", index].returncode == 0, output
        assert f"worker {index}: {{'loss': 0.0, 'slope': 3.0" in output
    assert pods["ps", 0].poll() is None  # it serves until the operator ends it


SRUN = """#!/bin/bash
# As srun: all tasks of the step at once; the others end soon after the first.
while [[ $1 == -* ]]; do shift; done
export SLURM_STEP_NUM_TASKS=3 SLURM_STEP_NODELIST=localhost SLURM_STEP_TASKS_PER_NODE=3
for rank in 0 1 2; do SLURM_PROCID=$rank "$@" & pids[$rank]=$!; done
wait ${pids[1]} && wait ${pids[2]}; status=$?
kill ${pids[0]}
exit $status
"""


def test_the_job_for_slurm_runs(spawn: Callable[..., Any], tmp_path: Path) -> None:
    srun = tmp_path / "srun"
    srun.write_text(SRUN)
    srun.chmod(0o755)
    job = (HOSTING / "slurm.sbatch").read_text().replace("20000 + ", f"{_free_ports(1)[0]} + ")
    process = spawn(["bash", "-c", job], PATH=str(tmp_path), SLURM_JOB_ID="40000")
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0, output
    assert (
        "worker 0: {'loss': 0.0, 'slope': 3.0" in output
        and "worker 1: {'loss': 0.0, 'slope': 3.0" in output
    )


def test_the_script_that_dask_jobqueue_gives_to_slurm(spawn: Callable[..., Any]) -> None:
    if importlib.util.find_spec("dask_jobqueue") is None:  # its import takes over Ctrl-C
        pytest.skip("needs dask_jobqueue")
    process = spawn(["python", "on_dask.py", "slurm", "--dry-run"])
    script, _ = process.communicate(timeout=60)
    assert script.startswith("#!/usr/bin/env bash\n"), script
    for line in ("-n 1", "--cpus-per-task=2", "--mem=2G", "-t 00:30:00", "--job-name=minitf"):
        assert f"#SBATCH {line}\n" in script
    assert "-m distributed.cli.dask_worker tcp://SCHEDULER:8786" in script.replace("  ", " ")
    assert "--nanny" in script


def test_the_machines_of_ssh(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("asyncssh")
    monkeypatch.syspath_prepend(str(HOSTING))
    from distributed.deploy import ssh

    on_dask = __import__("on_dask")
    built = {}
    monkeypatch.setattr(ssh, "SpecCluster", lambda *args, **kw: built.update(args=args, **kw))
    on_dask.start(on_dask.argparse.Namespace(where="ssh", hosts=["gate", "ant", "bee"]))
    workers, scheduler = built["args"][:2]
    assert scheduler["cls"] is ssh.Scheduler
    assert scheduler["options"]["address"] == "gate"
    assert [each["options"]["address"] for each in workers.values()] == ["ant", "bee"]
    assert all(each["options"]["kwargs"] == {"nthreads": 2} for each in workers.values())
    assert "known_hosts" in scheduler["options"]["connect_options"]
    with pytest.raises(SystemExit):
        on_dask.main(["ssh", "gate", "ant"])


def test_in_processes_of_this_machine(spawn: Callable[..., Any]) -> None:
    process = spawn(["python", "on_dask.py", "local"])
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0, output
    assert output.count("'loss': 0.0, 'slope': 3.0") == 2, output
