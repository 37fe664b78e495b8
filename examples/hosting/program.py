"""One program for every task of a cluster; whoever starts it says which task it is.

    Kubernetes    tfjob.yaml: Kubeflow's training operator sets TF_CONFIG in every pod
    Slurm         slurm.sbatch: srun sets SLURM_PROCID and the list of nodes
    by hand       TF_CONFIG='{"cluster": ..., "task": ...}' python program.py

On several machines every task needs the same MINITF_CLUSTER_TOKEN.
"""

import os

from training import train

import minitf as tf


def find_task() -> tuple[tf.train.ClusterSpec, str, int]:
    """Which cluster, job and task this process is, from the environment."""
    if "SLURM_PROCID" in os.environ:
        tasks = int(os.environ["SLURM_STEP_NUM_TASKS"])
        resolver = tf.distribute.cluster_resolver.SlurmClusterResolver(
            {"ps": 1, "worker": tasks - 1},
            port_base=int(os.environ.get("PORT_BASE", "8888")),
            auto_set_gpu=False,
        )
        return resolver.cluster_spec(), *resolver.get_task_info()
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    return resolver.cluster_spec(), resolver.task_type, resolver.task_id


def main() -> None:
    """Serves as a parameter server, or trains as a worker."""
    cluster, job, index = find_task()
    server = tf.train.Server(cluster, job, index)
    if job == "ps":
        server.join()  # until the cluster manager ends it
    print(f"{job} {index}: {train(cluster, job, index, server.target)}", flush=True)


if __name__ == "__main__":
    main()
