"""What TensorFlow cannot be asked here: TPU cores, Slurm without GPUs, and clear refusals."""

import numpy as np
import pytest

import minitf as tf
from minitf.library.distribute.resolvers import expand_hostlist, expand_tasks_per_node

resolvers = tf.distribute.cluster_resolver


@pytest.fixture
def cores():
    tf.simulate_tpus(4)
    yield
    tf.simulate_tpus(0)


def test_a_resolver_brings_eight_cores():
    tf.simulate_tpus(0)
    assert resolvers.TPUClusterResolver("my-tpu").num_accelerators() == {"TPU": 8}
    tf.simulate_tpus(0)


def test_only_what_asks_for_a_core_runs_there(cores):
    with tf.Graph().as_default(), tf.Session() as sess:
        with tf.device("/device:TPU:3"):
            there = tf.constant([1.0, 2.0]) * 2.0
        anywhere = tf.constant([1.0, 2.0]) * 3.0
        assert np.array_equal(sess.run(there + anywhere), [5.0, 10.0])
        assert "TPU:3" in sess.explain(there) and "TPU" not in sess.explain(anywhere)
        descriptions = {each.description for each in sess._backend.devices.values()}
        assert "simulated TPU core (NumPy on the CPU; no TPU)" in descriptions


def test_slurm_without_gpus(monkeypatch):
    for name, value in {
        "SLURM_PROCID": "1",
        "SLURM_NTASKS": "2",
        "SLURM_NODELIST": "n[1-2]",
        "SLURM_TASKS_PER_NODE": "1(x2)",
    }.items():
        monkeypatch.setenv(name, value)
    resolver = resolvers.SlurmClusterResolver(gpus_per_node=0)
    assert resolver.cluster_spec().as_dict() == {"worker": ["n1:8888", "n2:8888"]}
    assert resolver.get_task_info() == ("worker", 1) and resolver.num_accelerators() == {"GPU": 0}


def test_what_is_no_list_of_slurm():
    for text in ("n[1-", "n[a-b]", "n]1", ",,", "a[1]b"):
        with pytest.raises(ValueError, match="Invalid hostlist format"):
            expand_hostlist(text)
    with pytest.raises(ValueError, match="Invalid tasks-per-node list format"):
        expand_tasks_per_node("2(y3)")


def test_tf_config_that_is_no_json(monkeypatch):
    monkeypatch.setenv("TF_CONFIG", "{cluster}")
    with pytest.raises(ValueError, match="TF_CONFIG is not JSON"):
        resolvers.TFConfigClusterResolver().cluster_spec()
