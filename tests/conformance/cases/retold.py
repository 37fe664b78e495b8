"""What tests of TensorFlow's own ask beyond the families of this folder, retold in a few lines each.

Calls in the order of their modules: arrays and gathering, sparse tensors, strings, parsing,
tables, loops and functions, checkpoints, gradients that nobody knows.
"""

from ..case import programs, table

PRELUDE = """
    p = tf.constant(np.arange(24.).reshape(2, 3, 4)); x = tf.placeholder(tf.float32, [None, None, 4]); i = tf.placeholder(tf.int32, [None, 2])
    f = tf.SparseTensor([[0, 1], [1, 0], [2, 2]], tf.constant([1., 2., 3.]), [3, 4])
    ids = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant([3, 1, 0], tf.int64), [2, 2]); heavy = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [-3., 1., 4.], [2, 2])
"""

CASES = [
    *table(
        "retold",
        PRELUDE,
        r"""
gather_from_the_end | tf.gather(p, [[0, 2], [1, 1]], batch_dims=-1)
merge_of_several | tf.sparse_merge([ids, ids], heavy, [5, 6])
merge_in_order | tf.sparse_merge([ids], heavy, [5], already_sorted=True)
whole_times_sparse | tf.constant([[2.]]) * f
whole_of_one_text | tf.sparse_to_dense(2, [4], "x", "")
whole_of_texts | tf.sparse_to_dense([0, 2], [4], ["x", "y"], "-")
""",
        word="value",
    ),
    *table(
        "retold/fails",
        PRELUDE,
        r"""
coordinates_without_an_axis | tf.gather_nd(p, 1)
merge_of_too_few_sizes | tf.sparse_merge([ids], heavy, 5)
merge_of_unequal_lists | tf.sparse_merge([ids, ids], heavy, [5])
reshape_of_two_unknown | tf.sparse.reshape(f, [-1, -1])
number_with_plus | run(tf.string_to_number(["+5"], tf.int32))
no_images_to_show | tf.summary.image("i", tf.zeros([1, 2, 2, 3]), max_outputs=0)
output_of_groups | tf.nn.conv2d(tf.ones([1, 4, 4, 12]), tf.ones([1, 1, 3, 2]), 1, "SAME")
speech_of_rank_two | tf.nn.ctc_greedy_decoder(tf.zeros([3, 2]), [1])
encoding_that_is_none | tf.strings.unicode_transcode("a", "UTF-8", "bogus")
png_of_floats | tf.image.decode_png("x", dtype=tf.float32)
image_of_files | tf.image.decode_image(["x", "y"])
fetch_that_is_none | session().make_callable(3)
axis_of_a_scan | run(tf.cumsum(tf.placeholder_with_default(tf.constant(3.), None), axis=-1))
weights_of_other_places | tf.nn.embedding_lookup_sparse(p[0], ids, tf.SparseTensor([[0, 0]], [1.], [2, 2]))
""",
        word="fails",
    ),
    *programs(
        "retold",
        {
            "gather_of_unknown": """
            x = tf.placeholder(tf.float32, [None, None, 4]); i = tf.placeholder(tf.int32, [None, 2])
            show(tf.gather(x, i, axis=tf.placeholder(tf.int32, [])).shape)
        """,
            "names_of_scaled": """
            f = tf.SparseTensor([[0, 1]], [1.], [3, 4])
            show((f * 2.).values, (f / 2.).values)
        """,
            "features_of_several_axes": """
            ints = lambda *v: tf.train.Feature(int64_list=tf.train.Int64List(value=v))
            floats = lambda *v: tf.train.Feature(float_list=tf.train.FloatList(value=v))
            made = tf.train.Example(features=tf.train.Features(feature={"i": ints(1, 0), "j": ints(2, 0), "v": floats(5., 6.)}))
            text = made.SerializeToString()
            both = tf.SparseFeature(["i", "j"], "v", tf.float32, [4, 3])
            show(run(tf.parse_example([text, text], {"s": both})))
            show(run(tf.parse_single_example(text, {"s": both})))
            sorted_already = tf.SparseFeature(["i"], "v", tf.float32, [10], already_sorted=True)
            show(run(tf.parse_example([text], {"s": sorted_already})))
            try: tf.parse_example([text], {"v": tf.VarLenFeature(None)})
            except ValueError as error: show(str(error)[:26])
        """,
            "feeds_in_no_list": """
            x = tf.placeholder(tf.float32)
            try: session().make_callable(x, x)
            except TypeError: show("refused")
            s = tf.sparse_placeholder(tf.float32); both = session().make_callable([s, x], [s, x])
            show(both(([[0]], [1.], [2]), 3.)[0], float(session().make_callable(x, (x,))(5.)))
        """,
            "signature_without_arguments": """
            @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
            def g(x): return x + 1.
            try: g()
            except TypeError as error: show("x" in str(error))
            show(run(g(tf.constant([1.]))), g.get_concrete_function().output_shapes)
        """,
            "arithmetic_of_ragged": """
            R = tf.ragged; r = R.constant([[1, 2, 3], [], [4, 5]]); deep = R.constant([[[1], [2, 3]], [], [[4, 5, 6]]]); s = R.constant([["a", "b"], [], ["c"]])
            for made in (s + "!", "<" + s, s + s, r / 2, 7 / r, r // 2, r ** 2, 2 ** r, deep / 2, deep.row_lengths(2), tf.concat([r, r], -1)):
                show(made.dtype, run(made).to_list())
            show(run([r.row_lengths(-1), r.row_lengths(0), r.row_lengths()]))
        """,
            "ragged_of_sparse": """
            def told(places):
                made = tf.RaggedTensor.from_sparse(tf.SparseTensor(places, [1] * len(places), [3, 3]))
                try: show(run(made).to_list())
                except tf.errors.InvalidArgumentError as error: show("not right-ragged" in str(error))
            told([[0, 0], [0, 1], [2, 0]]); told([[0, 1]]); told([[0, 0], [2, 1]]); told([[0, 0], [0, 2]])
        """,
            "names_of_sampled_losses": """
            N = tf.nn; x = tf.ones([2, 3]); wanted = tf.constant([[1], [2]], tf.int64)
            drawn = (tf.constant([1, 3], tf.int64), tf.ones([2, 1]) * .4, tf.ones([2]) * .3)
            for loss in (N.sampled_softmax_loss, N.nce_loss):
                check(loss(tf.ones([5, 3]), tf.zeros([5]), wanted, x, 2, 5, sampled_values=drawn), x)
            show([n.name for n in tf.get_default_graph().get_operations() if "/" not in n.name and "grad" not in n.name])
        """,
            "tape_and_signature": """
            # eager
            tape = tf.GradientTape(); w = tf.Variable(1.)
            fails(tape.gradient, w, w)
            f = tf.function(lambda x: x * 2).get_concrete_function(tf.TensorSpec([None], tf.float32))
            show(f(tf.constant([3.])))
            try: f(tf.constant([1]))
            except tf.errors.InvalidArgumentError as error: show("was expected to be a float tensor but is a int32 tensor" in str(error))
        """,
            "folders_that_are_not_there": """
            v = tf.Variable(1.); run(v); saver = tf.train.Saver()
            show(saver.save(session(), folder + "/one").replace(folder, ""))
            show(saver.save(session(), folder + "/two/one").replace(folder, ""))
            fails(saver.save, session(), folder + "/three/two/one")
        """,
            "bfloat16_in_a_message": """
            for given in ([1.5], [1.5, 2.], []):
                message = tf.make_tensor_proto(given, tf.bfloat16)
                show(message.SerializeToString(), tf.make_ndarray(message).astype(np.float32))
        """,
            "axes_of_tensordot": """
            a, b = tf.constant([1., 2.]), tf.ones([2, 3]); c = tf.placeholder_with_default(a, [None])
            for axes in ([[1], [1]], [[-3], [0]]): fails(tf.tensordot, a, b, axes)
            fails(tf.tensordot, c, c, [[1], [1]])
            show(run(tf.tensordot(a, b, [[-1], [-2]])))
        """,
        },
    ),
]
