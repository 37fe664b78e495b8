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
matmul | tf.sparse_tensor_dense_matmul(a, d) | v d
matmul_adjoint_a | tf.sparse_tensor_dense_matmul(a, e, adjoint_a=True) | v e
matmul_adjoint_b | tf.sparse_tensor_dense_matmul(a, e, adjoint_b=True) | v e
matmul_new_name | tf.sparse.sparse_dense_matmul(a, d, name="product") | v d
add_dense | tf.sparse_add(a, e) | v e
add_to_dense | tf.sparse_add(e, a) | v e
reduce_sum | tf.sparse_reduce_sum(a) | v
reduce_sum_axis | tf.sparse_reduce_sum(a, 1) | v
reduce_sum_axes | tf.sparse_reduce_sum(cube, [0, 2]) | v
reduce_sum_negative | tf.sparse_reduce_sum(cube, axis=-1) | v
reduce_sum_keepdims | tf.sparse_reduce_sum(a, 0, keepdims=True) | v
reduce_sum_of_old | tf.sparse_reduce_sum(a, reduction_axes=[0], keep_dims=True) | v
reduce_sum_new_name | tf.sparse.reduce_sum(a, 0) | v
reduce_max | tf.sparse_reduce_max(a)
reduce_max_axis | tf.sparse_reduce_max(a, 1)
"""

# What comes out is sparse, here from several operations: values and gradients agree.
SPARSES = """
add | tf.sparse_add(a, b) | v w
add_thresh | tf.sparse_add(a, b, thresh=3.)
add_threshold | tf.sparse.add(a, b, threshold=7.5)
reorder | tf.sparse_reorder(mixed) | v
reshape | tf.sparse_reshape(a, [2, 6]) | v
reshape_open | tf.sparse_reshape(a, [2, -1]) | v
reshape_rank | tf.sparse_reshape(cube, [8]) | v
transpose | tf.sparse_transpose(a) | v
transpose_perm | tf.sparse_transpose(cube, [2, 0, 1]) | v
concat | tf.sparse_concat(0, [a, b])
concat_columns | tf.sparse_concat(1, [a, b])
concat_negative | tf.sparse_concat(axis=-1, sp_inputs=[a, b])
concat_grown | tf.sparse_concat(0, [a, tf.SparseTensor([[0, 5]], [1.], [1, 6])], expand_nonconcat_dim=True)
concat_new_name | tf.sparse.concat(0, [a, b])
slice | tf.sparse_slice(a, [1, 0], [2, 3]) | v
slice_beyond | tf.sparse_slice(a, [1, 2], [5, 5]) | v
split | tf.sparse_split(sp_input=a, num_split=2, axis=1)[1]
split_uneven | tf.sparse_split(sp_input=a, num_split=3, axis=1)[0]
retain | tf.sparse_retain(a, [True, False, True]) | v
fill_empty_rows | tf.sparse_fill_empty_rows(a, -1.)[0] | v
reset_shape | tf.sparse_reset_shape(a)
reset_shape_larger | tf.sparse_reset_shape(a, [4, 9])
softmax | tf.sparse_softmax(a) | v
softmax_cube | tf.sparse_softmax(cube) | v
maximum | tf.sparse_maximum(a, b)
minimum | tf.sparse_minimum(a, b)
merge | tf.sparse_merge(ids, tf.SparseTensor(ids.indices, w, ids.dense_shape), 5) | w
times_scalar | a * 2.
times_row | a * tf.constant([[1., 2., 3., 4.]]) | v
times_dense | a * e | v e
over_dense | a / e | v e
from_dense | tf.sparse.from_dense([[0., 1.], [2., 0.]])
eye | tf.sparse.eye(2, 3)
expand_dims | tf.sparse.expand_dims(a, 1)
expand_dims_last | tf.sparse.expand_dims(a)
reduce_sum_sparse | tf.sparse_reduce_sum_sparse(a, 1)
cast | tf.cast(a, tf.int32)
set_intersection | tf.sets.set_intersection(tf.constant([[1, 2], [3, 3]]), tf.constant([[2, 5], [3, 4]]))
set_union | tf.sets.set_union([[1, 2], [3, 3]], [[2, 5], [3, 4]])
set_difference | tf.sets.set_difference([[1, 2], [3, 3]], [[2, 5], [3, 4]])
set_difference_turned | tf.sets.set_difference([[1, 2], [3, 3]], [[2, 5], [3, 4]], aminusb=False)
set_of_sparse | tf.sets.set_intersection(tf.cast(a, tf.int32), tf.constant([[7, 0], [1, 1], [8, -2]]))
"""

FAILS = """
reset_shape_smaller | tf.sparse_reset_shape(a, [3, 3])
reset_shape_rank | tf.sparse_reset_shape(a, [4, 9, 1])
matmul_shapes | tf.sparse_tensor_dense_matmul(a, e)
to_dense_of_dense | tf.sparse_tensor_to_dense(d)
out_of_order | run(tf.sparse_tensor_to_dense(mixed))
repeated | run(tf.sparse_to_dense([1, 1], [3], [1., 2.]))
out_of_bounds | run(tf.sparse_to_dense([[0, 7]], [3, 4], 1.))
split_positional | tf.sparse_split(1, 2, a)
add_of_dense | tf.sparse_add(d, d)
distance_of_dense | tf.edit_distance(d, a)
"""

CASES = [
    *table("sparse", PRELUDE, TENSORS),
    *table("sparse", PRELUDE, SPARSES, word="value"),
    *table("sparse/fails", PRELUDE, FAILS, word="fails"),
    *programs(
        "sparse",
        {
            "placeholder": """
            p = tf.sparse_placeholder(tf.float32)
            total = tf.sparse_reduce_sum(p, 0)
            show(p.indices, p.values, p.dense_shape, p.get_shape())
            feed = tf.SparseTensorValue([[0, 1], [2, 2]], [1., 2.], [3, 4])
            show(fed=run(total, {p: feed}), tuple=run(total, {p: ([[0, 0]], [5.], [1, 2])}))
            show(back=run(p, {p: feed}), nested=run({"p": p, "t": total}, {p: feed}))
        """,
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
            "set_size": """
            s = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 1, 9], [3, 2])
            show(run(tf.sets.set_size(s)))
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
            "train_a_linear_model": """
            x = tf.SparseTensor([[0, 0], [1, 1], [2, 0], [2, 2]], [1., 2., 1., 3.], [3, 3])
            y = tf.constant([[1.], [2.], [3.]])
            w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer(), use_resource=False)
            loss = tf.reduce_mean(tf.square(tf.sparse_tensor_dense_matmul(x, w) - y))
            step = tf.train.GradientDescentOptimizer(.1).minimize(loss)
            for _ in range(5): run(step)
            show(run([w, loss]))
        """,
            "indexed_slices_mask": """
            s = tf.IndexedSlices(tf.constant([[1.], [2.], [3.]]), tf.constant([5, 1, 7]))
            show(run(tf.sparse_mask(s, [1])))
        """,
        },
    ),
]
