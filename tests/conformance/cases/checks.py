"""Assertions and other checks, known to fail in the graph or failing when it runs."""

from ..case import programs, table

PRELUDE = """
    p = tf.placeholder(tf.float32, [None], name="p"); q = tf.placeholder(tf.float32, None, name="q")
    feeds = {p: [1., -2., 0.], q: [1., 2., 0.]}
    c = tf.constant([1., -2.], name="c"); d = tf.constant([1, 2], name="d"); k = tf.constant([1., 3.], name="k")
    nan = tf.constant([1., np.nan], name="nan"); inf = tf.constant([1., -np.inf], name="inf")
    def after(assertion, value=1.):
        with tf.control_dependencies([assertion]): return run(tf.identity(value), feeds)
    def message(assertion):
        try: run(assertion, feeds)
        except tf.errors.InvalidArgumentError as error: return error.message.split("\\n")[-2 if "Node" in error.message else 0].split("\\n")[0]
"""

STATIC = """
equal | tf.assert_equal(c, k)
equal_message | tf.assert_equal(c, k, message="no")
equal_data | tf.assert_equal(c, k, data=["why", c])
equal_scalar | tf.assert_equal(c, 1.)
equal_dtypes | tf.assert_equal(c, d)
equal_shapes | tf.assert_equal(c, [1., 2., 3.])
less | tf.assert_less(c, k)
less_equal | tf.assert_less_equal(k, c)
greater | tf.assert_greater(c, k)
greater_equal | tf.assert_greater_equal(c, k)
positive | tf.assert_positive(c)
positive_message | tf.assert_positive(c, message="m")
non_negative | tf.assert_non_negative(c)
rank | tf.assert_rank(c, 2)
rank_message | tf.assert_rank(c, 2, message="no")
rank_of_float | tf.assert_rank(c, 1.)
rank_of_vector | tf.assert_rank(c, [1])
rank_at_least | tf.assert_rank_at_least(c, 2)
type | tf.assert_type(c, tf.int32)
check_numerics_nan | run(tf.check_numerics(nan, "bad"))
check_numerics_inf | run(tf.check_numerics(inf, "bad"))
check_numerics_both | run(tf.check_numerics(tf.concat([nan, inf], 0), "bad"))
verify_finite | run(tf.verify_tensor_all_finite(nan, "oops"))
ensure_shape_of_rank | run(tf.check_numerics(tf.log(tf.constant([-1.])), "log"))
"""

VALUES = """
check_numerics | tf.check_numerics(c, "bad") | c
verify_finite | tf.verify_tensor_all_finite(c, "oops") | c
verify_finite_keywords | tf.verify_tensor_all_finite(x=c, message="oops")
"""

CASES = [
    *table("checks/fails", PRELUDE, STATIC, word="fails"),
    *table("checks", PRELUDE, VALUES),
    *programs(
        "checks",
        {
            "control_dependencies": """
            x = tf.placeholder(tf.float32, [None])
            with tf.control_dependencies([tf.assert_positive(x, message="x must be positive")]):
                y = tf.log(x)
            show(run(y, {x: [1., 2.]}))
            try: run(y, {x: [0.]})
            except tf.errors.InvalidArgumentError as error: show("x must be positive" in error.message)
        """,
            "check_numerics_ops": """
            x = tf.placeholder(tf.float32, [], name="x"); y = tf.log(x, name="y")
            check_op = tf.add_check_numerics_ops()
            show(run([y, check_op], {x: 1.}))
            try: run([y, check_op], {x: -1.})
            except tf.errors.InvalidArgumentError as error: show("y:0 : Tensor had NaN" in error.message)
        """,
            "gradient_of_check": """
            x = tf.placeholder_with_default(0., [])
            g = tf.gradients(tf.check_numerics(tf.sqrt(x), "root"), x)[0]
            show(run(g, {x: 4.}))
        """,
        },
    ),
]
