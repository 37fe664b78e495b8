"""Whole small programs: each combines what the other cases keep apart."""

from ..case import programs

PROGRAMS = {
    "hooks_watch_an_estimator": """
        import os
        class Watch(tf.train.SessionRunHook):
            def __init__(self): self.calls = []; self.losses = []
            def begin(self):
                self.step = tf.train.get_global_step(); self.calls.append("begin")
                self.halved = tf.identity(tf.cast(self.step, tf.float32) / 2., name="halved")
            def after_create_session(self, session, coord): self.calls.append("created at %d" % session.run(self.step))
            def before_run(self, ctx): return tf.train.SessionRunArgs({"loss": "loss:0", "h": self.halved, "turns": "newton/turns:0"})
            def after_run(self, ctx, values):
                self.losses.append(float(values.results["loss"]))
                self.calls.append(int(values.results["turns"]))
                if len(self.losses) > 2 and self.losses[-1] < 0.05: ctx.request_stop()
            def end(self, session): self.calls.append("end at %d" % session.run(self.step))

        def input_fn():
            x = np.linspace(-1, 1, 12).astype(np.float32)
            ds = tf.data.Dataset.from_tensor_slices(({"x": x}, 3 * x * x + 0.5))
            return ds.repeat().batch(6)

        def model_fn(features, labels, mode, params):
            x = features["x"]
            a = tf.get_variable("a", [], initializer=tf.constant_initializer(1.0)); b = tf.get_variable("b", initializer=0.1)
            with tf.name_scope("newton"):
                def body(i, r):
                    r2 = tf.cond(tf.greater(tf.abs(r * r - a), 1e-3), lambda: 0.5 * (r + a / r), lambda: r)
                    return i + 1, r2
                i, root = tf.while_loop(lambda i, r: tf.logical_and(i < params["limit"], tf.abs(r * r - a) > 1e-4), body, [tf.constant(0), tf.constant(2.0)])
                tf.identity(i, name="turns")
            y = root * x * x + b
            if mode == tf.estimator.ModeKeys.PREDICT:
                return tf.estimator.EstimatorSpec(mode, predictions={"y": y, "root": tf.tile([root], tf.shape(x))})
            loss = tf.identity(tf.losses.mean_squared_error(labels, y), name="loss")
            if mode == tf.estimator.ModeKeys.EVAL:
                return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={"mae": tf.metrics.mean_absolute_error(labels, y), "root": tf.metrics.mean(root)})
            train_op = tf.train.MomentumOptimizer(0.2, 0.5).minimize(loss, tf.train.get_global_step())
            log = tf.train.LoggingTensorHook({"loss": loss, "turns": "newton/turns:0"}, every_n_iter=5, formatter=lambda t: logged.append((float("%.3g" % t["loss"]), int(t["turns"]))) or "x")
            return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, training_hooks=[log])

        logged = []
        est = tf.estimator.Estimator(model_fn, folder, tf.estimator.RunConfig(tf_random_seed=1, save_checkpoints_steps=4, log_step_count_steps=1000), params={"limit": 9})
        watch = Watch()
        est.train(input_fn, hooks=[watch, tf.train.StopAtStepHook(last_step=30)], max_steps=40)
        show(watch.calls, watch.losses, logged)
        show(est.get_variable_names(), est.get_variable_value("a"), est.get_variable_value("b/Momentum"))
        more = Watch(); est.train(input_fn, steps=2, hooks=[more]); show(more.calls, more.losses)
        show(est.evaluate(lambda: input_fn().take(2), name="held"))
        for p in est.predict(lambda: tf.data.Dataset.from_tensors({"x": np.float32([0, 0.5, 1])}), hooks=[Watch.__base__()]): show(p)
        show(sorted(f.split(".data")[0] for f in os.listdir(folder) if "events" not in f))
        show(os.path.basename(est.latest_checkpoint()))
        def bad(features, labels, mode): return tf.estimator.EstimatorSpec(mode, loss=tf.constant([1., 2.]), train_op=tf.no_op())
        fails(tf.estimator.Estimator(bad, folder + "/bad").train, input_fn, steps=1)
        def bad2(features, labels, mode): return tf.estimator.EstimatorSpec(mode, loss=tf.constant(1.))
        fails(tf.estimator.Estimator(bad2, folder + "/bad2").train, input_fn, steps=1)
        def nan(features, labels, mode):
            l = tf.log(-tf.cast(tf.train.get_global_step(), tf.float32) - 1) * tf.Variable(1.0)
            return tf.estimator.EstimatorSpec(mode, loss=l, train_op=tf.train.GradientDescentOptimizer(.1).minimize(l, tf.train.get_global_step()))
        fails(tf.estimator.Estimator(nan, folder + "/nan").train, input_fn, steps=3)
    """,
    "keras_model_as_an_estimator": """
        keras = tf.keras
        def make():
            a = keras.Input((4,), name="left"); b = keras.Input((3,), name="right")
            h = keras.layers.Dense(5, activation="tanh", kernel_initializer=keras.initializers.Constant(0.1), name="h")(keras.layers.concatenate([a, b]))
            h = keras.layers.BatchNormalization(momentum=0.5, name="bn")(h)
            out = keras.layers.Dense(1, kernel_initializer=keras.initializers.Constant(0.3), name="out")(h)
            m = keras.Model([a, b], out)
            m.compile(optimizer=tf.train.GradientDescentOptimizer(0.05), loss="mse", metrics=["mae"])
            return m
        rng = np.random.RandomState(0)
        A, B = rng.randn(16, 4).astype("f"), rng.randn(16, 3).astype("f"); Y = (A.sum(1) - B.sum(1))[:, None].astype("f")
        def input_fn(): return tf.data.Dataset.from_tensor_slices(({"left": A, "right": B}, Y)).repeat().batch(8, drop_remainder=True)
        for strategy in (None, tf.distribute.MirroredStrategy(["/cpu:0"])):
            d = folder + "/" + ("one" if strategy is None else "mirrored")
            with tf.Graph().as_default(): est = keras.estimator.model_to_estimator(make(), model_dir=d, config=tf.estimator.RunConfig(train_distribute=strategy, tf_random_seed=3))
            show(est.train(input_fn, steps=6).latest_checkpoint().replace(folder, ""))
            show(est.get_variable_names())
            show(est.evaluate(input_fn, steps=2))
            it = est.predict(lambda: tf.data.Dataset.from_tensors({"left": A[:2], "right": B[:2]}))
            show(next(it), next(it)); fails(next, it)
            show([est.get_variable_value(n) for n in ("h/kernel", "bn/moving_mean", "out/bias") if n in est.get_variable_names()])
    """,
    "partitioned_embeddings": """
        V, D = 7, 4
        def build(opt, parts, slots=True):
            ids = tf.sparse_placeholder(tf.int64, [None, None], name="ids"); wts = tf.sparse_placeholder(tf.float32, [None, None])
            with tf.variable_scope("emb", partitioner=tf.fixed_size_partitioner(parts) if parts > 1 else None):
                table = tf.get_variable("table", [V, D], initializer=tf.random_uniform_initializer(-1, 1, seed=4) if parts == 1 else tf.constant_initializer(0.5))
                bias = tf.get_variable("bias", [V], initializer=tf.zeros_initializer(), regularizer=lambda v: 0.01 * tf.reduce_sum(v * v))
            e = [tf.nn.embedding_lookup_sparse(table, ids, wts, partition_strategy="div", combiner=c) for c in ("sum", "mean", "sqrtn")]
            s = tf.nn.embedding_lookup_sparse(list(table) if parts > 1 else [table], ids, None, combiner="mean", partition_strategy="div")
            b = tf.nn.embedding_lookup(bias, tf.constant([0, 6, 3], tf.int64), partition_strategy="div")
            loss = sum(tf.reduce_mean(tf.square(q)) for q in e) + tf.reduce_sum(s[:, 0]) + tf.reduce_sum(b) + tf.losses.get_regularization_loss()
            return ids, wts, loss, opt.minimize(loss, tf.train.get_or_create_global_step()), table, bias
        def turn(sess, loss, step, feeds):
            value = sess.run(loss, feeds); sess.run(step, feeds); return value
        I = tf.SparseTensorValue([[0, 0], [0, 1], [1, 0], [3, 0]], np.int64([1, 5, 6, 1]), [4, 2]); W = tf.SparseTensorValue(I.indices, np.float32([1, 2, .5, 3]), [4, 2])
        for name, opt in (("ftrl", lambda: tf.train.FtrlOptimizer(0.5, l1_regularization_strength=0.01, l2_regularization_strength=0.02)), ("adagrad", lambda: tf.train.AdagradOptimizer(0.5)), ("adam", lambda: tf.train.AdamOptimizer(0.1)), ("rms", lambda: tf.train.RMSPropOptimizer(0.1, momentum=.5, centered=True))):
            with tf.Graph().as_default():
                ids, wts, loss, step, table, bias = build(opt(), 3)
                show(name, [v.name for v in tf.global_variables()], [p.shape for p in table], bias.get_shape() if hasattr(bias, "get_shape") else None)
                saver = tf.train.Saver()
                with tf.Session() as sess:
                    sess.run(tf.global_variables_initializer()); show([turn(sess, loss, step, {ids: I, wts: W}) for _ in range(4)])
                    show(sess.run(tf.convert_to_tensor(table)), sess.run(bias.as_tensor())); p = saver.save(sess, folder + "/" + name, 4)
            show(tf.train.list_variables(p))
            with tf.Graph().as_default():
                ids, wts, loss, step, table, bias = build(opt(), 1)
                with tf.Session() as sess:
                    tf.train.Saver().restore(sess, p); show([turn(sess, loss, step, {ids: I, wts: W}) for _ in range(2)], sess.run(table)[:2])
            with tf.Graph().as_default():
                with tf.variable_scope("emb", partitioner=tf.fixed_size_partitioner(2, axis=1)): t = tf.get_variable("table", [V, D])
                with tf.Session() as sess: tf.train.Saver({"emb/table": t}).restore(sess, p); show([q.shape for q in t], sess.run(list(t)[0]))
        with tf.Graph().as_default():
            with tf.variable_scope("emb", partitioner=tf.fixed_size_partitioner(2)): t = tf.get_variable("table", [V, D + 1])
            with tf.Session() as sess:
                try: tf.train.Saver().restore(sess, p)
                except tf.errors.InvalidArgumentError as e: show('Restoring from checkpoint failed' in str(e))
            with tf.variable_scope("emb", reuse=True): fails(tf.get_variable, "table", [V, D + 1])
            with tf.variable_scope("emb", reuse=True, partitioner=tf.fixed_size_partitioner(3)): fails(tf.get_variable, "table", [V, D + 1])
    """,
    "iterators_in_a_monitored_session": """
        words = [["the", "cat"], ["a", "dog", "ran", "off"], ["no"], ["it", "is", "so"]]
        def gen():
            for i, w in enumerate(words): yield w, i
        calls = []
        def lens(w):
            calls.append(len(w)); return np.int64([len(x) for x in w]), np.float32(len(w))
        def prep(w, i):
            n, c = tf.py_func(lens, [w], [tf.int64, tf.float32]); n.set_shape([None]); c.set_shape([])
            return {"w": w, "n": n}, (tf.cast(i, tf.int64), c)
        tf.set_random_seed(8)
        train = tf.data.Dataset.from_generator(gen, (tf.string, tf.int32), ([None], [])).map(prep).repeat(2).padded_batch(3, ({"w": [None], "n": [5]}, ([], [])), ({"w": "<pad>", "n": np.int64(-1)}, (np.int64(0), 0.)))
        test = tf.data.Dataset.from_generator(gen, (tf.string, tf.int32), ([None], [])).filter(lambda w, i: tf.size(w) > 1).map(prep).padded_batch(2, train.output_shapes and ({"w": [None], "n": [5]}, ([], [])))
        show(train.output_types, train.output_shapes)
        handle = tf.placeholder(tf.string, [], "handle")
        it = tf.data.Iterator.from_string_handle(handle, train.output_types, train.output_shapes)
        feats, (idx, cnt) = it.get_next()
        show(feats, idx, cnt)
        a = train.make_one_shot_iterator() if False else train.make_initializable_iterator(); b = test.make_initializable_iterator()
        re = tf.data.Iterator.from_structure(train.output_types, train.output_shapes); to_train, to_test = re.make_initializer(train), re.make_initializer(test); nxt = re.get_next()
        v = tf.get_variable("v", [], initializer=tf.zeros_initializer()); gs = tf.train.get_or_create_global_step()
        mask = tf.cast(tf.greater_equal(feats["n"], 0), tf.float32)
        with tf.control_dependencies([cnt]): upd = tf.group(v.assign_add(tf.reduce_sum(mask * tf.cast(feats["n"], tf.float32))), gs.assign_add(1))
        class Handles(tf.train.SessionRunHook):
            def begin(self): self.ops = [a.string_handle(), b.string_handle()]
            def after_create_session(self, session, coord): session.run([a.initializer, b.initializer]); self.h = session.run(self.ops)
            def before_run(self, ctx):
                self.n = getattr(self, "n", 0) + 1
                return tf.train.SessionRunArgs(idx, feed_dict={handle: self.h[self.n % 2]})
            def after_run(self, ctx, vals): show("saw", vals.results)
        hook = Handles()
        with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, save_checkpoint_steps=2, hooks=[hook], log_step_count_steps=None, save_summaries_steps=None) as sess:
            while not sess.should_stop(): show(sess.run([feats, cnt, upd]))
        with tf.Session() as sess:
            tf.train.Saver().restore(sess, tf.train.latest_checkpoint(folder)); show(sess.run([v, gs]))
            for init in (to_test, to_train, to_test):
                sess.run(init); k = 0
                try:
                    while True: r = sess.run(nxt[1]); k += 1
                except tf.errors.OutOfRangeError as e: show(k, r, e)
            fails(sess.run, idx); fails(sess.run, idx, {handle: "junk"})
        show(sorted(set(calls)))
    """,
    "layers_with_losses_and_metrics": """
        # eager
        class Noisy(tf.keras.layers.Layer):
            def __init__(self, units, rate=0.1, **kw): super(Noisy, self).__init__(**kw); self.units, self.rate = units, rate
            def build(self, shape):
                self.w = self.add_weight("w", [int(shape[-1]), self.units], initializer=tf.keras.initializers.Constant(0.2), regularizer=tf.keras.regularizers.l1(0.01))
                self.seen = self.add_weight("seen", [], initializer="zeros", trainable=False)
                super(Noisy, self).build(shape)
            def call(self, x, training=None):
                y = tf.matmul(x, self.w); self.add_loss(self.rate * tf.reduce_mean(tf.square(y)))
                if training: self.seen.assign_add(1.0)
                self.add_metric(tf.reduce_mean(y), name=self.name + "_level", aggregation="mean")
                return tf.nn.relu(y)
            def get_config(self): return dict(super(Noisy, self).get_config(), units=self.units, rate=self.rate)
        class Net(tf.keras.Model):
            def __init__(self): super(Net, self).__init__(name="net"); self.a = Noisy(3, name="a"); self.b = Noisy(2, 0.5, name="b"); self.out = tf.keras.layers.Dense(1, kernel_initializer="ones")
            def call(self, x, training=None): return self.out(self.b(self.a(x, training=training), training=training))
        R = np.random.RandomState(0); X, Y = R.rand(8, 4).astype("f"), R.rand(8, 1).astype("f")
        net = Net(); fails(lambda: net.weights and net.summary()); net(X); show(net.losses, [w.name for w in net.weights], len(net.trainable_weights), net.a.get_config())
        net.compile(tf.keras.optimizers.SGD(0.1, momentum=0.9), "mse", metrics=[tf.keras.metrics.MeanAbsoluteError(name="mae")])
        history = net.fit(X, Y, batch_size=4, epochs=2, shuffle=False, verbose=0).history
        show({k: np.float64(v) for k, v in history.items()}, net.a.seen, np.float64(net.evaluate(X, Y, verbose=0)), net.metrics_names)
        opt = tf.keras.optimizers.Adam(0.01); two = Net(); traces = []
        @tf.function
        def step(x, y, training):
            traces.append(1)
            with tf.GradientTape(persistent=True) as tape:
                p = two(x, training=training); data = tf.reduce_mean(tf.square(p - y)); total = data + tf.add_n(two.losses)
            g = tape.gradient(total, two.trainable_variables); opt.apply_gradients(zip(g, two.trainable_variables)); return data, total, tf.linalg.global_norm(g), tape.gradient(data, two.a.w)
        for i in range(3): show(step(tf.constant(X), tf.constant(Y), True))
        show(step(tf.constant(X[:3]), tf.constant(Y[:3]), False), len(traces), two.a.seen, opt.iterations, [v.name for v in opt.variables()] if callable(opt.variables) else len(opt.variables))
        ckpt = tf.train.Checkpoint(net=two, opt=opt); p = ckpt.save(folder + "/c"); show(p.replace(folder, ""), sorted(n for n, s in tf.train.list_variables(p) if "OBJECT" not in n))
        three = Net(); three(X); status = tf.train.Checkpoint(net=three).restore(p); show(three.a.w, two.a.w); status.assert_existing_objects_matched()
        seq = tf.keras.Sequential([Noisy(2, input_shape=(4,)), tf.keras.layers.Lambda(lambda t: t * 2)]); seq.compile("adam", "mae"); show(np.float64(seq.train_on_batch(X, Y)), len(seq.losses), seq.layers[0].name)
        seq2 = tf.keras.Sequential.from_config({"name": "s", "layers": [{"class_name": "Noisy", "config": {"units": 2, "name": "n", "batch_input_shape": (None, 4)}}]}, {"Noisy": Noisy}); show(seq2.name, seq2.output_shape)
        with tf.GradientTape() as t1:
            x = tf.Variable([1., 2.])
            with tf.GradientTape() as t2: y = tf.reduce_sum(x ** 3)
            g = t2.gradient(y, x)
        show(g, t1.gradient(g[0] * g[1], x)); fails(t2.gradient, y, x)
        with tf.GradientTape() as t: c = tf.constant(3.); z = c * x
        show(t.gradient(z, [c, x], unconnected_gradients="zero"))
    """,
    "gradients_of_ones_own_in_loops": """
        @tf.custom_gradient
        def clipped(x):
            y = tf.exp(x)
            def grad(dy): return tf.clip_by_value(dy * y, -2., 2.)
            return y, grad
        @tf.custom_gradient
        def pair(x, y):
            def grad(da, db): return 2. * da + db, -da * y
            return [x + y, x * y], grad
        @tf.RegisterGradient("Straight")
        def straight(op, g): return g * 3.
        x = tf.placeholder(tf.float32, [3], "x"); n = tf.placeholder_with_default(3, [], "n")
        def body(i, a, ta):
            a = clipped(a * 0.5); p, q = pair(a, x)
            with tf.get_default_graph().gradient_override_map({"Sign": "Straight"}): s = tf.sign(q)
            a = tf.cond(tf.equal(i % 2, 0), lambda: p - s * 0.1, lambda: q * 0.3)
            return i + 1, a, ta.write(i, tf.reduce_sum(a))
        _, a, ta = tf.while_loop(lambda i, *_: i < n, body, [0, x, tf.TensorArray(tf.float32, 0, dynamic_size=True)], parallel_iterations=4, shape_invariants=None)
        st = ta.stack(); g, = tf.gradients(tf.reduce_sum(a) + tf.reduce_sum(st * st), x)
        # second derivative through scan, map_fn and foldl
        h = tf.scan(lambda c, e: c * e + tf.sin(e), x, initializer=tf.constant(1.)); m = tf.map_fn(lambda e: (e ** 3, tf.cast(e > 0, tf.int32)), x, dtype=(tf.float32, tf.int32)); f = tf.foldl(lambda c, e: c + e * e * c, x, initializer=1.)
        g1, = tf.gradients(h[-1] + tf.reduce_sum(m[0]) + f, x); p = tf.reduce_prod(x) + tf.reduce_sum(tf.cond(x[0] > 0.7, lambda: x ** 4, lambda: tf.exp(x))); gp, = tf.gradients(p, x); g2, = tf.gradients(tf.reduce_sum(gp * gp), x)
        hess = tf.stack([tf.gradients(gp[i], x)[0] for i in range(3)])
        def outer(i, acc):
            _, inner = tf.while_loop(lambda j, c: j < i + 1, lambda j, c: (j + 1, c * x[0] + tf.cast(i, tf.float32)), [0, acc]); return [i + 1, inner]
        nest = tf.while_loop(lambda i, c: i < n, outer, [0, x[1]], back_prop=True, maximum_iterations=10)[1]; gn = tf.gradients(nest, x)[0]
        show(a, st, h, m[1], nest, gn, hess)
        with tf.Session() as sess:
            for v in ([0.5, -1., 2.], [1., 1., -0.3]):
                for k in (0, 1, 3, 4):
                    if k: show(k, sess.run([a, st, g], {x: v, n: k}))
                    show(sess.run([nest, gn], {x: v, n: k}))
                show(sess.run([h, m, f, g1, g2, hess], {x: v}))
            show(tf.gradients(tf.stop_gradient(a), x), tf.gradients([a], [x], stop_gradients=[x])[0].shape); fails(tf.gradients, n, x)
            fails(tf.cond, True, lambda: 1, lambda: 2.); fails(tf.cond, x[0] > 0, lambda: 1, lambda: 2.); fails(tf.cond, x[0] > 0, lambda: (x, x), lambda: x)
            inf = tf.while_loop(lambda i, c: i < 5, lambda i, c: (i + 1, tf.check_numerics(c / 0., "bad")), [0, 1.]); fails(sess.run, inf)
            fails(lambda: tf.gradients(tf.while_loop(lambda i, c: i < 5, lambda i, c: (i + 1, c * x[0]), [0, 1.], back_prop=False)[1], x))
    """,
    "batch_normalization_by_a_switch": """
        tf.set_random_seed(11)
        x = tf.placeholder(tf.float32, [None, 4, 4, 2], "x"); y = tf.placeholder(tf.int64, [None], "y"); is_training = tf.placeholder_with_default(False, (), "is_training")
        reg = tf.keras.regularizers.l2(0.01) if True else None
        def block(inp, n, name):
            with tf.variable_scope(name):
                c = tf.layers.conv2d(inp, n, 3, padding="same", use_bias=False, kernel_initializer=tf.random_normal_initializer(stddev=0.3, seed=7), kernel_regularizer=reg, name="conv")
                b = tf.layers.batch_normalization(c, momentum=0.8, training=is_training, name="bn", fused=(n == 3), renorm=False); tf.summary.histogram("act", b); return tf.nn.relu(b)
        net = block(x, 3, "one"); net = tf.layers.max_pooling2d(net, 2, 2); net = block(net, 4, "two"); net = tf.layers.flatten(net)
        net = tf.layers.dropout(net, 0.4, training=is_training, seed=9); logits = tf.layers.dense(net, 3, kernel_initializer=tf.constant_initializer(.05), kernel_regularizer=reg, activity_regularizer=lambda t: 0.001 * tf.reduce_sum(t))
        with tf.name_scope("losses"):
            ce = tf.losses.sparse_softmax_cross_entropy(y, logits, weights=tf.where(tf.equal(y, 0), tf.ones_like(y, tf.float32) * 2, tf.ones_like(y, tf.float32))); total = tf.losses.get_total_loss()
        show(len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)), len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)), tf.losses.get_losses(), tf.get_collection(tf.GraphKeys.SUMMARIES))
        show([v.name for v in tf.global_variables()], [v.name for v in tf.trainable_variables()])
        gs = tf.train.get_or_create_global_step(); lr = tf.train.piecewise_constant(gs, [3, 5], [0.1, 0.05, 0.01])
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)): train = tf.train.MomentumOptimizer(lr, .9, use_nesterov=True).minimize(total, gs)
        acc, acc_up = tf.metrics.accuracy(y, tf.argmax(logits, 1), name="acc"); stream_reset = tf.variables_initializer(tf.get_collection(tf.GraphKeys.LOCAL_VARIABLES, "acc"))
        merged = tf.summary.merge_all()
        R = np.random.RandomState(2); X, Y = R.randn(10, 4, 4, 2), R.randint(0, 3, 10)
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            for i in range(6):
                l, t, r, _ = sess.run([ce, total, lr, train], {x: X, y: Y, is_training: True}); show(i, l, t, r); sess.run(acc_up, {x: X, y: Y})
            show(sess.run([acc, ce, logits], {x: X, y: Y})); sess.run(stream_reset); show(sess.run(acc), sess.run(acc_up, {x: X[:3], y: Y[:3]}))
            show([sess.run(v) for v in tf.global_variables() if "moving" in v.name]); s = tf.Summary.FromString(sess.run(merged, {x: X})); show([(q.tag, q.histo.num) for q in s.value])
            show(sess.run(tf.nn.moments(x, [0, 1, 2]), {x: X}), sess.run(logits, {x: X[:1], is_training: True})); fails(sess.run, logits, {x: X[:, :3]}); fails(sess.run, total, {x: X, y: Y + 3}); fails(sess.run, train, {x: X})
    """,
    "gradients_of_several_batches": """
        tf.set_random_seed(1)
        X = np.random.RandomState(0).randn(12, 3).astype("f"); Y = (X @ [[1.], [-2.], [.5]] + .3).astype("f")
        x = tf.placeholder(tf.float32, [None, 3], "x"); y = tf.placeholder(tf.float32, [None, 1], "y")
        with tf.variable_scope("model", initializer=tf.glorot_uniform_initializer(seed=3)):
            h = tf.layers.dense(x, 4, tf.tanh, name="h"); out = tf.layers.dense(h, 1, name="o"); emb = tf.get_variable("emb", [5, 1]); out += tf.nn.embedding_lookup(emb, tf.cast(tf.abs(x[:, 0]) * 2, tf.int32) % 5)
        loss = tf.losses.huber_loss(y, out, delta=.5); gs = tf.train.get_or_create_global_step()
        lr = tf.train.exponential_decay(0.1, gs, 2, 0.5, staircase=True)
        opt = tf.train.AdamOptimizer(lr)
        tvs = tf.trainable_variables(); gv = opt.compute_gradients(loss, tvs); show([isinstance(g, tf.IndexedSlices) for g, _ in gv], [v.name for _, v in gv])
        accum = [tf.Variable(tf.zeros_like(v.initialized_value()), trainable=False, name="accum/" + v.op.name) for v in tvs]; count = tf.Variable(0, trainable=False, name="count")
        add = [a.assign_add(tf.convert_to_tensor(g)) for a, (g, _) in zip(accum, gv)] + [count.assign_add(1)]
        mean = [a / tf.cast(count, tf.float32) for a in accum]; clipped, norm = tf.clip_by_global_norm(mean, 0.2)
        with tf.control_dependencies(add): seen = count.read_value()
        with tf.control_dependencies([seen]): total = tf.global_norm([a.read_value() for a in accum])
        apply = opt.apply_gradients(zip(clipped, tvs), gs)
        with tf.control_dependencies([apply]): reset = tf.group(*[a.assign(tf.zeros_like(a)) for a in accum] + [count.assign(0)], name="reset")
        def every(n): return tf.cond(tf.equal(seen % n, 0), lambda: tf.tuple([total, lr], control_inputs=[tf.no_op()])[0], lambda: -1.)
        every2 = every(2)
        show(apply, reset, accum, every2, [v.name for v in opt.variables()], opt.get_slot_names())
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for epoch in range(3):
                for i in range(0, 12, 4): c = sess.run(every2, {x: X[i:i+4], y: Y[i:i+4]}); show(c)
                n = sess.run(norm); sess.run(reset); show(n, sess.run([gs, lr, count])); show(sess.run(loss, {x: X, y: Y}))
            show({v.op.name: sess.run(v) for v in tf.global_variables() if "accum" not in v.name and "Adam" not in v.name})
            show(sess.run([opt.get_slot(emb, "m"), opt.get_slot(emb, "v")]))
            # per-variable clipping and a gradient that is missing
            g = [(tf.clip_by_norm(q, .01) if q is not None else None, v) for q, v in tf.train.GradientDescentOptimizer(1.).compute_gradients(tf.reduce_sum(h), tvs)]; show([q is None for q, _ in g])
            sgd = tf.train.GradientDescentOptimizer(1.); step = sgd.apply_gradients([p for p in g]); before = sess.run(tvs[0]); sess.run(step, {x: X}); show(np.linalg.norm(sess.run(tvs[0]) - before))
            show(sess.run(tf.global_norm([None, tvs[1], tf.IndexedSlices(tf.ones([2, 1]), [0, 1])])))
            fails(sgd.apply_gradients, [(None, v) for v in tvs]); fails(sgd.apply_gradients, []); fails(sgd.minimize, loss, var_list=[]); fails(sgd.minimize, tf.constant(1.)); fails(sgd.compute_gradients, tf.cast(loss, tf.int32))
            bad, _ = tf.clip_by_global_norm([tvs[0] / 0.], 1.); show(np.isnan(sess.run(bad)).all())
            fails(sgd.apply_gradients, [(tf.zeros([3]), tvs[0])])
    """,
    "wide_and_deep_exported": """
        import os
        fc = tf.feature_column; R = np.random.RandomState(5); N = 24
        data = {"age": R.randint(15, 70, N).astype("f"), "city": R.choice(["rome", "oslo", "lima", "x"], N), "hours": R.rand(N, 1).astype("f") * 40, "job": R.choice(["a", "b", "c", ""], N)}
        label = (data["age"] > 35).astype("i")
        age = fc.numeric_column("age", normalizer_fn=lambda v: (v - 40.) / 10.); hours = fc.numeric_column("hours"); buckets = fc.bucketized_column(fc.numeric_column("age"), [25, 40, 55])
        city = fc.categorical_column_with_vocabulary_list("city", ["rome", "oslo", "lima"], num_oov_buckets=1); job = fc.categorical_column_with_hash_bucket("job", 5)
        cross = fc.crossed_column([buckets, "city"], 11); emb = fc.embedding_column(city, 2, initializer=tf.constant_initializer([[.1, .2], [.3, -.4], [.5, .6], [0, 0]])); ind = fc.indicator_column(job)
        def input_fn(epochs=None): return lambda: tf.data.Dataset.from_tensor_slices((dict(data), label)).repeat(epochs).batch(8)
        est = tf.estimator.DNNLinearCombinedClassifier(model_dir=folder, linear_feature_columns=[buckets, cross, job], dnn_feature_columns=[age, hours, emb, ind], dnn_hidden_units=[4, 3], n_classes=2, label_vocabulary=None, config=tf.estimator.RunConfig(tf_random_seed=4), dnn_optimizer=tf.train.AdagradOptimizer(.05), linear_optimizer=tf.train.FtrlOptimizer(.1), batch_norm=False)
        class Weights(tf.train.SessionRunHook):
            '''Weights of one's own, set when the session is there.'''
            def begin(self): self.ops = [v.assign(np.sin(np.arange(int(np.prod(v.shape.as_list())))).reshape(v.shape.as_list()) / 2.) for v in tf.trainable_variables("dnn/") if "embedding" not in v.name]
            def after_create_session(self, session, coord): session.run(self.ops)
        est.train(input_fn(), steps=5, hooks=[Weights()])
        show([(n, est.get_variable_value(n).shape) for n in est.get_variable_names()])
        show(est.evaluate(input_fn(1))); p = next(est.predict(input_fn(1))); show(sorted(p), p["probabilities"], p["class_ids"], p["classes"], p["all_class_ids"] if "all_class_ids" in p and False else 0)
        show(est.get_variable_value("linear/linear_model/age_bucketized/weights"), est.get_variable_value("dnn/input_from_feature_columns/input_layer/city_embedding/embedding_weights"))
        cols = [age, hours, emb, ind, buckets, cross, job]; spec = fc.make_parse_example_spec(cols); show(sorted((k, str(v)) for k, v in spec.items()))
        out = est.export_saved_model(folder + "/export", tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)); out = out.decode() if isinstance(out, bytes) else out
        show(sorted(os.listdir(out)), sorted(os.listdir(out + "/variables")))
        def example(i):
            f = {k: (tf.train.Feature(bytes_list=tf.train.BytesList(value=[str(data[k][i]).encode()])) if data[k].dtype.kind == "U" else tf.train.Feature(float_list=tf.train.FloatList(value=np.ravel(data[k][i])))) for k in data}
            return tf.train.Example(features=tf.train.Features(feature=f)).SerializeToString()
        with tf.Graph().as_default(), tf.Session() as sess:
            meta = tf.saved_model.loader.load(sess, [tf.saved_model.tag_constants.SERVING], out); show(sorted(meta.signature_def))
            for k in sorted(meta.signature_def):
                s = meta.signature_def[k]; show(k, s.method_name, {n: (i.name, [d.size for d in i.tensor_shape.dim]) for n, i in s.inputs.items()}, {n: i.name for n, i in sorted(s.outputs.items())})
            s = meta.signature_def["predict"]; show(sess.run({k: v.name for k, v in sorted(s.outputs.items()) if k in ("probabilities", "logistic", "classes")}, {s.inputs["examples"].name: [example(0), example(7)]}))
            bad = tf.train.Example(features=tf.train.Features(feature={"age": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x"]))})).SerializeToString()
            fails(sess.run, s.outputs["probabilities"].name, {s.inputs["examples"].name: [bad]})
        with tf.Graph().as_default(), tf.Session() as sess:
            feats = {k: tf.constant(v[:3]) for k, v in data.items()}
            d = fc.input_layer(feats, [hours, ind, emb, age]); l = fc.linear_model(feats, [buckets, cross, city], units=2, cols_to_vars=None); show(d, l, [v.name for v in tf.trainable_variables()])
            sess.run([tf.global_variables_initializer(), tf.tables_initializer()]); show(sess.run(d), sess.run(l))
            fails(fc.input_layer, feats, [city]); fails(fc.input_layer, {"age": feats["age"]}, [hours]); fails(fc.bucketized_column, fc.numeric_column("age"), [3, 2]); fails(fc.crossed_column, ["a"], 5); fails(fc.embedding_column, city, 0); fails(fc.numeric_column, "a", shape=0); fails(fc.linear_model, feats, [hours, hours])
            fails(fc.categorical_column_with_vocabulary_list, "k", ["a", "a"]); fails(fc.crossed_column, [job, "city"], 5); fails(fc.numeric_column, "a", dtype=tf.string); fails(fc.input_layer, feats, []); fails(fc.input_layer, feats, hours)
        fails(tf.saved_model.loader.load, None, ["serve"], folder + "/nothing")
        with tf.Graph().as_default(), tf.Session() as sess: fails(tf.saved_model.loader.load, sess, ["train"], out)
    """,
    "speech_with_ctc": """
        T, B, C = 6, 2, 4
        R = np.random.RandomState(1)
        x = tf.placeholder(tf.float32, [B, None, 3], "x"); seq = tf.placeholder(tf.int32, [B], "seq"); dense_labels = tf.placeholder(tf.int32, [B, None], "labels")
        where = tf.where(tf.not_equal(dense_labels, -1)); labels = tf.SparseTensor(where, tf.gather_nd(dense_labels, where), tf.shape(dense_labels, out_type=tf.int64)); show(labels.indices, labels.values, labels.dense_shape)
        cell = tf.nn.rnn_cell.BasicLSTMCell(5, forget_bias=0.5)
        with tf.variable_scope("rnn", initializer=tf.random_uniform_initializer(-.4, .4, seed=6)): (f, b), _ = tf.nn.bidirectional_dynamic_rnn(cell, tf.nn.rnn_cell.BasicRNNCell(5), x, seq, dtype=tf.float32)
        W = tf.get_variable("W", initializer=R.randn(10, C).astype("f") * .3); outs = tf.concat([f, b], 2)
        logits = tf.transpose(tf.reshape(tf.matmul(tf.reshape(outs, [-1, 10]), W), [B, -1, C]), [1, 0, 2]); show(logits, outs)
        loss = tf.nn.ctc_loss(labels, logits, seq, ignore_longer_outputs_than_inputs=True); cost = tf.reduce_mean(loss)
        opt = tf.train.RMSPropOptimizer(.05); gv = opt.compute_gradients(cost); train = opt.apply_gradients([(tf.clip_by_value(g, -.5, .5), v) for g, v in gv])
        decoded, logp = tf.nn.ctc_greedy_decoder(logits, seq); beam, bp = tf.nn.ctc_beam_search_decoder(logits, seq, beam_width=5, top_paths=2, merge_repeated=False)
        ler = tf.edit_distance(tf.cast(decoded[0], tf.int32), labels); text_out = tf.sparse_tensor_to_dense(tf.SparseTensor(decoded[0].indices, tf.gather(tf.constant(["a", "b", "c"]), decoded[0].values), decoded[0].dense_shape), default_value="")
        X = R.randn(B, T, 3); L = np.int32([[0, 1, 1], [2, -1, -1]]); S = [6, 4]; feeds = {x: X, seq: S, dense_labels: L}
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for i in range(8): c = sess.run(cost, feeds); sess.run(train, feeds); i % 3 or show(c)
            show(sess.run([loss, decoded[0], logp, ler, text_out], feeds)); show(sess.run([beam[0], beam[1], bp], feeds)); show([sess.run(g, feeds).shape for g, _ in gv])
            fails(sess.run, loss, {x: X, seq: [6, 9], dense_labels: L}); fails(sess.run, loss, {x: X, seq: S, dense_labels: L + 3}); show(sess.run(loss, {x: X, seq: [2, 1], dense_labels: L}))
            st = tf.sparse_placeholder(tf.float32, [None, None], name="st"); sv = tf.SparseTensorValue([[0, 2], [1, 0], [2, 2]], np.float32([1, 2, 3]), [3, 4]); sp = tf.sparse_concat(0, [st, st])
            ret = tf.sparse_retain(st, st.values > 1.5); fe, flag = tf.sparse_fill_empty_rows(st, -1.); inputs = tf.nn.embedding_lookup_sparse(W, tf.SparseTensor(st.indices, tf.cast(st.values, tf.int64), st.dense_shape), st, combiner="sum")
            show(sess.run([sp, ret, fe, flag, inputs], {st: sv})); gw = tf.gradients(inputs * 2., W)[0]; show(sess.run(tf.convert_to_tensor(gw), {st: sv}))
            show(sess.run(tf.sparse_to_indicator(tf.SparseTensor([[0, 0], [1, 1]], tf.constant([2, 0], tf.int64), [2, 2]), 3)), st, st.get_shape())
            fails(sess.run, sp, {st: np.ones([2, 2])}); fails(sess.run, tf.sparse_tensor_to_dense(st), {st: tf.SparseTensorValue([[1, 0], [0, 0]], np.float32([1, 2]), [2, 2])}); fails(sess.run, tf.sparse_tensor_to_dense(st), {st: tf.SparseTensorValue([[5, 0]], np.float32([1]), [2, 2])}); fails(tf.SparseTensor, [[0, 0]], [1, 2], [3, 3])
    """,
    "records_and_tables": """
        import os, pathlib
        T = tf.train
        def F(kind, v): return T.Feature(**{kind + "_list": {"bytes": T.BytesList, "int64": T.Int64List, "float": T.FloatList}[kind](value=v)})
        sentences = ["the cat the dog", "a dog a dog", "", "zebra"]
        path = folder + "/a.tfrecord"; spath = folder + "/s.tfrecord.gz"
        with tf.python_io.TFRecordWriter(path) as w:
            for i, t in enumerate(sentences): w.write(T.Example(features=T.Features(feature={"text": F("bytes", [t.encode()]), "id": F("int64", [i]), "vec": F("float", [i, i + .5]), "tags": F("int64", range(i))})).SerializeToString())
        with tf.python_io.TFRecordWriter(spath, tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)) as w:
            for i in range(3): w.write(T.Example(features=T.Features(feature={"tok": F("int64", range(2 * i)), "w": F("bytes", [b"q" * j for j in range(i)])})).SerializeToString())
        show(sum(1 for _ in tf.python_io.tf_record_iterator(path)), os.path.getsize(path))
        pathlib.Path(folder, "vocab.txt").write_text("the\\ndog\\ncat\\na\\n"); table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["the", "dog", "cat", "a"], tf.range(4, dtype=tf.int64)), -1)
        names = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(tf.range(4, dtype=tf.int64), tf.constant(["the", "dog", "cat", "a"])), "<unk>")
        def parse(rec):
            e = tf.parse_single_example(rec, {"text": tf.FixedLenFeature([], tf.string), "id": tf.FixedLenFeature([1], tf.int64), "vec": tf.FixedLenFeature([2], tf.float32), "tags": tf.VarLenFeature(tf.int64), "more": tf.FixedLenFeature([], tf.string, "none")})
            clean = e["text"]; tok = tf.string_split([clean]).values
            ids = table.lookup(tok); return {"ids": ids, "back": names.lookup(ids), "n": tf.strings.length(clean), "sub": tf.substr(clean, 0, tf.minimum(3, tf.strings.length(clean))), "tags": tf.sparse_tensor_to_dense(e["tags"]), "id": e["id"], "more": e["more"], "vec": e["vec"]}
        ds = tf.data.TFRecordDataset([path]).map(parse); ds = ds.filter(lambda d: tf.size(d["ids"]) > 0).padded_batch(2, {k: ([None] if len(s) else []) if k not in ("vec", "id") else s for k, s in ds.output_shapes.items()})
        it = ds.make_initializable_iterator(); nxt = it.get_next(); show(nxt)
        sds = tf.data.TFRecordDataset(spath, "GZIP").map(lambda r: tf.parse_single_example(r, {"tok": tf.FixedLenSequenceFeature([2], tf.int64, allow_missing=True), "w": tf.VarLenFeature(tf.string)})); sn = sds.make_one_shot_iterator().get_next(); show(sn["tok"], sn["w"].dense_shape)
        with tf.Session() as sess:
            fails(sess.run, names.lookup(tf.constant([1], tf.int64))); sess.run(tf.tables_initializer()); sess.run(it.initializer)
            while True:
                try: show(sess.run(nxt))
                except tf.errors.OutOfRangeError as e: show(e); break
            for _ in range(3): show(sess.run(sn))
            fails(sess.run, sn); show(sess.run([table.size(), names.size()]))
            raw = tf.placeholder(tf.string, [None]); many = tf.parse_example(raw, {"id": tf.FixedLenFeature([], tf.int64), "tags": tf.VarLenFeature(tf.int64)}); recs = list(tf.python_io.tf_record_iterator(path)); show(sess.run(many, {raw: recs}))
            fails(sess.run, many, {raw: [T.Example().SerializeToString()]}); fails(sess.run, tf.parse_example(raw, {"text": tf.FixedLenFeature([], tf.int64)}), {raw: recs}); fails(sess.run, tf.parse_example(raw, {"vec": tf.FixedLenFeature([3], tf.float32)}), {raw: recs})
            s = tf.constant(["a,b", "c", ",d,"]); sp = tf.string_split(s, ",", skip_empty=False); show(sess.run([sp, tf.string_join([s, s], "-"), tf.string_to_number(["1.5", "2"]), tf.as_string([1.5, 2.25], precision=2), tf.reduce_join([["a", "b"], ["c", "d"]], 1, separator="+"), tf.string_to_hash_bucket_fast(s, 10), tf.strings.strip([" x "]), tf.decode_raw(["\\x01\\x00\\x02\\x00"], tf.int16)]))
            fails(sess.run, tf.string_to_number(["1.5x"])); fails(sess.run, tf.substr(s, 5, 1)); fails(sess.run, tf.decode_raw(["abc"], tf.int16)); fails(sess.run, tf.decode_csv(["1,2"], [[0], [0], [0]])); show(sess.run(tf.decode_csv(["1,,x y", '"3",2.5,"a""b"'], [[0], [9.], ["z"]]))); fails(sess.run, tf.decode_csv(["a"], [[0]]))
            fails(table.lookup, tf.constant([1])); fails(tf.lookup.KeyValueTensorInitializer, [1, 2], ["a"]) if False else None
    """,
    "policy_gradient": """
        tf.set_random_seed(7)
        class Bandit:
            '''A corridor of five rooms: right is good.'''
            def reset(self): self.s = 2; return np.eye(5)[2]
            def step(self, a): self.s += 1 if a else -1; done = self.s in (0, 4); return np.eye(5)[self.s], float(self.s == 4), done, {}
        states = tf.placeholder(tf.float32, [None, 5], "states"); actions = tf.placeholder(tf.int32, [None], "actions"); adv = tf.placeholder(tf.float32, [None], "adv"); eps = tf.placeholder_with_default(0.1, [], "eps")
        with tf.variable_scope("pi"): logits = tf.layers.dense(tf.layers.dense(states, 6, tf.nn.relu, kernel_initializer=tf.variance_scaling_initializer(seed=1)), 2, kernel_initializer=tf.zeros_initializer())
        with tf.variable_scope("old"): old = tf.layers.dense(tf.layers.dense(states, 6, tf.nn.relu, kernel_initializer=tf.variance_scaling_initializer(seed=1), trainable=False), 2, kernel_initializer=tf.zeros_initializer(), trainable=False)
        sample = tf.squeeze(tf.multinomial(logits, 1, seed=3), axis=1); rnd = tf.random_uniform([tf.shape(states)[0]], maxval=2, dtype=tf.int64, seed=4); act = tf.where(tf.random_uniform([tf.shape(states)[0]], seed=6) < eps, rnd, sample); show(sample, act)
        logp = tf.reduce_sum(tf.one_hot(actions, 2) * tf.nn.log_softmax(logits), 1); picked = tf.gather_nd(tf.nn.softmax(old), tf.stack([tf.range(tf.shape(actions)[0]), actions], 1)); ratio = tf.exp(logp) / picked
        pg = -tf.reduce_mean(tf.minimum(ratio * adv, tf.clip_by_value(ratio, .8, 1.2) * adv)); ent = -tf.reduce_mean(tf.reduce_sum(tf.nn.softmax(logits) * tf.nn.log_softmax(logits), 1)); loss = pg - .01 * ent
        baseline = tf.get_variable("baseline", [], initializer=tf.zeros_initializer(), trainable=False); upd = baseline.assign(.9 * baseline + .1 * tf.reduce_mean(adv))
        train = tf.train.RMSPropOptimizer(.02, decay=.9).minimize(loss); sync = [o.assign(n) for o, n in zip(tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, "old"), tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "pi"))]
        soft = tf.group(*[tf.assign(o, .5 * o + .5 * n) for o, n in zip(tf.global_variables("old"), tf.trainable_variables("pi"))]); show(tf.global_variables("old"), tf.trainable_variables("pi"), len(sync)); env = Bandit()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer()); sess.run(sync); fetch = sess.make_callable(act, [states])
            for ep in range(6):
                s, S, A, Rw, done = env.reset(), [], [], [], False
                while not done and len(S) < 20: a = int(fetch(s[None])[0]); S.append(s); A.append(a); s, r, done, _ = env.step(a); Rw.append(r)
                G = np.cumsum(np.array(Rw)[::-1] * .9 ** np.arange(len(Rw)))[::-1]; b = sess.run(upd, {adv: G}); feeds = {states: S, actions: A, adv: G - b}
                show("".join("LR"[a] for a in A), sum(Rw), b, sess.run([loss, ent, ratio[0]], feeds)); sess.run(train, feeds); sess.run(soft if ep % 2 else sync)
            show(sess.run(tf.nn.softmax(logits), {states: np.eye(5)})); show([fetch(np.eye(5)) for _ in range(2)], sess.run(sample, {states: np.eye(5)}), sess.run(act, {states: np.eye(5), eps: 1.}))
            fails(sess.run, act, {states: np.eye(4)}); fails(sess.run, act); fails(sess.run, "nope:0"); fails(sess.run, act, {"nope:0": 1}); fails(sess.run, [act, 3]); fails(sess.run, act, {states: [["a"] * 5]}); fails(fetch); fails(tf.multinomial, logits[0], 1)
            fails(sess.run, {"a": {"b": None}}); show(sess.run({"a": [act, (eps, baseline)], "s": tf.shape(logits)}, {states: np.eye(5)[:2]}))
    """,
    "queues_and_threads": """
        import pathlib, threading, time
        tf.set_random_seed(3)
        for n in range(3): pathlib.Path(folder, "f%d.csv" % n).write_text("x,y,name\\n" + "".join("%d,%.1f,n%d\\n" % (n * 10 + i, i / 2., n) for i in range(4)))
        files = tf.train.string_input_producer([folder + "/f%d.csv" % n for n in range(3)], num_epochs=2, shuffle=False, name="files"); reader = tf.TextLineReader(skip_header_lines=1); key, line = reader.read(files)
        x, y, name = tf.decode_csv(line, [[0], [0.], [""]]); key = tf.regex_replace(key, ".*/", "") if False else key
        bx, by, bn = tf.train.batch([x, y, name], 5, num_threads=1, capacity=20, allow_smaller_final_batch=True); show(bx, by, bn, tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)[0].name, len(tf.get_collection("queue_runners")))
        w = tf.Variable(1.0, name="w"); step = w.assign_add(tf.reduce_sum(by)); show([v.name for v in tf.local_variables()])
        coord = tf.train.Coordinator(); got = []
        with tf.Session() as sess:
            fails(sess.run, bx) if False else None; sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()]); threads = tf.train.start_queue_runners(sess, coord)
            try:
                while not coord.should_stop(): r = sess.run([bx, bn, step]); got.append(r); show(r)
            except tf.errors.OutOfRangeError as e: show("is closed and has insufficient elements" in str(e))
            finally: coord.request_stop()
            coord.join(threads); show(sorted(np.concatenate([g[0] for g in got]).tolist())[:4], coord.should_stop(), sess.run(reader.num_records_produced()))
        # a queue of one's own, filled by threads and shuffled
        g2 = tf.Graph()
        with g2.as_default():
            tf.set_random_seed(3); q = tf.RandomShuffleQueue(30, 2, [tf.int32, tf.float32], [[], [2]], seed=5, name="mine"); px = tf.placeholder(tf.int32, [None]); enq = q.enqueue_many([px, tf.stack([tf.cast(px, tf.float32), tf.zeros_like(px, tf.float32)], 1)]); a, b = q.dequeue(); am, bm = q.dequeue_many(3); up = q.dequeue_up_to(4); close = q.close(); size = q.size()
            fifo = tf.FIFOQueue(3, tf.string, []); pad = tf.PaddingFIFOQueue(10, [tf.int32], [[None]]); show(a, b, am, bm, up, q.name, q.dtypes)
            with tf.Session() as sess:
                sess.run(enq, {px: range(10)}); show(sess.run(size), sess.run([am, bm]), sess.run(a)); sess.run(close); show(sess.run(up), sess.run(up)); show(sess.run(q.is_closed()))
                for s in ("a", "b"): sess.run(fifo.enqueue(s))
                show(sess.run(fifo.dequeue()), sess.run(fifo.size())); [sess.run(pad.enqueue([list(range(i))])) for i in (1, 3)]; show(sess.run(pad.dequeue_many(2))); fails(fifo.enqueue, 3); fails(q.enqueue, [1]); fails(q.enqueue, (1, [1., 2., 3.])); fails(tf.FIFOQueue(3, tf.string).dequeue_many, 2)
                c = tf.train.Coordinator()
                def work(k):
                    for i in range(3):
                        if k == 1 and i == 2: raise ValueError("worker %d" % k)
                        if c.wait_for_stop(.01): return
                def safe(k):
                    with c.stop_on_exception(): work(k)
                ts = [threading.Thread(target=safe, args=(k,)) for k in range(3)]; [t.start() for t in ts]; fails(c.join, ts); show(c.should_stop(), c.joined); c.clear_stop(); show(c.should_stop())
        g3 = tf.Graph()
        with g3.as_default():
            tf.set_random_seed(3); one = tf.train.slice_input_producer([tf.range(6), tf.constant(list("abcdef"))], num_epochs=1, shuffle=True, seed=2); sb = tf.train.shuffle_batch(one, 2, 10, 4, seed=1, allow_smaller_final_batch=True); wh = tf.train.shuffle_batch([tf.constant(1)], 2, 10, 4, name="never"); gs = tf.train.get_or_create_global_step(); inc = gs.assign_add(1)
            seen = []
            with tf.train.MonitoredTrainingSession() as sess:
                while not sess.should_stop(): seen.append([v.tolist() for v in sess.run([sb[0], sb[1], inc])[:2]])
            show(sorted(sum([s[0] for s in seen], [])), sorted(sum([s[1] for s in seen], []))); show([len(s[0]) for s in seen]); fails(tf.train.batch, [], 2); fails(tf.train.shuffle_batch, [tf.placeholder(tf.int32)], 2, 10, 4); fails(tf.train.string_input_producer, [])
    """,
    "fine_tuning_an_imported_graph": """
        import pathlib; gu = tf.graph_util
        with tf.Graph().as_default() as g:
            x = tf.placeholder(tf.float32, [None, 3], "input"); keep = tf.placeholder_with_default(1.0, [], "keep")
            with tf.variable_scope("net"), tf.name_scope("inner"):
                for i in range(2):
                    with tf.variable_scope("layer", reuse=tf.AUTO_REUSE), tf.name_scope("layer"): w = tf.get_variable("w", [3, 3], initializer=tf.constant_initializer(np.arange(9) / 10.)); b = tf.Variable(tf.ones([3]), name="b"); x_ = tf.nn.relu(tf.matmul(x if not i else x_, w) + b, name="act")
            feat = tf.identity(tf.nn.dropout(x_, keep), "features"); logits = tf.layers.dense(feat, 2, name="head", kernel_initializer=tf.constant_initializer(.1)); y = tf.placeholder(tf.int32, [None], "y"); loss = tf.losses.sparse_softmax_cross_entropy(y, logits, scope="xent"); gs = tf.train.get_or_create_global_step(); train = tf.train.MomentumOptimizer(.1, .9).minimize(loss, gs, name="train"); tf.add_to_collection("ends", feat); tf.add_to_collection("ends", train); cnt = tf.while_loop(lambda i: i < tf.cast(gs, tf.int32), lambda i: i + 1, [0], name="count"); sw = tf.cond(keep < .5, lambda: logits * 2, lambda: logits, name="sw"); tf.identity(sw, "out")
            show([n.name for n in g.as_graph_def().node if "net/" in n.name and "/Initializer" not in n.name and "rain" not in n.name and "gradients" not in n.name][:24]); show(tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, r"net/.*b"), tf.get_collection("trainable_variables", "head"), tf.get_collection("nothing"), sorted(map(str, set(g.get_all_collection_keys()) - {'cond_context', 'while_context'})))
            X = np.float32([[1, 2, 3], [-1, 0, 1]]); saver = tf.train.Saver()
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer()); [sess.run(train, {x: X, y: [0, 1]}) for _ in range(3)]; want = sess.run("out:0", {x: X}); show(want, sess.run(cnt)); p = saver.save(sess, folder + "/m", gs)
                meta = tf.RunMetadata(); sess.run(logits, {x: X}, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=meta); names = {n.node_name for d in meta.step_stats.dev_stats for n in d.node_stats}; show(any("head" in n for n in names), len(meta.step_stats.dev_stats) > 0); frozen = gu.convert_variables_to_constants(sess, g.as_graph_def(), ["out", "features"]); show(len([n for n in frozen.node if n.op == "Const" and n.name.endswith(("/w", "/b", "kernel", "bias"))]), sorted({n.op for n in frozen.node if 'head' in n.name})); fails(gu.convert_variables_to_constants, sess, g.as_graph_def(), ["nope"])
                tf.train.write_graph(frozen, folder, "f.pb", as_text=False); tf.train.write_graph(gu.extract_sub_graph(g.as_graph_def(), ["features"]), folder, "f.pbtxt")
        with tf.Graph().as_default() as g2:
            saver = tf.train.import_meta_graph(p + ".meta", clear_devices=True, import_scope=None); feat, train = tf.get_collection("ends"); show(feat, train, tf.trainable_variables(), tf.train.get_global_step())
            inp = g2.get_tensor_by_name("input:0"); stop = tf.stop_gradient(feat); new = tf.layers.dense(stop, 1, name="tune", kernel_initializer=tf.ones_initializer()); l2 = tf.reduce_mean(tf.square(new)); tv = [v for v in tf.trainable_variables() if v.name.startswith("tune")]; step = tf.train.AdamOptimizer(.1).minimize(l2, var_list=tv)
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer()); saver.restore(sess, p); show(sess.run("out:0", {inp: X})); [sess.run(step, {"input:0": X}) for _ in range(2)]; show(sess.run([l2] + tv, {inp: X}), sess.run("net/layer/w:0")[0]); sess.run(train, {"input:0": X, "y:0": [1, 1]}); show(sess.run("global_step:0"), sess.run("count/Exit:0"))
                fails(g2.get_tensor_by_name, "input"); fails(g2.get_tensor_by_name, "inputs:0"); fails(g2.get_tensor_by_name, "input:1"); fails(g2.get_operation_by_name, "input:0"); fails(g2.get_operation_by_name, "zzz"); fails(saver.restore, sess, folder + "/zz"); show(len(tf.train.latest_checkpoint(folder)) > 3)
        with tf.Graph().as_default() as g3:
            gd = tf.GraphDef(); gd.ParseFromString(pathlib.Path(folder, "f.pb").read_bytes()); mine = tf.placeholder(tf.float32, [2, 3], "mine"); out, act = tf.import_graph_def(gd, {"input": mine * 2., "keep": tf.constant(.3)}, ["out:0", "net/inner/layer/layer/act:0"], name="imp"); show(act); grad, = tf.gradients(out, mine)
            with tf.Session() as sess: sess.run(act, {mine: X}); show(sess.run(act, {mine: X / 2})); show(sess.run("imp/head/kernel:0"))
            r = tf.import_graph_def(gd, {"input:0": mine, "features:0": tf.ones([2, 3])}, ["out:0", "out"], name=""); show(r[1])
            with tf.Session() as sess: show(sess.run(r[0])); fails(sess.run, act)
            fails(tf.import_graph_def, gd, {"zz": mine}); fails(tf.import_graph_def, gd, {"input": tf.constant(1)}, name="again"); fails(tf.import_graph_def, gd, return_elements=["zz:0"], name="third"); fails(tf.import_graph_def, 3); txt = pathlib.Path(folder, "f.pbtxt").read_text(); show(txt.split("\\n")[:3])
        with tf.Graph().as_default() as g4:
            with tf.name_scope("outer"): s = tf.train.import_meta_graph(p + ".meta", import_scope="sc")
            show([v.name for v in tf.trainable_variables()][:3], tf.get_collection("ends", None)[0])
            with tf.Session() as sess: s.restore(sess, p); show(sess.run("outer/sc/out:0", {tf.get_collection("ends")[0]: np.ones([1, 3])}))
            fails(tf.train.Saver); fails(tf.train.Saver, [tf.constant(1)]) ; fails(tf.train.export_meta_graph, folder + "/e.meta", collection_list=["nothing"]) if False else None
        with tf.Graph().as_default(): fails(tf.train.Saver)
    """,
}

CASES = programs("whole_programs", PROGRAMS, rtol=1e-3)
