"""Flags of the command line beyond the plain kinds."""

from ..case import programs

CASES = programs(
    "flags",
    {
        "many": """
            f = tf.flags
            f.DEFINE_multi_string("case_names", None, "names")
            f.DEFINE_multi_integer("case_sizes", [3], "sizes")
            f.DEFINE_multi_float("case_rates", 0.5, "rates")
            f.DEFINE_multi_enum("case_kinds", None, ["a", "b"], "kinds")
            f.DEFINE_spaceseplist("case_words", "x y", "words")
            rest = f.FLAGS(["program", "--case_names=a", "--case_names", "b", "--case_sizes=4", "--case_kinds=b", "in"])
            show(rest, f.FLAGS.case_names, f.FLAGS.case_sizes, f.FLAGS.case_rates, f.FLAGS.case_kinds, f.FLAGS.case_words)
            for name in ("case_names", "case_sizes", "case_rates", "case_kinds", "case_words"):
                delattr(f.FLAGS, name)
        """,
        "checked": """
            f = tf.flags
            f.DEFINE_integer("case_port", 10, "port")
            f.register_validator("case_port", lambda v: v > 5, message="must be large")
            @f.validator("case_port")
            def even(value):
                if value % 2:
                    raise f.ValidationError("must be even")
                return True
            f.FLAGS(["program", "--case_port=12"])
            show(f.FLAGS.case_port)
            fails(lambda: f.FLAGS(["program", "--case_port=3"]))
            fails(lambda: setattr(f.FLAGS, "case_port", 7))
            delattr(f.FLAGS, "case_port")
        """,
        "default": """
            f = tf.flags
            f.DEFINE_string("case_path", "a", "path")
            f.FLAGS(["program"])
            f.FLAGS.set_default("case_path", "b")
            show(f.FLAGS.case_path, bool(f.FLAGS["case_path"].present))
            delattr(f.FLAGS, "case_path")
        """,
    },
)
