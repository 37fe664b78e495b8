"""Tasks in the workers of a Dask cluster that any of Dask's deployments has started.

    python on_dask.py local                  processes of this machine
    python on_dask.py ssh gate ant bee cat   the scheduler on gate, then a worker each
    python on_dask.py slurm --workers 3      dask-jobqueue: a job of Slurm for each worker
    python on_dask.py kubernetes             dask-kubernetes: daskcluster.yaml, from a pod
    python on_dask.py slurm --dry-run        shows what would be started, and starts nothing

The machines need minitf[cluster] of the same version; the tasks talk to each other directly, at
ports that they choose. The token that lets them is made anew and travels through Dask: give Dask
itself certificates (`security=`) where others share the network.
"""

import argparse
from pathlib import Path
from typing import Any

from distributed import Client, LocalCluster, SSHCluster
from training import train_in

import minitf as tf

HERE = Path(__file__).parent


def ssh_options(hosts: list[str]) -> dict[str, Any]:
    """Arguments of SSHCluster: the first host has the scheduler, the others a worker each."""
    return {
        "hosts": hosts,
        "connect_options": {"known_hosts": str(Path.home() / ".ssh" / "known_hosts")},
        "worker_options": {"nthreads": 2},
    }


def slurm_options() -> dict[str, Any]:
    """Arguments of SLURMCluster, for one job of Slurm."""
    return {
        "cores": 2,
        "processes": 1,
        "memory": "2GB",
        "walltime": "00:30:00",
        "job_extra_directives": ["--job-name=minitf"],
        "worker_extra_args": ["--nanny"],  # brings a task back whose process died
    }


def start(arguments: argparse.Namespace) -> Any:
    """Starts the Dask cluster."""
    if arguments.where == "local":
        return LocalCluster(n_workers=arguments.workers, dashboard_address=None)
    if arguments.where == "ssh":
        return SSHCluster(**ssh_options(arguments.hosts))
    if arguments.where == "slurm":
        from dask_jobqueue import SLURMCluster

        cluster = SLURMCluster(**slurm_options())
        cluster.scale(jobs=arguments.workers)
        return cluster
    from dask_kubernetes.operator import KubeCluster

    return KubeCluster(custom_cluster_spec=str(HERE / "daskcluster.yaml"))


def show(arguments: argparse.Namespace) -> None:
    """Prints what `start` would start."""
    if arguments.where == "ssh":
        print(ssh_options(arguments.hosts))
    elif arguments.where == "slurm":
        from dask_jobqueue.slurm import SLURMJob

        print(SLURMJob("tcp://SCHEDULER:8786", "minitf", **slurm_options()).job_script())
    elif arguments.where == "kubernetes":
        print((HERE / "daskcluster.yaml").read_text())


def main(given: list[str] | None = None) -> None:
    """Trains on one parameter server, and as many workers as are left."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("where", choices=["local", "ssh", "slurm", "kubernetes"])
    parser.add_argument("hosts", nargs="*")
    parser.add_argument("--workers", type=int, default=3, help="Dask workers")
    parser.add_argument("--dry-run", action="store_true")
    arguments = parser.parse_args(given)
    if arguments.where == "ssh":
        arguments.workers = len(arguments.hosts) - 1
        if arguments.workers < 2:
            parser.error("ssh needs the scheduler's host and at least two more")
    if arguments.dry_run:
        show(arguments)
        return
    with start(arguments) as dask_cluster, Client(dask_cluster) as client:
        client.wait_for_workers(arguments.workers)
        client.upload_file(str(HERE / "training.py"))
        with tf.cluster.attach(client, ps=1, workers=arguments.workers - 1) as cluster:
            for found in cluster.run(train_in, restarts=2):
                print(found)


if __name__ == "__main__":
    main()
