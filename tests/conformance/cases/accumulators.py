"""Accumulators of gradients, and the optimizer that averages over workers."""

from ..case import programs

CASES = programs(
    "accumulators",
    {
        "sum": """
        a = tf.ConditionalAccumulator(tf.float64, [], reduction_type="SUM"); add = a.apply_grad(2.); take = a.take_grad(1); run(add); run(add); run(add); show(run([take]))
        """,
        "wrong_shapes": """
        a = tf.ConditionalAccumulator(tf.float32, [2]); fails(a.apply_grad, [1.]); fails(a.apply_grad, "x")
        """,
        "too_few": """
        a = tf.ConditionalAccumulator(tf.float32, [2])
        try: run(a.take_grad(0))
        except tf.errors.InvalidArgumentError as error: show("Argument num_required must be positive, but was 0" in error.message)
        """,
        "rows": """
        s = tf.SparseConditionalAccumulator(tf.float32, [4, 1]); one = s.apply_indexed_slices_grad(tf.IndexedSlices(tf.constant([[1.], [2.]]), tf.constant([0, 2]))); two = s.apply_grad([2, 3], [[4.], [6.]]); take = s.take_indexed_slices_grad(2)
        run(one); run(two); show(run([take.values, take.indices, take.dense_shape]), take.values.dtype, take.indices.dtype)
        """,
        "sync_replicas": """
        w = tf.Variable([1., 2.], name="w"); e = tf.Variable([[1.], [2.]], name="e"); gs = tf.train.get_or_create_global_step(); loss = tf.reduce_sum(w * w) + tf.reduce_sum(tf.gather(e, [1]) ** 2.)
        o = tf.train.SyncReplicasOptimizer(tf.train.MomentumOptimizer(.1, .9), 1)
        fails(o.get_chief_queue_runner); fails(o.get_init_tokens_op); fails(o.minimize, loss); fails(o.apply_gradients, [], gs); fails(o.make_session_run_hook(True).begin)
        step = o.minimize(loss, global_step=gs); show(step.dtype, o.get_slot_names(), o.get_slot(w, "momentum"), [v.name for v in o.variables()], [v.name for v in tf.local_variables()])
        show(o.get_init_tokens_op(0).name)
        both = tf.group(w, e)
        with tf.train.MonitoredTrainingSession(hooks=[o.make_session_run_hook(True), tf.train.StopAtStepHook(3)], stop_grace_period_secs=1) as sess:
            while not sess.should_stop(): sess.run(step)
            show(sess._sess is not None)
        """,
    },
)
