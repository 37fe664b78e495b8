"""Clusters in one process: servers, sessions, containers, isolation; barriers and staging areas."""

import textwrap

from ..case import programs

_PRELUDE = """
import re, socket
def free():
    with socket.create_server(("127.0.0.1", 0)) as s: return "localhost:%d" % s.getsockname()[1]
def cluster(**jobs):
    spec = tf.train.ClusterSpec({j: [free() for _ in range(n)] for j, n in jobs.items()})
    made = [tf.train.Server(spec, j, i) for j in spec.jobs for i in spec.task_indices(j)]; started.extend(made)
    return spec, made
started = []
def alone(): return cluster(local=1)[1][0]
def unport(text): return re.sub(r"localhost:\\d+", "localhost:PORT", str(text))
def fails_as(function):
    try: show(function())
    except Exception as error: show(type(error).__name__)
def ends(function):
    try: show(function())
    except Exception as error:
        text = getattr(error, "message", str(error))
        text = re.sub(r"(?s)^.*\\nNode: '[^\\n]*'\\n", "", text)
        text = re.sub(r"^Graph execution error:\\n\\n|=+\\n[A-Z_]+: ", "", text)
        text = re.sub(r"(?s)\\n\\t? ?\\[\\[.*|\\nErrors may.*|\\nAdditional GRPC.*", "", text)
        show(type(error).__name__, re.sub(r"_\\d+_", "_N_", unport(text)))
class Greedy:
    def __init__(self, n): self.loads = [0] * n
    def __call__(self, op):
        task = self.loads.index(min(self.loads)); self.loads[task] += op.outputs[0].shape.num_elements() if op.outputs else 0; return task
"""

_END = "\nfor server in started: getattr(server, 'stop', str)()\n"  # TensorFlow has no stop


_CLUSTERS = {
    "local_server": """
    s = tf.train.Server.create_local_server(start=False); s.start(); s.start()
    with tf.Session(s.target) as sess: show(sess.run(tf.constant(3) + 4), [d.device_type for d in sess.list_devices()], unport(s.target), s.server_def.protocol, s.server_def.task_index)
    """,
    "server_arguments": """
    a = free(); d = tf.train.ServerDef(cluster=tf.train.ClusterSpec({"local": [a]}).as_cluster_def(), job_name="local", task_index=0, protocol="grpc")
    s = tf.train.Server(d); show(unport(s.target), unport(s.server_def))
    ends(lambda: tf.train.Server({"a": ["x:1"], "b": ["y:2"]})); ends(lambda: tf.train.Server({"a": ["x:1", "y:2"]})); ends(lambda: tf.train.Server({"a": ["x:1"]}, job_name="b", task_index=0))
    ends(lambda: tf.train.Server({"a": ["x:1"]}, job_name="a", task_index=3)); ends(lambda: tf.train.Server(3)); ends(lambda: tf.train.Server({"a": [free()]}, protocol="foo")); ends(lambda: tf.train.Server({"a": ["localhost"]}))
    fails_as(lambda: tf.train.Server({"a": [a]}))
    """,
    "definitions": """
    d = tf.train.ServerDef(cluster=tf.train.ClusterSpec({"ps": ["a:1", "b:2"], "worker": {3: "c:3"}}).as_cluster_def(), job_name="ps", task_index=1, protocol="grpc")
    show(str(d)); d.default_session_config.CopyFrom(tf.ConfigProto(allow_soft_placement=True)); show(d.default_session_config.allow_soft_placement)
    c = tf.train.ClusterDef(); j = c.job.add(); j.name = "w"; j.tasks[0] = "a:1"; j.tasks[3] = "b:2"; show(str(c), str(tf.train.ClusterSpec(c)), tf.train.ClusterSpec(c).as_dict())
    show(str(tf.train.JobDef(name="x", tasks={0: "a:1"})), c.job[0].tasks[3], len(c.job), c.job[0].name)
    t = tf.train.ServerDef(); t.CopyFrom(d); t.task_index = 0; show(str(t).count("task_index"), d.task_index, t == d)
    show(d.HasField("default_session_config"), tf.train.ServerDef().HasField("cluster"), tf.train.ServerDef.FromString(d.SerializeToString()) == d)
    c.job.add(name="ps", tasks={0: "z:1"}); show(sorted(tf.train.ClusterSpec(c).jobs)); c.job.extend([tf.train.JobDef(name="k")]); show(len(c.job)); config = tf.ConfigProto(); config.cluster_def.CopyFrom(c); show(len(config.cluster_def.job))
    """,
    "tasks_share_variables": """
    spec, servers = cluster(ps=1, worker=2)
    with tf.device("/job:ps/task:0"): v = tf.get_variable("v", [], initializer=tf.zeros_initializer()); r = v.assign_add(1.)
    with tf.device("/job:worker/task:1"): y = v * 2
    with tf.Session(servers[1].target) as s: s.run(v.initializer); s.run(r); show(s.run(y), sorted(d.name for d in s.list_devices()))
    with tf.Session(servers[2].target) as s: s.run(r); show(s.run(v))
    """,
    "isolated_sessions": """
    s = alone(); v = tf.Variable(1., name="v"); u = tf.Variable(5., use_resource=True, name="u"); c = tf.ConfigProto(isolate_session_state=True)
    a = tf.Session(s.target); b = tf.Session(s.target, config=c); d = tf.Session(s.target, config=c); a.run([v.initializer, u.initializer]); ends(lambda: b.run(v)); fails_as(lambda: b.run(u))
    b.run([v.assign(7.), u.assign(8.)]); show(a.run([v, u]), b.run([v, u])); ends(lambda: d.run(v)); e = tf.Session(s.target); show(e.run([v, u]))
    q = tf.FIFOQueue(3, tf.int32, shared_name="q"); a.run(q.enqueue(1)); show(a.run(q.size()), b.run(q.size()), e.run(q.size()))
    """,
    "isolated_shapes": """
    s = alone(); x = tf.placeholder(tf.int32); v = tf.Variable(x, validate_shape=False, name="v"); c = tf.ConfigProto(isolate_session_state=True)
    a, b = tf.Session(s.target), tf.Session(s.target); i, j = tf.Session(s.target, config=c), tf.Session(s.target, config=c)
    for each in (a, b, i, j): ends(lambda: each.run(v))
    a.run(v.initializer, {x: 86}); show(a.run(v), b.run(v)); b.run(v.initializer, {x: [86, 99]}); show(a.run(v), b.run(v)); i.run(v.initializer, {x: 37}); show(a.run(v), i.run(v)); ends(lambda: j.run(v)); j.run(v.initializer, {x: [19, 86]}); show(a.run(v), i.run(v), j.run(v))
    """,
    "containers": """
    s = alone()
    with tf.container("c1"): v = tf.Variable(1., name="v"); u = tf.Variable(5., use_resource=True, name="u"); q = tf.FIFOQueue(10, tf.float32, shared_name="q")
    with tf.container("c2"): w = tf.Variable(2., name="w")
    x = tf.Variable(3., name="x"); i = tf.global_variables_initializer(); a = tf.Session(s.target); a.run(i); a.run(q.enqueue(1.)); show(a.run([v, u, w, x]))
    tf.Session.reset(s.target, ["c1"]); fails_as(lambda: a.run(x)); b = tf.Session(s.target); ends(lambda: b.run(v)); fails_as(lambda: b.run(u)); show(b.run([w, x]), b.run(q.size()))
    tf.Session.reset(s.target); b = tf.Session(s.target); show(b.run(w)); ends(lambda: b.run(x))
    tf.Session.reset(s.target, ["c2", "none"]); b = tf.Session(s.target); ends(lambda: b.run(w)); ends(lambda: b.run(x))
    fails_as(lambda: tf.Session.reset("nonexistent", ["c1"])); fails_as(lambda: tf.Session.reset("grpc://localhost:1", ["c1"], config=tf.ConfigProto(operation_timeout_in_ms=300)))
    """,
    "one_name_in_containers": """
    s = alone()
    def value(c, x=None):
        with tf.Graph().as_default(), tf.container(c):
            v = tf.Variable(0. if x is None else x, name="v")
            with tf.Session(s.target) as sess:
                if x is not None: sess.run(v.initializer)
                return sess.run(v)
    show(value("", 1.), value("a", 2.), value("b", 3.), value(""), value("a"), value("b"))
    with tf.container("k"):
        with tf.container("l"): p = tf.Variable(0.)
        o = tf.Variable(0.)
    show([tf.compat.as_str(n.op.get_attr("container")) for n in (p, o)])
    """,
    "timeouts": """
    s = alone(); q = tf.FIFOQueue(1, tf.float32, name="q")
    fails_as(lambda: tf.Session(s.target, config=tf.ConfigProto(operation_timeout_in_ms=200)).run(q.dequeue())); fails_as(lambda: tf.Session(s.target).run(q.dequeue(), options=tf.RunOptions(timeout_in_ms=200)))
    fails_as(lambda: tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=200)).run(q.dequeue())); fails_as(lambda: tf.Session().run(q.dequeue(), options=tf.RunOptions(timeout_in_ms=200)))
    """,
    "metadata": """
    spec, servers = cluster(ps=1, worker=1)
    with tf.device("/job:ps/task:0"): v = tf.Variable([1., 2.], name="v")
    with tf.device("/job:worker/task:0"): y = tf.multiply(v, 2., name="y")
    with tf.Session(servers[1].target) as s:
        s.run(v.initializer); m = tf.RunMetadata(); s.run(y, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True), run_metadata=m)
        show({d.device for d in m.step_stats.dev_stats} >= {"/job:%s/replica:0/task:0/device:CPU:0" % job for job in ("ps", "worker")}, len(m.partition_graphs), sorted({n.device for g in m.partition_graphs for n in g.node}), sorted({n.op for g in m.partition_graphs for n in g.node} & {"VariableV2", "Mul", "_Send", "_Recv"}), sorted({n.node_name for d in m.step_stats.dev_stats for n in d.node_stats} & {"y"}))
        m = tf.RunMetadata(); s.run(y, options=tf.RunOptions(output_partition_graphs=True), run_metadata=m); show(len(m.partition_graphs))
    """,
    "device_filters": """
    spec, servers = cluster(ps=1, worker=2); c = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:0"])
    with tf.device("/job:worker/task:1"): y = tf.constant(1.)
    s = tf.Session(servers[1].target, config=c); show(sorted(d.name for d in s.list_devices())); fails_as(lambda: s.run(y))
    s = tf.Session(servers[2].target, config=tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:1"])); show(sorted(d.name for d in s.list_devices()), s.run(y))
    """,
    "errors": """
    spec, servers = cluster(ps=1, worker=1); x = tf.placeholder(tf.int32, [], name="x")
    with tf.device("/job:worker"): d = tf.div(10, x, name="d"); e = tf.identity(d)
    with tf.Session(servers[1].target) as s:
        try: s.run(e, {x: 0})
        except tf.errors.OpError as error: show(type(error).__name__, error.op.name, error.node_def.name)
        ends(lambda: s.run(e, {x: 0})); fails_as(lambda: s.run(e)); show(s.run(e, {x: 5}))
    s = tf.Session(servers[1].target); s.run(e, {x: 1}); s.close(); ends(lambda: s.run(e, {x: 1})); s.close(); fails_as(lambda: tf.Session("nogrpc://x:1")); fails_as(lambda: tf.Session(3))
    with tf.device("/job:foo"): z = tf.constant(1.)
    with tf.Session(servers[1].target) as s: fails_as(lambda: s.run(z))
    """,
    "shared_queue": """
    spec, servers = cluster(ps=1, worker=2)
    with tf.device("/job:ps"): q = tf.FIFOQueue(10, tf.int32, shapes=[[]], shared_name="q", name="qq")
    with tf.Session(servers[1].target) as a, tf.Session(servers[2].target) as b:
        a.run(q.enqueue_many([[1, 2, 3]])); show(b.run(q.dequeue()), b.run(q.size())); a.run(q.close()); show(b.run(q.is_closed()), b.run(q.dequeue_up_to(5)))
    """,
    "partitioned_embedding": """
    spec, servers = cluster(ps=2, worker=1)
    with tf.device(tf.train.replica_device_setter(cluster=spec)):
        e = tf.get_variable("e", [5, 2], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(2))
        y = tf.nn.embedding_lookup(e, [0, 4, 2]); l = tf.reduce_sum(y); g = tf.gradients(l, list(e)); t = tf.train.GradientDescentOptimizer(.5).minimize(l)
    show([v.device for v in e], y.device, [type(x).__name__ for x in g], [(x.values.device, x.indices.device) for x in g])
    with tf.Session(servers[2].target) as s: s.run(tf.global_variables_initializer()); s.run(t); show(s.run(list(e)), s.run(g))
    """,
    "sync_replicas_alone": """
    v = tf.Variable([1., 2.], name="v"); e = tf.Variable([[1.], [2.]], name="e"); gs = tf.train.create_global_step(); o = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(.1), 2, 3)
    fails(o.get_chief_queue_runner); fails(o.get_init_tokens_op); h = o.make_session_run_hook(True); fails(h.begin); fails(o.apply_gradients, []); fails(o.apply_gradients, [(tf.constant([1., 1.]), v)])
    t = o.minimize(tf.reduce_sum(v) * tf.reduce_sum(tf.gather(e, [1])), global_step=gs)
    show(t.name, o.get_init_tokens_op().name, o.chief_init_op.name, o.local_step_init_op.name, [x.name for x in tf.local_variables()], [x.name for x in tf.global_variables()])
    h.begin(); s = tf.Session(); s.run([tf.global_variables_initializer(), tf.local_variables_initializer()]); c = tf.train.Coordinator(); h.after_create_session(s, c)
    s.run(t); s.run(t)
    import time
    while s.run(gs) < 1: time.sleep(.01)
    show(s.run([v, e, gs])); c.request_stop()
    """,
    "device_setter": """
    spec = tf.train.ClusterSpec({"ps": ["a:1", "b:1", "c:1"], "worker": ["d:1"]})
    def places(**options):
        with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(**options)):
            made = [tf.get_variable("v%d" % i, [n]) for i, n in enumerate([9, 1, 2, 3, 4])]; made.append(made[0] + 1.)
            with tf.device("/cpu:0"): made.append(tf.get_variable("w", [1])); made.append(tf.constant(1.))
            with tf.device("/job:other/task:2"): made.append(tf.get_variable("z", [1]))
            return [m.device for m in made]
    show(places(cluster=spec)); show(places(ps_tasks=2)); show(places(cluster=spec, worker_device="/job:worker/task:3/gpu:0")); show(places(cluster=spec, merge_devices=False)); show(places(cluster={"worker": ["x:1"]})); show(places(cluster=spec, ps_device="/job:ps/cpu:0"))
    greedy = tf.contrib.training.GreedyLoadBalancingStrategy(3, tf.contrib.training.byte_size_load_fn) if hasattr(tf, "contrib") else Greedy(3)
    show(places(cluster=spec, ps_strategy=greedy)); show(places(cluster=spec, ps_ops=["Const"])); fails(lambda: tf.train.replica_device_setter(cluster=3)); fails(lambda: tf.train.replica_device_setter(ps_tasks=2, ps_strategy=3)); show(tf.train.replica_device_setter())
    """,
}


CASES = [
    *programs("clusters", {n: _PRELUDE + textwrap.dedent(t) + _END for n, t in _CLUSTERS.items()}),
]
