"""Where ops go: what is refused, and how."""

from ..case import programs

CASES = programs(
    "placement",
    {
        "no_gpu": """
        with tf.device("/gpu:0"):
            a = tf.constant(1., name="a")
        fails(session().run, a)
    """,
        "no_second_cpu": """
        with tf.device("/cpu:1"):
            a = tf.constant(1., name="a")
        fails(session().run, a + 1.)
    """,
        "second_cpu": """
        with tf.device("/cpu:1"):
            a = tf.constant(1., name="a")
        with tf.device("/cpu:0"):
            b = a + 1.
        with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as s:
            show(s.run(b))
    """,
        "no_such_job": """
        with tf.device("/job:ps/task:0"):
            v = tf.Variable(1., name="v")
        fails(session().run, v.initializer)
    """,
        "soft_placement": """
        with tf.device("/gpu:3"):
            a = tf.constant([1., 2.], name="a")
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as s:
            show(s.run(a))
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=False)) as s:
            fails(s.run, a)
    """,
        "unknown_type": """
        with tf.device("/device:FANTASY:0"):
            a = tf.constant(1., name="a")
        fails(session().run, a)
    """,
        "in_a_scope": """
        with tf.name_scope("tower"), tf.device("/gpu:1"):
            a = tf.constant([1., 2.], name="x")
        fails(session().run, a)
    """,
        "local_task_by_name": """
        with tf.device("/job:localhost/replica:0/task:0/device:CPU:0"):
            a = tf.constant(4.)
        show(run(a))
    """,
        "op_that_no_step_needs": """
        with tf.device("/gpu:7"):
            tf.constant(1.)
        fails(session().run, tf.constant(2.))
    """,
        "variable_and_reader": """
        with tf.device("/cpu:0"):
            v = tf.Variable([1., 2.], name="v")
        with tf.device("/cpu:1"):
            y = v * 2.
        with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as s:
            s.run(v.initializer); show(s.run(y), s.run(v.assign_add([1., 1.])), s.run(y))
    """,
        "two_devices_and_back": """
        x = tf.placeholder(tf.float32, [None], name="x")
        with tf.device("/cpu:1"):
            a = x * 2.
        with tf.device("/cpu:2"):
            b = x + 1.
        with tf.device("/cpu:0"):
            c = a * b
        with tf.Session(config=tf.ConfigProto(device_count={"CPU": 3})) as s:
            show(s.run([a, b, c], {x: [1., 2.]}), s.run(tf.gradients(c, x), {x: [1., 2.]}))
    """,
        "step_stats": """
        a = tf.placeholder(tf.float32, [2, 2], name="a"); b = tf.matmul(a, a, name="b")
        data = tf.RunMetadata()
        session().run(b, {a: [[1., 2.], [3., 4.]]}, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=data)
        names = {n.node_name for d in data.step_stats.dev_stats for n in d.node_stats}
        show("b" in names, [d.device for d in data.step_stats.dev_stats][:1])
    """,
        "device_spec": """
        D = tf.DeviceSpec
        d = D.from_string("/job:ps/replica:1/task:2/device:GPU:3")
        show(d.job, d.replica, d.task, d.device_type, d.device_index, d.to_string(), D().to_string(), D(job="w").to_string())
        show(D.from_string("/cpu:0").to_string(), D.from_string("/job:x/cpu:*").to_string(), D(device_type="gpu", device_index=1).to_string())
        fails(D.from_string, "job")
        d = D(job="foo", task=3); d.job = "bar"; show(d.to_string()); show(d.parse_from_string("/job:muu/gpu:2").to_string(), d.task)
        d.merge_from(D.from_string("/task:1/cpu:0")); show(d.to_string(), d == D.from_string("/job:muu/task:1/cpu:0"), hash(d) == hash(D.from_string("/job:muu/task:1/cpu:0")))
    """,
        "server_definitions": """
        c = tf.train.ClusterSpec({"ps": ["a:1", "b:2"], "worker": ["c:3"]})
        show(c.jobs, c.num_tasks("ps"), c.task_indices("ps"), c.task_address("ps", 1), c.job_tasks("worker"), c.as_dict(), bool(c))
        show(c == tf.train.ClusterSpec(c), bool(tf.train.ClusterSpec({})), tf.train.ClusterSpec({"w": {1: "x:1"}}).as_dict())
        fails(c.num_tasks, "none"); fails(c.task_address, "ps", 5); fails(c.job_tasks, "none")
        fails(tf.train.ClusterSpec, 3); fails(tf.train.ClusterSpec, {"ps": 3})
    """,
        "replica_device_setter": """
        cluster = tf.train.ClusterSpec({"ps": ["a:1", "b:2"], "worker": ["c:3", "d:4"]})
        with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device="/job:worker/task:1")):
            v = tf.Variable(1., name="v"); w = tf.Variable(2., name="w"); u = tf.Variable(3., name="u"); s = v + w
            with tf.device("/cpu:0"):
                c = tf.constant(1.)
            with tf.device("/job:ps/task:1"):
                d = tf.Variable(1., name="d")
        show(v.device, w.device, u.device, s.device, c.device, d.device, v.initializer.device, v.value().device)
    """,
        "replica_device_setter_forms": """
        with tf.device(tf.train.replica_device_setter(ps_tasks=3)):
            show([tf.Variable(1.).device for _ in range(4)], tf.constant(1.).device)
        with tf.device(tf.train.replica_device_setter(ps_tasks=2, ps_device="/job:p", worker_device="/job:w/cpu:0")):
            show([tf.get_variable("v%d" % i, [1]).device for i in range(3)], tf.constant(1.).device)
        show(tf.train.replica_device_setter(0) is None)
    """,
        "slots_are_dealt_out_in_a_graph_that_was_entered": """
        def places():
            with tf.device(tf.train.replica_device_setter(ps_tasks=4)):
                a = tf.get_variable("a", [2]); b = tf.get_variable("b", [2]); tf.train.AdamOptimizer(.1).minimize(tf.reduce_sum(a * b), global_step=tf.train.get_or_create_global_step())
                c = tf.get_variable("c", [2])
                with tf.colocate_with(a): e = tf.get_variable("e", [2])
                with tf.colocate_with(b), tf.device("/cpu:7"): h = tf.get_variable("h", [2])
                d = tf.get_variable("d", [2]); tf.train.MomentumOptimizer(.1, .9).minimize(d); f = tf.get_variable("f", [2], use_resource=True)
                k = tf.get_variable("k", [2])
            show([(v.op.name, v.device) for v in tf.global_variables()], tf.trainable_variables()[-1].op.colocation_groups())
        import threading
        with tf.Graph().as_default(): places()
        other = threading.Thread(target=places); other.start(); other.join()
    """,
    },
)
