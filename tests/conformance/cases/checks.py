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
none_equal | tf.assert_none_equal(c, k)
less | tf.assert_less(c, k)
less_equal | tf.assert_less_equal(k, c)
greater | tf.assert_greater(c, k)
greater_equal | tf.assert_greater_equal(c, k)
positive | tf.assert_positive(c)
positive_message | tf.assert_positive(c, message="m")
negative | tf.assert_negative(c)
non_negative | tf.assert_non_negative(c)
non_positive | tf.assert_non_positive(c)
rank | tf.assert_rank(c, 2)
rank_message | tf.assert_rank(c, 2, message="no")
rank_of_float | tf.assert_rank(c, 1.)
rank_of_vector | tf.assert_rank(c, [1])
rank_at_least | tf.assert_rank_at_least(c, 2)
type | tf.assert_type(c, tf.int32)
scalar | tf.assert_scalar(c)
not_iterable | tf.assert_proper_iterable(3)
string_iterable | tf.assert_proper_iterable("x")
ensure_shape | tf.ensure_shape(c, [3])
shapes_rank | tf.debugging.assert_shapes([(c, ("N", "M"))])
shapes_size | tf.debugging.assert_shapes([(c, (3,))])
shapes_letter | tf.debugging.assert_shapes([(c, ("N",)), (tf.zeros([3], name="z"), ("N",))])
check_numerics_nan | run(tf.check_numerics(nan, "bad"))
check_numerics_inf | run(tf.check_numerics(inf, "bad"))
check_numerics_both | run(tf.check_numerics(tf.concat([nan, inf], 0), "bad"))
verify_finite | run(tf.verify_tensor_all_finite(nan, "oops"))
ensure_shape_of_rank | run(tf.check_numerics(tf.log(tf.constant([-1.])), "log"))
"""

VALUES = """
ensure_shape | tf.ensure_shape(c, [None]) | c
check_numerics | tf.check_numerics(c, "bad") | c
verify_finite | tf.verify_tensor_all_finite(c, "oops") | c
verify_finite_keywords | tf.verify_tensor_all_finite(x=c, message="oops")
non_decreasing | tf.is_non_decreasing(c)
non_decreasing_true | tf.is_non_decreasing([1, 1, 2])
increasing | tf.is_strictly_increasing([1, 1, 2])
increasing_one | tf.is_strictly_increasing([1])
increasing_matrix | tf.debugging.is_strictly_increasing([[1, 2], [3, 4]])
scalar | tf.assert_scalar(1.)
"""

CASES = [
    *table("checks/fails", PRELUDE, STATIC, word="fails"),
    *table("checks", PRELUDE, VALUES),
    *programs(
        "checks",
        {
            "hold": "\n".join(
                [
                    *(
                        line.strip() if not line.startswith("        ") else line[4:]
                        for line in PRELUDE.strip().splitlines()
                    ),
                    "for a in [tf.assert_equal(p, p), tf.assert_less(p, q + 1.), tf.assert_less_equal(p, q), tf.assert_none_equal(p, q + 1.),",
                    "          tf.assert_greater(q + 1., p), tf.assert_greater_equal(q, p), tf.assert_positive(q + 1.), tf.assert_non_negative(q),",
                    "          tf.assert_negative(-q - 1.), tf.assert_non_positive(-q), tf.assert_near(p, p), tf.assert_near(p, p + .1, atol=.2),",
                    "          tf.assert_rank(q, 1), tf.assert_rank_at_least(q, 1), tf.assert_rank_in(q, [0, 1]), tf.assert_type(p, tf.float32),",
                    "          tf.assert_integer(d), tf.assert_equal(tf.zeros([0]), tf.zeros([0]))]: show(after(a))",
                ]
            ),
            "fail_when_run": """
            p = tf.placeholder(tf.float32, [None], name="p"); q = tf.placeholder(tf.float32, None, name="q")
            feeds = {p: [1., -2., 0.], q: [1., 2., 0.]}
            def said(assertion):
                try: run(assertion, feeds)
                except tf.errors.InvalidArgumentError as error:
                    lines = [line for line in error.message.splitlines() if "assertion failed" in line]
                    return lines[0].replace('\\\\"', '"')
            show(said(tf.assert_equal(p, q)), said(tf.assert_equal(p, q, message="m")))
            show(said(tf.assert_equal(p, q, data=["x", p], summarize=2)))
            show(said(tf.assert_less(p, q)), said(tf.assert_greater(p, q)), said(tf.assert_none_equal(p, q)))
            show(said(tf.assert_positive(p)), said(tf.assert_positive(p, message="m")), said(tf.assert_negative(p)))
            show(said(tf.assert_non_negative(p)), said(tf.assert_non_positive(p)), said(tf.assert_near(p, q)))
            show(said(tf.assert_near(p, q, message="m", rtol=.5, atol=.25)))
            show(said(tf.assert_rank(q, 2)), said(tf.assert_rank_at_least(q, 2)), said(tf.assert_rank_in(q, [0, 2])))
        """,
            "ensure_shape_when_run": """
            q = tf.placeholder(tf.float32, None, name="q")
            e = tf.ensure_shape(q, [None, 2])
            show(e, run(e, {q: [[1., 2.]]}))
            try: run(e, {q: [1.]})
            except tf.errors.InvalidArgumentError as error: show("expected shape [?,2]" in error.message)
        """,
            "same_float": """
            c = tf.constant([1.]); h = tf.constant(1., tf.float64)
            show(tf.assert_same_float_dtype([c]), tf.assert_same_float_dtype(), tf.assert_same_float_dtype([h, None], tf.float64))
            show(tf.is_numeric_tensor(c), tf.is_numeric_tensor(tf.constant("x")), tf.is_numeric_tensor(3))
            show(tf.assert_proper_iterable([c]))
        """,
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
