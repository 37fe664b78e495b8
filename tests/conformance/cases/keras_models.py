"""Models of Keras: layers joined by tensors, one after the other, or in classes."""

from textwrap import dedent

from ..case import programs

_START = """
L = tf.keras.layers; Model, Sequential, Input = tf.keras.Model, tf.keras.Sequential, tf.keras.Input
x = tf.constant([[1., -2., 3., .5], [0., 1., -1., 2.]], name="x")
names = lambda items: [i.name for i in items]
ones = dict(kernel_initializer="ones")
"""

_GRAPH = {
    "layers_are_named_from_zero": """
        show(L.Dense(2).name, L.Dense(2).name, L.Dense(2, name="mine").name, L.Flatten().name, Sequential().name, Sequential().name, tf.layers.Dense(2).name)
        show(tf.keras.backend.get_uid("dense"), tf.keras.backend.get_uid("other"), tf.keras.backend.get_uid("other"))
    """,
    "a_layer_called_twice": """
        d = L.Dense(3, **ones); show(d(x), d(x), d.weights, d.name, d.dtype, d.built, d.count_params(), tf.global_variables(), tf.trainable_variables())
        with tf.name_scope("ns"):
            show(d(x), L.Dense(2, name="e")(x), L.Dense(2, name="e2").weights)
        with tf.variable_scope("vs"):
            e = L.Dense(2); show(e(x), e.weights)
        show(tf.get_collection(tf.GraphKeys.UPDATE_OPS), tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
    """,
    "a_layer_built_by_hand": "d = L.Dense(3); d.build([None, 4]); show(d.weights, d.built, d(x)); e = L.Dense(3); e.build((2, 5)); show(e.kernel, e.bias)",
    "losses": """
        total = lambda w: tf.reduce_sum(w)
        d = L.Dense(3, kernel_initializer="ones", kernel_regularizer=total, bias_regularizer=total, activity_regularizer=total)
        y = d(x); show(d.losses, d.losses, run(d.losses), len(d.get_losses_for(x)), len(d.get_losses_for(None)))
        d(2. * x); show(d.losses)
    """,
    "add_loss_and_update": """
        class Mine(L.Layer):
            def build(self, shape): self.n = self.add_weight("n", [], initializer="zeros", trainable=False)
            def call(self, x):
                self.add_loss(tf.reduce_sum(x), inputs=True)
                self.add_update(self.n.assign_add(1.))
                return x * 2.
        m = Mine(); y = m(x); show(y, m.losses, len(m.updates), m.weights, m.trainable_weights, m.non_trainable_weights)
        m.trainable = False; show(len(m.updates))
    """,
    "get_and_set_weights": """
        d = L.Dense(2, kernel_initializer="ones"); d(x)
        show(d.get_weights()); d.set_weights([np.full([4, 2], 2.), np.ones(2)]); show(d.get_weights())
        fails(lambda: d.set_weights([np.ones([4, 2])])); fails(lambda: d.set_weights([np.ones([2, 4]), np.ones(2)]))
    """,
    "own_layer": """
        class Block(L.Layer):
            def __init__(self, units, **kwargs):
                super().__init__(**kwargs); self.units = units; self.parts = [L.Dense(units), {"last": L.Dense(1)}]
            def build(self, shape):
                self.shift = self.add_weight(name="shift", shape=[self.units], initializer="ones", trainable=False); super().build(shape)
            def call(self, inputs, training=None):
                return self.parts[1]["last"](self.parts[0](inputs) + self.shift)
            def get_config(self): return {**super().get_config(), "units": self.units}
        b = Block(3); show(b(x), b(x), b.weights, b.trainable_weights, b.get_config(), b.dtype)
        b.trainable = False; show(b.trainable_weights, b.weights)
        c = Block.from_config(b.get_config()); show(c.name, c.units, c.trainable)
    """,
    "own_layer_without_config": """
        class Mine(L.Layer):
            def __init__(self): super().__init__()
            def call(self, x): return x + 1.
        m = Mine(); show(m.get_config(), m(x), m.losses, m.updates, m.variables)
        fails(lambda: L.Dense(3, units_=2))
    """,
    "attributes_of_calls": """
        i = Input((4,)); d = L.Dense(3); y = d(i)
        show(d.input, d.output, d.input_shape, d.output_shape, d.get_input_at(0), d.get_output_shape_at(0), len(d.inbound_nodes), len(d.outbound_nodes))
        z = d(Input((4,))); show(d.get_output_at(1), d.output_shape, y._keras_history.node_index, z._keras_history.node_index, z._keras_history.tensor_index)
        fails(lambda: L.Dense(2).input); fails(lambda: L.Dense(2).output_shape)
    """,
    "training_is_handed_down": """
        seen = []
        class Inner(L.Layer):
            def call(self, x, training=None):
                seen.append(None if training is None else str(training)); return x + 1.
        class Outer(L.Layer):
            def __init__(self): super().__init__(); self.inner = Inner()
            def call(self, x, training=None): self.inner(x, training=False); return self.inner(x)
        o = Outer(); o(x, training=True); o(x, training=False); Inner()(x, training=True); show(seen)
    """,
    "learning_phase": """
        K = tf.keras.backend; p = K.learning_phase(); show(p, K.learning_phase() is p, run(p))
        K.set_learning_phase(1); show(K.learning_phase()); K.set_learning_phase(0); show(K.learning_phase(), L.Dropout(.5)(x))
        fails(lambda: K.set_learning_phase(2))
    """,
    "dropout": "show(L.Dropout(.5)(x), L.Dropout(.5)(x, training=False), run(L.Dropout(.5)(x)), run(L.Dropout(0.)(x, training=True)))",
    "input": """
        show(Input((4,)), Input((4,)), Input((2, 3), batch_size=5, name="n", dtype="int32"), Input(batch_shape=(3, 2)), Input((None, 2)), L.Input(shape=[4]), Input([]))
        t = Input(tensor=x); show(t, t is x, t._keras_history.layer.name)
        i = L.InputLayer((4,)); show(i.output, i.output_shape, i.input_shape, i.name, i.weights)
    """,
    "functional": """
        i = Input((4,)); h = L.Dense(3, **ones)(i); y = L.Dense(1, **ones)(h); m = Model(i, y)
        show(m.name, names(m.layers), m.inputs, m.outputs, m.input_names, m.output_names, m.input_shape, m.output_shape, m.weights, m.built)
        z = m(x); show(z, run(z), m.count_params(), m.input, m.output, m.get_layer("dense").name, m.get_layer(index=2).name)
        show(Model(inputs=i, outputs=h, name="part")(x), Model(i, [h, y]).output_shape, tf.gradients(z, m.weights))
    """,
    "two_inputs_and_a_shared_layer": """
        a, b = Input((4,), name="a"), Input((4,), name="b"); d = L.Dense(3, name="d", **ones); h, k = d(a), d(b)
        one, two = L.Dense(1, name="one", **ones)(h + k), L.Flatten(name="two")(h); m = Model([a, b], [one, two])
        show(names(m.layers), m.input_shape, m.output_shape, m.output_names, m.weights); y = m([x, 2. * x]); show(y, run(y))
        n = Model([a, b], L.Dense(2, **ones)(m([a, b])[0])); show(names(n.layers), n.weights, n([x, x]), run(n([x, x])))
    """,
    "operations_between_layers": """
        i = Input((4,)); h = tf.nn.relu(L.Dense(3, **ones)(i) * 2. + 1.); y = L.Dense(1, **ones)(tf.concat([h, i], 1)); m = Model(i, tf.reduce_sum(y, axis=1))
        show(len(m.layers), m.layers[-1].output, m.output_shape, m(x), run(m(x)))
        k = tf.constant([1., 2., 3., 4.]); show(run(Model(i, i * k)(x)), run(Model(i, tf.reshape(i, [-1, 2, 2]))(x)), run(Model(i, tf.split(i, 2, axis=1))(x)), run(Model(i, i[:, 1:3])(x)))
    """,
    "nested": """
        inner = Sequential([L.Dense(3, input_shape=(4,), **ones), L.Dense(2, **ones)], name="inner"); i = Input((4,)); m = Model(i, L.Dense(1, **ones)(inner(i)), name="outer")
        show(names(m.layers), m.weights, m(x)); inner.trainable = False; show(m.trainable_weights, len(m.non_trainable_weights))
    """,
    "sequential": """
        m = Sequential([L.Dense(3, input_shape=(4,), **ones), L.Dropout(.5), L.Dense(1, **ones)])
        show(m.name, names(m.layers), m.inputs, m.outputs, m.input_shape, m.output_shape, m.weights, m.built, m.input_names, m(x), run(m(x)))
        m.pop(); show(names(m.layers), m.outputs); m.pop(); m.add(L.Dense(2, name="new", **ones)); show(m.outputs, run(m(x)), len(m.weights))
    """,
    "sequential_deferred": """
        m = Sequential([L.Dense(3, **ones)]); m.add(L.Dense(1, **ones)); show(m.built, m.inputs, names(m.layers))
        y = m(x); show(y, m.built, m.weights, run(y)); n = Sequential([L.Dense(2, **ones)]); n.build((None, 4)); show(n.weights, n(x))
    """,
    "sequential_from_input": """
        m = Sequential(); m.add(Input((4,))); m.add(L.Dense(2, **ones)); n = Sequential([L.InputLayer((4,)), L.Dense(2, **ones)], name="n")
        show(m.outputs, names(m.layers), n.outputs, names(n.layers), n.input_shape, Sequential([m, L.Dense(1)]).outputs); fails(lambda: Sequential().pop())
    """,
    "class_of_the_program": """
        class Net(Model):
            def __init__(self):
                super().__init__(); self.a = L.Dense(2, **ones); self.bs = [L.Dense(3, **ones), {"last": L.Dense(1, **ones)}]
            def call(self, x, training=None): return self.bs[1]["last"](self.bs[0](self.a(x)))
        m = Net(); show(m.name, m.built, names(m.layers)); y = m(x); show(y, run(y), m.weights, m.inputs, m.outputs, m.input_names, m.output_names, m(2. * x))
        n = Net(); n.build((None, 4)); show(n.name, n.built, n.weights, names(n.layers))
    """,
    "class_in_a_functional_model": """
        class Net(Model):
            def __init__(self): super().__init__(name="net"); self.a = L.Dense(2, **ones)
            def call(self, x): return self.a(x) + 1.
        i = Input((4,)); m = Model(i, L.Dense(1, **ones)(Net()(i))); show(names(m.layers), m.weights, m(x), run(m(x)))
    """,
    "updates_and_losses_of_calls": """
        total = lambda w: tf.reduce_sum(w)
        class Counts(L.Layer):
            def build(self, shape): self.n = self.add_weight("n", [], initializer="zeros", trainable=False); self.calls = self.add_weight("calls", [], initializer="zeros", trainable=False)
            def call(self, x): self.add_update(self.n.assign_add(tf.reduce_sum(x))); self.add_update(self.calls.assign_add(1.)); return 1. * x
        class Net(Model):
            def __init__(self): super().__init__(); self.a, self.b, self.c = parts()
            def call(self, x, training=None): return self.c(self.b(self.a(x), training=training))
        parts = lambda **first: [L.Dense(2, kernel_regularizer=total, activity_regularizer=total, **ones, **first), L.BatchNormalization(momentum=.5), Counts()]
        a, b = tf.placeholder(tf.float32, [None, 4]), 2. * x
        def functional():
            h = i = Input((4,))
            for part in parts(): h = part(h)
            return Model(i, h)
        def nested(): i = Input((4,)); return Model(i, functional()(i))
        for make in (functional, nested, lambda: Sequential(parts(input_shape=(4,))), lambda: Sequential(parts()), Net):
            m = make(); m(a, training=True); m(b, training=True)
            for given in (None, a, b, [a, b], m.inputs): show(len(m.get_updates_for(given)), len(m.get_losses_for(given)))
            show(len(m.updates), len(m.losses)); run(m.weights)
            run([m.get_updates_for(None), m.get_updates_for(b)]); show(run(m.weights), run(m.get_losses_for(b)), run(m.get_losses_for(None)))
            m.trainable = False; show(len(m.updates), len(m.get_updates_for(None)), len(m.get_updates_for(b)), len(m.get_losses_for(b)))
        i = Input((4,), sparse=True); h = L.Lambda(tf.sparse.to_dense)(i); m = Model(i, L.Activation('relu', activity_regularizer=tf.keras.regularizers.l2(1.))(h)); show(len(m.get_losses_for(i)), len(m.losses))
    """,
    "training_beside_other_calls": """
        class Counts(L.Layer):
            def build(self, shape): self.n = self.add_weight("n", [], initializer="zeros", trainable=False)
            def call(self, x): self.add_update(self.n.assign_add(tf.reduce_sum(x))); return 1. * x
        data = np.ones([4, 3, 2], np.float32), np.ones([4, 2], np.float32); fit = dict(epochs=2, batch_size=2, shuffle=False, verbose=0)
        m = Sequential([Counts(input_shape=(3, 2)), L.BatchNormalization(momentum=.5), L.Flatten(), L.Dense(2, activity_regularizer="l2", kernel_regularizer="l2", **ones)])
        other = tf.placeholder(tf.float32, [2, 3, 2]); m(other, training=True); m.compile("sgd", "mse"); h = m.fit(*data, **fit); m(other, training=True)
        show(h.history["loss"], m.get_weights(), m.predict(data[0]), m.evaluate(*data, verbose=0))
    """,
    "errors": """
        a, b = Input((4,), name="a"), Input((4,), name="b"); y = L.Dense(1)(a)
        for f in (lambda: Model(a, L.Dense(1)(b)), lambda: Model([a, a], y), lambda: Model(a, L.Dense(1, name="a")(a)), lambda: Sequential([3]), lambda: Model(a, y).get_layer("z"), lambda: L.Dense(1)(tf.ones([3])), lambda: L.Dense(2)([a, b])):
            try: f(); show(None)
            except Exception as error: show(type(error).__name__)
    """,
    "configuration": """
        m = Sequential([L.Dense(3, input_shape=(4,), activation="relu"), L.Dense(1)]); n = Sequential.from_config(m.get_config()); show(n.name, names(n.layers), n.weights, n.layers[0].get_config()["units"])
        i = Input((4,)); h = L.Dense(3)(i); f = Model(i, L.Dense(1)(h)); g = Model.from_config(f.get_config()); show(g.name, names(g.layers), g.weights, g.output_shape)
        c = f.get_config(); show(c["name"], c["input_layers"], c["output_layers"], [(l["name"], l["class_name"], l["inbound_nodes"]) for l in c["layers"]])
        j = tf.keras.models.model_from_json(f.to_json()); show(j.name, names(j.layers), j.weights, j.output_shape)
    """,
    "clone": """
        a, b = Input((4,), name="a"), Input((4,), name="b"); d = L.Dense(3, name="d"); m = Model([a, b], L.Dense(1, name="e")(d(a) + d(b)), name="m")
        c = tf.keras.models.clone_model(m); show(c.name, names(c.layers), c.weights, len(c.get_layer("d").inbound_nodes), c.output_shape)
        s = tf.keras.models.clone_model(Sequential([L.Dense(2, input_shape=(4,)), L.Dense(1)])); show(s.name, names(s.layers), s.weights)
    """,
    "masks_travel": """
        ids = tf.constant([[1, 2, 0], [3, 0, 0]]); e = L.Embedding(5, 2, mask_zero=True, embeddings_initializer="ones"); i = Input((3,), dtype="int32")
        h = e(i); m = Model(i, L.LSTM(2, kernel_initializer="ones", recurrent_initializer="ones")(L.Dropout(.1)(h))); show(run(m(ids)), run(e.compute_mask(ids)), m.layers[2].output_shape)
        s = Sequential([L.Masking(0., input_shape=(3, 1)), L.LSTM(1, kernel_initializer="ones", recurrent_initializer="ones")]); show(run(s(tf.constant([[[1.], [2.], [0.]], [[3.], [0.], [0.]]]))))
        class Sees(L.Layer):
            def call(self, x, mask=None): return tf.cast(mask, tf.float32)
        show(run(Sees()(e(ids)))); fails(lambda: L.Flatten().compute_mask(x, x))
    """,
    "training_in_nested_models": """
        seen = []
        class Sees(L.Layer):
            def call(self, x, training=None):
                seen.append(training if isinstance(training, (bool, int)) else training is None); return x + 1.
        inner = Sequential([Sees(input_shape=(4,))]); i = Input((4,)); m = Model(i, inner(i)); del seen[:]
        m(x, training=True); m(x, training=False); inner(x, training=True); show(seen)
    """,
    "trainable_of_parts": """
        inner = Sequential([L.Dense(3, input_shape=(4,)), L.BatchNormalization()]); i = Input((4,)); m = Model(i, L.Dense(1)(inner(i)))
        count = lambda: (len(m.trainable_weights), len(m.non_trainable_weights), len(m.weights), inner.trainable, inner.layers[0].trainable)
        show(*count()); inner.trainable = False; show(*count()); inner.trainable = True; inner.layers[1].trainable = False; show(*count()); m.trainable = False; show(*count(), names(m.weights))
    """,
    "part_of_a_model": """
        m = Sequential([L.Dense(3, input_shape=(4,), name="a", **ones), L.Dense(2, name="b", **ones), L.Dense(1, name="c", **ones)]); p = Model(m.inputs, m.get_layer("b").output); q = Model(m.input, [l.output for l in m.layers])
        show(names(p.layers), p(x), run(p(x)), [t.shape.as_list() for t in q(x)], q.output_names, len(q.weights)); i = Input((3,)); h = i
        for l in m.layers[1:]: h = l(h)
        show(run(Model(i, h)(tf.ones([1, 3]))), m.layers[1].get_output_at(1))
    """,
    "three_uses_of_one_model": """
        d = Sequential([L.Dense(2, input_shape=(4,), **ones)], name="d"); a, b, c = (Input((4,), name=n) for n in "abc"); m = Model([a, b, c], L.concatenate([d(a), d(b), d(c)])); show(names(m.layers), m.weights, m.output, run(m([x, x, x])))
        k = tf.keras.models.clone_model(m); show(names(k.layers), k.weights, k.output_shape); f = Model.from_config(m.get_config()); f.set_weights(m.get_weights()); show(names(f.layers), m.get_config()["layers"][-1]["inbound_nodes"], m.get_config()["layers"][3]["inbound_nodes"])
    """,
    "function_of_a_model": """
        m = Sequential([L.Dense(2, input_shape=(4,), **ones), L.Dropout(.5), L.Dense(1, **ones)]); K = tf.keras.backend
        show(K.gradients(K.sum(m.output), m.input)[0].shape, m.layers[1].output, K.int_shape(m.output))
    """,
    "layers_of_another_kind_are_refused": """
        i = Input((4,))
        for make in (lambda: Model(i, tf.layers.Dense(1, name="old")(i)), lambda: Sequential([tf.layers.Dense(1, input_shape=(4,))])):
            try: make(); show("made")
            except TypeError as error: show(str(error).splitlines()[0])
        show(L.Layer().add_weight("w", [2], regularizer="l2").shape); fails(lambda: L.Dense(3, **ones).count_params())
    """,
    "gradients_through_models": """
        i = Input((4,)); m = Model(i, L.Dense(2, activation="tanh", kernel_initializer="ones")(i)); y = m(x); z = m(y @ tf.ones([2, 4])); show(run(tf.gradients(tf.reduce_sum(z), [x, *m.weights])))
        step = tf.train.GradientDescentOptimizer(.1).minimize(tf.reduce_sum(y ** 2.), var_list=m.trainable_variables); run(m.weights); run(step); show(run(m.weights))
    """,
}

_EAGER = {
    "what_a_function_was_traced_for": """
        f = tf.function(lambda x, y=2.: x * y, autograph=False); c = f.get_concrete_function(tf.TensorSpec([2], tf.float32))
        show(c.structured_input_signature[0][0].name, c.structured_input_signature[0][1], c(tf.constant([1., 2.])))
        g = tf.function(lambda x, y=2.: x * y, input_signature=[tf.TensorSpec([2], tf.float32)]); show(g(tf.constant([1., 2.])))
    """,
    "layers": """
        d = L.Dense(3, kernel_initializer="ones", activity_regularizer=lambda y: tf.reduce_sum(y)); show(d(x), d.losses, [w.name for w in d.weights], d.dtype); d(2. * x); show(d.losses)
        with tf.GradientTape() as tape: loss = tf.reduce_sum(d(x) ** 2.)
        show(tape.gradient(loss, d.trainable_variables), d.get_weights(), d.compute_output_shape((None, 4)).as_list())
    """,
    "functional": """
        i = Input((4,)); h = L.Dense(3, **ones)(i); y = L.Dense(1, **ones)(h * 2. + 1.); m = Model(i, y); show(len(m.layers), m.input_shape, m.output_shape, m(x), m(np.ones([1, 4], np.float32)), names(m.weights))
        with tf.GradientTape() as tape: loss = tf.reduce_sum(m(x) ** 2.)
        show(tape.gradient(loss, m.trainable_variables)); f = tf.function(lambda x: m(x, training=True)); show(f(x)); m.set_weights([w * 2. for w in m.get_weights()]); show(m(x), f(x))
    """,
    "class_of_the_program": """
        class Net(Model):
            def __init__(self): super().__init__(); self.a = L.Dense(2, **ones); self.b = L.Dense(1, **ones)
            def call(self, x, training=None): return self.b(self.a(x))
        m = Net(); show(m.built, m(x), m.built, names(m.weights), names(m.layers)); n = Net(); n.build((None, 4)); show(len(n.weights), n(x))
        s = Sequential([L.Dense(2, **ones), L.Dropout(.5), L.Dense(1, **ones)]); show(s(x), s(x, training=False), len(s.weights))
    """,
}

CASES = [
    *programs("keras_models", {k: _START + "\n" + dedent(v) for k, v in _GRAPH.items()}),
    *programs(
        "keras_models", {f"eager_{k}": "# eager\n" + _START + dedent(v) for k, v in _EAGER.items()}
    ),
]
