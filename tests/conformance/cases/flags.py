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
        "kinds": """
            f = tf.app.flags
            own = f.FlagValues()
            flags = [
                f.Flag(f.IntegerParser(1), f.ArgumentSerializer(), "case_n", "0x10", "n"),
                f.BooleanFlag("case_b", "false", ""),
                f.EnumFlag("case_e", "A", "e", ["a", "b"], case_sensitive=False),
                f.MultiFlag(f.FloatParser(0, 1), f.ArgumentSerializer(), "case_m", [0.5, "1"], "m", short_name="m"),
                f.Flag(f.ListParser(), f.CsvListSerializer(","), "case_l", 'a,"b,c"', "l"),
                f.Flag(f.ArgumentParser(), None, "case_o", None, None, allow_overwrite=False),
            ]
            for flag in flags:
                f.DEFINE_flag(flag, own)
            def told():
                for flag in flags:
                    show(flag.name, flag.value, flag.present, flag.using_default_value, flag.help, flag.boolean)
                    show(flag.default, flag.default_as_str, flag.default_unparsed, flag.flag_type())
            told()
            fails(lambda: own.case_n)
            show(own(["program", "--nocase_b", "--case_n", "7", "-m=0", "-m", "0.25", "--case_o=x"]))
            told()
            show([flag.serialize() for flag in flags[:5]], own.flag_values_dict())
            for args in (["--case_n=0"], ["--case_n=x"], ["--case_b=maybe"], ["--case_e=c"], ["--case_o=y"], ["-m=2"], ["--case_n"]):
                fails(lambda: own(["program"] + args))
            for value in (-1, 5):
                fails(lambda: setattr(own, "case_unknown", value))
            fails(lambda: own.case_unknown)
            own.unparse_flags()
            told()
        """,
        "parsers": """
            f = tf.app.flags
            for low, high in ((None, None), (0, None), (1, None), (None, 0), (None, -1), (2, None), (None, 2), (1, 3)):
                for kind in (f.IntegerParser, f.FloatParser):
                    show(kind(low, high).syntactic_help, kind(low, high).flag_type())
                    for value in ("2", "0x3", 1, 2.5, True, None, "-1"):
                        try:
                            show(repr(kind(low, high).parse(value)))
                        except (TypeError, ValueError) as error:
                            show(type(error).__name__, str(error))
            parsers = (f.BooleanParser(), f.ListParser(), f.WhitespaceSeparatedListParser(True), f.ArgumentParser(),
                       f.EnumParser(["Ab", "c"], case_sensitive=False), f.BaseListParser(";", "semicolon"))
            for parser in parsers:
                show(parser.flag_type(), parser.syntactic_help)
                for value in ("T", "0", "a, b;c", 'x,"y', "AB", "", 1):
                    try:
                        show(repr(parser.parse(value)))
                    except (TypeError, ValueError, AttributeError) as error:
                        show(type(error).__name__, "" if isinstance(error, AttributeError) else str(error))
            fails(lambda: f.EnumParser([]))
            fails(lambda: f.EnumParser("ab"))
            show(f.ListSerializer(" ").serialize([1, 2]), f.CsvListSerializer(",").serialize(["a", "b,c"]))
        """,
        "bounds": """
            f = tf.app.flags
            f.DEFINE_integer("case_count", 3, "count", lower_bound=1, upper_bound=9)
            f.DEFINE_multi_float("case_parts", None, "parts", 0.0)
            f.FLAGS(["program", "--case_count=4", "--case_parts=1"])
            fails(lambda: setattr(f.FLAGS, "case_count", 10))
            fails(lambda: f.FLAGS(["program", "--case_count=0"]))
            fails(lambda: f.FLAGS(["program", "--case_parts=-1"]))
            fails(lambda: f.DEFINE_integer("case_other", 0.5, "other"))
            for name in ("case_count", "case_parts"):
                delattr(f.FLAGS, name)
        """,
    },
)
