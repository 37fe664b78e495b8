"""Static shape inference, and the errors a wrong shape gives when the graph is built."""

from ..case import programs, table

PRELUDE = """
    a23 = tf.placeholder(tf.float32, [2, 3], name="a23"); a34 = tf.placeholder(tf.float32, [3, 4], name="a34")
    n3 = tf.placeholder(tf.float32, [None, 3], name="n3"); u = tf.placeholder(tf.float32, name="u")
    v3 = tf.placeholder(tf.float32, [3], name="v3"); s = tf.placeholder(tf.float32, [], name="s")
    b = tf.placeholder(tf.float32, [5, 2, 3], name="b"); i = tf.placeholder(tf.int32, [2], name="i")
    k = tf.placeholder(tf.int32, [], name="k"); nn = tf.placeholder(tf.float32, [None, None], name="nn")
"""

INFERRED = """
one_size_times | tf.reshape(n3, [tf.shape(n3)[1] * 2, -1])
one_size_less | tf.fill([tf.shape(n3)[-1] - 1, k], 1.)
one_of_many_sizes | tf.fill([tf.placeholder(tf.int32, [300])[5], 3], 1.)
some_of_many_sizes | tf.fill(tf.placeholder(tf.int32, [300])[2:4], 1.)
broadcast_to_partly | tf.broadcast_to(n3, tf.stack([k, k]))
slice_from_somewhere | tf.slice(a23, [0, k], [-1, 1])
pad_partly | tf.pad(n3, [[0, k], [1, 2]])
zeros_of_array | tf.zeros(np.array([2, 3]))
broadcast_dynamic | tf.broadcast_dynamic_shape(tf.shape(n3), tf.shape(b))
matmul | tf.matmul(a23, a34)
matmul_transposed | tf.matmul(a23, a23, transpose_b=True)
matmul_batch | tf.matmul(n3, a34)
matmul_partial | tf.matmul(nn, a34)
matmul_of_unknown | tf.matmul(u, tf.placeholder(tf.float32, [4, 5])).get_shape()
batch_matmul | tf.matmul(b, tf.placeholder(tf.float32, [5, 3, 7]))
batch_matmul_partial | tf.matmul(tf.placeholder(tf.float32, [None, 2, 3]), tf.placeholder(tf.float32, [None, 3, 7]))
broadcast_rows | a23 + v3
broadcast_column | a23 * tf.placeholder(tf.float32, [2, 1])
broadcast_partial | n3 + a23
broadcast_one | n3 * tf.placeholder(tf.float32, [1, 3])
broadcast_unknown | u + a23
broadcast_rank | b - v3
scalar | a23 / s
unary_unknown | tf.exp(u)
sum_axis | tf.reduce_sum(n3, 1)
sum_keep | tf.reduce_sum(n3, 1, keepdims=True)
sum_negative_axis | tf.reduce_sum(b, [-1, 0])
sum_all_unknown | tf.reduce_sum(u)
sum_axis_unknown | tf.reduce_sum(u, 0)
mean_partial | tf.reduce_mean(n3, 0)
argmax | tf.argmax(n3, 1)
reshape | tf.reshape(n3, [-1, 3, 1])
reshape_inferred | tf.reshape(a23, [-1])
reshape_of_partial | tf.reshape(n3, [2, -1])
reshape_by_shape | tf.reshape(u, tf.shape(a23))
reshape_by_stack | tf.reshape(u, [tf.shape(n3)[0], 6])
reshape_by_tensor | tf.reshape(a23, i)
transpose | tf.transpose(b)
transpose_perm | tf.transpose(n3, [1, 0])
transpose_unknown | tf.transpose(u)
expand_dims | tf.expand_dims(n3, -1)
squeeze | tf.squeeze(tf.placeholder(tf.float32, [1, 3, 1]))
squeeze_axis | tf.squeeze(tf.placeholder(tf.float32, [1, None, 1]), [0])
squeeze_partial | tf.squeeze(tf.placeholder(tf.float32, [1, None]))
concat | tf.concat([n3, a23], 0)
concat_columns | tf.concat([n3, a23], 1)
stack | tf.stack([n3, a23])
stack_axis | tf.stack([v3, v3], axis=1)
unstack | tf.unstack(a23)
split_even | tf.split(a34, 2, 1)
split_sizes | tf.split(a34, [1, 3], axis=1)
tile | tf.tile(a23, [2, 1])
tile_partial | tf.tile(n3, [2, 1])
slice | tf.slice(b, [0, 1, 0], [2, 1, -1])
strided | b[1:3, :, ::2]
strided_new_axis | a23[:, None, 1]
strided_ellipsis | b[..., 0]
strided_partial | n3[1:]
strided_by_tensor | a23[k]
strided_unknown | u[0]
gather | tf.gather(a23, i)
gather_axis | tf.gather(a23, i, axis=1)
pad | tf.pad(a23, [[1, 0], [2, 2]])
one_hot | tf.one_hot(i, 5)
one_hot_axis | tf.one_hot(i, 5, axis=0)
range_static | tf.range(2, 10, 3)
range_dynamic | tf.range(k)
fill | tf.fill([2, 3], 1.)
fill_dynamic | tf.fill(i, 1.)
zeros_of_shape | tf.zeros(tf.shape(n3))
zeros_like | tf.zeros_like(n3)
shape_of_partial | tf.shape(n3)
shape_of_unknown | tf.shape(u)
size_partial | tf.size(n3)
where_select | tf.where(a23 > 0, a23, a23)
where_indices | tf.where(a23 > 0)
cast | tf.cast(n3, tf.int64)
softmax | tf.nn.softmax(n3)
xent | tf.nn.softmax_cross_entropy_with_logits(labels=n3, logits=a23)
sparse_xent | tf.nn.sparse_softmax_cross_entropy_with_logits(labels=i, logits=a23)
bias_add | tf.nn.bias_add(n3, v3)
random | tf.random_normal([2, 3])
random_dynamic | tf.random_uniform(tf.shape(n3))
placeholder_with_default | tf.placeholder_with_default(tf.zeros([2, 3]), [None, 3])
identity | tf.identity(n3)
stop_gradient | tf.stop_gradient(n3)
boolean_mask | tf.boolean_mask(a23, [True, False])
in_top_k | tf.nn.in_top_k(n3, tf.placeholder(tf.int32, [None]), 1)
embedding | tf.nn.embedding_lookup(a34, tf.placeholder(tf.int32, [None, 6]))
matrix_inverse | tf.matrix_inverse(tf.placeholder(tf.float32, [None, 3, 3]))
diag | tf.diag(v3)
diag_part | tf.diag_part(tf.zeros([3, 3]))
tensordot | tf.tensordot(b, a34, [[2], [0]])
"""

WRONG = """
matmul_rank | tf.matmul(tf.zeros([10, 512, 1]), tf.zeros([512, 2]))
matmul_vector | tf.matmul(v3, a34)
matmul_inner | tf.matmul(a23, a23)
matmul_inner_transposed | tf.matmul(a23, a34, transpose_a=True)
matmul_named | tf.matmul(n3, a23, name="layer/product")
batch_matmul_inner | tf.matmul(b, b)
batch_matmul_batches | tf.matmul(b, tf.zeros([4, 3, 2]))
add | a23 + a34
add_vector | a23 + tf.zeros([2])
sub_named | tf.subtract(a23, a34, name="diff")
mul_function | tf.multiply(v3, tf.zeros([4]))
maximum | tf.maximum(a23, a34)
equal | tf.equal(v3, tf.zeros([2]))
sum_axis | tf.reduce_sum(a23, 2)
sum_axis_negative | tf.reduce_sum(a23, -3)
mean_axis | tf.reduce_mean(v3, [0, 1])
argmax_axis | tf.argmax(a23, 2)
reshape | tf.reshape(a23, [4, 2])
reshape_inferred | tf.reshape(a23, [4, -1])
reshape_two_unknown | tf.reshape(a23, [-1, -1])
transpose_perm | tf.transpose(a23, [0])
transpose_twice | tf.transpose(a23, [0, 0])
expand_dims | tf.expand_dims(a23, 4)
squeeze | tf.squeeze(a23, [0])
squeeze_axis | tf.squeeze(a23, [3])
concat_rank | tf.concat([a23, v3], 0)
concat_dimension | tf.concat([a23, a34], 0)
concat_axis | tf.concat([a23, a23], 3)
stack_shapes | tf.stack([a23, a34])
stack_axis | tf.stack([v3, v3], axis=3)
unstack_unknown | tf.unstack(n3)
unstack_num | tf.unstack(a23, num=5)
split_uneven | tf.split(a34, 3, 1)
split_sizes | tf.split(a34, [1, 1], 1)
tile_rank | tf.tile(a23, [2])
slice_rank | tf.slice(a23, [0], [1])
slice_out | tf.slice(a23, [0, 0], [3, 1])
strided_out | a23[5]
strided_negative | a23[-4]
strided_many | v3[0, 0]
gather_scalar | tf.gather(s, 0)
pad_rank | tf.pad(a23, [[1, 1]])
bias_add_rank | tf.nn.bias_add(v3, v3)
bias_add_size | tf.nn.bias_add(a23, tf.zeros([4]))
xent_ranks | tf.nn.softmax_cross_entropy_with_logits(labels=v3, logits=a23)
xent_sizes | tf.nn.softmax_cross_entropy_with_logits(labels=a34, logits=a23)
sparse_xent_labels | tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.zeros([3], tf.int32), logits=a23)
sparse_xent_rank | tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.zeros([2, 3], tf.int32), logits=a23)
xent_positional | tf.nn.softmax_cross_entropy_with_logits(a23, a23)
fill_rank | tf.fill([[2]], 1.)
placeholder_default | tf.placeholder_with_default(tf.zeros([2, 3]), [None, 4])
assign | tf.assign(tf.Variable([1., 2.]), [1., 2., 3.])
assign_add | tf.assign_add(tf.Variable([1., 2.]), [1., 2., 3.])
inverse_square | tf.matrix_inverse(a23)
inverse_rank | tf.matrix_inverse(v3)
cholesky | tf.cholesky(a23)
select | tf.where(a23 > 0, a23, a34)
one_hot_dtype | tf.one_hot(a23, 3)
gather_float | tf.gather(a23, v3)
cast_to_nothing | tf.cast(a23, "nothing")
negative_of_bool | -(a23 > 0)
mean_of_bool | tf.reduce_mean(a23 > 0)
all_of_float | tf.reduce_all(a23)
sqrt_of_int | tf.sqrt(i)
matmul_of_lists | tf.matmul([[1., 2.]], [[1., 2.]])
n_ary_dtypes | tf.concat([a23, tf.zeros([2, 3], tf.float64)], 0)
add_n_shapes | tf.add_n([a23, a34])
add_n_empty | tf.add_n([])
embedding_rank | tf.nn.embedding_lookup(a23, v3)
"""

CASES = [
    *table("shapes", PRELUDE, INFERRED, word="show"),
    *table("shape_errors", PRELUDE, WRONG, word="fails"),
    *programs(
        "shapes",
        {
            "broadcast_dynamic_checks": """
            s, t = (tf.placeholder_with_default(v, [None]) for v in ([2, 1, 3], [4, 1])); y = tf.broadcast_dynamic_shape(s, t)
            show(y, run(y), run(y, {t: [3]}), run(y, {s: [0], t: [1, 1]}), tf.broadcast_dynamic_shape([2, 1], tf.constant([3])))
            fails(run, y, {t: [5, 2]}); fails(tf.broadcast_dynamic_shape, 3, [2])
        """,
            "static_and_dynamic": """
            x = tf.placeholder(tf.float32, [None, 3])
            y = tf.reshape(x, [tf.shape(x)[0] * 3])
            show(y, run(tf.shape(y), {x: np.zeros((4, 3))}), run(tf.rank(x), {x: np.zeros((4, 3))}))
        """,
            "a_layer": """
            x = tf.placeholder(tf.float32, [None, 784]); w = tf.Variable(tf.zeros([784, 10])); b = tf.Variable(tf.zeros([10]))
            y = tf.matmul(x, w) + b
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=tf.placeholder(tf.float32, [None, 10]), logits=y))
            show(y, loss, tf.gradients(loss, [w, b, x]))
        """,
        },
    ),
]
