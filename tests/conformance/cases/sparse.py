"""Sparse tensors, and what is read from them: sets, distances, embeddings."""

from ..case import programs, table

PRELUDE = """
    v = tf.constant([7., 8., -2.], name="v"); w = tf.constant([1., 2., 3.], name="w")
    a = tf.SparseTensor([[0, 1], [2, 0], [2, 3]], v, [3, 4])
    b = tf.SparseTensor([[0, 1], [1, 1], [2, 3]], w, [3, 4])
    mixed = tf.SparseTensor([[2, 3], [0, 1], [2, 0]], v, [3, 4])
    cube = tf.SparseTensor([[0, 0, 1], [0, 1, 0], [1, 1, 1]], v, [2, 2, 2])
    ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, 3, 2], tf.int64), [3, 4])
    d = tf.constant([[1., 2.], [3., 4.], [5., 6.], [7., 8.]], name="d")
    e = tf.constant([[1., 2., 3., 4.], [5., 6., 7., 8.], [9., 10., 11., 12.]], name="e")
"""

# What comes out is a tensor: its name, type, value and gradients agree.
TENSORS = """
to_dense | tf.sparse_tensor_to_dense(a) | v
to_dense_default | tf.sparse_tensor_to_dense(a, default_value=-1.) | v
to_dense_unordered | tf.sparse_tensor_to_dense(mixed, validate_indices=False) | v
to_dense_strings | tf.sparse_tensor_to_dense(tf.SparseTensor([[1]], ["x"], [3]))
to_dense_strings_default | tf.sparse_tensor_to_dense(tf.SparseTensor([[1]], ["x"], [3]), "-")
to_dense_new_name | tf.sparse.to_dense(a) | v
from_parts | tf.sparse_to_dense([[0, 1], [1, 0]], [2, 2], [5., 6.])
from_parts_vector | tf.sparse_to_dense([0, 2], [4], [5, 6], default_value=9)
from_parts_one_value | tf.sparse_to_dense([1, 2], [4], 5)
from_parts_one_place | tf.sparse_to_dense(1, [4], 5)
indicator | tf.sparse_to_indicator(ids, 5)
"""

# What comes out is sparse, here from several operations: values and gradients agree.
SPARSES = """
reshape | tf.sparse_reshape(a, [2, 6]) | v
reshape_open | tf.sparse_reshape(a, [2, -1]) | v
reshape_rank | tf.sparse_reshape(cube, [8]) | v
concat | tf.sparse_concat(0, [a, b])
concat_columns | tf.sparse_concat(1, [a, b])
concat_negative | tf.sparse_concat(axis=-1, sp_inputs=[a, b])
concat_grown | tf.sparse_concat(0, [a, tf.SparseTensor([[0, 5]], [1.], [1, 6])], expand_nonconcat_dim=True)
concat_new_name | tf.sparse.concat(0, [a, b])
slice | tf.sparse_slice(a, [1, 0], [2, 3]) | v
slice_beyond | tf.sparse_slice(a, [1, 2], [5, 5]) | v
retain | tf.sparse_retain(a, [True, False, True]) | v
fill_empty_rows | tf.sparse_fill_empty_rows(a, -1.)[0] | v
merge | tf.sparse_merge(ids, tf.SparseTensor(ids.indices, w, ids.dense_shape), 5) | w
times_scalar | a * 2.
times_row | a * tf.constant([[1., 2., 3., 4.]]) | v
times_dense | a * e | v e
over_dense | a / e | v e
cast | tf.cast(a, tf.int32)
"""

FAILS = """
to_dense_of_dense | tf.sparse_tensor_to_dense(d)
out_of_order | run(tf.sparse_tensor_to_dense(mixed))
repeated | run(tf.sparse_to_dense([1, 1], [3], [1., 2.]))
out_of_bounds | run(tf.sparse_to_dense([[0, 7]], [3, 4], 1.))
distance_of_dense | tf.edit_distance(d, a)
"""

CASES = [
    *table("sparse", PRELUDE, TENSORS),
    *table("sparse", PRELUDE, SPARSES, word="value"),
    *table("sparse/fails", PRELUDE, FAILS, word="fails"),
    *programs(
        "sparse",
        {
            "placeholder_with_shape": """
            p = tf.sparse_placeholder(tf.float32, shape=[2, 3], name="p")
            show(p.indices, p.values, p.dense_shape, p.get_shape())
            show(run(tf.sparse_tensor_to_dense(p), {p: ([[0, 1]], [1.], [2, 3])}))
        """,
            "properties": """
            s = tf.SparseTensor(indices=[[0, 1]], values=[1.], dense_shape=[2, 3])
            show(s.indices, s.values, s.dense_shape, s.dtype, s.get_shape(), s.shape, s.op, str(s))
            show(s.eval(session=session()).dense_shape)
            value = tf.SparseTensorValue(np.array([[0, 1]]), np.array([1.]), np.array([2, 3]))
            show(run(tf.SparseTensor.from_value(value)))
        """,
            "edit_distance": """
            one = tf.SparseTensor([[0, 0, 0], [1, 0, 0]], ["a", "b"], (2, 1, 1))
            two = tf.SparseTensor([[0, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]], ["a", "b", "c", "a"], (2, 2, 2))
            check(tf.edit_distance(one, two)); check(tf.edit_distance(one, two, normalize=False))
            check(tf.edit_distance(two, one, normalize=False))
        """,
            "edit_distance_of_words": """
            def chars(words):
                places = [[0, i, j] for i, w in enumerate(words) for j, _ in enumerate(w)]
                return tf.SparseTensor(places, list("".join(words)), [1, len(words), 10])
            check(tf.edit_distance(chars(["kitten", "bitten", "x"]), chars(["sitting", "sitting", "x"])))
        """,
            "lookup_sparse": """
            d = tf.constant(np.arange(12.).reshape(6, 2)); w = tf.constant([1., 2., 3., .5], tf.float64)
            ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0], [3, 0]], tf.constant([1, 3, 2, 1], tf.int64), [4, 4])
            weights = tf.SparseTensor(ids.indices, w, ids.dense_shape)
            for combiner in ("sum", "mean", "sqrtn"):
                plain = tf.nn.embedding_lookup_sparse(d, ids, None, combiner=combiner)
                heavy = tf.nn.embedding_lookup_sparse(d, ids, weights, combiner=combiner)
                show(run([plain, heavy]))
                show(run([tf.convert_to_tensor(g) for g in tf.gradients(heavy * heavy, [d, w])]))
                show(run([tf.convert_to_tensor(g) for g in tf.gradients(plain * plain, [d])]))
        """,
        },
    ),
]
