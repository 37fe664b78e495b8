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
        },
    ),
]
