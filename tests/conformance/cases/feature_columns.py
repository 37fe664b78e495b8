"""Feature columns: what they print, the numbers they make, names of variables, refusals."""

from ..case import programs, table

PRELUDE = """
    fc = tf.feature_column
    num, ids, words = fc.numeric_column, fc.categorical_column_with_identity, fc.categorical_column_with_vocabulary_list
    hashed, crossed, embed, ind = fc.categorical_column_with_hash_bucket, fc.crossed_column, fc.embedding_column, fc.indicator_column
    weighted, buckets = fc.weighted_categorical_column, fc.bucketized_column
    ramp = lambda shape, dtype=None, partition_info=None: tf.reshape(tf.range(float(np.prod(shape))) / 10., shape)
    def sp(rows, width=None, dtype=None):
        places = [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
        flat = [v for row in rows for v in row]
        return tf.SparseTensor(np.array(places, np.int64).reshape(-1, 2), tf.constant(flat, dtype), [len(rows), width or max(map(len, rows))])
    def spec(*columns):
        return sorted(fc.make_parse_example_spec(columns).items())
    def layer(features, *columns, **options):
        made = fc.input_layer(features, columns, **options)
        session().run(tf.tables_initializer())
        check(made)
    def linear(features, *columns, **options):
        made = fc.linear_model(features, columns, **options)
        session().run(tf.tables_initializer())
        run([])
        for i, v in enumerate(tf.global_variables()):
            session().run(v.assign(np.arange(float(np.prod(v.shape.as_list()))).reshape(v.shape.as_list()) / 7. + i))
        check(made)
        show(tf.global_variables(), tf.trainable_variables(), len(tf.get_collection(tf.GraphKeys.MODEL_VARIABLES)))
"""

PRINTED = """
numeric | num("a")
numeric_shape | num("a", shape=(2, 3), dtype=tf.int64)
numeric_default | num("a", shape=2, default_value=1.5)
numeric_default_nested | num("a", shape=[2, 2], default_value=[[1, 2], [3, 4]])
numeric_default_array | num("a", shape=2, default_value=np.array([1, 2]))
bucketized | buckets(num("a"), [0, 1.5])
hashed | hashed("w", 10)
hashed_int | hashed("w", 10, tf.int32)
list | words("w", ["a", "b"])
list_oov | words("w", ("a", "b"), num_oov_buckets=3)
list_int | words("w", [3, 4], dtype=tf.int64, default_value=0)
identity | ids("w", 3)
identity_default | ids("w", 3, default_value=1)
weighted | weighted(ids("w", 3), "v")
crossed | crossed(["b", "a"], 100)
crossed_mixed | crossed(["z", buckets(num("a"), [1]), crossed(["m", "b"], 3)], 100, 5)
indicator | ind(ids("w", 3))
"""

SPECS = """
numeric | spec(num("a"), num("b", 3, 1.))
bucketized | spec(buckets(num("a", 2), [0]), hashed("w", 3), ids("i", 2))
crossed | spec(crossed(["w", ids("i", 2)], 10))
weighted | spec(weighted(hashed("w", 10, tf.int64), "v"))
embedding | spec(ind(words("w", ["a"])), embed(ids("t", 3), 4))
"""

LAYERS = """
numeric | {"a": [[1.], [2.]]}, num("a")
numeric_vector | {"a": [1., 2., 3.]}, num("a")
numeric_ints | {"a": [1, 2, 3]}, num("a", dtype=tf.int32)
numeric_shape | {"a": tf.reshape(tf.range(12.), [2, 3, 2])}, num("a", (3, 2))
numeric_scaled | {"a": [1., 2.]}, num("a", normalizer_fn=lambda x: (x - 3.) / 2.)
numeric_order | {"b": [1., 2.], "a": [[3., 4.], [5., 6.]], "c": [0., 9.]}, num("c"), num("b"), num("a", 2)
bucketized | {"a": [[-1., 0.], [.5, 7.]]}, buckets(num("a", 2), [0., 1.])
bucketized_edges | {"a": [0., 1., 1.9999999, 2., 2.5]}, buckets(num("a"), (0, 1, 2))
bucketized_and_source | {"a": [1., 5.]}, num("a"), buckets(num("a"), [3])
indicator_ids | {"w": [[0], [2]]}, ind(ids("w", 3))
indicator_vector | {"w": [1, 0, 2]}, ind(ids("w", 3))
indicator_several | {"w": [[0, 2], [1, 1]]}, ind(ids("w", 3))
indicator_default | {"w": [[5, 1], [-7, 2]]}, ind(ids("w", 3, default_value=0))
indicator_missing | {"w": [[-1, 1], [-1, -1]]}, ind(ids("w", 3))
indicator_list | {"w": [["b"], ["z"], ["a"]]}, ind(words("w", ["a", "b"]))
indicator_list_default | {"w": [["b"], ["z"], [""]]}, ind(words("w", ["a", "b"], default_value=0))
indicator_list_oov | {"w": ["b", "z", "y", "x"]}, ind(words("w", ["a", "b"], num_oov_buckets=3))
indicator_list_ints | {"w": [[4], [3], [9]]}, ind(words("w", [3, 4]))
indicator_list_int32 | {"w": np.array([[4], [3]], np.int32)}, ind(words("w", [3, 4], tf.int32, num_oov_buckets=2))
indicator_hashed | {"w": ["one", "two", "three"]}, ind(hashed("w", 6))
indicator_hashed_ints | {"w": np.array([1, 2, 30000], np.int64)}, ind(hashed("w", 6, tf.int64))
indicator_sparse | {"w": sp([["a"], ["b", "a"], []])}, ind(words("w", ["a", "b"]))
indicator_crossed | {"a": [["x"], ["y"]], "b": [["u"], ["v"]]}, ind(crossed(["a", "b"], 8))
indicator_crossed_sparse | {"a": sp([["x", "z"], ["y"]]), "b": sp([["u"], ["v", "w"]])}, ind(crossed(["b", "a"], 12, 99))
indicator_crossed_ints | {"a": [[3], [4]], "b": [["u"], ["v"]], "c": [1., 6.]}, ind(crossed(["a", "b", buckets(num("c"), [2])], 12))
indicator_crossed_twice | {"a": [["x"], ["y"]], "b": [["u"], ["v"]], "c": [["p"], ["q"]]}, ind(crossed([crossed(["c", "a"], 5), "b"], 9))
embedding | {"w": [[0], [2]]}, embed(ids("w", 3), 2, initializer=ramp)
embedding_mean | {"w": [[0, 2], [1, 1]]}, embed(ids("w", 3), 2, initializer=ramp)
embedding_sum | {"w": [[0, 2], [1, 1]]}, embed(ids("w", 3), 2, "sum", ramp)
embedding_sqrtn | {"w": [[0, 2], [1, 1]]}, embed(ids("w", 3), 2, combiner="sqrtn", initializer=ramp)
embedding_norm | {"w": [[0, 2], [1, 1]]}, embed(ids("w", 3), 2, initializer=ramp, max_norm=.3)
embedding_words | {"w": [["b"], ["z"], ["a"]]}, embed(words("w", ["a", "b"]), 3, initializer=ramp)
embedding_empty_row | {"w": sp([[0], [], [1, 2]])}, embed(ids("w", 3), 2, initializer=ramp)
embedding_weighted | {"w": sp([[0], [1, 2]]), "v": sp([[2.], [.5, 4.]])}, embed(weighted(ids("w", 3), "v"), 2, initializer=ramp)
embedding_weighted_dense | {"w": [[0, 1], [1, 2]], "v": [[2., 1.], [.5, 4.]]}, embed(weighted(ids("w", 3), "v"), 2, initializer=ramp)
embedding_of_buckets | {"a": [[-1., 5.], [.5, 7.]]}, embed(buckets(num("a", 2), [0, 6]), 2, initializer=ramp)
embedding_crossed | {"a": [["x"], ["y"]], "b": [["u"], ["v"]]}, embed(crossed(["a", "b"], 8), 2, initializer=ramp)
embedding_not_safe | {"w": [[0, 2], [1, 1]]}, embed(ids("w", 3), 2, initializer=ramp, use_safe_embedding_lookup=False)
many | {"a": [1., 2.], "w": [[0], [2]], "t": [["x"], ["y"]]}, embed(hashed("t", 4), 2, initializer=ramp), num("a"), ind(ids("w", 3)), embed(ids("w", 3), 1, initializer=ramp)
"""

LINEAR = """
numeric | {"a": [[1.], [2.]]}, num("a")
numeric_units | {"a": [[1., 2.], [2., 3.]], "b": [5., 6.]}, num("b"), num("a", 2), units=3
categorical | {"w": [["a"], ["b"], ["z"]]}, words("w", ["a", "b"])
categorical_several | {"w": sp([["a"], ["b", "a"], []])}, words("w", ["a", "b"]), units=2
categorical_mean | {"w": sp([["a", "a"], ["b", "a"]])}, words("w", ["a", "b"]), sparse_combiner="mean"
categorical_sqrtn | {"w": sp([["a", "a"], ["b", "a"]])}, words("w", ["a", "b"]), sparse_combiner="sqrtn"
weighted | {"w": sp([["a"], ["b", "a"]]), "v": sp([[2.], [.5, -4.]])}, weighted(words("w", ["a", "b"]), "v")
buckets | {"a": [[-1., 5.], [.5, 7.]]}, buckets(num("a", 2), [0, 6])
crossed | {"a": [["x"], ["y"]], "b": [["u"], ["v"]], "c": [1., 2.]}, crossed(["a", "b"], 8), num("c"), crossed(["a", buckets(num("c"), [1.5])], 5)
hashed | {"w": ["one", "two", "three"]}, hashed("w", 6), trainable=False
embedding | {"w": [[0], [2]]}, embed(ids("w", 3), 2, initializer=ramp)
indicator | {"w": [[0], [2]]}, ind(ids("w", 3))
"""

FAILS = """
shape_float | num("a", shape=1.5)
shape_zero | num("a", shape=[0])
default_shape | num("a", shape=[3], default_value=[1., 2.])
default_type | num("a", default_value="x")
default_float_of_int | num("a", default_value=1.5, dtype=tf.int32)
numeric_dtype | num("a", dtype=tf.string)
numeric_key | num(("a",))
normalizer | num("a", normalizer_fn=3)
bucket_source | buckets("a", [0, 1])
bucket_source_rank | buckets(num("a", [2, 2]), [0, 1])
bucket_order | buckets(num("a"), [1, 0])
bucket_type | buckets(num("a"), 3)
hash_none | hashed("w", None)
hash_small | hashed("w", 0)
hash_dtype | hashed("w", 3, tf.float32)
list_empty | words("w", [])
list_twice | words("w", ["a", "a"])
list_both | words("w", ["a"], num_oov_buckets=2, default_value=0)
list_negative | words("w", ["a"], num_oov_buckets=-2)
list_floats | words("w", [1.5])
list_dtype | words("w", ["a"], dtype=tf.int64)
identity_zero | ids("w", 0)
identity_default | ids("w", 3, default_value=3)
indicator_of_numbers | ind(num("a"))
embedding_dimension | embed(ids("w", 3), 0)
embedding_ckpt | embed(ids("w", 3), 2, ckpt_to_load_from="x")
embedding_initializer | embed(ids("w", 3), 2, initializer="zeros")
weighted_dtype | weighted(ids("w", 3), "v", tf.string)
weighted_twice | spec(weighted(ids("w", 3), "w"))
crossed_one | crossed(["a"], 10)
crossed_size | crossed(["a", "b"], 0)
crossed_hashed | crossed(["a", hashed("b", 3)], 10)
crossed_number | crossed(["a", num("b")], 10)
layer_not_dense | fc.input_layer({"w": [[1]]}, [ids("w", 3)])
layer_not_column | fc.input_layer({"w": [[1]]}, ["w"])
layer_empty | fc.input_layer({"w": [[1]]}, [])
layer_dict | fc.input_layer({"w": [[1]]}, {"w": num("w")})
layer_twice | fc.input_layer({"w": [[1]]}, [num("w"), num("w", 2)])
layer_missing | fc.input_layer({"w": [[1]]}, [num("a")])
layer_rank_0 | fc.input_layer({"a": 1.}, [num("a")])
layer_sparse_number | fc.input_layer({"a": sp([[1.]])}, [num("a")])
layer_batch | fc.input_layer({"a": [1.], "b": [1., 2.]}, [num("a"), num("b")])
layer_float_ids | fc.input_layer({"w": [[1.]]}, [ind(ids("w", 3))])
layer_word_for_id | fc.input_layer({"w": [["a"]]}, [ind(ids("w", 3))])
layer_int_for_word | fc.input_layer({"w": [[1]]}, [ind(words("w", ["a"]))])
layer_int_for_hash | fc.input_layer({"w": [[1]]}, [ind(hashed("w", 3))])
layer_bad_weights | fc.input_layer({"w": [[1]], "v": [[1]]}, [ind(weighted(ids("w", 3), "v"))])
cross_of_weighted | fc.linear_model({"w": sp([[1]]), "v": sp([[1.]]), "a": [["x"]]}, [crossed([weighted(ids("w", 3), "v"), "a"], 5)])
spec_of_text | spec("a")
spec_differs | spec(num("a"), num("a", 2))
"""

PROGRAMS = {
    "columns_to_variables": """
        made, parts = {}, {}
        f = {"a": [1., 2.], "w": [[0], [2]], "t": [["x"], ["y"]]}
        columns = [embed(hashed("t", 4), 2), num("a"), embed(ids("w", 3), 1)]
        show(fc.input_layer(f, columns, cols_to_vars=made, cols_to_output_tensors=parts))
        show([made[c] for c in columns], [parts[c] for c in columns], tf.global_variables())
        made = {}
        show(fc.linear_model(f, [hashed("t", 4), num("a")], cols_to_vars=made))
        show(made[hashed("t", 4)], made[num("a")], made["bias"])
    """,
    "twice": """
        f = {"w": [[0], [2]], "a": [1., 2.]}
        show(fc.input_layer(f, [embed(ids("w", 3), 2)]), fc.input_layer(f, [embed(ids("w", 3), 2)]))
        show(fc.linear_model(f, [num("a"), ids("w", 3)]), fc.linear_model(f, [ids("w", 3), num("a")]))
        show(tf.global_variables())
    """,
    "in_scopes": """
        f = {"w": [[0], [2]], "a": [1., 2.]}
        with tf.variable_scope("dnn"):
            show(fc.input_layer(f, [embed(ids("w", 3), 2)]))
        with tf.variable_scope("linear"):
            show(fc.linear_model(f, [num("a"), ids("w", 3)]))
        with tf.variable_scope("again", reuse=tf.AUTO_REUSE):
            show(fc.input_layer(f, [embed(ids("w", 3), 2)]), fc.input_layer(f, [embed(ids("w", 3), 2)]))
        show(tf.global_variables())
    """,
    "collections": """
        f = {"w": [[0], [2]]}
        fc.input_layer(f, [embed(ids("w", 3), 2)], weight_collections=["mine"], trainable=False)
        fc.linear_model(f, [ids("w", 3)], weight_collections=["mine"])
        show(tf.get_collection("mine"), tf.model_variables(), tf.trainable_variables())
    """,
    "not_trainable": """
        fc.input_layer({"w": [[0], [2]]}, [embed(ids("w", 3), 2, trainable=False)])
        show(tf.trainable_variables(), tf.global_variables())
    """,
    "partitioned": """
        with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(2)):
            made = {}
            y = fc.input_layer({"w": [[0], [3]]}, [embed(ids("w", 4), 2, initializer=tf.ones_initializer())], cols_to_vars=made)
            show(y, tf.global_variables(), list(made.values()))
        show(run(y))
    """,
    "fed": """
        a, w = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.string, [None, 1])
        y = fc.input_layer({"a": a, "w": w}, [num("a"), ind(words("w", ["x", "y"]))])
        show(y)
        session().run(tf.tables_initializer())
        show(session().run(y, {a: [1., 2.], w: [["y"], ["q"]]}))
        free = tf.placeholder(tf.float32)
        z = fc.input_layer({"a": free}, [num("a")])
        show(z, session().run(z, {free: [1., 2.]}), session().run(z, {free: [[1.], [2.]]}))
    """,
    "parsed": """
        def example(a, words):
            return tf.train.Example(features=tf.train.Features(feature={
                "a": tf.train.Feature(float_list=tf.train.FloatList(value=a)),
                "w": tf.train.Feature(bytes_list=tf.train.BytesList(value=words))})).SerializeToString()
        columns = [num("a", 2), ind(words("w", ["x", "y"]))]
        parsed = tf.parse_example([example([1., 2.], [b"x"]), example([3., 4.], [b"y", b"x"])], fc.make_parse_example_spec(columns))
        layer(parsed, *columns)
    """,
    "training": """
        f = {"w": [["a"], ["b"], ["a"]], "x": [1., 2., 3.]}
        y = fc.linear_model(f, [words("w", ["a", "b"]), num("x")])
        z = tf.layers.dense(fc.input_layer(f, [embed(words("w", ["a", "b"]), 2, initializer=ramp), num("x")]), 1, kernel_initializer=tf.ones_initializer())
        loss = tf.reduce_mean(tf.square(y + z - [[1.], [5.], [2.]]))
        train = tf.train.GradientDescentOptimizer(.02).minimize(loss)
        session().run(tf.tables_initializer())
        show([run([loss, train])[0] for _ in range(4)], run(tf.trainable_variables()))
    """,
    "from_checkpoint": """
        v = tf.get_variable("table", initializer=[[1., 2.], [3., 4.], [5., 6.]])
        run([])
        path = tf.train.Saver([v]).save(session(), folder + "/ckpt")
        y = fc.input_layer({"w": [[0], [2]]}, [embed(ids("w", 3), 2, ckpt_to_load_from=path, tensor_name_in_ckpt="table")])
        show(run(y))
    """,
    "iterator_of_columns": """
        show(run(fc.input_layer({"a": [1.], "b": [2.]}, iter([num("b"), num("a")]))), fc.input_layer({"a": [1.]}, num("a")))
    """,
    "equal_columns": """
        show(num("a") == num("a"), num("a") == num("b"), len({ids("w", 3), ids("w", 3)}), ids("w", 3) != ids("w", 4))
    """,
    "indicator_weighted": """
        column = ind(weighted(words("w", ["a", "b"]), "v"))
        for texts in [["a"], ["b", "a"]], [["a"], ["z", "a"]], [["b"], ["b", "b"]]:
            y = fc.input_layer({"w": sp(texts), "v": sp([[2.], [.5, 4.]])}, [column])
            session().run(tf.tables_initializer())
            show(run(y))
    """,
    "bucketize_nan": """
        layer({"a": [float("nan"), float("inf"), -float("inf"), 1e10]}, buckets(num("a"), [0., 1.]))
    """,
}


EAGER = {
    "input_layer_eager": """
        # eager
        fc = tf.feature_column
        price = fc.numeric_column("price")
        show(fc.input_layer({"price": [1., 5.], "w": [[1], [0]]}, [price, fc.bucketized_column(price, [2.]), fc.indicator_column(fc.categorical_column_with_identity("w", 2))]))
    """,
}


def _with_prelude(family, texts):
    """The programs behind the prelude, from which they are indented by one step more."""
    begun = {name: text.replace("\n        ", "\n    ") for name, text in texts.items()}
    return programs(family, {name: PRELUDE + text for name, text in begun.items()})


CASES = [
    *table(
        "feature_columns/printed",
        PRELUDE,
        PRINTED,
        word="(lambda c: show(repr(c).replace('<', ' '), c.name))",
    ),
    *table("feature_columns/spec", PRELUDE, SPECS, word="(lambda s: show(repr(s)))"),
    *table("feature_columns/layer", PRELUDE, LAYERS, word="layer"),
    *table("feature_columns/linear", PRELUDE, LINEAR, word="linear"),
    *table("feature_columns/fails", PRELUDE, FAILS, word="fails"),
    *programs("feature_columns", EAGER),
    *_with_prelude("feature_columns", PROGRAMS),
]
