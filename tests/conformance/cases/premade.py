"""The premade estimators: losses, metrics, predictions, exports, texts of errors.

Both libraries begin with the same weights: a first checkpoint gets numbers that its names give.
"""

import textwrap

from ..case import programs

START = """
import os, re, zlib
E = tf.estimator; M = E.ModeKeys; d = folder; F = tf.feature_column
R = np.random.RandomState(3); N = 40
age = R.uniform(0, 5, N).astype(np.float32); pair = R.normal(size=(N, 2)).astype(np.float32); job = np.array(["cook", "nurse", "smith", "other"])[R.randint(0, 4, N)]; w = R.uniform(.5, 2., N).astype(np.float32)
two = (age + pair[:, 0] > 2.5).astype(np.int64); three = np.digitize(age, [1.5, 3.5]); number = (2 * age - pair[:, 1]).astype(np.float32)
features = {"age": age, "pair": pair, "job": job, "w": w}
num = F.numeric_column("age"); vec = F.numeric_column("pair", shape=[2]); cat = F.categorical_column_with_vocabulary_list("job", ["cook", "nurse", "smith"]); buckets = F.bucketized_column(num, [1., 2., 4.]); emb = F.embedding_column(cat, 2, initializer=tf.constant_initializer(.3))
def data(y, batch=10, repeat=None): return lambda: tf.data.Dataset.from_tensor_slices((features, y) if y is not None else features).repeat(repeat).batch(batch)
class Start(tf.train.SessionRunHook):
    def begin(self):
        self.ops = [v.assign(np.random.RandomState(zlib.crc32(v.op.name.encode()) % 2**31).uniform(-.5, .5, v.shape.as_list()).astype(np.float32)) for v in tf.trainable_variables()]
        self.step = tf.train.get_global_step()
    def after_create_session(self, s, c):
        if s.run(self.step) == 0: s.run(self.ops)
class Losses(tf.train.SessionRunHook):
    def __init__(self): self.got = []
    def before_run(self, c): return tf.train.SessionRunArgs(tf.get_collection("losses")[-1])
    def after_run(self, c, v): self.got.append(v.results)
def train(e, y, steps=50, **kw):
    losses = Losses(); e.train(data(y, **kw), hooks=[Start(), losses], steps=steps); show(e.get_variable_names()); show(np.array(losses.got)); return e
def use(e, y, steps=50, values=True, **kw):
    train(e, y, steps, **kw); r = e.evaluate(data(y, 10, 1)); show(sorted(r.items())); p = list(e.predict(data(None, 20, 1))); show(len(p), sorted(p[0]), p[0], p[-1]); return e
def signatures(e, columns):
    path = e.export_saved_model(d + "/export", E.export.build_parsing_serving_input_receiver_fn(F.make_parse_example_spec(columns)))
    with tf.Graph().as_default(), tf.Session() as s: m = tf.saved_model.loader.load(s, ["serve"], path).signature_def; show([(k, v.method_name, sorted(v.inputs), sorted(v.outputs), [v.outputs[n].name for n in ("probabilities", "logistic", "scores") if n in v.outputs]) for k, v in sorted(m.items())])
"""

_KERAS = """
    def dense(n, k, activation=None, **kw): return tf.keras.layers.Dense(n, activation, kernel_initializer=tf.constant_initializer(k), **kw)
    def layers(n, activation=None): return [tf.keras.layers.Dense(3, "tanh", input_shape=(2,), name="h", kernel_initializer=tf.constant_initializer([[.1, -.3, .2], [.4, .2, -.1]])), dense(n, [[.1 * i - .2 * j for i in range(n)] for j in range(3)], activation, name="y")]
    def make(m, *args, **kw): make.count = getattr(make, "count", 0) + 1; m.compile(*args, **kw); return tf.keras.estimator.model_to_estimator(m, model_dir=d + "/k%d" % make.count)
    def use_keras(e, y, steps=6):
        def f(repeat): return lambda: tf.data.Dataset.from_tensor_slices((pair, y[:, None] if y.dtype == np.float32 else y)).repeat(repeat).batch(8)
        e.train(f(None), steps=steps); show(e.get_variable_names()); show([e.get_variable_value(n) for n in ("h/kernel", "y/bias")]); show(sorted(e.evaluate(f(1)).items()), list(e.predict(f(1)))[:2])
"""
_PROGRAMS = {
    # ---- linear --------------------------------------------------------------------------
    "linear_binary": "e = use(E.LinearClassifier([num, vec, cat], d), two); signatures(e, [num, vec, cat])",
    "linear_three": "e = use(E.LinearClassifier([num, vec, cat, buckets], d, n_classes=3), three); signatures(e, [num, vec, cat])",
    "linear_vocabulary": "e = use(E.LinearClassifier([num, vec], d, label_vocabulary=['no', 'yes']), np.array(['no', 'yes'])[two]); signatures(e, [num, vec])",
    "linear_vocabulary_three": "use(E.LinearClassifier([num, vec], d, n_classes=3, label_vocabulary=['a', 'b', 'c'], optimizer='SGD'), np.array(['a', 'b', 'c'])[three], 5)",
    "linear_weights": "use(E.LinearClassifier([num, vec, cat], d, weight_column='w'), two)",
    "linear_weight_column": "use(E.LinearClassifier([num], d, weight_column=F.numeric_column('w'), n_classes=3), three)",
    "linear_mean": "use(E.LinearClassifier([num, cat], d, loss_reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE, optimizer=tf.train.GradientDescentOptimizer(.3)), two)",
    "linear_function": "use(E.LinearClassifier([num, cat], d, optimizer=lambda: tf.train.AdamOptimizer(.02), sparse_combiner='mean'), two)",
    "linear_regressor": "e = use(E.LinearRegressor([num, vec, cat], d), number); signatures(e, [num, vec, cat])",
    "linear_regressor_two": "use(E.LinearRegressor([num, vec], d, label_dimension=2, weight_column='w', optimizer='Adam'), np.stack([number, age], 1))",
    "linear_sdca": """
    S = E.experimental.LinearSDCA; features["id"] = np.array([str(i) for i in range(N)])
    def use_sdca(kind, y, columns=[vec, cat], steps=400, sdca={}, **kw):
        use_sdca.count = getattr(use_sdca, "count", 0) + 1; e = kind(columns, d + "/%d" % use_sdca.count, optimizer=S("id", **sdca), **kw); e.train(data(y), steps=steps)
        show([e.get_variable_value("linear/linear_model/" + n).round(3) + 0. for n in ("bias_weights", "pair/weights", "job/weights")], sorted(x for x in e.evaluate(data(y, 10, 1)).items() if "auc_prec" not in x[0]))
    use_sdca(E.LinearClassifier, two); use_sdca(E.LinearClassifier, two, sdca={"symmetric_l1_regularization": 1.}, weight_column="w")
    use_sdca(E.LinearRegressor, number, sdca={"symmetric_l2_regularization": 4.}); use_sdca(E.LinearRegressor, number, weight_column="w", sdca={"symmetric_l1_regularization": 2., "symmetric_l2_regularization": 3.})
    """,
    "linear_crossed": "c = F.crossed_column(['job', buckets], 7); use(E.LinearClassifier([c, cat], d), two)",
    "linear_by_name": """
    for name in ("Adagrad", "Adam", "Ftrl", "RMSProp", "SGD"): train(E.LinearRegressor([num], d + "/" + name, optimizer=name), number, 6)
    """,
    # ---- layers --------------------------------------------------------------------------
    "dnn_binary": "e = use(E.DNNClassifier([4, 3], [num, vec, emb], d), two); signatures(e, [num, vec, emb])",
    "dnn_three": "e = use(E.DNNClassifier([5], [num, vec, F.indicator_column(cat)], d, n_classes=3), three); signatures(e, [num, vec, cat])",
    "dnn_adam": "use(E.DNNClassifier([4], [vec], d, optimizer=tf.train.AdamOptimizer(.05), activation_fn=tf.nn.tanh, weight_column='w'), two)",
    "dnn_mean": "use(E.DNNClassifier(hidden_units=[4], feature_columns=[vec], model_dir=d, n_classes=3, loss_reduction=tf.losses.Reduction.MEAN, activation_fn=None), three)",
    "dnn_batch_norm": "use(E.DNNClassifier([4, 3], [num, vec], d, batch_norm=True), two, 20)",
    "dnn_regressor": "e = use(E.DNNRegressor([4], [num, vec], d, optimizer='SGD', activation_fn=tf.nn.sigmoid), number / 10); signatures(e, [num, vec])",
    "dnn_regressor_two": "use(E.DNNRegressor([4], [num, vec], d, label_dimension=2, optimizer='RMSProp', weight_column='w'), np.stack([number, age], 1) / 10)",
    "dnn_summaries": """
    import glob
    e = train(E.DNNClassifier([4], [num], d), two, 3); tags = set()
    for f in glob.glob(d + "/events*"):
        for event in tf.train.summary_iterator(f): tags.update(v.tag for v in event.summary.value)
    show(sorted(t for t in tags if "sec" not in t))
    """,
    "dnn_dropout": "e = E.DNNClassifier([30], [num, vec], d, dropout=.5).train(data(two), steps=3); r = e.evaluate(data(two, 40, 1)); show(sorted(r), list(e.predict(data(None, 40, 1)))[0]['logits'].shape)",
    # ---- both ----------------------------------------------------------------------------
    "combined_binary": "e = use(E.DNNLinearCombinedClassifier(d, [cat, buckets], dnn_feature_columns=[num, vec], dnn_hidden_units=[4]), two); signatures(e, [num, vec, cat])",
    "combined_three": "use(E.DNNLinearCombinedClassifier(d, [cat], 'SGD', [num, emb], 'Adam', [4, 3], n_classes=3, weight_column='w'), three)",
    "combined_regressor": "use(E.DNNLinearCombinedRegressor(d, [cat, num], dnn_feature_columns=[vec], dnn_hidden_units=[3], dnn_optimizer=tf.train.GradientDescentOptimizer(.01)), number)",
    "combined_linear_only": "use(E.DNNLinearCombinedClassifier(d, linear_feature_columns=[num, cat]), two, 10)",
    "combined_dnn_only": "use(E.DNNLinearCombinedRegressor(d, dnn_feature_columns=[num], dnn_hidden_units=[3]), number, 10)",
    # ---- baseline ------------------------------------------------------------------------
    "baseline_binary": "use(E.BaselineClassifier(d), two)",
    "baseline_three": "use(E.BaselineClassifier(d, n_classes=3, label_vocabulary=['a', 'b', 'c'], weight_column='w'), np.array(['a', 'b', 'c'])[three])",
    "baseline_regressor": "use(E.BaselineRegressor(d, optimizer='SGD', loss_reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE), number)",
    # ---- errors --------------------------------------------------------------------------
    "errors": """
    fails(E.LinearClassifier, [num], n_classes=1); fails(E.DNNClassifier, [1], [num], n_classes=None); fails(E.DNNClassifier, [3], [num], label_vocabulary="ab"); fails(E.LinearClassifier, [num], n_classes=3, label_vocabulary="abc"); fails(E.LinearRegressor, [num], label_dimension=0); fails(E.LinearRegressor, [num], loss_reduction="x"); fails(E.LinearRegressor, [num], loss_reduction=tf.losses.Reduction.NONE)
    fails(E.DNNLinearCombinedClassifier); fails(E.LinearClassifier([num], d, optimizer="Best").train, data(two), steps=1); fails(E.LinearClassifier([num], d, optimizer=3).train, data(two), steps=1)
    """,
    "label_errors": """
    def go(e, y, **kw): fails(e.train, data(y, **kw), steps=1)
    go(E.LinearClassifier([num], d), None); go(E.LinearClassifier([num], d), pair); go(E.LinearClassifier([num], d, n_classes=3), age); go(E.LinearClassifier([num], d, n_classes=3, label_vocabulary=["a", "b", "c"]), three); go(E.LinearRegressor([num], d, label_dimension=2), number); fails(E.LinearClassifier([num], d, weight_column=3).train, data(two), steps=1)
    """,
    "label_range": """
    def go(e, y):
        try: e.train(data(y), steps=1); show("no error")
        except tf.errors.InvalidArgumentError as error: show([t in str(error) for t in ("Labels must <= n_classes - 1", "Labels must >= 0")])
    go(E.LinearClassifier([num], d), three + 1); go(E.LinearClassifier([num], d, n_classes=3), three + 5); go(E.LinearClassifier([num], d, n_classes=3), three - 9); go(E.LinearClassifier([num], d, label_vocabulary=["a", "b"]), np.array(["a", "q"])[two])
    """,
    # ---- additions -----------------------------------------------------------------------
    "add_metrics": """
    def more(features, labels, predictions): return {"mine": tf.metrics.mean(features["age"]), "close": tf.metrics.accuracy(labels, predictions["class_ids"][:, 0])}
    e = E.add_metrics(E.LinearClassifier([num], d), more); train(e, two, 5); show(sorted(e.evaluate(data(two, 10, 1)).items()))
    """,
    "warm_start": """
    a = train(E.DNNClassifier([4], [num, emb], d + "/a"), two, 5); b = E.DNNClassifier([4], [num, emb], d + "/b", warm_start_from=d + "/a", optimizer=lambda: tf.train.GradientDescentOptimizer(0.)).train(data(two), steps=1)
    show([(n, b.get_variable_value(n)) for n in b.get_variable_names() if n.startswith("dnn") and "Adagrad" not in n])
    """,
    "resume": "e = train(E.LinearRegressor([num], d), number, 5); e = train(E.LinearRegressor([num], d), number, 5); show(e.get_variable_value('global_step'), e.get_variable_value('linear/linear_model/age/weights'))",
    "train_and_evaluate": """
    e = E.DNNClassifier([4], [num, vec], d, n_classes=3, config=E.RunConfig(save_checkpoints_steps=10))
    r, x = E.train_and_evaluate(e, E.TrainSpec(data(three), 25, hooks=[Start()]), E.EvalSpec(data(three, 10, 1), exporters=E.LatestExporter("l", E.export.build_parsing_serving_input_receiver_fn(F.make_parse_example_spec([num, vec]))), throttle_secs=0)); show(sorted(r.items()), len(x))
    """,
    # ---- Keras models --------------------------------------------------------------------
    "keras": _KERAS
    + """
    e = make(tf.keras.Sequential(layers(1)), "sgd", "mse", metrics=["mae"]); use_keras(e, number)
    e = make(tf.keras.Sequential(layers(3, "softmax")), "adam", "sparse_categorical_crossentropy", metrics=["accuracy"]); use_keras(e, three)
    e = make(tf.keras.Sequential(layers(1, "sigmoid")), tf.train.GradientDescentOptimizer(.1), "binary_crossentropy", metrics=["accuracy"]); use_keras(e, two)
    """,
    "keras_functional": _KERAS
    + """
    a = tf.keras.Input((2,), name="pair"); b = tf.keras.Input((1,), name="age"); h = tf.keras.layers.concatenate([layers(2)[0](a), b], name="both"); outs = [dense(1, .2, name="one")(h), dense(3, .1, "softmax", name="two")(h)]
    e = make(tf.keras.Model([a, b], outs), "rmsprop", ["mse", "sparse_categorical_crossentropy"], loss_weights=[.5, 2.], metrics={"two": ["accuracy"]})
    f = lambda: tf.data.Dataset.from_tensor_slices(({"pair": pair, "age": age[:, None]}, {"one": number, "two": three})).batch(8)
    e.train(f); show(e.get_variable_names(), sorted(e.evaluate(f).items()), list(e.predict(f))[:2])
    try: e.train(lambda: tf.data.Dataset.from_tensors(({"pair": pair}, {"one": number, "two": three})))
    except KeyError as error: show(type(error).__name__, str(error).startswith("The dictionary passed into features does not cover"), "Missed keys: {'age'}" in str(error))
    """,
    "keras_resumes": _KERAS
    + """
    m = tf.keras.Sequential(layers(1)); e = make(m, "sgd", "mse"); use_keras(e, number, 3); use_keras(e, number, 3); show(e.get_variable_value("global_step"), sorted(f for f in os.listdir(e.model_dir) if "events" not in f and "model.ckpt" not in f), sorted(os.listdir(e.model_dir + "/keras")))
    again = tf.keras.estimator.model_to_estimator(m, model_dir=e.model_dir); show(again.evaluate(lambda: tf.data.Dataset.from_tensors((pair, number[:, None])), steps=1)); path = again.export_saved_model(d + "/x", E.export.build_raw_serving_input_receiver_fn({"h_input": tf.placeholder(tf.float32, [None, 2], name="h_input")}))
    with tf.Graph().as_default(), tf.Session() as s: g = tf.saved_model.loader.load(s, ["serve"], path).signature_def["serving_default"]; show(sorted(g.inputs), sorted(g.outputs))
    """,
    "keras_errors": _KERAS
    + """
    f = tf.keras.estimator.model_to_estimator; m = tf.keras.Sequential(layers(1)); fails(f); fails(f, m, "path"); fails(f, m, model_dir=d); m.compile("sgd", "mse", metrics=["mae"]); fails(f, m, model_dir=d, checkpoint_format="x")
    """,
}

CASES = programs(
    "premade", {name: START + textwrap.dedent(text) for name, text in _PROGRAMS.items()}, rtol=2e-4
)
