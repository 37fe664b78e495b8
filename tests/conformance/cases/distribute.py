"""tf.distribute: strategies on several processors, in graphs; under eager execution on one."""

import textwrap

from ..case import programs

_PRELUDE = """
D = tf.distribute
X = np.linspace(-1, 1, 40).reshape(8, 5).astype(np.float32); Y = np.linspace(0, 2, 8).reshape(8, 1).astype(np.float32)
def call(s, fn, args=()): return (getattr(s, "experimental_run_v2", None) or s.run)(fn, args=args)
def two(**k): return D.MirroredStrategy(["/cpu:0", "/cpu:1"], **k)
def central(): return D.experimental.CentralStorageStrategy(["/cpu:0", "/cpu:1"], "/cpu:0")
def sess(): return tf.Session(config=tf.ConfigProto(device_count={"CPU": 3}))
def values(s, *what):
    with sess() as one:
        one.run(tf.global_variables_initializer()); one.run(tf.local_variables_initializer())
        for each in what: show(one.run(s.experimental_local_results(each)))
def ids(s): return call(s, lambda: tf.identity(D.get_replica_context().replica_id_in_sync_group))
def train(s, optimizer, steps=3):
    with s.scope():
        it = s.make_dataset_iterator(tf.data.Dataset.from_tensor_slices((X, Y)).batch(8, drop_remainder=True).repeat())
        step = tf.train.get_or_create_global_step()
        def one(inputs):
            x, y = inputs
            w = tf.get_variable("w", [5, 1], initializer=tf.constant_initializer(0.5)); b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
            loss = tf.reduce_sum(tf.square(tf.matmul(x, w) + b - y)) / 8.
            with tf.control_dependencies([optimizer().minimize(loss, global_step=tf.train.get_global_step())]):
                return tf.identity(loss)
        loss = s.reduce(D.ReduceOp.SUM, s.experimental_run(one, it), axis=None)
    with sess() as one:
        one.run(it.initialize()); one.run(tf.global_variables_initializer())
        for _ in range(steps): show(one.run(loss))
        show([v.name for v in tf.global_variables()], [v.name for v in tf.trainable_variables()], one.run(step))
        for v in tf.global_variables(): show(one.run(s.experimental_local_results(v)))
"""

_OPTIMIZERS = {
    "sgd": "tf.train.GradientDescentOptimizer(.1)",
    "momentum": "tf.train.MomentumOptimizer(.1, .9)",
    "adam": "tf.train.AdamOptimizer(.1)",
    "adagrad": "tf.train.AdagradOptimizer(.1)",
    "rmsprop": "tf.train.RMSPropOptimizer(.1)",
    "ftrl": "tf.train.FtrlOptimizer(.1)",
}
_STRATEGIES = {
    "mirrored": "two()",
    "one_device": "D.OneDeviceStrategy('/cpu:0')",
    "mirrored_one": "D.MirroredStrategy(['/cpu:0'])",
    "central": "central()",
    "three": "D.MirroredStrategy(['/cpu:0', '/cpu:1', '/cpu:2'])",
    "to_one_device": "two(cross_device_ops=D.ReductionToOneDevice())",
    "to_third": "two(cross_device_ops=D.ReductionToOneDevice('/cpu:2'))",
}

_PROGRAMS = {
    **{
        f"train_{optimizer}_{strategy}": f"train({_STRATEGIES[strategy]}, lambda: {made})"
        for optimizer, made in _OPTIMIZERS.items()
        for strategy in _STRATEGIES
        if optimizer in ("sgd", "adam") or strategy in ("mirrored", "central")
        if strategy != "three" or optimizer != "adam"
    },
    "contexts": """
        show(D.has_strategy(), D.in_cross_replica_context(), D.get_replica_context() is not None, D.get_strategy().num_replicas_in_sync)
        s = two()
        def f():
            show(D.has_strategy(), D.in_cross_replica_context(), D.get_replica_context().num_replicas_in_sync, D.get_replica_context().strategy is s)
            def merged(st): show(st is s, D.in_cross_replica_context(), D.get_replica_context() is None); return 7
            show(D.get_replica_context().merge_call(merged)); return 1
        with s.scope():
            show(D.has_strategy(), D.in_cross_replica_context(), D.get_replica_context() is None, D.get_strategy() is s)
            show(call(s, f))
        show(D.has_strategy(), s.num_replicas_in_sync, s.extended.worker_devices, s.extended.parameter_devices)
    """,
    "contexts_of_others": """
        for s in (D.OneDeviceStrategy("/cpu:0"), central(), D.MirroredStrategy(["/cpu:0"])):
            with s.scope(): show(D.has_strategy(), D.in_cross_replica_context(), call(s, lambda: D.in_cross_replica_context()))
            show(s.num_replicas_in_sync, tuple(s.extended.worker_devices), s.extended.parameter_devices)
    """,
    "variables": """
        s = two()
        with s.scope():
            v = tf.get_variable("v", [2], initializer=tf.ones_initializer()); w = tf.Variable(3., name="w", trainable=False)
            with tf.variable_scope("in"): u = tf.get_variable("u", initializer=[1., 2.], trainable=False)
            r = tf.get_variable("r", [], synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM, initializer=tf.ones_initializer())
        for each in (v, w, u): show(each.op.name)
        for each in (v, w, u, r): show(repr(each), each.name, each.device, each.shape, each.dtype, each.trainable)
        show([x.name for x in tf.global_variables()], [x.name for x in tf.trainable_variables()]); show([x.name for x in tf.local_variables()])
        values(s, v, w, u, r)
        with sess() as one:
            one.run(tf.global_variables_initializer()); show(one.run([v, w, u, r.read_value(), v + 1., tf.reduce_sum(u * 2.)]), one.run(tf.report_uninitialized_variables()))
    """,
    "variables_of_others": """
        for i, s in enumerate((D.OneDeviceStrategy("/cpu:0"), central(), D.MirroredStrategy(["/cpu:0"]))):
            with s.scope():
                v = tf.get_variable("v%d" % i, [2], initializer=tf.ones_initializer())
                show(repr(v), v.name, v.device); values(s, v)
    """,
    "variables_random": """
        s = two()
        with s.scope(): v = tf.get_variable("v", [3], initializer=tf.random_normal_initializer(seed=3))
        with sess() as one:
            one.run(tf.global_variables_initializer()); a, b = one.run(s.experimental_local_results(v)); show(bool((a == b).all()))
    """,
    "variables_in_replicas": """
        s = two()
        def f():
            with tf.variable_scope("m"):
                a = tf.get_variable("a", [2], initializer=tf.zeros_initializer()); b = tf.Variable(1., name="b", trainable=False)
            c = tf.Variable(2., name="b", trainable=False)
            return a.name, b.name, c.name, tf.reduce_sum(a) + b + c
        with s.scope(): names = call(s, f); show(names[:3])
        values(s, names[3]); show([v.name for v in tf.global_variables()])
    """,
    "layers_in_replicas": """
        s = two()
        def f(x):
            h = tf.layers.dense(x, 3, kernel_initializer=tf.ones_initializer(), activation=tf.nn.relu)
            return tf.layers.dense(h, 1, kernel_initializer=tf.ones_initializer(), name="out")
        with s.scope(): y = call(s, f, (tf.constant(X),))
        show([v.name for v in tf.global_variables()], [v.name for v in tf.trainable_variables()]); values(s, y)
    """,
    "names": """
        s = two()
        def f():
            with tf.name_scope("a"): x = tf.constant(1.) * 2.
            return x, tf.constant(3.)
        with s.scope(), tf.name_scope("outer"): x, y = call(s, f)
        for each in (x, y): show([t.name for t in s.experimental_local_results(each)], [t.device for t in s.experimental_local_results(each)])
        show(repr(x), str(x))
    """,
    "merge_call": """
        s = two()
        def f(x):
            c = D.get_replica_context()
            return c.merge_call(lambda st, v, k: st.extended.reduce_to("SUM", v, destinations="/cpu:0") * k, args=(x * tf.cast(c.replica_id_in_sync_group + 1, tf.float32), 10.))
        with s.scope(): y = call(s, f, (tf.constant(2.),))
        values(s, y)
    """,
    "replica_raises": """
        s = two()
        def f(): raise KeyError("no such thing")
        with s.scope(): fails(lambda: call(s, f))
        show(D.has_strategy())
    """,
    "all_reduce": """
        s = two()
        def f():
            c = D.get_replica_context(); x = tf.constant([1., 2.]) * tf.cast(c.replica_id_in_sync_group + 1, tf.float32)
            return c.all_reduce(D.ReduceOp.SUM, x), c.all_reduce("MEAN", x), c.all_reduce("SUM", {"a": x, "b": x * 2.})
        with s.scope(): a, b, c = call(s, f)
        values(s, a, b, c["a"], c["b"])
    """,
    "reduce": """
        s = two()
        def f(): return tf.constant([[1., 2.], [3., 4.]]) * tf.cast(D.get_replica_context().replica_id_in_sync_group + 1, tf.float32)
        with s.scope():
            x = call(s, f)
            values(s, s.reduce("SUM", x, axis=None), s.reduce(D.ReduceOp.MEAN, x, axis=None), s.reduce("sum", x, axis=0), s.reduce("MEAN", x, axis=0), s.reduce("MEAN", x, axis=1))
            fails(lambda: s.reduce("SUM", tf.constant(3.), axis=None))
        show(s.reduce("SUM", x, axis=None).device, s.reduce("SUM", x, axis=None).shape)
        fails(lambda: s.reduce("MAX", x, axis=None))
    """,
    "reduce_structures": """
        s = two()
        def f():
            i = tf.cast(D.get_replica_context().replica_id_in_sync_group, tf.float32)
            return {"a": i, "b": (i + 1., [i * 2.])}
        with s.scope(): x = call(s, f); show(sorted(x)); y = s.reduce("SUM", x, axis=None)
        values(s, x["a"], x["b"][1][0], y["a"], y["b"][0], y["b"][1][0])
    """,
    "reduce_to": """
        s = two()
        with s.scope():
            v = tf.get_variable("v", [], initializer=tf.zeros_initializer()); x = call(s, lambda: tf.cast(D.get_replica_context().replica_id_in_sync_group, tf.float32) + 1.)
            a = s.extended.reduce_to("SUM", x, destinations=v); b = s.extended.reduce_to("MEAN", x, "/cpu:1"); c, d = s.extended.batch_reduce_to("SUM", [(x, v), (x, v)])
        for each in (a, b, c): show([t.device for t in s.experimental_local_results(each)])
        values(s, a, b, c, d)
    """,
    "update": """
        s = two()
        with s.scope():
            v = tf.get_variable("v", [2], initializer=tf.zeros_initializer())
            up = s.extended.update(v, lambda x, a, b: x.assign_add([a, b]), args=(1.,), kwargs={"b": 2.}); ungrouped = s.extended.update(v, lambda x: x.assign_add([1., 1.]), group=False)
            non = s.extended.update_non_slot(s.extended.non_slot_devices([v]), lambda: tf.constant(1.) * 2., group=False)
        show(len(ungrouped), [x.device for x in non])
        with sess() as one:
            one.run(v.initializer); show(one.run(s.experimental_local_results(up)), one.run(s.experimental_local_results(v))); one.run(ungrouped); show(one.run(v.values), one.run(non))
    """,
    "assign": """
        s = two()
        with s.scope():
            v = tf.get_variable("v", [], initializer=tf.zeros_initializer()); a = v.assign(2.); b = v.assign_add(3.); c = v.assign_sub(1.)
        with sess() as one:
            one.run(v.initializer)
            for each in (a, b, c): one.run(s.experimental_local_results(each)); show(one.run(v.values))
    """,
    "assign_in_replicas": """
        s = two()
        with s.scope():
            none, total, mean, first = [tf.get_variable(n, [], initializer=tf.zeros_initializer(), aggregation=a) for n, a in (
                ("none", tf.VariableAggregation.NONE), ("total", tf.VariableAggregation.SUM), ("mean", tf.VariableAggregation.MEAN), ("first", tf.VariableAggregation.ONLY_FIRST_REPLICA))]
            def f():
                x = tf.cast(D.get_replica_context().replica_id_in_sync_group, tf.float32) + 1.
                return total.assign_add(x), mean.assign_add(x), first.assign_add(x), total.assign_sub(x * .5), mean.assign(x)
            done = call(s, f)
        with sess() as one:
            one.run(tf.global_variables_initializer())
            for each in done: one.run(s.experimental_local_results(each)); show(one.run(total.values), one.run(mean.values), one.run(first.values))
    """,
    "on_read": """
        s = two()
        def make(n, a): return tf.get_variable(n, [], initializer=tf.ones_initializer(), synchronization=tf.VariableSynchronization.ON_READ, aggregation=a)
        with s.scope():
            total, mean, first = make("total", tf.VariableAggregation.SUM), make("mean", tf.VariableAggregation.MEAN), make("first", tf.VariableAggregation.ONLY_FIRST_REPLICA)
            def f():
                x = tf.cast(D.get_replica_context().replica_id_in_sync_group, tf.float32) + 1.
                return [v.assign_add(x) for v in (total, mean, first)] + [total * 2.]
            done = call(s, f); reads = [v.read_value() for v in (total, mean, first)] + [s.extended.read_var(v) for v in (total, mean, first)]
            again = total.assign(8.); fails(lambda: total.assign_add(1.)); also = mean.assign(5.)
        show([v.trainable for v in (total, mean, first)], repr(total))
        with sess() as one:
            one.run(tf.global_variables_initializer()); one.run(s.experimental_local_results(done[0])); one.run(s.experimental_local_results(done[1])); one.run(s.experimental_local_results(done[2]))
            show(*one.run(reads)); show(one.run(total.values), one.run(s.experimental_local_results(done[3])))
            one.run([s.experimental_local_results(x) for x in (again, also)]); show(one.run(total.values), one.run(mean.values))
    """,
    "synchronization_none": """
        s = two()
        with s.scope():
            fails(lambda: tf.get_variable("v", [], synchronization=tf.VariableSynchronization.NONE))
    """,
    "iterators": """
        s = two()
        with s.scope():
            it = s.make_dataset_iterator(tf.data.Dataset.range(12).batch(4)); x = it.get_next(); start = it.initialize()
        with sess() as one:
            one.run(start)
            for _ in range(3): show(one.run(s.experimental_local_results(x)))
            try: one.run(s.experimental_local_results(x))
            except tf.errors.OutOfRangeError as e: show(type(e).__name__)
            one.run(start); show(one.run(s.experimental_local_results(x)))
    """,
    "input_functions": """
        s = two()
        def fn(c):
            show(str(c), c.num_input_pipelines, c.input_pipeline_id, c.num_replicas_in_sync, c.get_per_replica_batch_size(8)); fails(lambda: c.get_per_replica_batch_size(7))
            return tf.data.Dataset.range(12).batch(c.get_per_replica_batch_size(4))
        with s.scope(): it = s.make_input_fn_iterator(fn); x = it.get_next(); start = it.initialize()
        with sess() as one:
            one.run(start)
            for _ in range(3): show(one.run(s.experimental_local_results(x)))
    """,
    "distributed_datasets": """
        s = two()
        with s.scope():
            d = s.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices({"x": X, "y": Y}).batch(4)); it = tf.data.make_initializable_iterator(d) if 0 else d.make_initializable_iterator()
            e = it.get_next(); y = call(s, lambda x: tf.reduce_sum(x["x"]) + tf.reduce_sum(x["y"]), (e,))
        with sess() as one:
            one.run(it.initializer); show(one.run(s.experimental_local_results(y)), one.run(s.experimental_local_results(e["y"])))
    """,
    "sparse_gradients": """
        s = two()
        def f():
            t = tf.get_variable("t", [4, 2], initializer=tf.ones_initializer()); i = D.get_replica_context().replica_id_in_sync_group
            loss = tf.reduce_sum(tf.nn.embedding_lookup(t, tf.stack([i, i + 1, i])))
            with tf.control_dependencies([tf.train.GradientDescentOptimizer(1.).minimize(loss)]): return tf.identity(loss)
        with s.scope(): y = call(s, f)
        with sess() as one:
            one.run(tf.global_variables_initializer()); one.run(s.experimental_local_results(y)); [v] = tf.trainable_variables(); show(*one.run(v.values))
    """,
    "metrics": """
        s = two()
        def f(x):
            return tf.metrics.mean(x + tf.cast(D.get_replica_context().replica_id_in_sync_group, tf.float32))
        with s.scope(): value, up = call(s, f, (tf.constant([1., 2.]),))
        show([v.name for v in tf.local_variables()])
        with sess() as one:
            one.run(tf.local_variables_initializer()); one.run(s.experimental_local_results(up)); show(one.run(s.experimental_local_results(value)[0]))
    """,
    "savers": """
        s = two()
        with s.scope():
            v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
            r = tf.get_variable("r", [], initializer=tf.constant_initializer(4.), synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM); saver = tf.train.Saver()
            zero = [v.assign([0., 0.]), r.assign(0.)]
        with sess() as one:
            one.run(tf.global_variables_initializer()); path = saver.save(one, folder + "/m"); one.run([s.experimental_local_results(z) for z in zero]); show(one.run(v.values), one.run(r.values))
            saver.restore(one, path); show(one.run(v.values), one.run(r.values)); show(tf.train.list_variables(path))
    """,
    "monitored": """
        s = two()
        with s.scope():
            it = s.make_dataset_iterator(tf.data.Dataset.from_tensor_slices((X, Y)).batch(4).repeat()); tf.train.get_or_create_global_step()
            def one(inputs):
                x, y = inputs
                h = tf.layers.batch_normalization(tf.layers.dense(x, 3, kernel_initializer=tf.ones_initializer(), kernel_regularizer=tf.keras.regularizers.l2(.01)), training=True)
                loss = tf.losses.mean_squared_error(y, tf.layers.dense(h, 1, kernel_initializer=tf.ones_initializer())) + tf.losses.get_regularization_loss()
                tf.summary.scalar("loss", loss); step = tf.train.get_global_step()
                o = tf.train.MomentumOptimizer(tf.train.exponential_decay(.1, step, 2, .5), .9)
                pairs = [(tf.clip_by_norm(g, 1.), v) for g, v in o.compute_gradients(loss)]
                with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS) + [o.apply_gradients(pairs, global_step=step)]): return tf.identity(loss)
            loss = s.reduce(D.ReduceOp.MEAN, s.experimental_run(one, it), axis=None); start = it.initialize()
        show(len(tf.get_collection(tf.GraphKeys.SUMMARIES)), len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)))
        scaffold = tf.train.Scaffold(local_init_op=tf.group(tf.local_variables_initializer(), start))
        with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, scaffold=scaffold, save_checkpoint_steps=2, log_step_count_steps=None, config=tf.ConfigProto(device_count={"CPU": 2}), hooks=[tf.train.StopAtStepHook(num_steps=4)]) as one:
            while not one.should_stop(): show(one.run(loss))
        show(tf.train.latest_checkpoint(folder).split("/")[-1], tf.train.list_variables(folder)); show(tf.train.load_variable(folder, "batch_normalization/moving_mean"), tf.train.load_variable(folder, "global_step"))
    """,
    "gradients_by_variables": """
        s = two()
        with s.scope():
            v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
            g = call(s, lambda: tf.gradients(tf.reduce_sum(v * v) * 3., [v])[0])
        values(s, g)
    """,
    "compute_gradients": """
        s = two()
        with s.scope():
            v = tf.get_variable("v", [2], initializer=tf.ones_initializer()); u = tf.get_variable("u", [], initializer=tf.ones_initializer())
            def f():
                gv = tf.train.GradientDescentOptimizer(.5).compute_gradients(tf.reduce_sum(v * v), [v, u])
                show([x is None for x, _ in gv], [y is z for (_, y), z in zip(gv, (v, u))]); return gv[0][0]
            values(s, call(s, f))
            fails(lambda: tf.train.GradientDescentOptimizer(.5).apply_gradients([(tf.constant([1., 1.]), v)]))
    """,
    "scopes": """
        a, b = two(), D.OneDeviceStrategy("/cpu:0")
        with a.scope():
            with a.scope(): show(D.get_strategy() is a)
            try:
                with b.scope(): show("no error")
            except RuntimeError: show("RuntimeError")
        def f():
            try:
                with a.scope(): show("no error")
            except RuntimeError: show("RuntimeError")
            return 0
        with a.scope(): call(a, f)
    """,
    "broadcast_to": """
        s = two()
        with s.scope():
            v = tf.get_variable("v", [], initializer=tf.ones_initializer()); a = s.extended.broadcast_to(tf.constant(3.), destinations=v); show(s.extended.broadcast_to(2., destinations=v))
        values(s, a)
    """,
    "default_strategy": """
        s = D.get_strategy()
        v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
        def f(x): return D.get_replica_context().merge_call(lambda st, y: st.extended.reduce_to("SUM", y, destinations=v), args=(x * v,))
        y = call(s, f, (2.,)); values(s, y, s.reduce("SUM", y, axis=None), s.reduce("MEAN", y, axis=0))
        show(s.num_replicas_in_sync, s.extended.variable_created_in_scope(v), isinstance(D.get_replica_context().all_reduce("SUM", tf.constant(2.)), tf.Tensor))
    """,
    "duplicates": "fails(lambda: D.MirroredStrategy(['/cpu:0', '/cpu:0']))",
    "reduce_ops": "show(D.ReduceOp.SUM.value, D.ReduceOp.MEAN.value, [e.name for e in D.ReduceOp], [e.name for e in tf.VariableAggregation], [e.name for e in tf.VariableSynchronization])",
    "config": """
        s = two(); c = s.update_config_proto(tf.ConfigProto(allow_soft_placement=True)); show(c.isolate_session_state, c.allow_soft_placement)
        c = central().update_config_proto(tf.ConfigProto()); show(c.isolate_session_state)
    """,
}  # fmt: skip

_EAGER = {
    "loop": """
        for s in (D.MirroredStrategy(["/cpu:0"]), D.OneDeviceStrategy("/cpu:0"), D.get_strategy()):
            with s.scope():
                w = tf.Variable(np.full([5, 1], .5, np.float32)); count = tf.Variable(0., synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM)
            data = s.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((X, Y)).batch(4))
            def step(inputs):
                x, y = inputs
                with tf.GradientTape() as tape: loss = tf.reduce_sum((tf.matmul(x, w) - y) ** 2) / 4.
                g = D.get_replica_context().all_reduce("SUM", tape.gradient(loss, w)); count.assign_add(1.)
                w.assign_sub(.1 * g) if s.extended.variable_created_in_scope(w) and not hasattr(w, "values") else D.get_replica_context().merge_call(lambda st, v: st.extended.update(w, lambda c, d: c.assign_sub(.1 * d), args=(v,)), args=(g,))
                return loss
            @tf.function
            def epoch(d):
                total = 0.
                for x in d: total += s.reduce("SUM", call(s, step, (x,)), axis=None)
                return total
            show(epoch(data)); show([s.reduce("SUM", call(s, step, (x,)), axis=None).numpy() for x in data]); show(w.numpy(), count.numpy())
            show([w.name, w.numpy().shape, len(s.experimental_local_results(w))])
    """,
    "optimizers": """
        for s in (D.MirroredStrategy(["/cpu:0"]), D.OneDeviceStrategy("/cpu:0")):
            for o in (tf.train.GradientDescentOptimizer(.1), tf.train.AdamOptimizer(.1), tf.train.MomentumOptimizer(.1, .9)):
                with s.scope(): w = tf.Variable([1., 2.])
                def step():
                    o.minimize(lambda: tf.reduce_sum(w * w), var_list=[w]); return tf.reduce_sum(w)
                show(call(s, step).numpy(), call(s, step).numpy(), w.numpy())
    """,
    "variables": """
        s = D.MirroredStrategy(["/cpu:0"])
        with s.scope(): v = tf.Variable([1., 2.], name="v"); r = tf.Variable(1., name="r", synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.MEAN)
        show(repr(v), repr(r), v.numpy(), (v + 1.).numpy(), v.name, v.shape, v.dtype, r.numpy(), v[0].numpy())
        v.assign([3., 4.]); v.assign_add([1., 1.]); show(v.numpy(), tf.reduce_sum(v).numpy()); r.assign(4.); r.assign_add(1.); show(r.numpy())
        fails(lambda: call(s, lambda: v.assign([1., 1.])) if 0 else v.assign([1.]))
    """,
}  # fmt: skip

CASES = programs(
    "distribute",
    {name: _PRELUDE + textwrap.dedent(text) for name, text in _PROGRAMS.items()},
    rtol=1e-5,
) + programs(
    "distribute_eager",
    {name: "# eager\n" + _PRELUDE + textwrap.dedent(text) for name, text in _EAGER.items()},
    rtol=1e-5,
)
