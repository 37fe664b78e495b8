"""Bytes, CSV, examples and tensors as messages."""

import textwrap

from ..case import programs, table

_EACH = '''
raw | tf.decode_raw(b"\\x01\\x02\\x03\\x04", tf.uint8)
raw_rows | tf.decode_raw([b"\\x01\\x02\\x03\\x04", b"\\x01\\x00\\x00\\x04"], tf.int16)
raw_big_endian | tf.decode_raw(b"\\x01\\x02", tf.int16, little_endian=False)
raw_floats | tf.decode_raw(np.float32([1, 2]).tobytes(), tf.float32)
raw_bool | tf.decode_raw(b"\\x01\\x00", tf.bool)
raw_nothing | tf.decode_raw(np.zeros([0], object), tf.uint8)
csv | tf.decode_csv("1,2.5,abc", [[0], [0.], [""]])
csv_defaults | tf.decode_csv(",,", [[7], [0.5], ["d"]])
csv_rows | tf.decode_csv(["1,a", "2,b"], [[0], [""]])
csv_quotes | tf.decode_csv('"a,b","say ""hi""",1', [[""], [""], [0]])
csv_no_quotes | tf.decode_csv('"a,b"', [[""], [""]], use_quote_delim=False)
csv_delimiter | tf.decode_csv("1;2", [[0], [0]], field_delim=";")
csv_missing | tf.decode_csv("NA,2", [[9], [0]], na_value="NA")
csv_columns | tf.decode_csv("1,2,3,4", [[0], [""]], select_cols=[1, 3])
csv_long | tf.decode_csv("9999999999", [tf.constant([0], tf.int64)])
csv_double | tf.decode_csv("1e-300", [tf.constant([0.], tf.float64)])
csv_blanks | tf.decode_csv(" 1, 2, a ", [[0], [0.], [""]])
csv_scalar_defaults | tf.decode_csv("1,", [0, 5])
csv_line_in_quotes | tf.decode_csv('1,"b\\nc"', [[0], [""]])
csv_last_empty | tf.decode_csv("1,2,", [[0], [0], ["e"]])
serialize | tf.serialize_tensor(tf.constant([[1, 2], [3, 4]]))
serialize_strings | tf.serialize_tensor(tf.constant(["a", "bc"]))
serialize_scalar | tf.serialize_tensor(tf.constant(1.5))
serialize_bool | tf.serialize_tensor(tf.constant(True))
serialize_empty | tf.serialize_tensor(tf.zeros([0, 2], tf.float64))
parse_tensor | tf.parse_tensor(tf.serialize_tensor(tf.constant([[1, 2], [3, 4]], tf.int64)), tf.int64)
'''

_FAILS = """
csv_default_shape | tf.decode_csv("1", [[0, 1]])
csv_type | tf.decode_csv("1", [tf.constant([True])])
csv_columns_order | tf.decode_csv("1,2", [[0]], select_cols=[1, 0])
csv_columns_count | tf.decode_csv("1,2", [[0]], select_cols=[0, 1])
run_raw | run(tf.decode_raw(b"\\x01\\x02\\x03", tf.int16))
run_raw_uneven | run(tf.decode_raw([b"\\x01\\x02", b"\\x01"], tf.uint8))
run_csv_required | run(tf.decode_csv("1,,", [[7], tf.constant([], tf.float32), ["d"]]))
run_csv_too_many | run(tf.decode_csv("1,2,3", [[0], [0]]))
run_csv_too_few | run(tf.decode_csv(["1,2", "1"], [[0], [0]]))
run_csv_empty | run(tf.decode_csv("", [[1]]))
run_csv_int | run(tf.decode_csv("x", [[0]]))
run_csv_float | run(tf.decode_csv(["1", "x"], [[0.]]))
run_csv_too_large | run(tf.decode_csv("9999999999", [[0]]))
run_csv_quote_inside | run(tf.decode_csv('a"b,c', [[""], [""]]))
run_csv_quote_open | run(tf.decode_csv('"ab', [[""]]))
run_csv_quote_wild | run(tf.decode_csv('"a"b,1', [[""], [0]]))
run_csv_line_end | run(tf.decode_csv("1,2\\r\\n", [[0], [0]]))
run_csv_delimiter | run(tf.decode_csv("1", [[0]], field_delim="ab"))
run_parse_tensor_type | run(tf.parse_tensor(tf.serialize_tensor(tf.constant([1.])), tf.int64))
run_parse_tensor | run(tf.parse_tensor("junk", tf.int64))
"""

_RECORD = """
F = tf.train.Feature
i64 = lambda *v: F(int64_list=tf.train.Int64List(value=v))
flt = lambda *v: F(float_list=tf.train.FloatList(value=v))
raw = lambda *v: F(bytes_list=tf.train.BytesList(value=v))
def example(**kw): return tf.train.Example(features=tf.train.Features(feature=kw))
one = example(a=i64(1, 2, 3), b=flt(.5), c=raw(b"x", b"yy"), d=i64()).SerializeToString()
two = example(a=i64(4, 5, 6), c=raw(b"q")).SerializeToString()
single = lambda features, record=one: tf.parse_single_example(record, features)
batch = lambda features, records=(one, two), **kw: tf.parse_example(list(records), features, **kw)
def values(parsed): return run([parsed[key] for key in sorted(parsed) if isinstance(parsed[key], tf.Tensor)])
def sparse(parsed): return run([[parsed[k].indices, parsed[k].values, parsed[k].dense_shape] for k in sorted(parsed) if not isinstance(parsed[k], tf.Tensor)])
"""

_EXAMPLES = {
    "fixed": """
    p = single({"a": tf.FixedLenFeature([3], tf.int64), "b": tf.FixedLenFeature([], tf.float32), "z": tf.FixedLenFeature([2], tf.int64, default_value=[7, 8])})
    show([p[k].shape for k in "abz"], [p[k].dtype for k in "abz"], values(p))
    """,
    "variable": """
    p = single({"c": tf.VarLenFeature(tf.string), "d": tf.VarLenFeature(tf.int64), "z": tf.VarLenFeature(tf.float32)})
    show([[p[k].indices.shape, p[k].values.shape, p[k].dense_shape.shape] for k in "cdz"], sparse(p))
    """,
    "sequence_feature": """
    p = single({"a": tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True), "z": tf.FixedLenSequenceFeature([2], tf.float32, allow_missing=True)})
    show(p["a"].shape, p["z"].shape, values(p))
    """,
    "names_of_defaults": """
    p = single({"c:d*e/f g": tf.FixedLenFeature([2], tf.float32, default_value=[1., 2.])})
    show(values(p), sorted(op.name for op in tf.get_default_graph().get_operations() if "key_" in op.name and op.type == "Const"))
    """,
    "empty_record": 'show(values(single({"z": tf.FixedLenFeature([], tf.string, default_value="d")}, "")))',
    "single_errors": """
    int64 = tf.FixedLenFeature([], tf.int64)
    fails(lambda: values(single({"zz": int64})))
    fails(lambda: values(single({"a": tf.FixedLenFeature([2], tf.int64)})))
    fails(lambda: values(single({"a": tf.FixedLenFeature([3], tf.float32)})))
    fails(lambda: sparse(single({"a": tf.VarLenFeature(tf.string)})))
    fails(lambda: values(single({"a": int64}, "garbage")))
    """,
    "building_errors": """
    fails(single, {"a": tf.FixedLenSequenceFeature([], tf.int64)})
    fails(single, {"a": tf.FixedLenFeature([3], tf.int32)})
    fails(single, {"a": tf.VarLenFeature(tf.int32)})
    fails(single, {}); fails(single, None)
    """,
    "batch": """
    p = batch({"a": tf.FixedLenFeature([3], tf.int64), "b": tf.FixedLenFeature([], tf.float32, default_value=-1.)})
    show(p["a"].shape, p["b"].shape, values(p)); show(sparse(batch({"c": tf.VarLenFeature(tf.string)})))
    """,
    "batch_of_sequences": """
    p = batch({"c": tf.FixedLenSequenceFeature([], tf.string, allow_missing=True, default_value="pad"), "d": tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True)})
    show(p["c"].shape, values(p))
    """,
    "batch_errors": """
    fails(lambda: values(batch({"b": tf.FixedLenFeature([], tf.float32)})))
    fails(lambda: values(batch({"b": tf.FixedLenFeature([], tf.float32)}, example_names=["n1", "n2"])))
    fails(lambda: values(batch({"a": tf.FixedLenFeature([2], tf.int64)})))
    fails(lambda: values(batch({"a": tf.FixedLenFeature([3], tf.float32)})))
    fails(lambda: sparse(batch({"a": tf.VarLenFeature(tf.string)})))
    fails(lambda: sparse(batch({"a": tf.VarLenFeature(tf.int64)}, (one, b"garbage"))))
    """,
    "unknown_batch": """
    p = tf.parse_example(tf.placeholder(tf.string, [None]), {"a": tf.FixedLenFeature([3], tf.int64), "q": tf.FixedLenSequenceFeature([2], tf.int64, allow_missing=True)})
    show(p["a"].shape, p["q"].shape)
    """,
    "messages": """
    e = example(a=i64(1, 2)); show(str(e), e.SerializeToString(), tf.train.Example.FromString(e.SerializeToString()) == e)
    show(e.features.feature["a"].int64_list.value[1], e.features.feature["a"].WhichOneof("kind"), list(e.features.feature))
    """,
}

CASES = [
    *table("parsing", "", _EACH),
    *table("parsing/fails", "", _FAILS, word="fails"),
    *programs("parsing/examples", {k: _RECORD + textwrap.dedent(v) for k, v in _EXAMPLES.items()}),
]
