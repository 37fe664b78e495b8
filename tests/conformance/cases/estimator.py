"""tf.estimator: model functions, specs, configurations, inputs, exports, and the texts of errors."""

import textwrap

from ..case import programs

_START = """
import os, re, json
E = tf.estimator; M = E.ModeKeys; d = folder
def clean(x): return re.sub(r"\\d{10}", "<time>", str(x.decode() if isinstance(x, bytes) else x).replace(d, "d"))
def listing(path): return sorted(clean(f) for f in os.listdir(path) if not f.startswith("events"))
X = np.array([[1., 2.], [2., 1.], [0., 3.], [3., 3.], [-1., 1.], [2., -2.]], np.float32); Y = np.array([0, 1, 0, 1, 0, 1])
def data(batch=2, repeat=1): return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).repeat(repeat).batch(batch)
def model_fn(features, labels, mode, params):
    logits = tf.layers.dense(features["x"], 2, name="logits", kernel_initializer=tf.constant_initializer([[.1, .2], [.3, -.1]]))
    p = {"probabilities": tf.nn.softmax(logits), "class": tf.argmax(logits, 1)}
    if mode == M.PREDICT: return E.EstimatorSpec(mode, predictions=p)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    op = tf.train.GradientDescentOptimizer(params["rate"]).minimize(loss, tf.train.get_global_step())
    return E.EstimatorSpec(mode, predictions=p, loss=loss, train_op=op, eval_metric_ops={"accuracy": tf.metrics.accuracy(labels, p["class"])})
def make(**kw): return E.Estimator(model_fn, **{"model_dir": d, "params": {"rate": .5}, **kw})
spec = {"x": tf.FixedLenFeature([2], tf.float32)}
def env(**kw): os.environ["TF_CONFIG"] = json.dumps(kw)
def config(**kw):
    try: env(**kw); return E.RunConfig()
    finally: del os.environ["TF_CONFIG"]
def say(c): show([str(getattr(c, n)) for n in ("task_type", "task_id", "is_chief", "master", "evaluation_master", "num_ps_replicas", "num_worker_replicas", "global_id_in_cluster", "model_dir")], sorted(c.cluster_spec.jobs))
"""

_CLUSTER = '{"chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1", "e:1"]}'

_PROGRAMS = {
    # ---- training, evaluation, prediction ------------------------------------------------
    "train": """
    e = make(); show(e.train(lambda: data(2, None), steps=5) is e, e.get_variable_names(), [e.get_variable_value(n) for n in e.get_variable_names()])
    show(clean(e.latest_checkpoint()), listing(d), clean(e.model_dir), clean(e.eval_dir()), clean(e.eval_dir("x")))
    """,
    "train_until_data_ends": "e = make().train(lambda: data(4, 3)); show(e.get_variable_value('global_step'), e.get_variable_value('logits/bias'))",
    "train_goes_on": """
    e = make(); e.train(lambda: data(2, None), steps=3); e.train(lambda: data(2, None), steps=3); show(e.get_variable_value("global_step"))
    e.train(lambda: data(2, None), max_steps=4); show(e.get_variable_value("global_step")); e.train(lambda: data(2, None), max_steps=9); show(e.get_variable_value("global_step"), e.get_variable_value("logits/kernel"))
    other = make(); show(other.get_variable_value("global_step")); other.train(lambda: data(), steps=1); show(other.get_variable_value("global_step"))
    """,
    "evaluate": """
    e = make(); e.train(lambda: data(3, None), steps=4); r = e.evaluate(lambda: data(4)); show(r, list(r))
    show(e.evaluate(lambda: data(2, None), steps=2), e.evaluate(lambda: data(6), name="all")); show(sorted(os.listdir(d))[-8:-4] == [], sorted(f for f in os.listdir(d) if f.startswith("eval")))
    """,
    "evaluate_before_training": "show(make().evaluate(lambda: data(6)))",
    "predict": """
    e = make(); e.train(lambda: data(3, None), steps=4)
    show(list(e.predict(lambda: data(4))), list(e.predict(lambda: data(4), predict_keys=["class"])), list(e.predict(lambda: data(4), yield_single_examples=False)))
    show(list(e.predict(lambda: tf.data.Dataset.from_tensors({"x": X[:2]}), checkpoint_path=os.path.join(d, "model.ckpt-0"))))
    """,
    "predict_tensor": """
    def fn(features, mode): return E.EstimatorSpec(mode, predictions=features * tf.get_variable("w", [], initializer=tf.constant_initializer(3.)))
    e = E.Estimator(fn, d); p = e.predict(lambda: tf.data.Dataset.range(3).map(lambda x: tf.cast(x, tf.float32)).batch(2)); show(list(p)); fails(list, e.predict(lambda: tf.data.Dataset.range(3), predict_keys=["x"]))
    """,
    "predict_without_end": "e = make(); p = e.predict(lambda: {'x': tf.constant(X[:2])}); show([next(p) for _ in range(3)]); p.close()",
    "predict_errors": """
    e = make(); fails(list, e.predict(lambda: data(), predict_keys=["nothing"])); fails(list, e.predict(lambda: data(), hooks=[1]))
    def uneven(features, labels, mode): return E.EstimatorSpec(mode, predictions={"a": features["x"], "b": features["x"][:1]})
    fails(list, E.Estimator(uneven, d + "2").predict(lambda: data()))
    """,
    "arguments_of_functions": """
    seen = []
    def input_fn(params, mode, config): seen.append((sorted(params), mode, config.tf_random_seed)); return data()
    def fn(features, labels, mode, params, config): seen.append((params["rate"], mode, config.tf_random_seed, tf.get_default_graph().seed)); return model_fn(features, labels, mode, params)
    e = E.Estimator(fn, d, params={"rate": .1}, config=E.RunConfig(tf_random_seed=7)); e.train(input_fn, steps=1); e.evaluate(input_fn); list(e.predict(input_fn)); show(seen, e.params, e.config.tf_random_seed)
    """,
    "labels_none": """
    def fn(features, mode):
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer()); loss = tf.reduce_sum((features - w) ** 2)
        return E.EstimatorSpec(mode, loss=loss, train_op=tf.train.GradientDescentOptimizer(.1).minimize(loss, tf.train.get_global_step()))
    e = E.Estimator(fn, d); e.train(lambda: tf.constant([1.]), steps=3); show(e.get_variable_value("w")); fails(e.train, lambda: (tf.constant([1.]), tf.constant([1])), steps=1); fails(e.train, lambda: (1, 2, 3), steps=1)
    """,
    "hooks_and_listeners": """
    heard = []
    class Hook(tf.train.SessionRunHook):
        def begin(self): heard.append("begin")
        def end(self, s): heard.append("end")
    class Listener(tf.train.CheckpointSaverListener):
        def begin(self): heard.append("listens")
        def before_save(self, s, n): heard.append(("before", int(n)))
        def after_save(self, s, n): heard.append(("after", int(n)))
        def end(self, s, n): heard.append(("last", int(n)))
    e = make(config=E.RunConfig(save_checkpoints_steps=2)); e.train(lambda: data(2, None), steps=5, hooks=[Hook()], saving_listeners=[Listener()]); show(heard, listing(d))
    e.evaluate(lambda: data(), hooks=[Hook()]); show(heard[-2:]); fails(e.train, lambda: data(), saving_listeners=[1]); fails(make(config=E.RunConfig(save_checkpoints_steps=None, save_checkpoints_secs=None)).train, lambda: data(), steps=1, saving_listeners=[Listener()])
    """,
    "hooks_of_the_spec": """
    heard = []
    class Hook(tf.train.SessionRunHook):
        def __init__(self, n): self.n = n
        def begin(self): heard.append(self.n)
    def fn(features, labels, mode, params): return model_fn(features, labels, mode, params)._replace(training_hooks=[Hook("t")], training_chief_hooks=[Hook("c")], evaluation_hooks=[Hook("e")], prediction_hooks=[Hook("p")])
    e = E.Estimator(fn, d, params={"rate": .1}); e.train(lambda: data(), steps=1); show(heard); e.evaluate(lambda: data()); show(heard); list(e.predict(lambda: data())); show(heard)
    """,
    "keep_checkpoint_max": "e = make(config=E.RunConfig(save_checkpoints_steps=1, keep_checkpoint_max=2)); e.train(lambda: data(1, None), steps=5); show(listing(d), __import__('pathlib').Path(d, 'checkpoint').read_text())",
    "nan_loss": """
    def fn(features, labels, mode):
        w = tf.get_variable("w", []); loss = tf.log(-1. + 0 * w); return E.EstimatorSpec(mode, loss=loss, train_op=tf.train.get_global_step().assign_add(1))
    fails(E.Estimator(fn, d).train, lambda: data(), steps=2)
    """,
    "scaffold_init_fn": """
    def fn(features, labels, mode, params):
        s = model_fn(features, labels, mode, params); k = [v for v in tf.global_variables() if v.op.name == "logits/bias"][0]; up = k.assign([5., 6.])
        return s._replace(scaffold=tf.train.Scaffold(init_fn=lambda sc, sess: sess.run(up)))
    e = E.Estimator(fn, d, params={"rate": 0.}); e.train(lambda: data(), steps=1); show(e.get_variable_value("logits/bias"))
    """,
    "local_init_op_of_scaffold": """
    def fn(features, labels, mode, params):
        v = tf.Variable(3., collections=["mine"], name="mine"); s = model_fn(features, labels, mode, params)
        if mode == M.TRAIN: return s
        m = dict(s.eval_metric_ops); m["mine"] = (v, tf.no_op())
        return s._replace(scaffold=tf.train.Scaffold(local_init_op=v.initializer), eval_metric_ops=m)
    e = E.Estimator(fn, d, params={"rate": 0.}); e.train(lambda: data(), steps=1); show(e.evaluate(lambda: data(2, None), steps=3))
    """,
    "train_errors": """
    e = make(); fails(e.train, lambda: data(), steps=1, max_steps=1); fails(e.train, lambda: data(), steps=0); fails(e.train, lambda: data(), max_steps=-1); fails(e.train, lambda: data(), hooks=["x"])
    fails(e.evaluate, lambda: data(), steps=0); fails(e.get_variable_names); fails(e.get_variable_value, "x")
    """,
    "metric_names": """
    def fn(name):
        def inner(features, labels, mode, params): return model_fn(features, labels, mode, params)._replace(eval_metric_ops={name: tf.metrics.mean(features["x"])})
        return inner
    for name in ("loss", "global_step"): fails(E.Estimator(fn(name), d, params={"rate": .1}).evaluate, lambda: data())
    """,
    "constructor_errors": """
    fails(E.Estimator, None); fails(E.Estimator, model_fn, d, config=3); fails(E.Estimator, model_fn, d, E.RunConfig(model_dir=d + "/x"), {"rate": 1.})
    fails(E.Estimator, model_fn, d, warm_start_from=3, params={}); fails(make().train, lambda: 3); fails(E.Estimator(lambda features, labels, mode: 3, d).train, lambda: data())
    class Sub(E.Estimator):
        def train(self): pass
    fails(Sub, model_fn)
    """,
    "argument_errors": """
    def a(x, labels): pass
    def b(features, labels): pass
    def c(features, labels, mode, other): pass
    for f, p in ((a, None), (b, {"x": 1}), (c, None)):
        try: E.Estimator(f, d, params=p); show("made")
        except ValueError as error: show(re.sub("<function.*?0x.*?>", "f", str(error)))
    """,
    # ---- the spec ------------------------------------------------------------------------
    "spec_errors": """
    t = tf.constant(1.); o = tf.no_op()
    fails(E.EstimatorSpec, M.TRAIN, loss=t); fails(E.EstimatorSpec, M.TRAIN, train_op=o); fails(E.EstimatorSpec, M.EVAL); fails(E.EstimatorSpec, M.PREDICT)
    fails(E.EstimatorSpec, M.TRAIN, loss=1., train_op=o); fails(E.EstimatorSpec, M.TRAIN, loss=t, train_op=1); fails(E.EstimatorSpec, M.PREDICT, predictions={"a": 1}); fails(E.EstimatorSpec, M.PREDICT, predictions=3)
    fails(E.EstimatorSpec, M.EVAL, loss=tf.constant([1., 2.])); fails(E.EstimatorSpec, M.EVAL, loss=t, eval_metric_ops=[]); fails(E.EstimatorSpec, M.EVAL, loss=t, eval_metric_ops={"a": t})
    fails(E.EstimatorSpec, M.EVAL, loss=t, training_hooks=[1]); fails(E.EstimatorSpec, M.EVAL, loss=t, scaffold=1); fails(E.EstimatorSpec, M.PREDICT, predictions=t, export_outputs=1); fails(E.EstimatorSpec, M.PREDICT, predictions=t, export_outputs={"a": t})
    two = {"a": E.export.PredictOutput(t), "b": E.export.PredictOutput(t)}; fails(E.EstimatorSpec, M.PREDICT, predictions=t, export_outputs=two)
    """,
    "spec_other_graph": """
    with tf.Graph().as_default(): t = tf.constant(1., name="t"); o = tf.no_op(name="o")
    u = tf.constant(2.)
    fails(E.EstimatorSpec, M.EVAL, loss=t); fails(E.EstimatorSpec, M.TRAIN, loss=u, train_op=o); fails(E.EstimatorSpec, M.PREDICT, predictions={"a": t}); fails(E.EstimatorSpec, M.PREDICT, predictions=t); fails(E.EstimatorSpec, M.EVAL, loss=u, eval_metric_ops={"m": (t, o)})
    """,
    "spec_values": """
    t = tf.constant([[2.]]); s = E.EstimatorSpec(M.EVAL, loss=t, predictions=tf.constant([1.]))
    show(s.loss, s.mode, s.predictions, s.train_op, s.eval_metric_ops, s.export_outputs, s.training_hooks, type(s.scaffold).__name__, s._fields)
    p = E.EstimatorSpec(M.PREDICT, predictions={"a": t}); show(sorted(p.export_outputs), type(p.export_outputs["serving_default"]).__name__)
    fails(p._replace, mode=M.EVAL); show(p._replace(predictions={"b": t}).predictions); one = E.EstimatorSpec(M.PREDICT, t, export_outputs={"x": E.export.RegressionOutput(t)}); show(sorted(one.export_outputs))
    """,
    "mode_keys": "show(M.TRAIN, M.EVAL, M.PREDICT)",
    # ---- the configuration ---------------------------------------------------------------
    "config_defaults": """
    c = E.RunConfig(); show([getattr(c, n) for n in ("model_dir", "tf_random_seed", "save_summary_steps", "save_checkpoints_steps", "save_checkpoints_secs", "session_config", "keep_checkpoint_max", "keep_checkpoint_every_n_hours", "log_step_count_steps", "train_distribute", "device_fn", "protocol", "eval_distribute", "experimental_max_worker_delay_secs", "session_creation_timeout_secs", "service")]); say(c)
    show(make().config.session_config.allow_soft_placement)
    """,
    "config_intervals": """
    for kw in ({"save_checkpoints_steps": 5}, {"save_checkpoints_secs": 7}, {"save_checkpoints_steps": None}, {"save_checkpoints_secs": None, "save_checkpoints_steps": None}): c = E.RunConfig(**kw); show(c.save_checkpoints_steps, c.save_checkpoints_secs)
    fails(E.RunConfig, save_checkpoints_steps=1, save_checkpoints_secs=1); c = E.RunConfig(save_checkpoints_steps=3); r = c.replace(save_checkpoints_secs=9); show(r.save_checkpoints_steps, r.save_checkpoints_secs, c.save_checkpoints_steps); fails(c.replace, save_checkpoints_secs=1, save_checkpoints_steps=1)
    """,
    "config_errors": """
    for kw in ({"model_dir": ""}, {"save_summary_steps": -1}, {"save_checkpoints_steps": -1}, {"save_checkpoints_secs": -1}, {"session_config": 1}, {"keep_checkpoint_max": -1}, {"keep_checkpoint_every_n_hours": 0}, {"log_step_count_steps": 0}, {"tf_random_seed": 1.5}, {"device_fn": lambda x: x}, {"device_fn": 1}, {"session_creation_timeout_secs": 0}, {"protocol": "http"}, {"experimental_max_worker_delay_secs": "x"}): fails(E.RunConfig, **kw)
    try: E.RunConfig().replace(task_id=3)
    except ValueError as error: show(str(error)[:40])
    """,
    "tf_config_tasks": f"""
    for job, i in (("chief", 0), ("worker", 0), ("worker", 1), ("ps", 1), ("evaluator", 0)): c = config(cluster={_CLUSTER}, task={{"type": job, "index": i}}); say(c); show(list(c.session_config.device_filters) if c.session_config else None)
    """,
    "tf_config_master": """
    cluster = {"master": ["a:1"], "worker": ["b:1"], "ps": ["c:1"]}
    for job, i in (("master", 0), ("worker", 0), ("ps", 0)): c = config(cluster=cluster, task={"type": job, "index": i}); say(c); show(list(c.session_config.device_filters))
    fails(config, cluster=cluster, task={"type": "evaluator", "index": 0}); fails(config, cluster={"master": ["a:1"], "chief": ["b:1"]}, task={"type": "chief", "index": 0})
    """,
    "tf_config_alone": """
    say(config(task={"type": "worker", "index": 0})); say(config(cluster={"chief": ["a:1"]}, task={"type": "chief", "index": 0})); say(config(model_dir="there")); say(config(session_master="grpc://x:1", eval_session_master="grpc://y:1"))
    """,
    "tf_config_errors": f"""
    c = {_CLUSTER}
    for kw in ({{"task": {{"type": "ps"}}}}, {{"task": {{"index": 1}}}}, {{"cluster": {{"worker": ["a:1"]}}, "task": {{"type": "worker", "index": 0}}}}, {{"cluster": {{"chief": ["a:1", "b:1"]}}, "task": {{"type": "chief", "index": 0}}}}, {{"cluster": c}}, {{"cluster": c, "task": {{"type": "ps"}}}}, {{"cluster": c, "task": {{"type": "ps", "index": -1}}}}, {{"service": 3}}, {{"model_dir": ""}}): fails(config, **kw)
    for t in ({{"type": "ps", "index": 5}}, {{"type": "what", "index": 0}}):
        try: config(cluster=c, task=t); show("made")
        except ValueError as error: show(str(error).split("cluster_spec")[0], "TF_CONFIG environment variable" in str(error))
    env(model_dir="a"); fails(E.RunConfig, model_dir="b"); del os.environ["TF_CONFIG"]
    """,
    # ---- inputs --------------------------------------------------------------------------
    "numpy_input_fn": """
    def drain(fn):
        with tf.Graph().as_default():
            n, got = fn(), []
            with tf.train.MonitoredSession() as s:
                while not s.should_stop(): got.append(s.run(n))
            return got
    f = E.inputs.numpy_input_fn
    show(drain(f({"b": X, "a": np.arange(6)}, Y, batch_size=4, shuffle=False)), drain(f(X, batch_size=4, num_epochs=2, shuffle=False)), drain(f({"x": X}, {"p": Y, "q": Y * 2}, batch_size=6, shuffle=False)))
    show(sorted(np.concatenate(drain(f(np.arange(20), batch_size=3, shuffle=True))).tolist()) == list(range(20)), drain(f({"s": np.array(["a", "bc"])}, shuffle=False)))
    n = f({"x": X}, Y, batch_size=4, num_epochs=None, shuffle=False)(); show(n[0]["x"].shape, n[0]["x"].dtype, n[1].shape, len(tf.get_collection("queue_runners")))
    """,
    "numpy_input_fn_errors": """
    f = E.inputs.numpy_input_fn; fails(f, {"x": X}); fails(f, {"x": X}, shuffle=1); fails(f({}, shuffle=False)); fails(f(np.zeros([0]), shuffle=False)); fails(f([1, 2], shuffle=False)); fails(f({"x": X}, {}, shuffle=False)); fails(f({"x": X}, {"x": Y}, shuffle=False))
    fails(f({"x": X}, Y[:3], shuffle=False)); fails(f({"x": X, "z": Y[:2]}, shuffle=False))
    """,
    "numpy_in_estimator": "e = make(); f = E.inputs.numpy_input_fn({'x': X}, Y, batch_size=3, num_epochs=None, shuffle=False); e.train(f, steps=4); show(e.get_variable_value('logits/kernel')); g = E.inputs.numpy_input_fn({'x': X}, Y, batch_size=4, shuffle=False); show(e.evaluate(g), list(e.predict(g)))",
    # ---- train_and_evaluate --------------------------------------------------------------
    "train_and_evaluate": """
    serve = E.export.build_parsing_serving_input_receiver_fn(spec)
    e = make(config=E.RunConfig(save_checkpoints_steps=4)); r, x = E.train_and_evaluate(e, E.TrainSpec(lambda: data(2, None), max_steps=6), E.EvalSpec(lambda: data(4), exporters=[E.FinalExporter("final", serve)], throttle_secs=0))
    show(r, clean(x[0]), listing(d), sorted(os.listdir(d + "/export")))
    r, x = E.train_and_evaluate(e, E.TrainSpec(lambda: data(2, None), max_steps=6), E.EvalSpec(lambda: data(4))); show(r, x)
    """,
    "specs": """
    t = E.TrainSpec(data); show(t.max_steps, t.hooks, t.saving_listeners, t._fields); v = E.EvalSpec(data); show(v.steps, v.name, v.hooks, v.exporters, v.start_delay_secs, v.throttle_secs, v._fields)
    fails(E.TrainSpec, 3); fails(E.TrainSpec, data, max_steps=0); fails(E.TrainSpec, data, hooks=[1]); fails(E.TrainSpec, data, saving_listeners=[1]); fails(E.EvalSpec, 3); fails(E.EvalSpec, data, steps=0); fails(E.EvalSpec, data, name=3); fails(E.EvalSpec, data, hooks=[1]); fails(E.EvalSpec, data, start_delay_secs=-1); fails(E.EvalSpec, data, throttle_secs=-1); fails(E.EvalSpec, data, exporters=3); fails(E.EvalSpec, data, exporters=[3])
    x = E.FinalExporter("a", data); fails(E.EvalSpec, data, exporters=[x, x]); fails(E.EvalSpec, data, exporters=E.FinalExporter(None, data)); show(len(E.EvalSpec(data, exporters=x).exporters))
    fails(E.train_and_evaluate, 1, t, v); fails(E.train_and_evaluate, make(), 1, v); fails(E.train_and_evaluate, make(), t, 1)
    """,
    # ---- export --------------------------------------------------------------------------
    "export_parsing": """
    e = make().train(lambda: data(3, None), steps=3); path = e.export_saved_model(d + "/export", E.export.build_parsing_serving_input_receiver_fn(spec)); show(type(path).__name__, clean(path), sorted(os.listdir(path.decode())))
    example = tf.train.Example(features=tf.train.Features(feature={"x": tf.train.Feature(float_list=tf.train.FloatList(value=[1., 2.]))})).SerializeToString()
    with tf.Graph().as_default(), tf.Session() as s:
        m = tf.saved_model.loader.load(s, ["serve"], path); g = m.signature_def["serving_default"]; show(sorted(m.signature_def), g.method_name, sorted((k, v.name, str(v.dtype)[-1:] != "") for k, v in g.inputs.items()), sorted(g.outputs))
        show(s.run(g.outputs["probabilities"].name, {g.inputs["examples"].name: [example]}))
    """,
    "export_raw": """
    e = make().train(lambda: data(3, None), steps=3); path = e.export_savedmodel(d + "/export", E.export.build_raw_serving_input_receiver_fn({"x": tf.placeholder(tf.float32, [None, 2], name="x")}), assets_extra={"a/b.txt": __import__("tempfile").mkstemp()[1]})
    with tf.Graph().as_default(), tf.Session() as s:
        g = tf.saved_model.loader.load(s, ["serve"], path).signature_def["serving_default"]; show(s.run(g.outputs["class"].name, {g.inputs["x"].name: X}), g.inputs["x"].name); show(sorted(os.listdir(path.decode())), os.listdir(path.decode() + "/assets.extra/a"))
    """,
    "export_kinds": """
    def fn(features, labels, mode):
        y = tf.layers.dense(features["x"], 1, name="y"); c = tf.as_string(y); o = E.export
        return E.EstimatorSpec(mode, predictions=y, loss=tf.reduce_sum(y), train_op=tf.train.get_global_step().assign_add(1), export_outputs={"serving_default": o.PredictOutput({"y": y}), "r": o.RegressionOutput(y), "c": o.ClassificationOutput(y, c), "s": o.ClassificationOutput(scores=y)})
    e = E.Estimator(fn, d); e.train(lambda: data(), steps=1)
    for n, f in (("p", E.export.build_parsing_serving_input_receiver_fn(spec)), ("q", E.export.build_raw_serving_input_receiver_fn({"x": tf.placeholder(tf.float32, [None, 2])}))):
        p = e.export_saved_model(d + n, f)
        with tf.Graph().as_default(), tf.Session() as s:
            m = tf.saved_model.loader.load(s, ["serve"], p).signature_def; show([(k, v.method_name, sorted(v.inputs), sorted(v.outputs)) for k, v in sorted(m.items())])
    """,
    "export_errors": """
    e = make(); r = E.export.build_parsing_serving_input_receiver_fn(spec); fails(e.export_saved_model, d, None); fails(e.export_saved_model, d, r); t = tf.constant([1.]); s = tf.constant(["a"]); S = E.export.ServingInputReceiver
    fails(S, None, t); fails(S, t, None); fails(S, {"a": 1}, t); fails(S, {1.5: t}, t); fails(S, t, {1: t}); fails(E.export.TensorServingInputReceiver, None, t); fails(E.export.TensorServingInputReceiver, {"a": t}, t)
    x = S(t, s); show(sorted(x.features), sorted(x.receiver_tensors), S({1: t}, t).features); y = E.export.TensorServingInputReceiver(t, {"r": s}); show(y.features, y.receiver_tensors)
    fails(E.export.ClassificationOutput); fails(E.export.ClassificationOutput, s); fails(E.export.ClassificationOutput, t, t); fails(E.export.RegressionOutput, s); fails(E.export.PredictOutput, {1: t}); fails(E.export.PredictOutput, {"a": 1}); show(sorted(E.export.PredictOutput(t).outputs), sorted(E.export.PredictOutput({("a", "b"): t}).outputs))
    """,
    # ---- warm start ----------------------------------------------------------------------
    "warm_start": """
    e = make(); e.train(lambda: data(2, None), steps=5); w = make(model_dir=d + "/w", warm_start_from=d, params={"rate": 0.}); w.train(lambda: data(), steps=1); show(w.get_variable_value("logits/kernel"), w.get_variable_value("global_step"))
    show(list(make(model_dir=d + "/x", warm_start_from=d).predict(lambda: data(6)))[0]); p = e.export_saved_model(d + "/s", E.export.build_parsing_serving_input_receiver_fn(spec)); v = make(model_dir=d + "/v", warm_start_from=p.decode(), params={"rate": 0.}); v.train(lambda: data(), steps=1); show(v.get_variable_value("logits/bias"))
    """,
    "warm_start_unused": """
    with tf.Graph().as_default(), tf.Session() as s: tf.get_variable("m", [1]); s.run(tf.global_variables_initializer()); tf.train.Saver().save(s, d + "/ck")
    tf.get_variable("m", [1]); fails(tf.train.warm_start, d + "/ck", ".*", None, {"q": "m"}); fails(tf.train.warm_start, d + "/ck", [1]); fails(tf.train.warm_start, d + "/ck", 5)
    """,
    # ---- early stopping ------------------------------------------------------------------
}
CASES = programs(
    "estimator", {name: _START + textwrap.dedent(text) for name, text in _PROGRAMS.items()}
)
