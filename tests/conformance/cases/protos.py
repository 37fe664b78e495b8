"""Messages of protocol buffers as tensors: `tf.io.decode_proto` and `encode_proto`."""

from ..case import programs, table

# A message p.M with a field of each kind, then again repeated ones, with an r before their names:
# db fl i64 u64 i32 f64 f32 bo st ms by u32 en sf32 sf64 s32 s64. ms is a p.N { int32 a = 1; }.
_DESCRIPTION = (
    "eNo10r1SwkAUQGE3v+RCSLLVlgyVY0EBjm9AKfZ2MoKiQGICM/IiPp0P49kbqZiz383uZoL8RJJ+z5q2PtXWNNPfUM"
    "yjFQle185MzK2xQwlbYjMJCWC7dwEQKBBbQGP3cO9CJLQjiVpfb1Do6UxEUKTk6x2K9KnF3MVQ3D9F7aDY05a5BEqU"
    "fH1AiRJzKZT2RH1Cqb/funYDZKD3I/bAwEN3chmQKRAHILOlBIfOCTCcR7NmtrIVzNIRvi75bS9uyNCo3/bialjjzO"
    "EjJO/fjWqg3G+8ObocGesuS92YpS/4usQjnb/9mLHC5hK3mi0jRY+8dQGW/0h2YOlP7pgssUpP9nWCKiXmKsj2RJ0h"
    "Ox2LWdlMzIt+3PiuErO0sZjn8sb/PJVmneh/YfEHrAdR8w=="
)

_START = f"""
import base64, zlib
source = b"bytes://" + zlib.decompress(base64.b64decode({_DESCRIPTION!r}))
def encoded(names, sizes, *values, kind="p.M", source=source):
    return tf.io.encode_proto(sizes, list(values), names.split(), kind, descriptor_source=source)
def decoded(data, names, *types, kind="p.M", source=source, **options):
    found = tf.io.decode_proto(data, kind, names.split(), list(types), descriptor_source=source, **options)
    return [found.sizes, *found.values]
one = run(encoded("db fl i64 i32 bo st by s32 s64 sf64 en u32 u64 f32", np.ones([1, 14], "i"), np.array([[1.5]]), np.array([[2.5]], "f"), tf.constant([[-3]], tf.int64), [[-1]], [[True]], [["x"]], [[b"\\xff"]], [[-7]],
    tf.constant([[-8]], tf.int64), tf.constant([[-2]], tf.int64), [[1]], np.array([[2 ** 32 - 1]], "u4"), np.array([[2 ** 63]], "u8"), np.array([[9]], "u4")))[0]
many = run(encoded("rfl rst ri64 rbo rs32", [[3, 2, 2, 2, 2]], np.array([[1, 2, 3]], "f"), [["a", "b"]], tf.constant([[5, -6]], tf.int64), [[True, False]], [[4, -5]]))[0]
packed = b"\\xb2\\x06\\x08" + np.array([1, 2], "f").tobytes() + b"\\xba\\x06\\x03\\x05\\x80\\x01"
"""

_DECODED = """
numbers | decoded([one, b""], "db fl i64 i32 bo", tf.float64, tf.float32, tf.int64, tf.int32, tf.bool)
more_numbers | decoded([b"", one], "s32 s64 sf64 en u32 u64 f32", tf.int32, tf.int64, tf.int64, tf.int32, tf.uint32, tf.uint64, tf.uint32)
texts | decoded([one], "st by ms", tf.string, tf.string, tf.string)
wider | decoded([one], "i32 fl s32", tf.int64, tf.float64, tf.int64)
repeated | decoded([one, many], "rfl rst ri64 rbo rs32", tf.float32, tf.string, tf.int64, tf.bool, tf.int32)
packed | decoded([packed], "rfl ri64", tf.float32, tf.int64)
none | decoded([b""], "db rst", tf.float64, tf.string)
scalar | decoded(many, "rst db", tf.string, tf.float64)
matrix | decoded([[one, many]], "db rst", tf.float64, tf.string)
no_fields | decoded([one], "")
twice_there | decoded([one + many + one + many], "db rst", tf.float64, tf.string)
twice_asked | decoded([one], "db db", tf.float64, tf.float64)
unknown | decoded(tf.placeholder_with_default([one], None), "db", tf.float64)
of_train | decoded([tf.train.Int64List(value=[1, 2]).SerializeToString()], "value", tf.int64, kind="tensorflow.Int64List", source="local://")
of_examples | decoded([tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature(float_list=tf.train.FloatList(value=[1.5]))})).SerializeToString()], "features", tf.string, kind="tensorflow.Example", source="")
of_text | decoded(['feature { key: "a" value { int64_list { value: [3, 4] } } } feature { key: "b" }'], "feature", tf.string, kind="tensorflow.Features", source="local://", message_format="text")
of_types | decoded(["dtype: DT_FLOAT", "dtype: 77"], "dtype", tf.int32, kind="tensorflow.TensorProto", source="local://", message_format="text")
of_maps | decoded([tf.train.Features(feature={"a": tf.train.Feature()}).SerializeToString()], "feature", tf.string, kind="tensorflow.Features", source="local://")
of_entries | decoded([b"\\n\\x01a\\x12\\x00"], "key value", tf.string, tf.string, kind="tensorflow.Features.FeatureEntry", source="local://")
"""

_ENCODED = """
numbers | encoded("db rst", [[1, 2], [0, 1]], np.array([[1.5], [2.0]]), [["a", "b"], ["c", "d"]])
sorted | encoded("s32 i32", [[1, 1]], [[2]], [[1]])
zero | encoded("i32", [[1]], [[0]])
less | encoded("ri32", [[1]], [[3, 4]])
message | encoded("ms", [[1]], [[b"\\x08\\x04"]])
negative | encoded("ri64 rs64 rsf32", [[2, 2, 1]], tf.constant([[5, -6]], tf.int64), tf.constant([[-1, 2 ** 40]], tf.int64), [[-9]])
rank_3 | encoded("i32", np.ones([2, 1, 1], "i"), [[[3]], [[4]]])
of_train | encoded("value", [[2]], tf.constant([[1, 2]], tf.int64), kind="tensorflow.Int64List", source="local://")
nothing | encoded("i32", np.zeros([0, 1], "i"), np.zeros([0, 1], "i"))
"""

# q.M (version 2) and t.M (version 3): those fields, a oneof of oa and ob, a map mp, enums en of the
# file and ie of the message; q.M has groups and a message with a required field, t.M an optional one.
_TEXT_DESCRIPTION = (
    "eNrtk0tOG0EQhul52sXAjBtFaXmFnI2DFC/G5CGUh4RkERY2kpdsIlsMhGA8w7iN8A1yidwj++yyyjG4RJT8XTNOQHYUWG"
    "UTb+y/vqrqcnf99NWnIMtTncYt/pLiovGERE9WSQyU2BRN1/wcKmvTblalJDFWNqKrsd+6aHVbvbjxySPRlUTW0ZALhFwl"
    "O4dIUCIMOB6hXDQtBhDHACxOn21zN1sG5ORGnQDZBk0hHCCHkVHvgRyuasfK5ckiUwV1CuTuWhEffYxcD9jjSqM+AHuMkO"
    "sD+QWCOgPyzYzDVFVAKjwjxAigYsBEqypAlQHEOV+EqZgpAgiKipkaA7CYou8qyFoxOlQKxGpizgzAQrlGbs4yAwwLiFnX"
    "AKMSQl4ARqbpBJnrYDVualQOVGOEvBBIFghqAiRxO1YyVhHIeuzgtTqyhkkR0sDzkCTrNFE1TvL4SfflBtIQnHLaPIhu5x"
    "Ml+e1NaY+7IXSJtHkoICsdqNg8ztsVVkPVNrcHpdAgU9ucHXDTbtYZ63wmH5B9kmfqJRIprjDayzP5EP/GxF+hhOIqx/sG"
    "hCRy9frXJP36I7J6sdnTq3IDeU+tW3taf0z+/EBc2lky49yquevLwWiacL67Y70Q9Yhsc85vD9Rr5PRvhxobJPalR9b+Yb"
    "TC308jd8urXPvRt3DXJpH2nZN0nDQaJPrmZcZJcoRSC3sbkjMYTdLyRPF8q0miIyvkHHb6B+jmk33Q62CdMUivsxd9/1F+"
    "xI4kO7nS0vzvrro2y+wOvcLB9Nkrzdyem1nf2cy6MPMX95+ZObhp5v9G/qOR9aKR9YKR9TIj6yVG1otG1vcysr5h5JCsLF"
    "VvuEp8FOIvxtT3NeZSz7HXdl2y32Wl5e5up9I67Z+kyy/X"
)

_TEXT_START = (
    f"import base64, zlib\ndata = base64.b64decode({_TEXT_DESCRIPTION!r})\n"
    + """
source = b"bytes://" + zlib.decompress(data)
types = dict(db=tf.float64, fl=tf.float32, i64=tf.int64, u64=tf.uint64, i32=tf.int32, f64=tf.uint64, f32=tf.uint32, bo=tf.bool, u32=tf.uint32,
    sf32=tf.int32, sf64=tf.int64, s32=tf.int32, s64=tf.int64, en=tf.int32, ie=tf.int32, oa=tf.int32, po=tf.int32)
given = tf.placeholder(tf.string, [None])
def read(field, rows, message_format="text", kinds=("q.M", "t.M")):
    dtype = types.get(field, types.get(field[1:], tf.string))
    for kind in kinds:
        found = tf.io.decode_proto(given, kind, [field], [dtype], descriptor_source=source, message_format=message_format)
        for row in rows:
            try:
                show(run([found.sizes, found.values[0]], {given: [row]}))
            except tf.errors.OpError as error:
                show(type(error).__name__)
"""
)

_TEXT_NUMBERS = r"""
read("i32", ['i32: 5', 'i32: 0', 'i32:-5', 'i32: - 5', 'i32: -2147483648', 'i32: -2147483649', 'i32: 2147483647', 'i32: 2147483648', 'i32: 0x1F', 'i32: -0x1F', 'i32: 017', 'i32: 08', 'i32: 1.0', 'i32: 1e2', 'i32: 5 i32: 6', 'i32: 0 i32: 6', 'i32 5', 'i32: [5]', 'i32: +5', 'I32: 5', 'i32: 5,', 'i32: 5;;', 'i32: 5 ; ri32: 1', 'i32: "5"', 'i32: true', 'i32: 99999999999999999999999999', 'zz: 5', '5: 5', '5 { }', '# comment\n i32: 5 # more', '// comment\n i32: 5', 'i32: 5 }', '{ i32: 5 }', 'i32:5i64:6', 'i32:5#x', '', '  \n', 'i32: 3 RGrp { a: 5 } ', '[q.nope]: 5 i32: 6', '[type.googleapis.com/q.N] { a: 5 }', 'i32: 5 x', 'i32: 5\x00', 'i32: 5 \x01', 'i32: 5 \xe9', 'i32\t:\t5\r\n\x0c\x0b', 'i32: 5 /* c */', 'i32: 5, ; st: "x"', ', i32: 5', 'i32 : 5 , st : "x" , by: "q";', 'i32: 5-', 'i32: 5"x"', 'i32: 0b1', 'i32: 0x', 'i32: 0xg', 'i32: 1 000', 'i32: 5.'])
read("ri32", ['ri32: [1, 2,3]', 'ri32: []', 'ri32 []', 'ri32: [1, 2,]', 'ri32: [1 2]', 'ri32: 1 ri32: 2 ri32: [3]', 'ri32: [0, 0]', 'ri32: [1; 2]'])
read("db", ['db: 1.5', 'db: 1', 'db: 0x10', 'db: 010', 'db: 0', 'db: -0.0', 'db: 1.5f', 'db: 1f', 'db: 1F', 'db: .5', 'db: 5.', 'db: 1e400', 'db: -1e400', 'db: 1e-400', 'db: inf', 'db: -inf', 'db: - infinity', 'db: INFINITY', 'db: NaN', 'db: -nan', 'db: nanx', 'db: 1.5.5', 'db: 1e', 'db: 1e+5', 'db: 1E-5', 'db: 1_0', 'db: 123456789012345678901234567890', 'db: "1"', 'db: 1.5abc', 'db: 0.5.', 'db: 00.5', 'db: 00', 'db: 0f', 'db: 0e0', 'db: - - 1', 'db: 1 e5', 'db: -Infinityx', 'db: inff', 'db: .', 'db: -.5', 'db: 1.e5', 'db: 99999999999999999999.5'])
read("fl", ['fl: 1e39', 'fl: 3.4028235e38', 'fl: 3.40282356e38', 'fl: 1e-46', 'fl: 0.1', 'fl: 16777217', 'fl: -inf'])
read("rfl", ['rfl: [1, inf, -nan, 2.5f]'])
read("u32", ['u32: 4294967295', 'u32: 4294967296', 'u32: -1', 'u32: -0'])
read("u64", ['u64: 18446744073709551615', 'u64: 18446744073709551616', 'u64: 0xFFFFFFFFFFFFFFFF', 'u64: 0x1FFFFFFFFFFFFFFFF'])
read("i64", ['i64: -9223372036854775808', 'i64: 9223372036854775808', 'i64: -9223372036854775809'])
read("s32", ['s32: -7'])
read("s64", ['s64: -7'])
read("sf32", ['sf32: -7'])
read("sf64", ['sf64: -7'])
read("f32", ['f32: 7'])
read("f64", ['f64: 7'])
read("bo", ['bo: true', 'bo: True', 'bo: t', 'bo: 1', 'bo: 0', 'bo: f', 'bo: False', 'bo: TRUE', 'bo: 2', 'bo: 0x1', 'bo: 01', 'bo: -1', 'bo: "true"', 'bo: 00', 'bo: 0x0', 'bo: 1.0', 'bo: T', 'bo: F'])
read("rbo", ['rbo: [true, false, 1, f]'])
read("en", ['en: ONE', 'en: NEG', 'en: -3', 'en: 1', 'en: 9', 'en: NINE', 'en: I5', 'en: one', 'en: "ONE"', 'en: - ONE', 'en: 0x1', 'en: 99999999999'])
read("ren", ['ren: [ONE, ZERO, -3]', 'ren: [9]'])
read("ie", ['ie: I5', 'ie: ONE'])
"""

_TEXT_STRINGS = r"""
read("st", ['st: "abc"', 'st: \'a"bc\'', 'st: "a" \'b\' "c"', 'st: "a""b"', 'st: "\\n\\t\\\\\\"\\\'\\?\\a\\b\\f\\v\\r"', 'st: "\\101\\7\\1234"', 'st: "\\400"', 'st: "\\777"', 'st: "\\x41\\x4g"', 'st: "\\x414"', 'st: "\\X41"', 'st: "\\xg"', 'st: "\\u00e9\\U0001F600"', 'st: "\\ud83d\\ude00"', 'st: "\\ud83d"', 'st: "\\u12"', 'st: "\\U0010FFFF"', 'st: "\\q"', 'st: "\\8"', 'st: "\xe9"', 'st: "\\377"', 'st: abc', 'st: 5', 'st: "abc', 'st: "a\nb"', 'st: "a\\\nb"', 'st: ""', 'st: "" st: "x"', 'st: "x" ;', 'ms { a: 5 }; st: "k", rms <>, rms {};', 'st:"a"i32:5', 'st: "tab\there"'])
read("by", ['by: "\\377\\000x"', "by: ''"])
read("rst", ['rst: ["a", "b" "c"]', 'rst: ["a" , 5]'])
"""

_TEXT_MESSAGES = r"""
read("rms", ['rms: [{a: 1}, <b: "x">]', 'rms [{a: 1}, {a: 2}]', 'rms {a: 1} rms {} rms: {a: 3 b: "q" b: "r"}', 'rms: []', 'rms { a: 1 >', 'rms { a: 1', 'rms < n { x: 1.5 n { n { x: 2 } } } >'])
read("ms", ['ms { a: 1 } ms { a: 2 }', 'ms { }', 'ms { a: 0 }', 'ms { b: "x" a: 3 }', 'ms ', 'ms: ', 'ms { zz: 1 }'])
read("oa", ['oa: 5', 'oa: 0', 'oa: 5 ob: "x"', 'oa: 5 oa: 6'])
read("ob", ['oa: 0 ob: "x"'])
read("mp", ['mp { key: "a" value: 5 }', 'mp { key: "a" }', 'mp { value: 5 }', 'mp { }', 'mp { key: "a" value: 5 } mp { key: "a" value: 6 }', 'mp { key: "b" value: 5 } mp { key: "a" value: 6 }', 'mp { value: 5 key: "b" }', 'mp: [{ key: "b" value: 5 }, { key: "c" value: 0 }]', 'mp { key: "a" key: "b" }'])
read("grp", ['Grp { a: 5 }', 'grp { a: 5 }', 'GRP { a: 5 }', 'Grp: { a: 5 }', 'Grp { }'])
read("rgrp", ['RGrp { a: 5 } RGrp { a: 6 }'])
read("r", ['r { need: 5 }', 'r { also: 5 }', 'r { }'])
read("po", ['po: 0', 'po: 5', 'po: 0 po: 0'])
"""

_GROUPS = r"""
group = b"\xe3\x03\x08\x05\xe4\x03"
read("grp", [group, group * 2, b"\xe3\x03" + group + b"\xe4\x03", group[:4], group[:4] + b"\xec\x03", b"\xe4\x03", b"\xe2\x03\x02\x08\x05", b"\xe0\x03\x02"], "binary", ["q.M"])
read("rgrp", [b"\xeb\x03\x08\x05\xec\x03\xeb\x03\xec\x03"], "binary", ["q.M"])
read("ms", [b"\x93\x01\x08\x05\x94\x01"], "binary")
read("i32", [group + b"\x28\x05", b"\x2b\x08\x05\x2c\x28\x05", b"\x43" * 100 + b"\x44" * 100 + b"\x28\x05", b"\x43" * 101 + b"\x44" * 101], "binary")
show(run(tf.io.encode_proto([[2]], [[[b"\x08\x05", b""]]], ["rgrp"], "q.M", descriptor_source=source)))
"""

_FAILS = """
run_type | run(decoded([one], "db", tf.float32))
run_type_wide | run(decoded([one], "u64", tf.int64))
run_type_enum | run(decoded([one], "en", tf.int64))
run_type_text | run(decoded([one], "db", tf.string))
run_field | run(decoded([one], "zz", tf.float32))
run_message | run(decoded([one], "db", tf.float64, kind="p.Q"))
run_count | run(decoded([one], "db", tf.float64, tf.int32))
run_torn | run(decoded([b"\\xff\\xff\\xff"], "db", tf.float64))
run_cut | run(decoded([b"\\x09\\x01"], "db", tf.float64))
run_text | run(decoded(["zz: 1"], "db", tf.float64, message_format="text"))
run_format | run(decoded([one], "db", tf.float64, message_format="x"))
run_nothing | run(decoded(tf.placeholder_with_default(np.zeros([0], object), [None]), "db", tf.float64))
run_size | run(encoded("ri32", [[3]], [[2]]))
run_encoded_type | run(encoded("i32", [[1]], tf.constant([[2.0]], tf.float64)))
run_encoded_field | run(encoded("zz", [[1]], [[2]]))
run_sizes | run(encoded("i32", [[1, 1]], [[2]]))
run_batch | run(encoded("i32", tf.placeholder_with_default([[1]], None), [[2], [3]]))
rank | encoded("i32", [1], [2])
"""

CASES = [
    *table("protos", _START, _DECODED),
    *table("protos/encoded", _START, _ENCODED),
    *table("protos/fails", _START, _FAILS, word="fails"),
    *programs(
        "protos",
        {
            "from_a_file": _START
            + """
import os
os.makedirs(folder, exist_ok=True)
path = os.path.join(folder, "set"); f = open(path, "wb"); f.write(source[8:]); f.close()
show(run(decoded([one], "db", tf.float64, source=path)))
""",
            "text_numbers": _TEXT_START + _TEXT_NUMBERS,
            "text_strings": _TEXT_START + _TEXT_STRINGS,
            "text_messages": _TEXT_START + _TEXT_MESSAGES,
            "groups": _TEXT_START + _GROUPS,
        },
    ),
]
