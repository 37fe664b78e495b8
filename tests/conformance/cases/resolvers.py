"""Cluster resolvers: who is in the cluster, which task this is, what a session connects to."""

from ..case import programs, table

_START = """
        import json, os
        R = tf.distribute.cluster_resolver; C = tf.train.ClusterSpec
        for key in list(os.environ):
            if key.startswith(("SLURM_", "OMPI_")) or key == "TF_CONFIG": del os.environ[key]
        def told(r): return [str(r.cluster_spec()), r.task_type, r.task_id, r.rpc_layer, r.environment]
        def config(**content): os.environ["TF_CONFIG"] = json.dumps(content)
        def slurm(**values): os.environ.update({"SLURM_" + k: str(v) for k, v in values.items()})
        two = C({"worker": ["a:1", "b:2"]}); both = C({"ps": ["p:9"], "worker": ["a:1", "b:2"]})
"""

CASES = [
    *table(
        "resolvers/refused",
        _START.replace("\n        ", "\n"),
        """
        slurm_nothing | R.SlurmClusterResolver(gpus_per_node=1)
        abstract | R.ClusterResolver()
    """,
        word="fails",
    ),
    *programs(
        "resolvers",
        {
            "config_alone": _START
            + """
        r = R.TFConfigClusterResolver(); show(told(r), r.master(), r.num_accelerators())
        config(cluster={"worker": ["a:1"]}, task={"type": "worker", "index": 0}); show(told(r), r.master())
        """,
            "config_two": _START
            + """
        config(cluster={"worker": ["a:1", "b:2"]}, task={"type": "worker", "index": "1"}, rpc_layer="grpc")
        r = R.TFConfigClusterResolver(); show(told(r), r.master(), r.master("worker", 0), r.master(rpc_layer="x"))
        r = R.TFConfigClusterResolver("worker", 0, "http", "google"); show(told(r), r.master())
        """,
            "config_jobs": _START
            + """
        config(cluster={"ps": ["p:9"], "chief": ["c:1"], "worker": ["a:1", "b:2"]}, task={"type": "ps", "index": 0})
        r = R.TFConfigClusterResolver(); show(told(r), r.master(), r.master("chief", 0)); fails(r.master, "evaluator", 0)
        """,
            "config_session_master": _START
            + """
        config(cluster={"worker": ["a:1", "b:2"]}, task={"type": "worker"}, session_master="grpc://me:1")
        r = R.TFConfigClusterResolver(); show(r.task_type, r.task_id, r.master(), r.master("worker", 1))
        """,
            "config_changes": _START
            + """
        r = R.TFConfigClusterResolver(); show(r.cluster_spec().as_dict())
        config(cluster={"worker": ["a:1", "b:2"]}, task={"type": "worker", "index": 1}); show(told(r))
        config(cluster={"worker": ["a:1", "b:2", "c:3"]}, task={"type": "worker", "index": 2}); show(told(r))
        """,
            "own": _START
            + """
        class Mine(R.ClusterResolver):
            def cluster_spec(self): return two
            def master(self, task_type=None, task_id=None, rpc_layer=None): return ""
        r = Mine(); show(r.task_type, r.task_id, r.environment, dict(r.num_accelerators()), r.master())
        r.task_type = "worker"; r.task_id = 1; show(r.task_type, r.task_id)
        """,
            "slurm_one_node": _START
            + """
        slurm(PROCID=2, STEP_NUM_TASKS=4, STEP_NODELIST="t02n13", STEP_TASKS_PER_NODE=4)
        r = R.SlurmClusterResolver(gpus_per_node=4, auto_set_gpu=False)
        show(r.get_task_info(), r.master(), r.num_accelerators(), r.cluster_spec().as_dict(), r.get_task_info(), r.master(), r.master("worker", 0, "x"))
        """,
            "slurm_jobs": _START
            + """
        slurm(PROCID=3, STEP_NUM_TASKS=5, STEP_NODELIST="t02n13,t02n41,t02n[43-44,46]", STEP_TASKS_PER_NODE="1(x5)")
        r = R.SlurmClusterResolver({"ps": 1, "worker": 4}, 8888, 2, 2)
        show(r.cluster_spec().as_dict(), r.get_task_info(), r.master(), os.environ["CUDA_VISIBLE_DEVICES"], r.num_accelerators())
        """,
            "slurm_uneven": _START
            + """
        slurm(PROCID=4, STEP_NUM_TASKS=6, STEP_NODELIST="n[1-2],m[08-09]", STEP_TASKS_PER_NODE="2(x2),1(x2)")
        r = R.SlurmClusterResolver({"chief": 1, "worker": 5}, port_base=1338, gpus_per_node=4, rpc_layer=None)
        show(r.cluster_spec().as_dict(), r.get_task_info(), r.master(), os.environ["CUDA_VISIBLE_DEVICES"])
        """,
            "slurm_tasks_passed": _START
            + """
        slurm(PROCID=1, STEP_NUM_TASKS=4, STEP_NODELIST="n[1-2]")
        r = R.SlurmClusterResolver(gpus_per_node=2, tasks_per_node=2); show(r.cluster_spec().as_dict(), r.get_task_info(), os.environ["CUDA_VISIBLE_DEVICES"])
        r = R.SlurmClusterResolver({"worker": 3}, gpus_per_node=2, tasks_per_node={"x": 2, "y": 1}); show(r.cluster_spec().as_dict())
        """,
            "slurm_too_many": _START
            + """
        slurm(PROCID=0, STEP_NUM_TASKS=4, STEP_NODELIST="n[1-2]", STEP_TASKS_PER_NODE="2(x2)")
        fails(R.SlurmClusterResolver, {"worker": 5}, gpus_per_node=2); fails(R.SlurmClusterResolver, gpus_per_node=2, gpus_per_task=2)
        """,
        },
    ),
]
