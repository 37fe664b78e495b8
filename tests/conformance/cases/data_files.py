"""tf.data: tables in files, records written, results by key, loops in functions, saved iterators."""

import textwrap

from ..case import programs
from .data import _START

_TABLE = """
E = tf.data.experimental
import os, tempfile
here = tempfile.mkdtemp()
def path(name, content):
    p = os.path.join(here, name); file(p, content); return p
A = path("a.csv", b"age,name,height\\n1,ann,1.5\\n2,\\"bo, b\\",\\n3,,2\\n")
B = path("b.csv", b"age,name,height\\n4,dee,NA\\n5,eve,1e3\\n")
def several(d, count=8):
    try: elements(d, count)
    except tf.errors.OpError as e: show(type(e).__name__)
"""

_FILES = {
    "csv": "elements(E.CsvDataset(A, [0, '', 0.5], header=True)); elements(E.CsvDataset([A, B], [tf.int64, '', [9.0]], header=True, na_value='NA'))",
    "csv_columns": "elements(E.CsvDataset(A, [0.0, 7], header=True, select_cols=[0, 2])) if False else elements(E.CsvDataset(A, [0, -1.0], header=True, select_cols=[0, 2]))",
    "csv_delimiters": """
    elements(E.CsvDataset(path("t", b"1\\tx\\n2\\ty\\n"), [0, ''], field_delim='\\t'))
    elements(E.CsvDataset(path("q", b'1,"x"\\n'), [0, ''], use_quote_delim=False))
    elements(E.CsvDataset(path("m", b'1,"x\\ny"\\n2,"a ""b"" c"\\r\\n'), [0, '']))
    elements(E.CsvDataset(path("n", b"1,2\\n3,4"), [tf.int32, tf.float64]))
    """,
    "csv_compressed": """
    import gzip, zlib
    elements(E.CsvDataset(path("g", gzip.compress(b"1,2\\n3,4\\n")), [0, 0], compression_type="GZIP"))
    elements(E.CsvDataset(path("z", zlib.compress(b"1,2\\n3,4\\n")), [0, 0], compression_type="ZLIB"))
    """,
    "csv_errors": """
    def kind(d):
        it = tf.data.make_initializable_iterator(d); session().run(it.initializer); n = it.get_next(); found = []
        for _ in range(4):
            try: found.append(session().run(n))
            except tf.errors.OpError as e: found.append(type(e).__name__)
        show(found)
    kind(E.CsvDataset(path("few", b"1\\n2,3\\n"), [0, 0]))
    kind(E.CsvDataset(path("many", b"1,2,3\\n2,3\\n"), [0, 0]))
    kind(E.CsvDataset(path("bad", b"1,x\\n2,3\\n"), [0, 0]))
    kind(E.CsvDataset(path("needed", b"1,\\n2,3\\n"), [0, tf.int32]))
    kind(E.CsvDataset("/nowhere/x.csv", [0, 0]))
    kind(E.CsvDataset(path("skip", b"1,x\\n2,3\\n"), [0, 0]).apply(E.ignore_errors()))
    """,
    "make_csv": """
    elements(E.make_csv_dataset(A, 2, num_epochs=1, shuffle=False))
    elements(E.make_csv_dataset([A, B], 2, label_name="age", num_epochs=1, shuffle=False, na_value="NA"))
    elements(E.make_csv_dataset(here + "/*.csv", 3, num_epochs=1, shuffle=False, select_columns=["height", "age"], na_value="NA"))
    elements(E.make_csv_dataset(A, 2, shuffle=False, select_columns=[1]), count=4)
    """,
    "make_csv_given": """
    elements(E.make_csv_dataset(path("c", b"1,2\\n3,4\\n"), 1, column_names=["x", "y"], header=False, num_epochs=1, shuffle=False))
    elements(E.make_csv_dataset(A, 3, column_defaults=[tf.float32, "none", 0.25], num_epochs=1, shuffle=False))
    elements(E.make_csv_dataset(A, 3, column_defaults=[tf.int64], select_columns=["age"], num_epochs=2, shuffle=False))
    n = E.make_csv_dataset(A, 3, num_epochs=1, shuffle_seed=1).make_one_shot_iterator().get_next(); show(sorted(run(n)["age"].tolist()))
    """,
    "make_csv_types": """
    for cell in (b"1", b"3000000000", b"1.5", b"1e300", b"x", b"", b"1e400", b"-7", b"99999999999999999999"):
        d = E.make_csv_dataset(path("k", b"a,b\\n" + cell + b",1\\n"), 1, num_epochs=1)
        show(tf.data.get_output_types(d)["a"])
    d = E.make_csv_dataset(path("k", b"a\\n1\\n2.5\\n3\\n"), 1, num_epochs=1); show(tf.data.get_output_types(d)["a"])
    d = E.make_csv_dataset(path("k", b"a\\n1\\nx\\n"), 1, num_epochs=1, num_rows_for_inference=1); show(tf.data.get_output_types(d)["a"])
    """,
    "make_csv_refused": """
    fails(lambda: E.make_csv_dataset("/nowhere/*.csv", 1)) if False else None
    fails(lambda: E.make_csv_dataset([], 1))
    fails(lambda: E.make_csv_dataset(A, 1, header=False))
    fails(lambda: E.make_csv_dataset(A, 1, label_name="none")) if False else None
    fails(lambda: E.make_csv_dataset(A, 1, select_columns=[5]))
    fails(lambda: E.make_csv_dataset(A, 1, column_names=["a", "a", "b"]))
    fails(lambda: E.make_csv_dataset(A, 1, column_names=["a", "b"]))
    """,
    "batched_features": """
    p = os.path.join(here, "e")
    with tf.python_io.TFRecordWriter(p) as w:
        for i in range(5):
            e = tf.train.Example()
            e.features.feature["x"].float_list.value.extend([i, i + 0.5])
            e.features.feature["y"].int64_list.value.append(i)
            w.write(e.SerializeToString())
    f = {"x": tf.FixedLenFeature([2], tf.float32), "y": tf.FixedLenFeature([], tf.int64)}
    elements(E.make_batched_features_dataset(p, 2, f, num_epochs=1, shuffle=False))
    elements(E.make_batched_features_dataset(p, 2, f, label_key="y", num_epochs=1, shuffle=False, drop_final_batch=True))
    elements(E.make_batched_features_dataset(p, 3, f, label_key="y", shuffle=False), count=3)
    elements(tf.data.TFRecordDataset(p).batch(3).apply(E.parse_example_dataset(f)))
    """,
    "example": """
    t = tf.train
    e = t.Example(features=t.Features(feature={
        "i": t.Feature(int64_list=t.Int64List(value=[1, -2, 2**40])), "f": t.Feature(float_list=t.FloatList(value=[0.5, -1e20])),
        "b": t.Feature(bytes_list=t.BytesList(value=[b"x\\x00y", b""])), "n": t.Feature()}))
    raw = e.SerializeToString(deterministic=True); show(raw)
    again = t.Example.FromString(raw); show(again == e, sorted(again.features.feature), again.features.feature["f"].float_list.value[0])
    again.features.feature["i"].int64_list.value.append(7); again.MergeFromString(raw); show(list(again.features.feature["i"].int64_list.value), e.ByteSize())
    show(str(t.Feature(int64_list=t.Int64List(value=[3]))), t.Example().SerializeToString(), e.features.feature["b"].WhichOneof("kind"), again.HasField("features"))
    f = tf.parse_single_example(raw, {"i": tf.FixedLenFeature([3], tf.int64), "b": tf.VarLenFeature(tf.string), "n": tf.FixedLenFeature([1], tf.float32, default_value=[9.])})
    show(run(f["i"]), run(f["b"]).values, run(f["n"]))
    """,
    "tf_record_writer": """
    p = os.path.join(here, "r")
    run(E.TFRecordWriter(p).write(D.from_tensor_slices(["a", "bc"]))); show(list(tf.python_io.tf_record_iterator(p)))
    run(E.TFRecordWriter(p, "GZIP").write(D.range(3).map(tf.as_string))); elements(tf.data.TFRecordDataset(p, compression_type="GZIP"))
    fails(lambda: E.TFRecordWriter(p).write(3))
    """,
    "single_element": """
    show(run(E.get_single_element(D.range(9).batch(9))))
    for d in (D.range(0), D.range(2)):
        try: run(E.get_single_element(d))
        except tf.errors.OpError as e: show(type(e).__name__, text(e))
    fails(lambda: E.get_single_element(3))
    """,
}

_LOOPS = {
    "loop_nested": """
    @tf.function
    def f():
        s = 0.0
        n = 0
        for a, b in tf.data.Dataset.from_tensor_slices(([1., 2., 3.], {"x": [3., 4., 5.]})).batch(2):
            s += tf.reduce_sum(a * b["x"])
            n += 1
        return s, n
    show(f())
    """,
    "loop_training": """
    x = np.arange(8, dtype=np.float32); ds = tf.data.Dataset.from_tensor_slices((x, 3 * x)).batch(4)
    w = tf.Variable(0.0)
    @tf.function
    def epoch(ds):
        last = 0.0
        for a, b in ds:
            with tf.GradientTape() as tape: last = tf.reduce_mean((w * a - b) ** 2)
            w.assign_sub(0.01 * tape.gradient(last, w))
        return last
    show([epoch(ds) for _ in range(3)], w.read_value())
    """,
}

CASES = [
    *programs(
        "data_files",
        {k: _START + _TABLE + textwrap.dedent(v).strip("\n") for k, v in _FILES.items()},
    ),
    *programs("data_loops", {k: "# eager\n" + textwrap.dedent(v) for k, v in _LOOPS.items()}),
]
