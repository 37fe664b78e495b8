"""Templates, conversions, text, errors, versions and what else programs ask the library itself."""

from tests.conformance.case import programs

CASES = [
    *programs(
        "template",
        {
            "shares_variables": """
                scale = tf.make_template("scale", lambda x: x * tf.get_variable("factor", []))
                show(scale(1.0), scale(2.0), scale.variable_scope_name)
                show(scale.variables, scale.trainable_variables, scale.non_trainable_variables)
            """,
            "two_of_one_name": """
                make = lambda: tf.make_template("t", lambda: tf.get_variable("v", [2]) + 1.0)
                first, second = make(), make()
                show(first(), second(), first(), first.variable_scope_name)
                show(second.variable_scope_name, tf.global_variables())
            """,
            "arguments": """
                f = tf.make_template("f", lambda x, name, n=1: tf.get_variable(name, [n]), n=3)
                show(f(1, "a"), f(1, name="a"))
                show(f.name, len(f.variables))
            """,
            "a_new_variable_later": """
                f = tf.make_template("f", lambda name: tf.get_variable(name, []))
                f("a")
                show(f("a"))
            """,
            "scope_at_once": """
                f = tf.make_template("f", lambda: tf.get_variable("v", []), create_scope_now_=True)
                g = tf.make_template("f", lambda: tf.get_variable("v", []), create_scope_now_=True)
                show(g(), f())
                show(f.variable_scope_name, g.variable_scope_name)
            """,
            "unique_name": """
                with tf.variable_scope("outer"):
                    f = tf.make_template("f", lambda: tf.get_variable("v", []), unique_name_="u")
                show(f(), f.variable_scope_name)
            """,
        },
    ),
    *programs(
        "conversion",
        {
            "registered": """
                class Point:
                    pass
                def convert(value, dtype=None, name=None, as_ref=False):
                    return tf.constant([1.0, 2.0], dtype=dtype, name=name)
                tf.register_tensor_conversion_function(Point, convert)
                show(run(tf.convert_to_tensor(Point(), name="p") + 1.0))
                show(run(tf.reduce_sum(Point())))
            """,
            "priorities": """
                class Thing:
                    pass
                def says(number):
                    return lambda v, dtype=None, name=None, as_ref=False: number
                five = lambda v, dtype=None, name=None, as_ref=False: tf.constant(5.0)
                six = lambda v, dtype=None, name=None, as_ref=False: tf.constant(6.0)
                tf.register_tensor_conversion_function(Thing, says(NotImplemented), 10)
                tf.register_tensor_conversion_function(Thing, six, 60)
                tf.register_tensor_conversion_function(Thing, five, 50)
                show(run(tf.identity(Thing())))
            """,
            "wrong_arguments": """
                fails(tf.register_tensor_conversion_function, 3, lambda: 0)
                fails(tf.register_tensor_conversion_function, int, 3)
            """,
        },
    ),
    *programs(
        "names",
        {
            "text": """
                show(tf.compat.as_bytes("a"), tf.compat.as_text(b"a"), tf.compat.as_str("b"))
                show(tf.compat.as_str_any(3), tf.compat.as_str_any(b"c"))
                fails(tf.compat.as_bytes, 3)
                fails(tf.compat.as_text, 3)
            """,
            "errors": """
                for name in ("NotFoundError", "OutOfRangeError", "UnknownError", "AbortedError"):
                    kind = getattr(tf.errors, name)
                    show(tf.errors.error_code_from_exception_type(kind))
                    error = kind(None, None, "why")
                    show(error.error_code, error.message, error.op, str(error))
                    show(tf.errors.exception_type_from_error_code(error.error_code).__name__)
            """,
            "static_values": """
                show(tf.get_static_value(tf.constant([1, 2])))
                show(tf.get_static_value(tf.placeholder(tf.float32)) is None)
                show(tf.is_tensor(tf.constant(1)), tf.is_tensor(1), tf.is_tensor(tf.Variable(1)))
                shape = tf.TensorShape([2, None])
                show(tf.dimension_value(shape[0]), tf.dimension_at_index(shape, 1).value)
            """,
            "no_gradient": """
                tf.NotDifferentiable("Nothing" + str(id(show)))
                x = tf.constant(2.0)
                with tf.get_default_graph().gradient_override_map(
                    {"Square": "Nothing" + str(id(show))}
                ):
                    y = tf.square(x)
                show(tf.gradients(y, x))
            """,
        },
    ),
]
