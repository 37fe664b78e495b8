"""Monitored sessions, their hooks, the supervisor: who is called when, and what is left on disk."""

from ..case import programs

_START = """
        import os, pathlib, time
        d = folder
        def listing(): return sorted(f for f in os.listdir(d) if not f.startswith("events"))
        x = tf.Variable(1., name="x"); gs = tf.train.get_or_create_global_step()
        step = tf.group(x.assign_add(1.), gs.assign_add(1)); g = tf.get_default_graph()
        heard = []
        class Hook(tf.train.SessionRunHook):
            def __init__(self, name="hook"): self.name = name
            def begin(self): heard.append((self.name, "begin", g.finalized))
            def after_create_session(self, session, coord): heard.append((self.name, "created", type(session).__name__, type(coord).__name__))
            def before_run(self, ctx): heard.append((self.name, "before", ctx.stop_requested))
            def after_run(self, ctx, values): heard.append((self.name, "after", values.results))
            def end(self, session): heard.append((self.name, "end"))
"""

_QUIET = "save_summaries_steps=None, save_summaries_secs=None, log_step_count_steps=None"

CASES = programs(
    "monitored",
    {
        "until_last_step": _START
        + """
        count = 0
        with tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(last_step=5)]) as sess:
            show(g.finalized, sess.graph is g, sess.should_stop())
            while not sess.should_stop(): sess.run(step); count += 1
            fails(sess.run, step)
        show(count, sess.should_stop(), sess.graph, g.finalized)
        """,
        "num_steps": _START
        + f"""
        for n in (2, 3):
            with tf.train.MonitoredTrainingSession(checkpoint_dir=d, hooks=[tf.train.StopAtStepHook(num_steps=n)], {_QUIET}) as sess:
                while not sess.should_stop(): sess.run(step)
                show(sess._sess is not None)
        show(listing(), tf.train.latest_checkpoint(d).replace(d, "d"), tf.train.load_variable(d, "x"))
        """,
        "order_of_calls": _START
        + """
        class Fetch(Hook):
            def before_run(self, ctx): super().before_run(ctx); return tf.train.SessionRunArgs({"gs": gs})
        with tf.train.MonitoredSession(hooks=[Hook("one"), Fetch("two")]) as sess: show(sess.run(x))
        show(heard)
        """,
        "chief_saves_every_two": _START
        + f"""
        with tf.train.MonitoredTrainingSession(checkpoint_dir=d, save_checkpoint_steps=2, hooks=[tf.train.StopAtStepHook(5)], {_QUIET}) as sess:
            while not sess.should_stop(): sess.run(step)
        show(listing(), pathlib.Path(d + "/checkpoint").read_text().replace(d, "d"))
        """,
        "never_saves": _START
        + f"""
        with tf.train.MonitoredTrainingSession(checkpoint_dir=d, save_checkpoint_secs=None, {_QUIET}) as sess: sess.run(step)
        show(listing())
        """,
        "goes_on": _START
        + f"""
        for _ in range(2):
            with tf.train.MonitoredTrainingSession(checkpoint_dir=d, {_QUIET}) as sess: show(sess.run([x, gs])); sess.run(step); sess.run(step)
        """,
        "end_of_data_is_no_error": _START
        + """
        with tf.train.MonitoredSession(hooks=[Hook()]) as sess: sess.run(step); raise tf.errors.OutOfRangeError(None, None, "done")
        show([h[1] for h in heard])
        """,
        "errors_pass": _START
        + """
        def train():
            with tf.train.MonitoredSession(hooks=[Hook()]) as sess: sess.run(step); raise ValueError("mine")
        fails(train); show([h[1] for h in heard], g.finalized)
        """,
        "request_stop": _START
        + """
        class Stop(Hook):
            def after_run(self, ctx, values): ctx.request_stop(); show(ctx.stop_requested, type(ctx.original_args).__name__, ctx.original_args.fetches, ctx.original_args.feed_dict)
        with tf.train.MonitoredSession(hooks=[Stop()]) as sess: sess.run(step); show(sess.should_stop()); fails(sess.run, x)
        """,
        "hooks_feed": _START
        + """
        p = tf.placeholder(tf.float32, []); q = tf.placeholder(tf.float32, []); product = p * q
        with tf.train.MonitoredSession(hooks=[tf.train.FeedFnHook(lambda: {p: 2.})]) as sess: show(sess.run(product, {q: 3.}))
        """,
        "recovers": _START
        + """
        class Once(Hook):
            left = 1
            def after_run(self, ctx, values):
                super().after_run(ctx, values)
                if self.left: self.left -= 1; raise tf.errors.AbortedError(None, None, "lost")
        with tf.train.MonitoredSession(hooks=[Once()]) as sess: sess.run(step); show(sess.run([x, gs]))
        show([h[1] for h in heard])
        """,
        "recovers_from_checkpoint": _START
        + f"""
        class Once(Hook):
            left = 1
            def after_run(self, ctx, values):
                if self.left and ctx.session.run(gs) == 3: self.left -= 1; raise tf.errors.UnavailableError(None, None, "lost")
        with tf.train.MonitoredTrainingSession(checkpoint_dir=d, save_checkpoint_steps=2, hooks=[Once()], {_QUIET}) as sess:
            for _ in range(4): sess.run(step)
            show(sess.run([x, gs]))
        """,
        "singular_does_not_recover": _START
        + """
        class Fail(Hook):
            def after_run(self, ctx, values): raise tf.errors.AbortedError(None, None, "lost")
        def train():
            with tf.train.SingularMonitoredSession(hooks=[Fail()]) as sess: sess.run(step)
        fails(train)
        """,
        "scaffold": _START
        + """
        v = tf.Variable(2., collections=["local_variables"], name="v"); seven = x.assign(7.); s = tf.train.Scaffold(init_fn=lambda scaffold, sess: sess.run(seven))
        with tf.train.MonitoredTrainingSession(scaffold=s) as sess: show(sess.run([x, v]), type(s.saver).__name__, s.init_op.name, s.local_init_op.name, s.summary_op, s.init_feed_dict)
        show([len(tf.get_collection(k)) for k in ("init_op", "ready_op", "ready_for_local_init_op", "local_init_op", "savers", "summary_op")])
        """,
        "scaffold_given": _START
        + """
        p = tf.placeholder(tf.float32, []); init = tf.group(x.assign(p), gs.initializer); s = tf.train.Scaffold(init_op=init, init_feed_dict={p: 5.}, saver=tf.train.Saver([x]), ready_op=tf.report_uninitialized_variables([x]))
        with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(s)) as sess: show(sess.run(x))
        c = tf.train.Scaffold(copy_from_scaffold=s); show(c.init_op is init); fails(tf.train.Scaffold, copy_from_scaffold=3)
        """,
        "two_init_ops": _START
        + """
        tf.add_to_collection("init_op", tf.no_op()); tf.add_to_collection("init_op", tf.no_op());
        try: tf.train.Scaffold().finalize()
        except RuntimeError as error: show("More than one item in the collection" in str(error))
        """,
        "worker": """
        v = tf.Variable(3., collections=["local_variables"])
        with tf.train.MonitoredSession(tf.train.WorkerSessionCreator(max_wait_secs=None)) as sess: show(sess.run(v))
        """,
        "not_ready": _START
        + """
        def train():
            with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(tf.train.Scaffold(init_op=tf.no_op(name="nothing"), local_init_op=None))) as sess: sess.run(x)
        try: train()
        except RuntimeError as error: show(str(error)[:90])
        """,
        "wrong_hooks": _START
        + """
        T = tf.train; fails(T.StopAtStepHook); fails(T.StopAtStepHook, 1, 2); fails(T.CheckpointSaverHook, d, save_secs=1, save_steps=2); fails(T.CheckpointSaverHook, d, save_secs=1, saver=1, scaffold=1)
        fails(T.LoggingTensorHook, ["a"]); fails(T.LoggingTensorHook, ["a"], every_n_iter=0); fails(T.LoggingTensorHook, ["a"], every_n_iter=2, every_n_secs=1)
        fails(T.SummarySaverHook, save_steps=2); fails(T.StepCounterHook, every_n_steps=1, every_n_secs=2); fails(T.SecondOrStepTimer); fails(T.SecondOrStepTimer, 1, 2)
        """,
        "timer": """
        t = tf.train.SecondOrStepTimer(every_steps=3); show([t.should_trigger_for_step(0), t.last_triggered_step(), t.update_last_triggered_step(0), t.should_trigger_for_step(0), t.should_trigger_for_step(2), t.should_trigger_for_step(3), t.last_triggered_step()])
        show(t.update_last_triggered_step(4)[1]); t.reset(); show(t.should_trigger_for_step(4))
        """,
        "logging": _START
        + """
        h = tf.train.LoggingTensorHook({"b": x, "a": "global_step:0"}, every_n_iter=2, formatter=lambda v: heard.append(dict(sorted(v.items()))) or "")
        with tf.train.MonitoredSession(hooks=[h]) as sess:
            for _ in range(5): sess.run(step)
        show(len(heard), sorted(heard[0]))
        """,
        "logging_at_end": _START
        + """
        h = tf.train.LoggingTensorHook(["x"], at_end=True, formatter=lambda v: heard.append(v) or "")
        with tf.train.MonitoredSession(hooks=[h]) as sess:
            for _ in range(3): sess.run(step)
        show(heard)
        """,
        "logging_unknown": _START
        + """
        fails(tf.train.LoggingTensorHook(["nope"], every_n_iter=1).begin)
        """,
        "nan": _START
        + """
        p = tf.placeholder(tf.float32, []); loss = tf.log(p)
        def train(fail):
            with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(loss, fail_on_nan_loss=fail)]) as sess:
                sess.run(step, {p: 1.}); show(sess.should_stop()); sess.run(step, {p: -1.}); show(sess.should_stop())
        fails(train, True); g._unsafe_unfinalize(); train(False); show(str(tf.train.NanLossDuringTrainingError()))
        """,
        "final_ops": _START
        + """
        h = tf.train.FinalOpsHook([x, gs]); show(h.final_ops_values)
        with tf.train.MonitoredSession(hooks=[h]) as sess: sess.run(step)
        show(h.final_ops_values)
        """,
        "listeners": _START
        + """
        class L(tf.train.CheckpointSaverListener):
            def begin(self): heard.append("begin")
            def before_save(self, session, s): heard.append(("before", int(s)))
            def after_save(self, session, s): heard.append(("after", int(s))); return s >= 2
            def end(self, session, s): heard.append(("end", int(s)))
        h = tf.train.CheckpointSaverHook(d, save_steps=1, listeners=[L()], scaffold=tf.train.Scaffold())
        with tf.train.MonitoredSession(hooks=[tf.train.CheckpointSaverHook(d, save_steps=1, saver=tf.train.Saver(), listeners=[L()], checkpoint_basename="k")]) as sess:
            while not sess.should_stop(): sess.run(step)
        show(heard, listing())
        """,
    },
) + programs(
    "supervisor",
    {
        "managed_session": _START
        + """
        sv = tf.train.Supervisor(logdir=d, save_model_secs=0, save_summaries_secs=0, summary_op=None, summary_writer=None, global_step=gs)
        with sv.managed_session() as sess:
            while not sv.should_stop():
                sess.run(step)
                if sess.run(gs) == 3: sv.request_stop()
            show(sess.run(x), sv.is_chief, sv.save_path.replace(d, "d"), sv.global_step is gs, sv.summary_writer)
        show(listing(), sv.should_stop())
        """,
        "saves_and_goes_on": _START
        + """
        sv = tf.train.Supervisor(logdir=d, save_model_secs=60, summary_op=None, summary_writer=None)
        with sv.managed_session() as sess:
            sess.run(step)
            while not tf.train.latest_checkpoint(d): time.sleep(.05)
        sv = tf.train.Supervisor(logdir=d, save_model_secs=0, summary_op=None, summary_writer=None)
        with sv.managed_session() as sess: show(sess.run(x) in (1., 2.), sv.saver is tf.get_collection("savers")[0])
        """,
        "without_logdir": _START
        + """
        sv = tf.train.Supervisor(); sess = sv.prepare_or_wait_for_session(); show(sess.run(x), sv.init_op, sv.ready_op is tf.get_collection("ready_op")[0], sv.save_path); sv.stop(); show(sv.should_stop())
        """,
        "init_fn": _START
        + """
        five = x.assign(5.); sv = tf.train.Supervisor(init_fn=lambda s: s.run(five), init_op=tf.global_variables_initializer())
        with sv.managed_session() as sess: show(sess.run(x))
        """,
        "errors_pass": _START
        + """
        sv = tf.train.Supervisor()
        def train():
            with sv.managed_session() as sess: raise ValueError("mine")
        fails(train); fails(sv.summary_computed, None, b"")
        """,
        "finds_the_global_step": _START
        + """
        tf.get_collection_ref("global_step").clear(); sv = tf.train.Supervisor()
        show(sv.global_step.name, [each is sv.global_step for each in tf.get_collection("global_step")]); sv.stop()
        """,
        "wrong": _START
        + """
        try: tf.train.Supervisor(local_init_op=None, ready_for_local_init_op=tf.constant([""])).prepare_or_wait_for_session()
        except ValueError as error: show(str(error)[:70])
        try: tf.train.Supervisor(is_chief=False)
        except ValueError as error: show(str(error)[:66])
        """,
        "worker": _START
        + """
        with tf.Graph().as_default():
            with tf.device("/cpu:0"): y = tf.Variable(1., name="y")
            sv = tf.train.Supervisor(is_chief=False, recovery_wait_secs=1, logdir=d); show(sv.is_chief, sv.save_path, sv.summary_writer, sv.save_model_secs)
            fails(sv.start_standard_services, None); fails(sv.prepare_or_wait_for_session, max_wait_secs=0)
        """,
    },
)
