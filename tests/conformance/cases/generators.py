"""`tf.random.experimental.Generator`: states, and the numbers drawn from them."""

from ..case import programs

_PROGRAMS = {
    "draws": """
        g = tf.random.experimental.Generator.from_seed(1234)
        for draw in (lambda: g.normal([3]), lambda: g.uniform([3]), lambda: g.uniform([2], 0, 10, tf.int32), lambda: g.truncated_normal([5], 1., 2.),
                     lambda: g.uniform_full_int([2], tf.int64), lambda: g.uniform([3], -5, 5, tf.int64), lambda: g.normal([2, 2], 1., 3., tf.float64),
                     lambda: g.uniform([2], dtype=tf.float64), lambda: g.normal([3], dtype=tf.float16), lambda: g.uniform([2], None, None, tf.int32), lambda: g.uniform([2, 0])):
            show(draw(), g.state.numpy())
        show(g.algorithm, g.key)
    """,
    "binomial": """
        g = tf.random.experimental.Generator.from_state([1, 2, 3], "philox")
        show(g.binomial([4, 3], [100., 60., 1000.], [.4, .8, .7]), g.binomial([6], 50., .25, tf.float32), g.binomial([2, 2], [0., 7.], [1., 1.]), g.state.numpy())
    """,
    "binomial_of_few": """
        counts, probs = [1., 5., 12., 20., 21., 40., 100., 1000., 3., 0., -1., 15.5, 4.], [.5, .2, .9, .5, .49, .2, .05, .001, .5, .5, .5, .3, np.nan]
        for kind in (tf.float16, tf.float32, tf.float64):
            g = tf.random.experimental.Generator.from_state([1, 2, 3], "philox")
            show(g.binomial([50, 13], tf.constant(counts, kind), tf.constant(probs, kind), tf.float32), g.binomial([12], counts[:12], probs[:12], tf.int64), g.state.numpy())
    """,
    "states": """
        R = tf.random.experimental; G = R.Generator
        for seed in (1234, [1, 2], 2 ** 63 + 5, -3, [1, 2, 3, 4], 2 ** 70 + 1):
            show(R.create_rng_state(seed, "philox"))
        show(R.create_rng_state(5, "threefry"), R.create_rng_state([7], 1))
        g = G.from_seed(7); show([s.state.numpy() for s in g.split(2)], g.make_seeds(2), g.state.numpy())
        g.skip(10); show(g.state.numpy()); g.reset([1, 2, 3]); show(g.state.numpy()); g.reset_from_seed(7); show(g.state.numpy())
        g.reset_from_key_counter(5, [1, 2]); show(g.state.numpy(), G.from_key_counter(5, [1, 2], "philox").state.numpy())
        fails(G.from_seed, 1, "x"); show(G.from_non_deterministic_state().state.shape)
        R.set_global_generator(g); show(R.get_global_generator() is g)
        with tf.Graph().as_default(): show(R.create_rng_state(3, "philox").dtype)
    """,
    "in_functions": """
        g = tf.random.experimental.Generator.from_seed(3)
        @tf.function
        def f(): return g.normal([2]), g.uniform([], 0, 100, tf.int32)
        show(f(), f(), g.state.numpy())
        c = tf.train.Checkpoint(g=g); path = c.save(folder + "/c"); a = g.normal([2]); c.restore(path); show(a, g.normal([2]))
    """,
}

CASES = programs(
    "generators", {name: " " * 8 + "# eager" + text for name, text in _PROGRAMS.items()}
)
CASES += programs(
    "generators",
    {
        "in_a_graph": """
            g = tf.random.experimental.Generator.from_seed(42)
            a = g.normal([3])
            with tf.control_dependencies([a]): b = g.uniform([2], 0, 9, tf.int32)
            with tf.Session() as s:
                s.run(tf.global_variables_initializer()); show(s.run([a, b]), s.run([a, b]), s.run(g.state))
        """,
    },
)
