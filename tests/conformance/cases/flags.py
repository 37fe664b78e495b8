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
        "enum_classes": """
            import enum
            f = tf.app.flags
            Colour = enum.Enum("Colour", "RED Blue")
            own = f.FlagValues()
            one = f.DEFINE_enum_class("case_one", "red", Colour, "one", own)
            many = f.DEFINE_multi_enum_class("case_many", [Colour.RED], Colour, "many", own)
            f.DEFINE_flag(f.EnumClassFlag("case_exact", None, None, Colour, case_sensitive=True), own)
            own(["program", "--case_many=blue", "--case_many=RED", "--case_exact=Blue"])
            show(one.value.name, [each.name for each in many.value], own.case_exact.name)
            for name in own:
                flag = own[name]
                show(flag.help, flag.default_as_str, flag.serialize(), flag.flag_type(), flag.parser.member_names)
            fails(lambda: own(["program", "--case_one=green"]))
            fails(lambda: own(["program", "--case_exact=blue"]))
            fails(lambda: own["case_one"].parse(3))
            fails(lambda: f.EnumClassParser(int))
            fails(lambda: f.EnumClassParser(enum.Enum("None_", "")))
            fails(lambda: f.EnumClassParser(enum.Enum("Twice", "a A"), case_sensitive=False))
        """,
        "sets": """
            f = tf.app.flags
            one, other = f.FlagValues(), f.FlagValues()
            f.DEFINE_integer("case_b", 3, "b", flag_values=one, module_name="second", short_name="b")
            f.DEFINE_string("case_a", None, "a", one, module_name="second")
            holder = f.DEFINE_list("case_l", "x,y", "l", one, module_name="first")
            f.DEFINE_multi_float("case_m", [1, 2], "m", flag_values=one, module_name="second")
            f.DEFINE_bool("case_t", False, "t", other, module_name="second")
            f.DEFINE_alias("case_c", "case_b", one, module_name="third")
            show(one.flags_into_string(), holder.serialize(), one.flag_values_dict())
            one.append_flag_values(other)
            show(sorted(one), one.find_module_defining_flag("case_l"), one.find_module_defining_flag("none", 1))
            clash = f.FlagValues()
            f.DEFINE_string("case_t", None, "t", clash, module_name="fourth")
            fails(lambda: one.append_flag_values(clash))
            one.remove_flag_values(other)
            show(sorted(one), one.get_flag_value.__name__, len(one), "case_t" in one)
            show(one(["program", "--case_c=9", "-b=8", "in", "--", "--case_a=1"]), one.case_c, one.case_b)
            show(one(["program", "--other=9", "--", "--case_a=1"], known_only=True), one.get_flag_value("case_a", 5))
            for args in (["--case_d=1"], ["--cas_l=3"], ["--none"], ["--nocase_b"], ["--case_b"], ["--flagfile"], ["--flagfile=/none/of/it"]):
                fails(lambda: one(["program"] + args))
            fails(lambda: one([]))
            fails(lambda: one("program"))
            show(one(["program", "--undefok=old,new", "--noold", "--new=1", "in"]))
            fails(lambda: one.__setitem__("x", 3))
            f.override_value(holder, ["z"])
            fails(lambda: f.override_value(holder, "z,y"))
            show(holder.value, one.get_help(include_special_flags=False), one.module_help("second"))
        """,
        "in_xml": """
            import enum, io, sys
            f = tf.app.flags
            Kind = enum.Enum("Kind", "RED BLUE")
            own = f.FlagValues()
            here = {"flag_values": own, "module_name": "second"}
            f.DEFINE_integer("case_b", 3, "b < 3 & \x07 more", short_name="b", lower_bound=1, **here)
            f.DEFINE_float("case_f", None, None, upper_bound=2.5, **here)
            f.DEFINE_bool("case_t", False, "t", **here)
            f.DEFINE_string("case_a", None, "a", own, module_name=sys.argv[0])
            f.DEFINE_enum("case_e", "x", ["x", "y"], "e", own, module_name="first")
            f.DEFINE_enum_class("case_k", Kind.RED, Kind, "k", own, module_name="first")
            f.DEFINE_multi_enum("case_n", ["y"], ["x", "y"], "n", own, module_name="first")
            f.DEFINE_multi_enum_class("case_m", [Kind.RED], Kind, "m", own, module_name="first")
            f.DEFINE_multi_integer("case_i", [1, 2], "i", lower_bound=0, **here)
            f.DEFINE_list("case_l", "x,y", "l", **here)
            f.DEFINE_spaceseplist("case_s", "x y", "s", comma_compat=True, **here)
            own(["program", "--case_b=7", "--case_m=blue"])
            text = io.StringIO()
            own.write_help_in_xml_format(text)
            show(*text.getvalue().replace(sys.argv[0], "program").partition("<flag>")[2].splitlines())
        """,
        "marked": """
            import warnings
            f = tf.app.flags
            own = f.FlagValues()
            for name in ("case_p", "case_q", "case_r"):
                f.DEFINE_string(name, None, name, own)
            for name in ("case_v", "case_w"):
                f.DEFINE_bool(name, False, name, own)
            f.mark_flags_as_required(["case_p"], own)
            f.mark_flags_as_mutual_exclusive(["case_q", "case_r"], flag_values=own)
            f.mark_bool_flags_as_mutual_exclusive(["case_v", "case_w"], required=True, flag_values=own)
            @f.multi_flags_validator(["case_p", "case_q"], "differ", own)
            def differ(values):
                return values["case_p"] != values["case_q"]
            for args in ([], ["--case_p=1"], ["--case_p=1", "--case_w"], ["--case_p=1", "--case_w", "--case_v"],
                         ["--case_p=1", "--case_q=2", "--case_r=3"], ["--case_p=2"]):
                own.unparse_flags()
                try:
                    show(own(["program"] + args))
                except f.Error as error:
                    show(type(error).__name__, str(error))
            fails(lambda: setattr(own, "case_p", None))
            show(own.case_p)
            fails(lambda: f.mark_bool_flags_as_mutual_exclusive(["case_p"], flag_values=own))
            fails(lambda: f.register_validator("case_none", bool, flag_values=own))
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                f.mark_flag_as_required("case_v", own)
                f.mark_flags_as_mutual_exclusive(["case_v", "case_w"], flag_values=own)
            show([str(each.message) for each in caught])
        """,
        "texts_of_help": """
            f = tf.app.flags
            show(f.text_wrap("one two three" * 3 + chr(10) + chr(10) + "  four five", 14, "  ", "- "))
            show(f.text_wrap(chr(9) + "x y", 4), f.doc_to_help(" A b" + chr(10) + "   c d" + chr(10) * 2 + "     e" + chr(10)))
            fails(lambda: f.text_wrap("x", 3, "    "))
            show(list(f.flag_dict_to_args({"a": None, "b": True, "c": False, "d": "x y", "e": [1, 2], "f": 2.5, "g": ["u", "v"]}, {"g"})))
        """,
    },
)
