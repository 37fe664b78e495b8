"""Small names of 1.15: rows that are all alike, axes merged, shapes of ints, messages, fingerprints."""

from ..case import programs, table

_RAGGED = """
R = tf.RaggedTensor
three = tf.ragged.constant([[[1, 2], [3]], [[4]], []]); plain = tf.ragged.constant([[1, 2], [], [3]])
deep = tf.ragged.constant([[[1, 2], [3, 7]], [[4, 5]]], ragged_rank=1); four = tf.ragged.constant([[[[1], []]], [], [[[2, 3]], [[4]]]])
six = [1, 2, 3, 4, 5, 6]
"""

_ROWS = """
uniform | R.from_uniform_row_length(six, 2).row_splits
uniform_values | R.from_uniform_row_length(six, 3).values
uniform_whole | R.from_uniform_row_length(six, 2).to_tensor()
uniform_length | R.from_uniform_row_length(six, 2).uniform_row_length
uniform_lengths | R.from_uniform_row_length(six, 2).row_lengths()
uniform_kept | R.from_uniform_row_length(six, 2).with_values([7] * 6).uniform_row_length
uniform_of_rows | R.from_uniform_row_length(tf.ragged.constant([[1], [2, 3], [], [4]]), 2).row_splits
uniform_of_rows_inside | R.from_uniform_row_length(tf.ragged.constant([[1], [2, 3], [], [4]]), 2).values.row_splits
uniform_empty | R.from_uniform_row_length(tf.zeros([0]), 0).row_splits
uniform_empty_rows | R.from_uniform_row_length(tf.zeros([0]), 0, nrows=3).row_splits
uniform_count | R.from_uniform_row_length(six, 2, nrows=3).nrows()
uniform_int32 | R.from_uniform_row_length(six, tf.constant(3)).row_splits
uniform_unknown | R.from_uniform_row_length(tf.placeholder_with_default(six, [None]), tf.placeholder_with_default(2, [])).row_splits
uniform_unchecked | R.from_uniform_row_length(six, 4, validate=False).row_splits
merged_all | plain.merge_dims(0, 1)
merged_outer | three.merge_dims(0, 1).row_splits
merged_inner | three.merge_dims(1, 2).row_splits
merged_inner_values | three.merge_dims(-2, -1).values
merged_three | three.merge_dims(0, 2)
merged_one | three.merge_dims(1, 1).row_splits
merged_dense | deep.merge_dims(1, 2).row_splits
merged_dense_values | deep.merge_dims(1, 2).values
merged_dense_all | deep.merge_dims(0, 2)
merged_middle | four.merge_dims(1, 2).row_splits
merged_deep | four.merge_dims(2, 3).values.row_splits
merged_deepest | four.merge_dims(1, 3).row_splits
merged_deepest_values | four.merge_dims(1, 3).values
"""

_ROWS_FAIL = """
known_count | R.from_uniform_row_length(six, 2, nrows=4)
negative_count | R.from_uniform_row_length(six, 2, nrows=-1)
no_length | R.from_uniform_row_length(six, 0)
vector | R.from_uniform_row_length(six, [1])
float | R.from_uniform_row_length(six, 1.5)
order | three.merge_dims(2, 1)
outer | three.merge_dims(-4, 1)
inner | three.merge_dims(0, 3)
numpy | plain.numpy()
"""

_FPRINT = """
short | tf.train.sdca_fprint(["a", "bc", "", "0123456", "01234567", "0123456789abcde"])
longer | tf.train.sdca_fprint([bytes(range(n)) for n in (15, 16, 17, 23, 24, 31, 32, 33, 47, 48, 64, 100, 127, 128, 143)])
longest | tf.train.sdca_fprint([bytes(i * i % 251 for i in range(n)) for n in (144, 145, 160, 175, 176, 177, 200, 256, 271, 272, 300, 400, 1000)])
none | tf.train.sdca_fprint(tf.zeros([0], tf.string))
unknown | tf.train.sdca_fprint(tf.placeholder_with_default(["a"], None))
"""

_FAILS = """
fprint_scalar | tf.train.sdca_fprint("a")
fprint_matrix | tf.train.sdca_fprint([["a"]])
"""

_KEYWORDS = """
igamma | tf.math.igamma(a=[0.5, 2.0], x=[1.0, 3.0])
igammac | tf.igammac(a=2.0, x=1.5)
polygamma | tf.polygamma(a=1.0, x=2.5)
zeta | tf.zeta(x=3.0, q=1.0)
nextafter | tf.math.nextafter(x1=[1.0, -1.0], x2=2.0)
atan2 | tf.atan2(y=1.0, x=-2.0)
splits_to_ids | tf.ragged.row_splits_to_segment_ids(splits=tf.placeholder_with_default([0, 2, 2, 3], [None]), out_type=tf.int32)
ids_to_splits | tf.ragged.segment_ids_to_row_splits(segment_ids=[0, 0, 2], num_segments=4, out_type=tf.int32)
"""

_DEFAULTS = """
lrn | tf.nn.lrn(tf.reshape(tf.range(16.0), [1, 2, 2, 4]), depth_radius=None, bias=None, alpha=None, beta=None)
leaky | tf.nn.leaky_relu([-2.0, 3.0], alpha=None)
argmax | tf.argmax([1.0, 3.0, 2.0], output_type=None)
argmin | tf.argmin([1.0, 3.0, 2.0], 0, output_type=None)
unique | tf.unique([3, 3, 1], out_idx=None)
counted | tf.unique_with_counts([3, 3, 1], out_idx=None)
number | tf.string_to_number(["1.5"], out_type=None)
crop | tf.image.crop_and_resize(tf.ones([1, 2, 2, 1]), [[0.0, 0.0, 2.0, 2.0]], [0], [3, 3], extrapolation_value=None)
top | tf.nn.top_k([1, 3, 2], 2, sorted=None).values
bias | tf.nn.bias_add([[1.0, 2.0]], [3.0, 4.0], data_format=None)
raw | tf.decode_raw([b"ab"], tf.uint8, little_endian=None)
inverse | tf.matrix_inverse([[2.0, 1.0], [3.0, 4.0]], adjoint=None)
"""

CASES = [
    *table("small/keywords", "", _KEYWORDS, word="value"),
    *table("small/defaults", "", _DEFAULTS),
    *table("small/ragged", _RAGGED, _ROWS, word="value"),
    *table("small/ragged_fail", _RAGGED, _ROWS_FAIL, word="fails"),
    *table("small/fprint", "", _FPRINT),
    *table("small/fail", "", _FAILS, word="fails"),
    *programs(
        "small",
        {
            "uniform_shapes": _RAGGED
            + """
a, b = R.from_uniform_row_length(six, 2), R.from_uniform_row_length(tf.ragged.constant([[1], [2, 3], [], [4]]), 2)
show(a.shape, b.shape, plain.uniform_row_length, a.merge_dims(0, 1).shape, str(run(a)), str(run(b)), str(run(a[1:])), run(a[1]))
def refused(make):
    try:
        show(str(run(make())))
    except tf.errors.InvalidArgumentError as error:
        show(type(error).__name__)
refused(lambda: R.from_uniform_row_length(six, 4)); refused(lambda: R.from_uniform_row_length(tf.placeholder_with_default(six, [None]), 4))
refused(lambda: R.from_uniform_row_length(six, tf.placeholder_with_default(2, []), nrows=tf.placeholder_with_default(4, [])))
""",
            "rows_as_arrays": """
            # eager
            show(tf.ragged.constant([[1, 2], [3, 4]]).numpy(), tf.ragged.constant([[1.5], [2.0]]).numpy(), [row.tolist() for row in tf.ragged.constant([[1, 2], [3]]).numpy()])
            show(tf.ragged.constant([], ragged_rank=1).numpy(), tf.RaggedTensor.from_uniform_row_length([[1, 2], [3, 4]], 1).numpy(), tf.ragged.constant([[1, 2], [3]]).merge_dims(0, 1).numpy())
            """,
            "shapes_of_ints": """
            s = tf.placeholder(tf.float32, [None, 3, 4]).shape
            tf.enable_v2_tensorshape()
            try:
                first, second, third = s
                show(first, second, third, s[0], s[1], type(s[1]).__name__, s[-1], s[1:], list(s), [d for d in s], s.dims, s.as_list(), s == [None, 3, 4], str(s))
                show(tf.TensorShape(None)[0], tf.TensorShape(None)[1:].ndims, tf.TensorShape([2, None]).concatenate([3])[1], s.merge_with([1, None, None])[0], int(np.prod(s[1:])), tuple(tf.zeros([2, 5]).shape))
                fails(list, tf.TensorShape(None)); fails(lambda: tf.TensorShape([3])[5])
                y = tf.layers.dense(tf.placeholder(tf.float32, [None, 5], name="x"), 7); z = tf.nn.conv2d(tf.zeros([1, 4, 4, 2]), tf.zeros([2, 2, 2, 3]), 1, "SAME")
                show(y.shape[1], z.shape, run(tf.reduce_sum(tf.zeros(z.shape[1:]))), tf.matmul(tf.zeros([2, 3]), tf.zeros([3, 4])).shape[1] + 1)
            finally:
                tf.disable_v2_tensorshape()
            show(s[1], list(s), tf.TensorShape(None)[0])
            """,
            "queue_runners": """
            queue = tf.FIFOQueue(1, tf.int32, name="q"); runner = tf.train.queue_runner.QueueRunner(queue, [queue.enqueue(1)])
            tf.train.queue_runner.add_queue_runner(runner); show(tf.train.queue_runner.QueueRunner is tf.train.QueueRunner, len(tf.get_collection("queue_runners")), tf.train.queue_runner.start_queue_runners is tf.train.start_queue_runners)
            """,
            "types_of_values": """
            spec = tf.type_spec_from_value
            show(str(spec(tf.constant([1.0]))), str(spec(tf.ragged.constant([[1]]))), str(spec(tf.SparseTensor([[0, 1]], [2.0], [3, 4]))), str(spec(tf.placeholder(tf.int32, [None, 2]))))
            show(str(spec(np.array([1]))), str(spec([1])), str(spec("a")), str(spec(3)), str(spec([[1.5], [2.5]])), str(spec(np.float64(2))))
            fails(spec, len)
            """,
            "messages": """
            m = tf.NameAttrList(name="f", attr={"n": tf.AttrValue(i=3)})
            show(str(m), m.name, m.attr["n"].i, sorted(m.attr)); m.attr["n"].i = 4; m.name = "g"; show(str(m)); other = tf.NameAttrList(); other.CopyFrom(m); show(other == m, str(tf.NameAttrList()), other.SerializeToString() == m.SerializeToString())
            log = tf.LogMessage(level=tf.LogMessage.WARN, message="x"); show(str(log), log.level, tf.LogMessage.ERROR, log.SerializeToString())
            info = tf.TensorInfo(name="x:0", dtype=tf.float32.as_datatype_enum); show(info.name)
            show(tf.sparse.SparseConditionalAccumulator is tf.SparseConditionalAccumulator)
            """,
            "fact": """
            show(tf.user_ops.my_fact().name, tf.user_ops.my_fact().dtype, run(tf.user_ops.my_fact()))
            """,
            "status": """
            show(type(tf.errors.raise_exception_on_not_ok_status).__name__ in ("type", "ABCMeta"))
            """,
            "sparse_members": """
            s = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], tf.placeholder_with_default(np.array([3, 4]), [2]))
            show(s.shape); s.set_shape([3, None]); show(s.shape, run(s.with_values([5, 6])).values, s.with_values([5, 6]).dtype, s.with_values([5, 6]).shape)
            fails(s.set_shape, [4, 4]); fails(s.with_values, [1, 2, 3])
            """,
            "module": """
            class Both(tf.Module):
                def __init__(self):
                    super().__init__()
                    self.a = tf.Variable(1.0, name="a"); self.b = tf.Variable(2.0, trainable=False, name="b"); self.c = [tf.Variable(3.0, trainable=False, name="c")]
            show([v.name for v in Both().non_trainable_variables], [v.name for v in Both().trainable_variables])
            """,
            "shrunk": """
            a = tf.Variable([1.0, -0.2, -3.0, 0.0], use_resource=False); b = tf.Variable([[0.5], [0.6]], use_resource=False)
            run(a); run(b); op = tf.train.sdca_shrink_l1([a, b], l1=1.0, l2=2.0); show(op.name, run(op), run(a), run(b))
            """,
            "dual_ascent": """
            def taken(loss, l1, dense):
                return tf.train.sdca_optimizer([tf.constant(x, tf.int64) for x in ([0, 1, 1], [0, 1])], [tf.constant(x, tf.int64) for x in ([7, 3, 9], [5, 6])], [tf.constant([1.0, 2.0, 3.0])], dense, [1.0, 2.0], [1.0, 0.0],
                    [tf.constant(x, tf.int64) for x in ([9, 3, 7], [6, 5])], [[-0.3, 0.5, 0.1], [0.2, -0.2]], [[0.2]] * len(dense), tf.zeros([2, 4]), loss, l1, 1.0, 1, 1, adaptative=False)
            for loss in "logistic_loss squared_loss hinge_loss smooth_hinge_loss poisson_loss".split():
                for l1, dense in ((0.0, []), (0.1, []), (0.2, [tf.constant([[1.0], [0.0]])])):
                    found = taken(loss, l1, dense)
                    for value in run([found.out_example_state_data, found.out_delta_sparse_weights, found.out_delta_dense_weights]): show(value)
                    show([d.shape.as_list() for d in found.out_delta_sparse_weights], type(found).__name__)
            """,
            "dual_ascent_refused": """
            def taken(rows=(0, 1, 1), ids=(3, 7, 9), known=(3, 7, 9), state=(2, 4), loss="squared_loss", make=tf.train.sdca_optimizer):
                found = make(sparse_example_indices=[tf.constant(rows, tf.int64)], sparse_feature_indices=[tf.constant(ids, tf.int64)], sparse_feature_values=[tf.ones([len(rows)])], dense_features=[tf.constant([[1.0], [0.0]])], example_weights=[1.0, 1.0],
                    example_labels=[0.0, 1.0], sparse_indices=[tf.constant(known, tf.int64)], sparse_weights=[tf.zeros([len(known)])], dense_weights=[[0.0]], example_state_data=tf.zeros(state), loss_type=loss, l1=0.1, l2=1.0, num_loss_partitions=1, num_inner_iterations=1, adaptative=False)
                return run([found.out_example_state_data, found.out_delta_sparse_weights, found.out_delta_dense_weights])
            show(taken(), taken(make=tf.raw_ops.SdcaOptimizer), taken(known=(9, 7, 2, 3)))
            for wrong, text in ((dict(ids=(3, 10, 9)), "range: 10"), (dict(ids=(3, 5, 9)), "Found sparse feature indices out of valid range: 5"), (dict(ids=(-1, 7, 3)), "range: -1"), (dict(known=(3,)), "range: 7"), (dict(known=()), "range: 3"),
                                (dict(rows=(0, 1)), "Found mismatched example_indices and feature_indices [0 1] vs [3 7 9]"), (dict(ids=(3, 7, 7)), "Duplicate index in sparse vector.")):
                try: taken(**wrong)
                except tf.errors.InvalidArgumentError as error: show(text, text in str(error))
            for wrong in (dict(state=(2, 3)), dict(state=(3, 4)), dict(loss="log")): fails(lambda: taken(**wrong))
            """,
            "keywords_of_functions": """
            show(tf.nest.is_nested(seq=[1]), tf.nest.is_nested(seq=1), tf.errors.exception_type_from_error_code(error_code=3).__name__)
            tf.nest.assert_same_structure(nest1=[1, (2,)], nest2=[3, (4,)]); fails(lambda: tf.nest.assert_same_structure(nest1=[1], nest2=[1, 2]))
            v = tf.Variable(1.0, name="v"); s = session(); s.run(v.initializer); path = tf.train.Saver().save(s, folder + "/c"); show(tf.train.NewCheckpointReader(filepattern=path).has_tensor("v"))
            show(tf.train.queue_runner.QueueRunner is tf.train.QueueRunner, sorted(n for n in dir(tf.train.queue_runner) if not n.startswith("_")))
            table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, default_value=-1, empty_key=0, deleted_key=9)
            two, none = tf.constant([1, 2], tf.int64), tf.constant([2], tf.int64)
            run(table.insert_or_assign(two, two * 10)); run(table.erase(none)); show(run([table.size(), table.lookup(two)]))
            E = tf.estimator.experimental; tensor = lambda features, mode: features * 2.0 if mode == "train" else features
            show(run(E.call_logit_fn(tensor, tf.constant(1.5), "train", {}, None)), sorted(E.call_logit_fn(lambda features, params: {k: features for k in params}, tf.constant(1.0), "infer", {"b": 1, "a": 2}, None)))
            fails(lambda: E.call_logit_fn(lambda features: 3, tf.constant(1.0), "infer", {}, None))
            out = tf.estimator.export.EvalOutput(loss=tf.constant(1.0, name="l"), predictions={"p": tf.constant(2.0, name="p")}, metrics={"m": (tf.constant(3.0, name="m"), tf.constant(4.0, name="u"))})
            made = out.as_signature_def({"x": tf.placeholder(tf.float32, name="x")}); show(made.method_name, sorted((k, v.name) for k, v in made.outputs.items()), sorted(made.inputs))
            with tf.io.gfile.GFile(folder + "/lines", "w") as f: f.write("one" + chr(10) + "two")
            show(tf.io.gfile.GFile(folder + "/lines").next())
            """,
            "own_distribution": """
            D = tf.distributions
            class Sharp(D.Distribution):
                def __init__(self, loc, name="Sharp"):
                    parameters = dict(locals()); self.loc = tf.convert_to_tensor(loc)
                    super().__init__(dtype=self.loc.dtype, reparameterization_type=D.FULLY_REPARAMETERIZED, validate_args=False, allow_nan_stats=True, parameters=parameters, graph_parents=[self.loc], name=name)
                def _batch_shape_tensor(self): return tf.shape(self.loc)
                def _batch_shape(self): return self.loc.shape
                def _event_shape_tensor(self): return tf.constant([], tf.int32)
                def _event_shape(self): return tf.TensorShape([])
                def _sample_n(self, n, seed=None): return tf.ones(tf.concat([[n], tf.shape(self.loc)], 0)) * self.loc
                def _log_prob(self, x): return -tf.abs(x - self.loc)
                def _mean(self): return self.loc
            d = Sharp([1.0, 2.0])
            for value in (d.sample(3), d.sample([2, 1]), d.log_prob([0.0, 0.0]), d.prob(1.5), d.mean(), d.copy(loc=[3.0]).sample()): show(value.shape, run(value))
            show(d.batch_shape, d.event_shape, run([d.batch_shape_tensor(), d.event_shape_tensor(), d.is_scalar_batch(), d.is_scalar_event()]), d.dtype, d.name, sorted(d.parameters), d.allow_nan_stats, d.validate_args, str(d), str(d.reparameterization_type))
            fails(d.stddev); fails(d.entropy); fails(lambda: D.kl_divergence(d, d))
            fed = Sharp(tf.placeholder_with_default([1.0, 2.0], [None])); show(fed.batch_shape, run(fed.batch_shape_tensor()), run(fed.sample(2)))
            class Bare(D.Distribution):
                def __init__(self): super().__init__(tf.float32, D.NOT_REPARAMETERIZED, False, True)
            bare = Bare(); show(bare.batch_shape, bare.event_shape, bare.name, bare.parameters); fails(bare.mean); fails(bare.sample)
            """,
            "fields_given_up": """
            c = tf.constant(1.0, name="c"); y = tf.identity(c, name="y"); g = tf.get_default_graph().as_graph_def()
            node = g.node[1]; node.device = "/cpu:0"; node.ClearField("device"); node.ClearField("input"); node.ClearField("attr"); show(node.name, node.op, list(node.input), node.device, len(node.attr))
            g.ClearField("library"); show(len(g.node)); g.ClearField("node"); show(len(g.node)); fails(lambda: node.ClearField("zz"))
            config = tf.ConfigProto(allow_soft_placement=True, device_count={"CPU": 2}); config.ClearField("allow_soft_placement"); show(config.allow_soft_placement, config.device_count["CPU"]); config.ClearField("device_count"); show(len(config.device_count))
            meta = tf.train.export_meta_graph(); show(meta.ByteSize() == len(meta.SerializeToString()))
            """,
            "rows_in_place": """
            if tf.__name__.startswith("tensorflow"):
                from tensorflow.python.ops import inplace_ops as rows
            else:
                from minitf.compat.internals import inplace_ops as rows
            for change in (rows.inplace_update, rows.inplace_add, rows.inplace_sub, rows.alias_inplace_update, rows.alias_inplace_add, rows.alias_inplace_sub):
                for i, v in ((1, [5.0, 6.0]), ([2, 0], [[5.0, 6.0], [1.0, 2.0]]), ([0, 0], [[5.0, 6.0], [1.0, 2.0]]), (None, tf.fill([3, 2], 7.0)), (4, [5.0, 6.0]), (-1, [5.0, 6.0])):
                    found = change(tf.reshape(tf.range(6.0), [3, 2]), i, v); show(found.shape, run(found))
            show(run(rows.empty([2], tf.int32, init=True)), run(rows.empty_like(tf.ones([3, 2]), init=True)))
            """,
        },
    ),
]
