"""Pipelines drawn at random whose elements are dictionaries, tuples and sparse tensors; files; records.

The existing pipelines of `drawn_pipelines` reduce elements to numbers; here their structure is kept,
through every transformation, kind of iterator and file. Types, shapes, classes and values are compared.
"""

from collections.abc import Callable

from tests.conformance.case import Case
from tests.conformance.cases.drawn import Draw

PRELUDE = """
import os
D, E, F = tf.data.Dataset, tf.data.experimental, tf.train.Feature
def said(error):
    lines = [line for line in str(getattr(error, "message", error)).split("\\n") if line.strip() and not line.startswith(("    File ", "Graph execution", "Detected at", "Node:"))]
    return lines[0].split(" [[")[0].replace(folder, "") if lines else ""
def leaves(*e): return [t for t in tf.nest.flatten(e) if isinstance(t, tf.Tensor)]
def size(t): return tf.reduce_sum(tf.cast(tf.strings.length(t) if t.dtype == tf.string else t, tf.float32))
def number(*e): return tf.cast(tf.add_n([size(t) for t in leaves(*e)] or [tf.constant(3.0)]), tf.int64)
def each(f):
    def call(*e):
        made = tf.nest.map_structure(lambda t: f(t) if isinstance(t, tf.Tensor) else t, e)
        return made[0] if len(made) == 1 else tuple(made)
    return call
def shown(v):
    if isinstance(v, tf.SparseTensorValue) or type(v).__name__ == "SparseTensorValue": return [v.indices, v.values, v.dense_shape]
    if isinstance(v, dict): return {k: shown(v[k]) for k in sorted(v)}
    if isinstance(v, (tuple, list)): return [shown(i) for i in v]
    return v
def taken(get_next, count=30):
    found = []
    try:
        for _ in range(count): found.append(shown(session().run(get_next)))
    except tf.errors.OutOfRangeError: show(ended=True)
    show(**{"found %d" % len(found): found})
def types(d):
    show(types=tf.data.get_output_types(d), shapes=tf.data.get_output_shapes(d), classes=repr(tf.data.get_output_classes(d)).replace("tensorflow.python.framework.ops", "").replace("tensorflow.python.framework.sparse_tensor", "").split(".")[-1].rstrip(")]}"))
def one_shot(d): types(d); taken(tf.data.make_one_shot_iterator(d).get_next())
def initializable(d):
    types(d); i = tf.data.make_initializable_iterator(d); n = i.get_next()
    for _ in range(2): session().run(i.initializer); taken2(n)
def taken2(n):
    found = []
    try:
        for _ in range(30): found.append(shown(session().run(n)))
    except tf.errors.OutOfRangeError: pass
    taken2.count = getattr(taken2, "count", 0) + 1
    show(**{"round %d" % taken2.count: found})
def reinitializable(d):
    types(d); i = tf.data.Iterator.from_structure(tf.data.get_output_types(d), tf.data.get_output_shapes(d), output_classes=tf.data.get_output_classes(d)); n = i.get_next()
    for e in (d, d.take(1)): session().run(i.make_initializer(e)); taken2(n)
def feedable(d):
    types(d); h = tf.placeholder(tf.string, []); i = tf.data.Iterator.from_string_handle(h, tf.data.get_output_types(d), tf.data.get_output_shapes(d), tf.data.get_output_classes(d)); n = i.get_next()
    a, b = tf.data.make_one_shot_iterator(d), tf.data.make_one_shot_iterator(d.skip(1)); ha, hb = session().run([a.string_handle(), b.string_handle()])
    found = []
    for handle in (ha, hb, ha, hb):
        try: found.append(shown(session().run(n, {h: handle})))
        except tf.errors.OutOfRangeError: found.append("end")
    show(found=found)
def summed(d):
    types(d); show(reduced=session().run(d.reduce(np.int64(1), lambda s, *e: s * 2 + number(*e))))
def cardinality(d): types(d); show(cardinality=session().run(E.cardinality(d)))
def spec(d): show(spec=[str(s) for s in tf.nest.flatten(tf.data.get_output_shapes(d))]); taken(tf.data.make_one_shot_iterator(d).get_next())
"""


def _plain(d: Draw, n: int) -> str:
    """Values for `from_tensor_slices` with n rows."""
    return d.one(
        [
            f"np.arange({n}) * {d.number(1, 3)}",
            f"np.arange({n}, dtype=np.float32)",
            f"np.arange({n * 2}).reshape({n}, 2) * 1.5",
            f"['w' * i for i in range({n})]",
            f"np.eye({n}, dtype=np.float32)",
            f"np.arange({n}) % 2 == 0",
            f"np.arange({n * 4}, dtype=np.uint8).reshape({n}, 2, 2)",
        ]
    )


def _nest(d: Draw, n: int, depth: int = 2) -> str:
    if not depth or d.chance(0.3):
        return _plain(d, n)
    kids = [_nest(d, n, depth - 1) for _ in range(d.number(1, 3))]
    kind = d.one("tuple dict dict tuple sparse")
    if kind == "dict":
        return "{" + ", ".join(f"'{key}': {kid}" for key, kid in zip(d.one(["cab", "abc", "xyz"]), kids, strict=False)) + "}"  # fmt: skip
    if kind == "sparse":
        return f"tf.SparseTensor([[0, 1], [{n - 1}, 0]], [1.5, 2.0], [{n}, 3])"
    return f"({', '.join(kids)},)"


def _source(d: Draw) -> str:
    n = d.number(2, 6)
    return d.one(
        [
            f"D.from_tensor_slices({_nest(d, n)})",
            f"D.from_tensor_slices({_nest(d, n)})",
            f"D.from_tensor_slices({_nest(d, n)})",
            f"D.from_tensors({_nest(d, n, 1)})",
            f"D.zip((D.range({n}), D.from_tensor_slices({_nest(d, n, 1)})))",
            f"D.zip({{'q': D.from_tensor_slices({_nest(d, n, 1)}), 'p': (D.range({n + 1}), D.range(3, 9))}})",
            f"D.from_generator(lambda: ({{'a': i, 'b': [i] * (i % 3)}} for i in range({n})), {{'a': tf.int64, 'b': tf.float32}}, {{'a': [], 'b': [None]}})",
            f"D.from_generator(lambda: ((i, (str(i), [[i]])) for i in range({n})), (tf.int32, (tf.string, tf.float32)))",
            f"D.range({n}).map(lambda i: (i, tf.ones([i, 2])))",
            f"D.range({n}).map(lambda i: {{'v': tf.range(i), 's': tf.as_string(i)}})",
        ]
    )


#: A transformation, as text that ends a chain.
STEPS: tuple[Callable[[Draw], str], ...] = (
    lambda d: f".batch({d.number(1, 4)}, drop_remainder={d.flag()})",
    lambda d: f".padded_batch({d.number(1, 3)}, tf.data.get_output_shapes(d), drop_remainder={d.flag()})",
    lambda d: f".map(each(lambda t: t), num_parallel_calls={d.one('None 2')})",
    lambda d: ".map(lambda *e: {'all': e, 'n': number(*e)})",
    lambda d: ".map(lambda *e: (e, number(*e)))",
    lambda d: ".map(each(lambda t: tf.expand_dims(t, 0)))",
    lambda d: ".map(each(lambda t: t if t.dtype in (tf.string, tf.bool) else t * t))",
    lambda d: f".filter(lambda *e: number(*e) % {d.number(2, 3)} {d.one('== !=')} 0)",
    lambda d: f".repeat({d.number(1, 2)})",
    lambda d: f".take({d.number(-1, 4)})",
    lambda d: f".skip({d.number(0, 2)})",
    lambda d: f".shard(2, {d.number(0, 1)})",
    lambda d: f".shuffle({d.number(1, 5)}, seed={d.number(1, 9)}, reshuffle_each_iteration={d.flag()})",
    lambda d: f".flat_map(lambda *e: D.from_tensors(e[0] if len(e) == 1 else e).repeat({d.number(1, 2)}))",
    lambda d: f".interleave(lambda *e: D.from_tensors(e[0] if len(e) == 1 else e).repeat({d.number(1, 3)}), {d.number(1, 3)}, {d.number(1, 2)})",
    lambda d: f".apply(E.parallel_interleave(lambda *e: D.from_tensors(e[0] if len(e) == 1 else e).repeat({d.number(1, 3)}), {d.number(1, 3)}, {d.number(1, 2)}))",
    lambda d: ".apply(E.unbatch())",
    lambda d: ".cache()",
    lambda d: ".prefetch(1)",
    lambda d: f".apply(E.enumerate_dataset({d.number(0, 3)}))",
    lambda d: ".apply(E.scan(np.int64(1), lambda s, *e: (s + number(*e), (s, e))))",
    lambda d: ".apply(E.scan((np.int64(1), {'k': [0.5]}), lambda s, *e: ((s[0] + number(*e), {'k': s[1]['k'] * 2.0}), s)))",
    lambda d: f".apply(E.group_by_window(lambda *e: number(*e) % {d.number(1, 3)}, lambda k, w: w.batch({d.number(1, 3)}), {d.number(1, 3)}))",
    lambda d: f".apply(E.bucket_by_sequence_length(lambda *e: tf.cast(number(*e), tf.int32), [{d.number(1, 4)}, 9], [2, 1, 3], drop_remainder={d.flag()}))",
    lambda d: f".apply(E.map_and_batch(each(lambda t: t), {d.number(1, 3)}, drop_remainder={d.flag()}))",
    lambda d: f".apply(E.shuffle_and_repeat({d.number(1, 4)}, {d.number(1, 2)}, seed={d.number(1, 9)}))",
    lambda d: f".apply(E.take_while(lambda *e: number(*e) < {d.number(3, 12)}))",
    lambda d: ".concatenate(d.skip(1))",
    lambda d: f".window({d.number(1, 3)}, {d.one('None 1 2')}, {d.number(1, 2)}, {d.flag()}).flat_map(lambda *e: D.zip(tuple(w.batch(2) for w in tf.nest.flatten(e))))",
    lambda d: f".map(lambda *e: tf.range(number(*e) % 4)).apply(E.dense_to_sparse_batch({d.number(1, 3)}, [{d.number(4, 5)}]))",
    lambda d: ".map(lambda *e: tf.range(number(*e) % 4)).padded_batch(2, [None], padding_values=np.int64(-1))",
    lambda d: f".map(lambda *e: (tf.fill([number(*e) % 3], 'x'), tf.range(number(*e) % 4))).padded_batch(2, ([{d.one('None 3')}], [{d.one('None 4')}]), padding_values=('-', np.int64(7)))",
    lambda d: ".apply(E.ignore_errors())",
    lambda d: f".apply(E.sample_from_datasets and (lambda x: E.sample_from_datasets([x, x.take(1)], [{d.one(['0.5, 0.5', '0.9, 0.1'])}], seed={d.number(1, 9)})))",
    lambda d: f".apply(lambda x: E.choose_from_datasets([x, x.skip(1)], D.from_tensor_slices(np.int64({[d.number(0, 1) for _ in range(5)]}))))",
    lambda d: ".with_options(tf.data.Options())",
    lambda d: ".map(lambda *e: tf.SparseTensor([[0], [2]], tf.stack([number(*e), 7]), [4]))",
    lambda d: f".apply(E.map_and_batch_with_legacy_function(each(lambda t: t), {d.number(1, 3)}))",
    lambda d: ".apply(E.copy_to_device('/cpu:0'))",
    lambda d: ".enumerate()",
    lambda d: ".unbatch()",
    lambda d: ".map(lambda *e: {'z': leaves(*e)[0], 'a': [number(*e), 2]})",
)  # fmt: skip
ENDS = "one_shot one_shot one_shot initializable reinitializable feedable summed cardinality"


def _chain(d: Draw) -> list[str]:
    lines = [f"d = {_source(d)}"]
    lines += [f"d = d{d.pick(STEPS)(d)}" for _ in range(d.number(1, 4))]
    return [*lines, f"{d.one(ENDS)}(d)"]


# ---- files


def _files(d: Draw) -> list[str]:
    lines = [
        "os.makedirs(folder, exist_ok=True)",
        "a, b = os.path.join(folder, 'a'), os.path.join(folder, 'b')",
    ]
    kind = d.one("text csv records fixed csv_dataset")
    packed = d.one(["''", "'GZIP'", "'ZLIB'"])
    opened = {"''": "open({0}, 'wb')", "'GZIP'": "__import__('gzip').open({0}, 'wb')"}
    if kind == "records":
        for name in "ab":
            lines.append(
                f"w = tf.python_io.TFRecordWriter({name}, tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.{ {chr(39) * 2: 'NONE'}.get(packed, packed.strip(chr(39))) })); [w.write(('{name}%d' % i * i).encode()) for i in range({d.number(0, 4)})]; w.close()"
            )
        lines.append(
            f"d = tf.data.TFRecordDataset([a, b], {packed}, num_parallel_reads={d.one('None 2')})"
        )
        if d.chance(0.5):
            lines.append("d = d.map(lambda s: (s, tf.strings.length(s))).batch(2)")
        return [*lines, f"{d.one(ENDS)}(d)"]
    packed = packed if packed in opened else "''"
    body = {
        "text": d.one(["b'one\\ntwo\\n\\nthree'", "b'a\\r\\nb\\r\\n'", "b''", "b'x\\n'"]),
        "fixed": f"bytes(range({d.number(0, 14)}))",
    }.get(kind, d.one(["b'id,v,s\\n1,2.5,x\\n2,,\"y,z\"\\n3,1e2,\\n'", "b'id,v,s\\n7,0,a b\\n'", "b'id,v,s\\n1,NA,q\\n4,5,NA\\n'"]))  # fmt: skip
    for name in "ab":
        lines.append(f"f = {opened[packed].format(name)}; f.write({body}); f.close()")
    if kind == "text":
        lines.append(
            f"d = tf.data.TextLineDataset({d.one(['a', '[a, b]', 'D.from_tensors(a)', '[b]'])}, {packed}, buffer_size={d.one('None 7')})"
        )
    elif kind == "fixed":
        lines.append(
            f"d = tf.data.FixedLengthRecordDataset([a, b], {d.number(1, 4)}, {d.number(0, 2)}, {d.number(0, 2)}, compression_type={packed})"
        )
    elif kind == "csv":
        lines.append(
            f"d = E.CsvDataset([a, b], {d.one(['[tf.int32, [9.5], [repr(0)]]', '[[0], tf.constant([1.5]), tf.string]', '[tf.int64, [0.0], tf.string]'])}, compression_type={packed if packed != chr(39) * 2 else 'None'}, header=True, na_value={d.one(['repr(chr(78))[1:-1]', repr('NA'), repr('')])})"
        )
    else:
        lines.append(
            f"d = E.make_csv_dataset([a, b] if {packed} == '' else a, {d.number(1, 3)}, shuffle=False, num_epochs=1, label_name={d.one(['None', repr('s'), repr('id')])}, "
            f"select_columns={d.one(['None', repr(['id', 's'])])}, na_value={d.one([repr('NA'), repr('')])}, compression_type={packed if packed != chr(39) * 2 else 'None'}, num_rows_for_inference={d.one('100 1')})"
        )
    if d.chance(0.4) and kind in ("text", "fixed"):
        lines.append(f"d = d{d.pick(STEPS)(d)}")
    return [*lines, f"{d.one('one_shot initializable')}(d)"]


# ---- examples


def _examples(d: Draw) -> list[str]:
    """Examples that fit their features mostly, parsed alone, in batches, in a pipeline."""
    features, records = {}, []
    kinds = {
        "int64": "int64_list=tf.train.Int64List",
        "float32": "float_list=tf.train.FloatList",
        "string": "bytes_list=tf.train.BytesList",
    }
    plan = {}
    for name in "abc"[: d.number(1, 3)]:
        dtype, kind = d.one(list(kinds)), d.one("fixed fixed var sequence sparse default")
        shape = d.pick([[], [1], [2], [2, 1]])
        value = {"int64": "5", "float32": "0.5", "string": "'d'"}[dtype]
        plan[name] = dtype, kind, shape
        features[name] = {
            "fixed": f"tf.FixedLenFeature({shape}, tf.{dtype})",
            "default": f"tf.FixedLenFeature({shape}, tf.{dtype}, default_value={value if not shape else f'np.full({shape}, {value}).tolist()'})",
            "var": f"tf.VarLenFeature(tf.{dtype})",
            "sequence": f"tf.FixedLenSequenceFeature({shape[:1]}, tf.{dtype}, allow_missing=True, default_value={d.one(['None', value])})",
            "sparse": f"tf.SparseFeature('{name}_at', '{name}', tf.{dtype}, 6, already_sorted={d.flag()})",
        }[kind]
    for _ in range(d.number(1, 3)):
        parts = []
        for name, (dtype, kind, shape) in plan.items():
            if d.chance(0.2) and kind != "sparse":
                continue
            size = 1
            for n in shape:
                size *= n
            count = (
                size
                if kind in ("fixed", "default")
                else d.number(0, 2) * (size if kind == "sequence" else 1)
            )
            if kind == "sequence":
                count = d.number(0, 2) * (shape[0] if shape else 1)
            if d.chance(0.04):
                count += 1
            if d.chance(0.04):
                dtype = d.one(list(kinds))
            values = {
                "int64": [d.number(-3, 9) for _ in range(count)],
                "float32": [d.number(-3, 9) / 2 for _ in range(count)],
                "string": [b"s" * d.number(0, 3) for _ in range(count)],
            }[dtype]
            parts.append(f"'{name}': F({kinds[dtype]}(value={values}))")
            if kind == "sparse":
                parts.append(
                    f"'{name}_at': F(int64_list=tf.train.Int64List(value={d.order(6)[:count]}))"
                )
        records.append(
            f"tf.train.Example(features=tf.train.Features(feature={{{', '.join(parts)}}})).SerializeToString()"
        )
    lines = [
        f"r = [{', '.join(records)}]",
        f"f = {{{', '.join(f'{k!r}: {v}' for k, v in features.items())}}}",
    ]
    way = d.one("batch one data apart")
    if way == "batch":
        return [
            *lines,
            "p = tf.parse_example(r, f)",
            "types(D.from_tensors(p)); show(p=shown(session().run(p)))",
        ]
    if way == "one":
        return [
            *lines,
            "p = tf.parse_single_example(r[0], f)",
            "types(D.from_tensors(p)); show(p=shown(session().run(p)))",
        ]
    if way == "data":
        return [
            *lines,
            f"d = D.from_tensor_slices(r).batch({d.number(1, 2)}).apply(E.parse_example_dataset(f))",
            "one_shot(d)",
        ]
    return [
        *lines,
        "d = D.from_tensor_slices(r).map(lambda s: tf.parse_single_example(s, f))",
        f"{d.one('one_shot initializable')}(d)",
    ]


#: Each row, and how many of it are kept here.
ROWS: dict[str, tuple[Callable[[Draw], list[str]], int]] = {
    "chain": (_chain, 20),
    "files": (_files, 6),
    "examples": (_examples, 8),
}


#: TensorFlow itself ends (16), 2.15 words it otherwise, or knows less of what is constant.
LEFT_OUT = (
    "chain, 2",  # draws what minitf leaves out
    "chain, 4",  # draws what minitf leaves out
    "chain, 7",  # draws what minitf leaves out
    "chain, 14",  # draws what minitf leaves out
    "chain, 17",  # draws what minitf leaves out
    *(f"chain, {seed}" for seed in (8, 10, 16, 18, 20)),
    "examples, 0",
    "examples, 11",
)


def draw(name: str, seed: int) -> Case:
    """The program of one row and seed; what is refused is shown, too."""
    d = Draw(f"{name} {seed}")
    lines = "".join(f"\n    {line}" for line in ROWS[name][0](d))
    source = f"{PRELUDE.lstrip()}try:{lines}\nexcept Exception as error:\n    show(error=type(error).__name__, text=said(error))\n"
    return Case(f"drawn_elements/{name}, {seed}", source)


CASES = [
    draw(name, seed)
    for name, (_, count) in ROWS.items()
    for seed in range(count)
    if f"{name}, {seed}" not in LEFT_OUT
]
