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

_HELD = """
if tf.__name__.startswith("minitf"):
    held = tf.contrib.staging; Barrier, MapStagingArea, StagingArea = held.Barrier, held.MapStagingArea, held.StagingArea
else:
    from tensorflow.python.ops.data_flow_ops import Barrier, MapStagingArea, StagingArea
"""

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
    "shared_accumulator": """
    spec, servers = cluster(ps=1, worker=2); g = tf.placeholder(tf.float32, [2]); step = tf.placeholder(tf.int64, [])
    with tf.device("/job:ps"): a = tf.ConditionalAccumulator(tf.float32, [2], shared_name="a"); z = tf.SparseConditionalAccumulator(tf.float32, [3, 1], shared_name="z")
    with tf.device("/job:worker/task:0"): add = a.apply_grad(g, step); rows = z.apply_grad([0, 2], tf.expand_dims(g, 1), [3, 1], step)
    take = a.take_grad(2); slices = z.take_indexed_slices_grad(1)
    with tf.Session(servers[1].target) as s, tf.Session(servers[2].target) as t:
        s.run([add, rows], {g: [1., 2.], step: 0}); t.run([add, rows], {g: [3., 4.], step: 0}); show(s.run([a.num_accumulated(), z.num_accumulated()]), t.run(take), s.run(slices))
        s.run([add, rows], {g: [1., 2.], step: 0}); show(t.run([a.num_accumulated(), z.num_accumulated()])); s.run([add, rows], {g: [1., 2.], step: 1}); show(t.run([a.num_accumulated(), z.num_accumulated()])); s.run(a.set_global_step(5)); s.run(add, {g: [1., 2.], step: 4}); show(t.run(a.num_accumulated()))
        fails_as(lambda: s.run(a.take_grad(0)))
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

_AREAS = {
    "barrier": """
    b = Barrier((tf.float32, tf.float32), shapes=((), ()), name="B");
    show(b.name, b.ready_size(), b.incomplete_size(), b.insert_many(0, ["a"], [1.]), b.take_many(2), b.take_many(2, allow_small_batch=True), b.close())
    s = session()
    s.run(b.insert_many(0, ["a","b","c"], [10.,20.,30.])); show(s.run([b.ready_size(), b.incomplete_size()]))
    s.run(b.insert_many(1, ["c","a"], [300., 100.])); show(s.run([b.ready_size(), b.incomplete_size()]))
    s.run(b.insert_many(0, ["d"], [40.])); s.run(b.insert_many(1, ["d","b"], [400.,200.]))
    show(s.run(b.take_many(3))); show(s.run(b.take_many(1)))
    ends(lambda: s.run(b.insert_many(0, ["x","x"], [1.,2.])))
    ends(lambda: s.run([b.ready_size(), b.incomplete_size()]))
    ends(lambda: s.run(b.insert_many(2, ["x"], [1.])))
    ends(lambda: s.run(b.insert_many(0, ["x"], [[1.]])))
    s.run(b.close()); ends(lambda: s.run(b.close()))
    ends(lambda: s.run(b.insert_many(0, ["new"], [1.])))
    ends(lambda: s.run(b.take_many(2)))
    ends(lambda: s.run(b.take_many(2, allow_small_batch=True)))
    s.run(b.insert_many(1, ["x"], [5.]));
    ends(lambda: s.run(b.take_many(2))); ends(lambda: s.run(b.take_many(0)))
    ends(lambda: s.run(b.insert_many(0, [], [])))
    ends(lambda: s.run(b.insert_many(0, ["z"], [5.])))
    ends(lambda: s.run(b.close(True))); ends(lambda: s.run(b.insert_many(0, [], [])));ends(lambda: s.run(b.close(True)))
    """,
    "barrier_more": """
    fails(lambda: Barrier((tf.float32, tf.float32), shapes=((1,), (0,)), name="B"))
    b = Barrier(tf.float32); s = session(); show(b.take_many(3))
    ends(lambda: s.run(b.insert_many(0, ["a","b"], [[1.,2.],[3.,4.]]))); s.run(b.insert_many(0, ["a"], [1.])); show(s.run(b.take_many(1))[1:])
    w = Barrier((tf.float32,tf.float32),shapes=((),())); ends(lambda: s.run(w.insert_many(0, ["a"], [[1.]])))
    ends(lambda: s.run(b.insert_many(0, ["c"], np.zeros([1,0],np.float32))))
    c = Barrier(tf.string, shapes=[[2]], shared_name="s"); s.run(c.insert_many(0, ["k"], [["p","q"]])); show(s.run(c.take_many(1)))
    d = Barrier(tf.int32, shapes=[[2]], shared_name="s"); ends(lambda: s.run(d.ready_size()))
    e = Barrier(tf.string, shapes=[[3]], shared_name="s"); ends(lambda: s.run(e.ready_size()))
    f = Barrier((tf.float32,tf.float32), shapes=((),())); s.run(f.insert_many(0,["a","b"],[1.,2.])); s.run(f.insert_many(1,["a"],[1.])); s.run(f.close(True)); show(s.run([f.ready_size(), f.incomplete_size()])); ends(lambda: s.run(f.insert_many(1,["b"],[1.]))); ends(lambda: s.run(f.take_many(2, allow_small_batch=True))); ends(lambda: s.run(f.take_many(2, allow_small_batch=True)))
    show(sorted(f.barrier_ref.op.node_def.attr))
    show(f.barrier_ref.op.type, f.insert_many(1,["b"],[1.]).type, f.close().type, f.ready_size().op.type, f.incomplete_size().op.type)
    show([i.name for i in f.insert_many(1,["b"],[1.], name="im").inputs], [i.name for i in f.take_many(1, name="tm")[0].op.inputs])
    """,
    "staging": """
    a = StagingArea([tf.float32, tf.int32], shapes=[[2], []])
    show(a.name, a.dtypes, a.shapes, a.names, a.capacity, a.memory_limit)
    x = tf.constant([1.,2.]); y = tf.constant(3)
    s = session(); p = a.put([x, y]); g = a.get(); show(p, g, a.size(), a.clear(), a.peek(0))
    s.run(p); s.run(a.put([x*2, y])); show(s.run(a.size()), s.run(a.peek(1)), s.run(g), s.run(a.size())); s.run(a.clear()); show(s.run(a.size()))
    fails(a.put, [x]); fails(a.put, [y, x]); fails(a.put, {"a": x}); fails(lambda: StagingArea([tf.float32], shapes=[[1],[2]])); fails(lambda: StagingArea([tf.float32], names=["a","b"]))
    n = StagingArea([tf.float32, tf.int32], names=["p","q"], shared_name="named"); show(n.name, n.put({"p": x, "q": y}), n.get()); s.run(n.put({"p": x, "q": y})); show(s.run(n.get())); fails(n.put, [x, y]); fails(n.put, {"z": x})
    one = StagingArea([tf.float32]); s.run(one.put(x)); show(s.run(one.get()))
    m = StagingArea([tf.float32], memory_limit=12); s.run(m.put([x])); ends(lambda: s.run(m.put([tf.zeros([9])])))
    show(p.type, g[0].op.type, a.size().op.type, a.clear().type, a.peek(0)[0].op.type, sorted(p.node_def.attr))
    """,
    "map_staging": """
    for ordered in (False, True):
        a = MapStagingArea([tf.float32, tf.int32, tf.string], shapes=[[2], [], []], ordered=ordered)
        x = tf.constant([1.,2.]); y = tf.constant(3); z = tf.constant("z"); k = tf.placeholder(tf.int64)
        s = session(); show(a.name); p = a.put(k, [x, z], indices=[0, 2]); q = a.put(k, [y], [1]); show(p, q, a.size(), a.incomplete_size(), a.clear())
        show(a.get(k), a.get(), a.peek(k), a.get(k, [1]))
        s.run(p, {k: 5}); show(s.run([a.size(), a.incomplete_size()])); s.run(q, {k: 5}); show(s.run([a.size(), a.incomplete_size()]))
        s.run(p, {k: 2}); s.run(q, {k: 2}); show(s.run(a.peek(k), {k: 5}), s.run(a.peek(k, [1]), {k: 2}))
        show(s.run(a.get(k)[1], {k: 5}))
        if ordered: s.run(p, {k: 1}); s.run(q, {k: 1}); show(s.run(a.get()))
        show(s.run(a.get(k, [1])[1], {k: 2})); show(s.run([a.size(), a.incomplete_size()]))
        show(s.run(a.get(k, [0, 2])[1], {k: 2})); show(s.run([a.size(), a.incomplete_size()]))
        s.run(p, {k: 9}); ends(lambda: s.run(p, {k: 9})); s.run(a.clear()); show(s.run([a.size(), a.incomplete_size()]))
        show(p.type, a.get()[0].op.type, a.get(k)[1][0].op.type, a.peek(k)[0].op.type, a.size().op.type, a.incomplete_size().op.type)
        fails(a.get, k, []); fails(a.get, k, ["x"]); fails(a.put, k, [x]); fails(a.put, k, [x], [1]); fails(a.get, k, 3)
        n = MapStagingArea([tf.float32, tf.int32], names=["f", "i"], ordered=ordered, shared_name="n%d" % ordered); s.run(n.put(k, {"f": x, "i": y}), {k: 1}); show(n.get(k, ["i"]), s.run(n.get())); fails(n.get, k, ["zz"])
    """,
}

CASES = [
    *programs("clusters", {n: _PRELUDE + textwrap.dedent(t) + _END for n, t in _CLUSTERS.items()}),
    *programs("staging", {n: _PRELUDE + _HELD + textwrap.dedent(t) for n, t in _AREAS.items()}),
]
