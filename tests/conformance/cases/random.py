"""Random ops: the very numbers where there are seeds; what seeds promise, moments, names, shapes."""

from ..case import programs, table

PRELUDE = "n = [20000]; tf.set_random_seed(11)"

ROWS = """
normal | tf.random_normal(n)
normal_moved | tf.random_normal(n, mean=3., stddev=.5)
normal_float64 | tf.random_normal(n, dtype=tf.float64)
normal_matrix | tf.random_normal([100, 200], seed=4)
uniform | tf.random_uniform(n)
uniform_range | tf.random_uniform(n, -2., 6.)
uniform_int | tf.random_uniform(n, 0, 10, dtype=tf.int32)
uniform_int64 | tf.random_uniform(n, maxval=100, dtype=tf.int64)
truncated | tf.truncated_normal(n)
truncated_moved | tf.truncated_normal(n, mean=-1., stddev=.1)
shuffled | tf.random_shuffle(tf.range(1000))
zeros_initializer | tf.zeros_initializer()([3, 4])
ones_initializer | tf.ones_initializer()([3, 4])
constant_initializer | tf.constant_initializer(2.5)([3, 4])
normal_initializer | tf.random_normal_initializer(stddev=.1)([100, 200])
uniform_initializer | tf.random_uniform_initializer(-1., 1.)([100, 200])
truncated_initializer | tf.truncated_normal_initializer(stddev=.2)([100, 200])
glorot_uniform | tf.glorot_uniform_initializer()([100, 200])
glorot_normal | tf.glorot_normal_initializer()([100, 200])
variance_scaling | tf.variance_scaling_initializer(scale=2., mode="fan_in")([100, 200])
"""

TWICE = "tf.set_random_seed(11)\ndef twice(x): show(x.dtype, x.get_shape(), run(x), run(x))"

#: Two runs each, so that it shows how far a draw moves the sequence on.
NUMBERS = """
normal | tf.random_normal([7], 1., 2., seed=9)
normal_float64 | tf.random_normal([2, 3], dtype=tf.float64, seed=9)
normal_half | tf.random_normal([5], dtype=tf.float16, seed=9)
normal_long | tf.random_normal([20001], seed=9)
uniform | tf.random_uniform([7], -1., 1., seed=9)
uniform_scalar | tf.random_uniform([], seed=9)
uniform_none | tf.random_uniform([0, 3], seed=9)
uniform_float64 | tf.random_uniform([2, 3], dtype=tf.float64, seed=9)
uniform_half | tf.random_uniform([5], dtype=tf.float16, seed=9)
uniform_int | tf.random_uniform([9], -5, 100, dtype=tf.int32, seed=9)
uniform_int_wide | tf.random_uniform([9], -2**31 + 1, 2**31 - 1, dtype=tf.int32, seed=9)
uniform_int64 | tf.random_uniform([9], -5, 2**40, dtype=tf.int64, seed=9)
truncated | tf.truncated_normal([1001], stddev=.1, seed=9)
truncated_float64 | tf.truncated_normal([11], dtype=tf.float64, seed=9)
truncated_half | tf.truncated_normal([11], dtype=tf.float16, seed=9)
shuffled | tf.random_shuffle(tf.range(9), seed=9)
shuffled_rows | tf.random_shuffle(tf.reshape(tf.range(20), [10, 2]), seed=9)
shuffled_one | tf.random_shuffle([[5, 6]], seed=9)
multinomial | tf.multinomial([[.1, -2., 3., 0.]], 20, seed=9)
multinomial_float64 | tf.multinomial(tf.constant([[.1, .2], [2., 3.]], tf.float64), 7, seed=9)
crop | tf.random_crop(tf.reshape(tf.range(60), [6, 10]), [2, 3], seed=9)
dropout | tf.nn.dropout(tf.ones([4, 5]), .4, seed=9)
flipped | tf.image.random_flip_left_right(tf.reshape(tf.range(12), [2, 2, 3]), seed=9)
brighter | tf.image.random_brightness(tf.zeros([2, 2, 3]), .4, seed=9)
contrast | tf.image.random_contrast(tf.reshape(tf.range(12.), [2, 2, 3]), .2, .9, seed=9)
normal_initializer | tf.random_normal_initializer(stddev=.1, seed=9)([10, 20])
glorot_uniform | tf.glorot_uniform_initializer(seed=9)([10, 20])
variance_scaling | tf.variance_scaling_initializer(scale=2., mode="fan_in", seed=9)([10, 20])
orthogonal | tf.orthogonal_initializer(seed=9)([4, 4])
he_uniform | tf.keras.initializers.he_uniform(seed=9)([4, 4])
no_graph_seed | (tf.set_random_seed(None), tf.random_uniform([3], seed=9))[1]
"""

CASES = [
    *table("random_numbers", TWICE, NUMBERS, word="twice"),
    *table("random", PRELUDE, ROWS, word="moments"),
    *programs(
        "random",
        {
            "streams": """
            a = tf.random_uniform([4], seed=1); b = tf.random_uniform([4], seed=1)
            first = session().run([a, b]); second = session().run([a, b])
            show(bool((first[0] == first[1]).all()), bool((first[0] == second[0]).all()))
            with tf.Session() as other:
                show(bool((other.run(a) == first[0]).all()))
        """,
            "graph_seed": """
            tf.set_random_seed(5)
            a = tf.random_normal([4]); b = tf.random_normal([4])
            one, two = run([a, b])
            show(bool((one == two).all()))
            with tf.Session() as other:
                show(bool((other.run(a) == one).all()))
        """,
            "shuffled_datasets": """
            tf.set_random_seed(11)
            numbers = tf.data.Dataset.range(30)
            for again in (True, False):
                for size in (1, 7, 100):
                    one = numbers.shuffle(size, seed=3, reshuffle_each_iteration=again).repeat(3)
                    other = numbers.repeat(2).map(lambda x: x).shuffle(size, seed=3)
                    for dataset in (one, one.batch(8), other):
                        element = tf.data.make_one_shot_iterator(dataset).get_next()
                        show([run(element) for _ in range(12)])
        """,
            "no_seed": """
            a = tf.random_normal([4])
            one = run(a)
            with tf.Session() as other:
                show(bool((other.run(a) == one).all()), bool((run(a) == one).all()))
        """,
            "seeds_given_to_ops": """
            tf.set_random_seed(7)
            a = tf.random_uniform([2], name="a"); b = tf.random_uniform([2], seed=3, name="b")
            g = tf.get_default_graph()
            op = g.get_operation_by_name("b/RandomUniform")
            show(op.get_attr("seed"), op.get_attr("seed2"))
            show(g.get_operation_by_name("a/RandomUniform").get_attr("seed"))
        """,
            "shuffle_is_a_permutation": """
            s = run(tf.random_shuffle([5, 6, 7, 8]))
            show(np.sort(s), tf.random_shuffle(tf.zeros([3, 2])))
        """,
            "uniform_int_needs_maxval": """
            fails(tf.random_uniform, [2], dtype=tf.int32)
        """,
            "one_draw_a_step": """
            a = tf.random_uniform([3]); d = a - a
            show(run(d))
        """,
            "set_diff": """
            x = tf.random_uniform([3], seed=1)
            show(bool((run(x) >= 0).all() and (run(x) < 1).all()))
        """,
            "multinomial": """
            tf.set_random_seed(2)
            moments(tf.multinomial([[0., 0., 0., 0.]], 4000))
        """,
        },
    ),
]
